"""Lines with blanks that a page offers, and how they change the text of orders or of a report.

Only the text counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from games.base.text import shorten
from games.rules.orders import LINE_END

NUMBER = "number"  # the kind of a blank for a number
#: They come last: anything after them would be too late for the order lines that REST rules on.
_CLOSING = ("REST", "END")

Typed = Mapping[str, str]


class LineField(Protocol):
    """A blank of a line, as a ruleset describes it."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def optional(self) -> bool: ...
    @property
    def among(self) -> tuple[str, ...]: ...


class LineForm(Protocol):
    """A kind of line with blanks; `says` is what it is for, in words."""

    @property
    def verb(self) -> str: ...
    @property
    def says(self) -> str: ...
    @property
    def fields(self) -> Sequence[LineField]: ...

    def line(self, values: Mapping[str, str]) -> str:
        """Return the line with these values, by the names of fields."""
        ...


class OfferedRow(Protocol):
    """A row of a column: power, words, points and order line of each of its entries."""

    @property
    def country(self) -> str: ...
    @property
    def entries(self) -> Sequence[tuple[str, str, int, str]]: ...


class OfferedColumn(Protocol):
    """A column to be combined from two: its rows, and the most points that it may have.

    `without`: the line that leaves the printed column as it is.
    """

    @property
    def powers(self) -> tuple[str, ...]: ...
    @property
    def printed(self) -> str: ...
    @property
    def rows(self) -> Sequence[OfferedRow]: ...
    @property
    def most(self) -> int: ...
    @property
    def both(self) -> bool: ...
    @property
    def without(self) -> str: ...


class OrderForms(Protocol):
    """What `Writing.order_forms` returns: lines with blanks for the order page."""

    @property
    def forms(self) -> Sequence[LineForm]: ...
    @property
    def column(self) -> OfferedColumn | None: ...
    @property
    def standing(self) -> tuple[str, ...]:
        """The nation's instructions that hold from turn to turn, in sentences."""
        ...


class FormError(Exception):
    """The choices do not make a line. `str()` is one sentence."""


# --- the text ---


def add_line(text: str, line: str) -> str:
    """Return the text with another line. The line belongs to the last Player-Turn in the text, and
    goes after its other lines, but before those that rule the rest and end it."""
    lines = lines_of_text(text)
    verb = verb_of(line)
    after = _CLOSING[_CLOSING.index(verb) + 1 :] if verb in _CLOSING else _CLOSING
    begins = last_turn_start(lines)
    place = next(
        (
            number
            for number, other in enumerate(lines[begins:], start=begins)
            if verb_of(other) in after
        ),
        len(lines),
    )
    return text_of_lines([*lines[:place], line, *lines[place:]])


def drop_verb(text: str, verb: str) -> str:
    lines = lines_of_text(text)
    begins = last_turn_start(lines)
    others = (line for line in lines[begins:] if verb_of(line) != verb)
    return text_of_lines([*lines[:begins], *others])


def has_verb(text: str, verb: str) -> bool:
    """Return whether the last Player-Turn of a report has a line with this verb."""
    lines = lines_of_text(text)
    return any(verb_of(line) == verb for line in lines[last_turn_start(lines) :])


def last_turn_start(written: Sequence[str]) -> int:
    """Return where the last Player-Turn of a report begins: after its last NEXT."""
    return max(
        (number for number, line in enumerate(written, start=1) if verb_of(line) == "NEXT"),
        default=0,
    )


def lines_of_text(text: str) -> list[str]:
    lines = LINE_END.split(text)
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def text_of_lines(lines: Sequence[str]) -> str:
    return "\n".join(lines) + ("\n" if lines else "")


def verb_of(line: str) -> str:
    return line.strip().partition(" ")[0].upper()


# --- lines with blanks ---


def build_line(form: LineForm, typed: Typed) -> str:
    """Return the line of a filled form; blanks are named "VERB:name". Raise `FormError`."""
    values = {}
    for field in form.fields:
        value = " ".join(typed.get(f"{form.verb}:{field.name}", "").split())
        _check(form, field, value)
        values[field.name] = value
    return form.line(values)


def _check(form: LineForm, field: LineField, value: str) -> None:
    where = f"“{form.says}”"
    if not value:
        if not field.optional:
            raise FormError(f"{where}: {'choose' if field.among else 'say'} {field.label}.")
    elif field.among and value not in field.among:
        raise FormError(f"{where}: “{shorten(value)}” cannot be chosen as {field.label}.")
    elif field.kind == NUMBER and not (value.isascii() and value.isdigit() and len(value) < 4):
        raise FormError(
            f"{where}: “{shorten(value)}” is not a number. Write {field.label} as a whole number up"
            " to 999."
        )


@dataclass(frozen=True)
class Blank:
    """A blank of a form on a page: a choice from `among`, if it has any, else a number or text."""

    key: str
    label: str
    among: tuple[str, ...]
    number: bool
    optional: bool
    value: str


@dataclass(frozen=True)
class FilledForm:
    """A form with what was last typed into it."""

    verb: str
    says: str
    blanks: tuple[Blank, ...]


def fill_forms(forms: Iterable[LineForm], typed: Typed) -> list[FilledForm]:
    return [
        FilledForm(
            form.verb, form.says, tuple(_blank(form.verb, field, typed) for field in form.fields)
        )
        for form in forms
    ]


def _blank(verb: str, field: LineField, typed: Typed) -> Blank:
    key = f"{verb}:{field.name}"
    return Blank(
        key, field.label, field.among, field.kind == NUMBER, field.optional, typed.get(key, "")
    )


# --- a column of the player's own ---


@dataclass(frozen=True)
class Pick:
    """An entry for a country: of which power, “C3”, its points, and whether the text chooses it."""

    power: str
    said: str
    points: int
    chosen: bool


@dataclass(frozen=True)
class ColumnForm:
    """The column in the text: a row for each country, its total, and the highest total allowed."""

    powers: tuple[str, ...]
    printed: str
    #: Each country with the entries of all powers in order; None if a power has none for it.
    rows: tuple[tuple[str, tuple[Pick | None, ...]], ...]
    total: int
    most: int
    both: bool


def column(offered: OfferedColumn, text: str) -> ColumnForm:
    chosen_lines = {" ".join(line.split()).upper() for line in lines_of_text(text)}
    rows = []
    for row in offered.rows:
        by_power = {
            power: Pick(power, words, points, line.upper() in chosen_lines)
            for power, words, points, line in row.entries
        }
        rows.append((row.country, tuple(by_power.get(power) for power in offered.powers)))
    total = sum(
        pick.points for _, picks in rows for pick in picks if pick is not None and pick.chosen
    )
    return ColumnForm(
        offered.powers, offered.printed, tuple(rows), total, offered.most, offered.both
    )


def replace_column(text: str, offered: OfferedColumn, typed: Typed) -> str:
    """Replace a column in the text by the chosen entries. Raise `FormError` above the limit."""
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
            f"These entries add up to {total} points; the limit is {offered.most} (19.2). Leave"
            " some out."
        )
    entries = (line for row in offered.rows for _, _, _, line in row.entries)
    for verb in dict.fromkeys(line.partition(" ")[0] for line in (*entries, offered.without)):
        text = drop_verb(text, verb)
    for line in lines or [offered.without]:
        text = add_line(text, line)
    return text
