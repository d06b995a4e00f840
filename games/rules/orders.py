"""Read order texts: lines, comments, numbers and stocks, in all games.

Text goes in and words come out; nothing here knows a board or a card.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .markets import NEW_YORK, Market
from .plan import PlannedOrder

#: The order to do nothing, in every game.
PASS = "PASS"
#: The end of a line of orders, for everything that counts lines.
LINE_END = re.compile(r"\r\n|\r|\n")
_WORD = re.compile(r"[:,/]|[^\s:,/]+")
_NUMBER = re.compile(r"[0-9]+")
_STOCK = re.compile(r"[A-Za-z][A-Za-z0-9.-]{0,7}")
_OPTIONAL = re.compile(r"\[([^]]*\{(\w+)\}[^]]*)\]")
_STOCK_WITH_ENDING = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,7}")
STOCKS_A_LINE = 3
# Python reads numbers of up to 4,300 digits. Longer ones are read as 10 to this power, more than
# any board can hold.
LONGEST_FIGURE = 4000
#: Two orders on line 3 have the numbers 3 and 3 + PART, so that each is unique and gives its line.
PART = 1_000_000


class UnreadableLine(Exception):
    """A line that is no order. `str()` is half a sentence with the reason.

    `near` is the nearest line that could be read, `form` an example of how such a line is written;
    either may be empty. `verbless`: the line does not begin like any order.
    """

    def __init__(
        self, message: str, form: str = "", *, near: str = "", verbless: bool = False
    ) -> None:
        super().__init__(message)
        self.form = form
        self.near = near
        self.verbless = verbless


class Line(NamedTuple):
    number: int
    written: str  # as the player wrote it, for quoting
    text: str  # without comment and closing periods

    def part(self, index: int, text: str) -> Line:
        """Return the order in this place of the line, from 0 on, with its own number (`PART`)."""
        return Line(self.number + index * PART, self.written, text)


def lines(text: str) -> list[Line]:
    """Return the lines that have content.

    All lines are numbered from 1, including blank lines and comments.
    """
    result: list[Line] = []
    if not text:  # frequent: letters tell every nation what happens if nobody sends orders
        return result
    for number, raw in enumerate(LINE_END.split(text), start=1):
        content = raw.partition("#")[0].strip()
        while content.endswith("."):
            content = content[:-1].rstrip()
        if content:
            result.append(Line(number, raw.strip(), content))
    return result


def line_of(number: int) -> int:
    """Return the number of the text line of the order with this number."""
    return number % PART


def is_reworded(written: str, read: Sequence[str]) -> bool:
    """Return whether a written line differs from the orders it was read as, letter by letter."""
    text = "".join(words(written.partition("#")[0])).casefold().rstrip(".")
    return bool(read) and text != "".join("".join(words(order)) for order in read).casefold()


def has_content(text: str) -> bool:
    """Return whether the text counts as orders.

    A text of blank lines and comments does not.
    """
    return bool(lines(text))


def words(text: str) -> list[str]:
    """Return the words of a text.

    Colon, comma and slash are words of their own, with or without spaces around them.
    """
    return _WORD.findall(text)


def whole_number(word: str) -> int | None:
    """Return a whole number of 1 or more, else None.

    Only the digits 0-9 count, as the contract shows them, not those of other scripts.
    """
    if not _NUMBER.fullmatch(word):
        return None
    digits = word.lstrip("0")
    if not digits:
        return None
    return int(digits) if len(digits) <= LONGEST_FIGURE else 10**LONGEST_FIGURE


def is_stock(word: str, market: Market = NEW_YORK) -> bool:
    """Return whether a word can be read as a stock.

    Where symbols have a suffix, the word may begin with a digit: 7203.T. A word without the suffix
    is a stock, too, but one that this market does not have (`Market.has_symbol`).
    """
    return (_STOCK_WITH_ENDING if market.suffix else _STOCK).fullmatch(word) is not None


#: The orders of a team that voted and gave no line a majority.
AGREED_ON_NOTHING = "PASS # no line was sent by more than half of the team"


def no_agreement_prefix(line: Line) -> str:
    """Return the start of a sentence about a team that agreed on nothing; "" for any other line."""
    if line.written.strip() != AGREED_ON_NOTHING:
        return ""
    return "Your team agrees on no line, and that is a PASS: "


@dataclass(frozen=True)
class Order:
    """One order.

    `words()` writes it canonically; a later order with the same `about` replaces it. Not an ABC:
    judging checks the type of every order, and `isinstance` is several times slower with one.
    """

    line: int

    def words(self) -> str:
        raise NotImplementedError

    @property
    def about(self) -> tuple[str, ...]:
        raise NotImplementedError

    def planned(self) -> PlannedOrder:
        """Return the order as pages show and edit it, without its line and odds."""
        raise NotImplementedError


@dataclass(frozen=True)
class Pass(Order):
    """An explicit order to do nothing."""

    def words(self) -> str:
        return PASS

    @property
    def about(self) -> tuple[str, ...]:
        return (PASS,)

    def planned(self) -> PlannedOrder:
        return PlannedOrder(PASS)


def write_line(pattern: str, values: Mapping[str, str]) -> str:
    """Return a pattern with values in its places: “PLACE {number} {area}[ AS {counters}]”.

    A part in brackets is left out where its place has no value.
    """
    whole = _OPTIONAL.sub(lambda part: part[1] if values.get(part[2]) else "", pattern)
    return whole.format_map(values)


def quote_line(line: Line) -> str:
    """Return the line as written, in quotation marks, cut to 80 characters."""
    quoted = line.written if len(line.written) <= 80 else line.written[:79] + "…"
    return f"“{quoted}”"


def shorten(text: str) -> str:
    return text if len(text) <= 200 else text[:199] + "…"


def unreadable_sentence(line: Line, fault: UnreadableLine) -> str:
    """Return the sentence for a line that is no order: the line, the fault, the nearest reading."""
    sentence = f"{quote_line(line)}: {fault}"
    if fault.near:
        return f"{sentence}. Did you mean “{fault.near}”?"
    return f"{sentence}. Example: “{fault.form}”." if fault.form else f"{sentence}."
