"""What all games share in reading order texts (contract 3): lines, comments, numbers and stocks.

Text goes in and words come out; nothing here knows a board or a card.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .markets import NEW_YORK, Market

_LINE_END = re.compile(r"\r\n|\r|\n")
_WORD = re.compile(r"[:,/]|[^\s:,/]+")
_NUMBER = re.compile(r"[0-9]+")
_STOCK = re.compile(r"[A-Za-z][A-Za-z0-9.-]{0,7}")
_STOCK_WITH_ENDING = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,7}")
STOCKS_A_LINE = 3
# Python reads figures of up to 4,300 digits. A longer one is cut to this: more than any board can
# hold, written out.
LONGEST_FIGURE = 4000
#: Two orders on line 3 have the numbers 3 and 3 + PART: each has its own, and tells its line.
PART = 1_000_000


class Unreadable(Exception):
    """A line that is no order. `str()` is half a sentence that says why.

    `near` is the nearest line that could be read, `form` an example of how such a line is written;
    either may be missing. `verbless`: the line begins like no order at all.
    """

    def __init__(
        self, said: str, form: str = "", *, near: str = "", verbless: bool = False
    ) -> None:
        super().__init__(said)
        self.form = form
        self.near = near
        self.verbless = verbless


class Line(NamedTuple):
    number: int
    written: str  # as the player wrote it, for quoting
    text: str  # without comment and closing full stops


def lines(text: str) -> list[Line]:
    """The lines that say something. All lines are numbered from 1, blank ones and comments too."""
    found = []
    for number, raw in enumerate(_LINE_END.split(text), start=1):
        said = raw.partition("#")[0].strip()
        while said.endswith("."):
            said = said[:-1].rstrip()
        if said:
            found.append(Line(number, raw.strip(), said))
    return found


def line_of(number: int) -> int:
    """The line of the text on which the order with this number stands."""
    return number % PART


def is_reworded(written: str, read: Sequence[str]) -> bool:
    """Whether a line says something else, letter by letter, than the orders that it was read as."""
    said = "".join(words(written.partition("#")[0])).casefold().rstrip(".")
    return bool(read) and said != "".join("".join(words(one)) for one in read).casefold()


def has_content(text: str) -> bool:
    """Whether the text counts as orders at all; blanks and comments do not (contract 4)."""
    return bool(lines(text))


def words(text: str) -> list[str]:
    """Words, with colon, comma and stroke as words of their own whether or not there are blanks
    round them."""
    return _WORD.findall(text)


def whole_number(word: str) -> int | None:
    """A whole number of 1 or more, else None. Only the digits 0-9: other scripts' digits are not
    what the contract shows."""
    if not _NUMBER.fullmatch(word):
        return None
    digits = word.lstrip("0")
    if not digits:
        return None
    return int(digits) if len(digits) <= LONGEST_FIGURE else 10**LONGEST_FIGURE


def is_stock(word: str, market: Market = NEW_YORK) -> bool:
    """Whether a word can be read as a stock (contract 3). Where symbols have an ending, it may
    begin with a digit: 7203.T.

    A word without the ending is a stock all the same, one that this market does not have
    (`Market.has_symbol`).
    """
    return (_STOCK_WITH_ENDING if market.suffix else _STOCK).fullmatch(word) is not None


#: The orders of a team that has voted, and no line has a majority.
AGREED_ON_NOTHING = "PASS # no line was sent by more than half of the team"


def passed_by_vote(line: Line) -> str:
    """Return the beginning of a sentence about what a team that agrees on nothing leaves; "" of
    any other line."""
    if line.written.strip() != AGREED_ON_NOTHING:
        return ""
    return "Your team agrees on no line, and that is a PASS: "


@dataclass(frozen=True)
class Order:
    """One line of orders. `words()` says it canonically; `about` is what a later line on the same
    thing replaces.

    No ABC: judging asks of every order what it is, and `isinstance` is several times slower with
    one.
    """

    line: int

    def words(self) -> str:
        raise NotImplementedError

    @property
    def about(self) -> tuple[str, ...]:
        raise NotImplementedError


@dataclass(frozen=True)
class Pass(Order):
    """Nothing is ordered, on purpose."""

    def words(self) -> str:
        return "PASS"

    @property
    def about(self) -> tuple[str, ...]:
        return ("PASS",)


def quote_line(line: Line) -> str:
    """The line as written, in quotation marks, shortened where it is a letter rather than a
    line."""
    written = line.written if len(line.written) <= 80 else line.written[:79] + "…"
    return f"“{written}”"


def shorten(said: str) -> str:
    return said if len(said) <= 200 else said[:199] + "…"


def unreadable_sentence(line: Line, fault: Unreadable) -> str:
    """The one sentence that a player gets for a line that is no order: the line, what is wrong, the
    nearest reading."""
    said = f"{quote_line(line)}: {fault}"
    if fault.near:
        return f"{said}. Did you mean “{fault.near}”?"
    return f"{said}. Example: “{fault.form}”." if fault.form else f"{said}."
