"""A gamesmaster's sheet made by choosing from lists: what the controls of the referee's table do to
its text, which is the only truth.

Controls are filled from the text as the page last showed it (`Controls.of`). What has been changed
in them since is written into the text as it stands now; what has not been touched leaves it alone,
so that typing and choosing never undo each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gamesmaster.text import short

if TYPE_CHECKING:
    from games.rules.ww2_multiplayer.order_forms import Column
    from games.rules.ww2_multiplayer.sheet_forms import Field, Form
    from games.rules.ww2_multiplayer.table import Table, TableLine

RULINGS = ("done", "changed", "void")
NUMBER = "number"  # the kind of a blank that holds one (sheet_forms)
_LINE_END = re.compile(r"\r\n|\r|\n")
#: They come last: what is told after them would come too late for the lines that REST rules.
_CLOSING = ("REST", "END")
_FORCES = re.compile(r"([0-9]{1,3})(?:\s*/\s*([0-9]{1,3}))?")

Typed = Mapping[str, str]


class FormError(Exception):
    """What was chosen makes no line. `str()` is one sentence."""


# --- the text ---


def with_line(text: str, line: str) -> str:
    """The text with a line more: of the Player-Turn that it tells of last, after the others, but
    before those that rule the rest and end."""
    written = _lines(text)
    verb = _verb(line)
    after = _CLOSING[_CLOSING.index(verb) + 1 :] if verb in _CLOSING else _CLOSING
    begins = _begins(written)
    place = next(
        (
            number
            for number, one in enumerate(written[begins:], start=begins)
            if _verb(one) in after
        ),
        len(written),
    )
    return _text([*written[:place], line, *written[place:]])


def without(text: str, numbers: Iterable[int]) -> str:
    """The text without the lines of these numbers, counted from 1."""
    dropped = set(numbers)
    return _text(
        [line for number, line in enumerate(_lines(text), start=1) if number not in dropped]
    )


def without_verb(text: str, verb: str) -> str:
    written = _lines(text)
    begins = _begins(written)
    return _text([*written[:begins], *(one for one in written[begins:] if _verb(one) != verb)])


def says(text: str, verb: str) -> bool:
    """Whether a report says so of the Player-Turn that it tells of last."""
    written = _lines(text)
    return any(_verb(line) == verb for line in written[_begins(written) :])


def with_ends(text: str, closing: Iterable[str]) -> str:
    """The text with lines that end Player-Turns, in place of its own END."""
    return _text([*_lines(without_verb(text, "END")), *closing])


def _begins(written: Sequence[str]) -> int:
    """Return where the Player-Turn begins that a report tells of last: behind its last NEXT."""
    return max(
        (number for number, one in enumerate(written, start=1) if _verb(one) == "NEXT"), default=0
    )


def toggle(text: str, verb: str, line: str) -> str:
    """Return the text without the lines of a verb; with `line` where there are none."""
    return without_verb(text, verb) if says(text, verb) else with_line(text, line)


def _lines(text: str) -> list[str]:
    lines = _LINE_END.split(text)
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _text(lines: Sequence[str]) -> str:
    return "\n".join(lines) + ("\n" if lines else "")


def _verb(line: str) -> str:
    return line.strip().partition(" ")[0].upper()


# --- rulings on order lines ---


@dataclass(frozen=True)
class Ruling:
    """The controls of one order line."""

    ruling: str = ""  # "", "done", "changed", "void"
    sp: str = ""
    med: bool = False
    private: bool = False
    reason: str = ""

    @classmethod
    def typed(cls, key: str, typed: Typed) -> Ruling:
        return cls(
            typed.get(f"ruling:{key}", ""),
            typed.get(f"sp:{key}", "").strip(),
            f"med:{key}" in typed,
            f"private:{key}" in typed,
            " ".join(typed.get(f"reason:{key}", "").split()),
        )

    def line(self, form: Form, power: str, number: int) -> str:
        """The line of a sheet; "" where nothing is chosen. Raises `FormError`."""
        if not self.ruling:
            if self.reason or self.sp or self.med or self.private:
                raise FormError(
                    f"Say of line {number} of {power} whether it is done, changed or void."
                )
            return ""
        if self.ruling not in RULINGS:
            raise FormError(
                f"“{short(self.ruling)}” is no ruling; a line is done, changed or void."
            )
        if self.ruling != "done" and not self.reason:
            raise FormError(f"Line {number} of {power} is {self.ruling}: say why.")
        if self.sp and not (self.sp.isascii() and self.sp.isdigit() and len(self.sp) < 4):
            raise FormError(f"“{short(self.sp)}” is no number of Strength Points.")
        return form.line(
            {
                "power": power,
                "line": str(number),
                "ruling": self.ruling.upper(),
                "sp": f"{int(self.sp)} SP" if self.sp else "",
                "med": "VIA MED" if self.med else "",
                "private": "PRIVATE" if self.private else "",
                "reason": self.reason,
            }
        )


def key_of(power: str, number: int) -> str:
    """The name of an order line in the names of its controls."""
    return f"{power}:{number}"


# --- all the controls ---


@dataclass(frozen=True)
class Controls:
    """Rulings by order line, and forces by country and power as "5" or "5/4" (in supply)."""

    rulings: Mapping[str, Ruling]
    forces: Mapping[tuple[str, str], str]

    @classmethod
    def of(cls, table: Table, entries: Sequence[Any]) -> Controls:
        """Return controls by `table` and the accepted lines, `entries`."""
        ruled = {}
        for one in entries:
            if one.verb == "LINE":
                sp = "" if one.sp is None else str(one.sp)
                ruled[key_of(one.power, one.number)] = Ruling(
                    one.kind, sp, one.on, one.private, one.reason
                )
        rulings = {
            key: ruled.get(key, Ruling())
            for key in (key_of(line.power, line.line) for line in open_lines(table))
        }
        forces = {
            (row.name, power): forces_words(sp, supplied)
            for row in table.countries
            for power, sp, supplied in row.forces
        }
        return cls(rulings, forces)


def open_lines(table: Table) -> list[TableLine]:
    """The order lines that this sheet may rule."""
    return [line for line in table.lines if not line.earlier]


def forces_words(sp: int, supplied: int) -> str:
    return str(sp) if sp == supplied else f"{sp}/{supplied}"


def write_controls(
    text: str, table: Table, entries: Sequence[Any], was: Controls, typed: Typed
) -> str:
    """Return the text with changed controls written in. Raises `FormError`, changing nothing."""
    lines: list[tuple[str, list[int]]] = []
    for one in open_lines(table):
        key = key_of(one.power, one.line)
        now = Ruling.typed(key, typed)
        if f"ruling:{key}" in typed and now != was.rulings.get(key, Ruling()):
            there = [
                entry.line
                for entry in entries
                if entry.verb == "LINE" and (entry.power, entry.number) == (one.power, one.line)
            ]
            taken_back = (
                not now.ruling and was.rulings.get(key, Ruling()).ruling
            )  # with whatever stands in its reason still
            lines.append(("" if taken_back else now.line(table.ruling, one.power, one.line), there))
    form = next((form for form in table.forms if form.verb == "FORCES"), None)
    for row in table.countries if form is not None else ():
        for power in table.nations:
            said = typed.get(f"forces:{row.name}:{power}")
            if (
                form is None
                or said is None
                or said.strip() == was.forces.get((row.name, power), "")
            ):
                continue
            there = [
                entry.line
                for entry in entries
                if entry.verb == "FORCES" and (entry.country, entry.power) == (row.name, power)
            ]
            sp, supplied = _forces(said, row.name, power)
            values = {
                "country": row.name,
                "power": power,
                "sp": str(sp),
                "supplied": "" if supplied == sp else str(supplied),
            }
            lines.append((form.line(values), there))
    return _put_all(text, lines) if lines else text


def _put_all(text: str, lines: Sequence[tuple[str, list[int]]]) -> str:
    """Replace lines first, while the numbers hold; then add and drop."""
    written_lines: list[str | None] = list(_lines(text))
    new = []
    for line, there in lines:
        for number in there:
            written_lines[number - 1] = None
        if line and there:
            written_lines[there[0] - 1] = line
        elif line:
            new.append(line)
    text = _text([line for line in written_lines if line is not None])
    for line in new:
        text = with_line(text, line)
    return text


def _forces(said: str, country: str, power: str) -> tuple[int, int]:
    """Strength Points, and how many of them are in supply. Raises `FormError`."""
    if not said.strip():
        return 0, 0
    found = _FORCES.fullmatch(said.strip())
    if found is None:
        raise FormError(
            f"“{short(said)}” for {power} in {country} is no number; write 5, or 5/4 where four of"
            " the five are in supply."
        )
    sp = int(found[1])
    supplied = int(found[2]) if found[2] else sp
    if supplied > sp:
        raise FormError(
            f"{power} cannot have {supplied} in supply in {country} of the {sp} that are there."
        )
    return sp, supplied


# --- lines with blanks ---


def built(form: Form, typed: Typed) -> str:
    """Return the line of a filled form; blanks are named "VERB:name". Raises `FormError`."""
    values = {}
    for field in form.fields:
        value = " ".join(typed.get(f"{form.verb}:{field.name}", "").split())
        _check(form, field, value)
        values[field.name] = value
    return form.line(values)


def _check(form: Form, field: Field, value: str) -> None:
    where = f"“{form.says}”"
    if not value:
        if not field.optional:
            raise FormError(f"{where}: {'choose' if field.among else 'say'} {field.label}.")
    elif field.among and value not in field.among:
        raise FormError(f"{where}: “{short(value)}” cannot be chosen as {field.label}.")
    elif field.kind == NUMBER and not (value.isascii() and value.isdigit() and len(value) < 4):
        raise FormError(
            f"{where}: “{short(value)}” is no number; write {field.label} as a whole number up to"
            " 999."
        )


@dataclass(frozen=True)
class Blank:
    """A blank of a form as a page shows it: `among` to choose from, else a number or words."""

    key: str
    label: str
    among: tuple[str, ...]
    number: bool
    optional: bool
    value: str


@dataclass(frozen=True)
class Filled:
    """A form with what was last typed into it."""

    verb: str
    says: str
    blanks: tuple[Blank, ...]


def filled(forms: Iterable[Form], typed: Typed) -> list[Filled]:
    return [
        Filled(
            form.verb, form.says, tuple(_blank(form.verb, field, typed) for field in form.fields)
        )
        for form in forms
    ]


def _blank(verb: str, field: Field, typed: Typed) -> Blank:
    key = f"{verb}:{field.name}"
    return Blank(
        key, field.label, field.among, field.kind == NUMBER, field.optional, typed.get(key, "")
    )


def group(forms: Sequence[Form], typed: Typed) -> list[tuple[str, list[Filled]]]:
    """The forms under their headings, in the order in which the headings come up."""
    found: dict[str, list[Form]] = {}
    for form in forms:
        found.setdefault(form.group, []).append(form)
    return [(heading, filled(under, typed)) for heading, under in found.items()]


def accepting_line(form: Form, table: Table, name: str) -> str:
    """The line that makes what is proposed of a country's controller the gamesmaster's word."""
    row = next((row for row in table.countries if row.name == name), None)
    if row is None:
        raise FormError(f"There is no country “{short(name)}”.")
    return form.line(
        {"country": name, "power": row.proposed.controller or "NOBODY", "reason": "as proposed"}
    )


def clear(typed: Typed, verb: str) -> dict[str, str]:
    """What was typed, without the blanks of a form whose line has been written."""
    return {key: value for key, value in typed.items() if not key.startswith(f"{verb}:")}


# --- a column of one's own ---


@dataclass(frozen=True)
class Pick:
    """An entry a country offers: whose, "C3", its points, and whether the text takes it."""

    power: str
    said: str
    points: int
    chosen: bool


@dataclass(frozen=True)
class Picked:
    """The column as the text has it: a row a country, its sum, and the most allowed."""

    powers: tuple[str, ...]
    printed: str
    rows: tuple[
        tuple[str, tuple[Pick | None, ...]], ...
    ]  # of each power in order; None where its column has nothing for the country
    total: int
    most: int
    both: bool


def column(offered: Column, text: str) -> Picked:
    said = {" ".join(line.split()).upper() for line in _lines(text)}
    rows = []
    for row in offered.rows:
        of = {
            power: Pick(power, words, points, line.upper() in said)
            for power, words, points, line in row.entries
        }
        rows.append((row.country, tuple(of.get(power) for power in offered.powers)))
    total = sum(
        pick.points for _, picks in rows for pick in picks if pick is not None and pick.chosen
    )
    return Picked(offered.powers, offered.printed, tuple(rows), total, offered.most, offered.both)


def with_column(text: str, offered: Column, typed: Typed) -> str:
    """Replace what the text says of a column by the picked entries. Raises `FormError`."""
    lines, total = [], 0
    for row in offered.rows:
        for power, _, points, line in row.entries:
            if (
                typed.get(f"blend:{row.country}") == power
                or f"blend:{row.country}:{power}" in typed
            ):
                lines.append(line)
                total += points
    if total > offered.most:
        raise FormError(
            f"These entries come to {total} points; {offered.most} is the most (19.2). Leave some"
            " out."
        )
    text = without_verb(without_verb(text, "BLEND"), "COLUMN")
    for line in lines or ["COLUMN PRINTED"]:
        text = with_line(text, line)
    return text
