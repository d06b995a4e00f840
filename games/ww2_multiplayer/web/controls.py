"""A referee report made by choosing from lists: how the controls of the referee's page change the
report's text. Only the text counts.

Controls are filled from the text that the page last showed (`Controls.from_entries`). Controls that
have changed since are written into the current text; the others leave it alone, so that typing and
choosing never undo each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from games.base.text import shorten
from games.pages.line_forms import (
    FilledForm,
    FormError,
    Typed,
    add_line,
    drop_verb,
    fill_forms,
    has_verb,
    lines_of_text,
    text_of_lines,
)
from games.ww2_multiplayer.rules.report_forms import Form
from games.ww2_multiplayer.rules.table import Table, TableLine

RULINGS = ("done", "changed", "void")
_FORCES = re.compile(r"([0-9]{1,3})(?:\s*/\s*([0-9]{1,3}))?")


# --- the text ---


def drop_lines(text: str, numbers: Iterable[int]) -> str:
    """Return the text without the lines that have these numbers, counted from 1."""
    dropped = set(numbers)
    return text_of_lines(
        [line for number, line in enumerate(lines_of_text(text), start=1) if number not in dropped]
    )


def end_turns(text: str, closing: Iterable[str]) -> str:
    """Return the text with lines that end Player-Turns, in place of its own END."""
    return text_of_lines([*lines_of_text(drop_verb(text, "END")), *closing])


def toggle(text: str, verb: str, line: str) -> str:
    """Return the text without the lines of a verb, or with `line` if there are none."""
    return drop_verb(text, verb) if has_verb(text, verb) else add_line(text, line)


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
    def from_form(cls, key: str, typed: Typed) -> Ruling:
        return cls(
            typed.get(f"ruling:{key}", ""),
            typed.get(f"sp:{key}", "").strip(),
            f"med:{key}" in typed,
            f"private:{key}" in typed,
            " ".join(typed.get(f"reason:{key}", "").split()),
        )

    def line(self, form: Form, power: str, number: int) -> str:
        """Return the line of a report; "" if nothing is chosen. Raise `FormError` for faults."""
        if not self.ruling:
            if self.reason or self.sp or self.med or self.private:
                raise FormError(
                    f"Choose whether line {number} of {power} is done, changed or void."
                )
            return ""
        if self.ruling not in RULINGS:
            raise FormError(
                f"“{shorten(self.ruling)}” is not a ruling. A line is done, changed or void."
            )
        if self.ruling != "done" and not self.reason:
            raise FormError(f"Line {number} of {power} is {self.ruling}: enter a reason.")
        if self.sp and not (self.sp.isascii() and self.sp.isdigit() and len(self.sp) < 4):
            raise FormError(f"“{shorten(self.sp)}” is not a number of Strength Points.")
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
    """Return the key of an order line in the names of its controls."""
    return f"{power}:{number}"


# --- all the controls ---


@dataclass(frozen=True)
class Controls:
    """Rulings by order line; and forces by country and power: “5”, or “5/4” with 4 in supply."""

    rulings: Mapping[str, Ruling]
    forces: Mapping[tuple[str, str], str]

    @classmethod
    def from_entries(cls, table: Table, entries: Sequence[Any]) -> Controls:
        """Return the controls for `table` and for `entries`, the accepted lines."""
        ruled = {}
        for entry in entries:
            if entry.verb == "LINE":
                sp = "" if entry.sp is None else str(entry.sp)
                ruled[key_of(entry.power, entry.number)] = Ruling(
                    entry.kind, sp, entry.on, entry.private, entry.reason
                )
        rulings = {
            key: ruled.get(key, Ruling())
            for key in (key_of(line.power, line.line) for line in open_lines(table))
        }
        forces = {
            (row.name, power): format_forces(sp, supplied)
            for row in table.countries
            for power, sp, supplied in row.forces
        }
        return cls(rulings, forces)


def open_lines(table: Table) -> list[TableLine]:
    """Return the order lines that this report may rule on."""
    return [line for line in table.lines if not line.earlier]


def format_forces(sp: int, supplied: int) -> str:
    return str(sp) if sp == supplied else f"{sp}/{supplied}"


def write_controls(
    text: str, table: Table, entries: Sequence[Any], was: Controls, typed: Typed
) -> str:
    """Return the text with changed controls written in. Raise `FormError` if one is wrong."""
    lines: list[tuple[str, list[int]]] = []
    for order in open_lines(table):
        key = key_of(order.power, order.line)
        ruling = Ruling.from_form(key, typed)
        if f"ruling:{key}" in typed and ruling != was.rulings.get(key, Ruling()):
            line_numbers = [
                entry.line
                for entry in entries
                if entry.verb == "LINE" and (entry.power, entry.number) == (order.power, order.line)
            ]
            # Choosing no ruling takes the line back, even if its reason is still filled in.
            taken_back = not ruling.ruling and was.rulings.get(key, Ruling()).ruling
            lines.append(
                (
                    "" if taken_back else ruling.line(table.ruling, order.power, order.line),
                    line_numbers,
                )
            )
    form = next((form for form in table.forms if form.verb == "FORCES"), None)
    for row in table.countries if form is not None else ():
        for power in table.nations:
            value = typed.get(f"forces:{row.name}:{power}")
            if (
                form is None
                or value is None
                or value.strip() == was.forces.get((row.name, power), "")
            ):
                continue
            line_numbers = [
                entry.line
                for entry in entries
                if entry.verb == "FORCES" and (entry.country, entry.power) == (row.name, power)
            ]
            sp, supplied = _forces(value, row.name, power)
            values = {
                "country": row.name,
                "power": power,
                "sp": str(sp),
                "supplied": "" if supplied == sp else str(supplied),
            }
            lines.append((form.line(values), line_numbers))
    return _put_all(text, lines) if lines else text


def _put_all(text: str, lines: Sequence[tuple[str, list[int]]]) -> str:
    """Replace lines first, while the line numbers hold; then add and drop lines."""
    written_lines: list[str | None] = list(lines_of_text(text))
    new = []
    for line, line_numbers in lines:
        for number in line_numbers:
            written_lines[number - 1] = None
        if line and line_numbers:
            written_lines[line_numbers[0] - 1] = line
        elif line:
            new.append(line)
    text = text_of_lines([line for line in written_lines if line is not None])
    for line in new:
        text = add_line(text, line)
    return text


def _forces(text: str, country: str, power: str) -> tuple[int, int]:
    """Return Strength Points, and how many are in supply. Raise `FormError` for faults."""
    if not text.strip():
        return 0, 0
    match = _FORCES.fullmatch(text.strip())
    if match is None:
        raise FormError(
            f"“{shorten(text)}” for {power} in {country} is not a number. Write 5, or 5/4 if 4 of"
            " the 5 are in supply."
        )
    sp = int(match[1])
    supplied = int(match[2]) if match[2] else sp
    if supplied > sp:
        raise FormError(f"{power} has only {sp} in {country}, so {supplied} cannot be in supply.")
    return sp, supplied


# --- lines of a report ---


def group(forms: Sequence[Form], typed: Typed) -> list[tuple[str, list[FilledForm]]]:
    """Return the forms by heading, in the order in which the headings first occur."""
    by_heading: dict[str, list[Form]] = {}
    for form in forms:
        by_heading.setdefault(form.group, []).append(form)
    return [(heading, fill_forms(under, typed)) for heading, under in by_heading.items()]


def accepting_line(form: Form, table: Table, name: str) -> str:
    """Return the line by which the gamesmaster accepts the proposed controller of a country."""
    row = next((row for row in table.countries if row.name == name), None)
    if row is None:
        raise FormError(f"There is no country “{shorten(name)}”.")
    return form.line(
        {"country": name, "power": row.proposed.controller or "NOBODY", "reason": "as proposed"}
    )


def clear(typed: Typed, verb: str) -> dict[str, str]:
    """Return the input without the blanks of a form whose line has been written."""
    return {key: value for key, value in typed.items() if not key.startswith(f"{verb}:")}
