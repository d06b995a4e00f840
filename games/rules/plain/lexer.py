"""From a line to items: each word, number, name or list of stocks with what it is to the grammar.

Nothing is left out but fillers. What is no word of an order becomes an item of its own kind, and
the grammar takes none of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..orders import STOCKS_A_LINE, whole_number
from .names import Lexicon, Name
from .stocks import Exchange, How
from .tokens import Token, tokens
from .words import DOUBTS, KINDS, NUMBERS, PHRASES

#: What a single sign is.
_SIGNS = {
    ",": "SEP",
    "&": "SEP",
    "+": "SEP",
    ";": "END",
    ".": "END",
    "!": "END",
    ":": "COLON",
    "=": "COLON",
    "→": "COLON",
    "-": "COLON",
    "(": "FILL",
    ")": "FILL",
    "'": "FILL",
    "[": "FILL",
    "]": "FILL",
    "?": "MAYBE",
    "/": "OR",
}
#: Of a line with more in it that is refused no readings are offered.
LONGEST = 60
_SOFT = ("WITH", "USING")
_ODDS = re.compile(r"[:/-]")
#: What may stand before and behind odds that say from where on an attack is made.
_BEFORE_ODDS = frozenset(("but", "only", "at", "with", "for", "odds", "of"))
_BETTER = (("better",), ("more",), ("higher",), ("above",))


class Item(NamedTuple):
    """`value` is the number of NUM and MIN, the `Name` of NAME, the symbols of STOCKS, the counters
    of AS."""

    kind: str
    text: str
    value: Any = None
    slips: tuple[tuple[str, str], ...] = ()  # of STOCKS: companies that are not spelled so


class Lexer:
    """One line. `items()` gives what it says."""

    def __init__(self, line: str, lexicon: Lexicon, exchange: Exchange) -> None:
        self.line = tokens(line)
        self.lexicon = lexicon
        self.exchange = exchange
        self.shouted = line.upper() == line
        self.at = 0

    def items(self) -> Iterator[Item]:
        while self.at < len(self.line):
            start = self.at
            item = self._next()
            assert self.at > start
            yield item

    def _next(self) -> Item:
        """The name that stands there, else the phrase, number or stock, else what begins a name."""
        line, at = self.line, self.at
        if found := self.lexicon.find(line, at):
            return self._take("NAME", found[1], found[0])
        if least := self._or_better():
            return least
        if line[at].text == "(" and (stocks := self._stocks(at + 1, marked=False)):
            return stocks
        kind, end = self._phrase()
        if kind == "STOCK" or kind in _SOFT:
            if stocks := self._stocks(end, marked=kind == "STOCK"):
                return stocks
        elif kind == "MIN":
            return self._minimum(end)
        elif kind == "AS" and (counters := self._counters(end)):
            return counters
        elif not kind and self.exchange.begins_bare(line, at):
            stocks = self._stocks(at, marked=False)
            if stocks:
                return stocks
        if kind:
            return self._take(kind, end)
        return self._number() or self._unknown()

    def _take(self, kind: str, end: int, value: Any = None) -> Item:
        text = " ".join(token.text for token in self.line[self.at : end])
        self.at = end
        return Item(kind, text, value)

    def _phrase(self) -> tuple[str, int]:
        """The longest phrase that stands there, and where it ends; "" for none."""
        longest = PHRASES.get(self.line[self.at].folded, 0)
        words = [token.folded for token in self.line[self.at : self.at + longest]]
        for number in range(len(words), 0, -1):
            if kind := KINDS.get(tuple(words[:number])):
                return kind, self.at + number
        written = self.line[self.at].text.casefold()  # I'll, don't: no possessive
        return KINDS.get((written,), ""), self.at + 1

    def _stocks(self, at: int, *, marked: bool) -> Item | None:
        if at >= len(self.line) or not (
            self.line[at].text[0].isalnum() or self.line[at].text == "$"
        ):
            return None
        how = How(marked, marked or not self.shouted, self._names, self._may_name)
        found = self.exchange.listed(self.line, at, how)
        if found is None or len(found.symbols) > STOCKS_A_LINE:
            return None
        return self._take("STOCKS", found.end, found.symbols)._replace(slips=found.slips)

    def _names(self, at: int) -> int:
        found = self.lexicon.find(self.line, at)
        return found[1] if found else 0

    def _may_name(self, at: int) -> bool:
        """A name may stand there by its start or with a slip, or a word of the grammar."""
        word = (self.line[at].folded,)
        return word in KINDS or self.lexicon.begun(self.line, at) is not None

    def _or_better(self) -> Item | None:
        """2-1 or better, only at 2:1 or better."""
        at = self.at
        if self.line[at].folded not in _BEFORE_ODDS and not _figure(self.line[at]):
            return None
        while at < len(self.line) and at - self.at < len(_BEFORE_ODDS):
            if self.line[at].folded not in _BEFORE_ODDS:
                break
            at += 1
        if at >= len(self.line) or not self.line[at].text.isdigit():
            return None
        tail = tuple(token.folded for token in self.line[at + 3 : at + 5])
        if tail[:1] != ("or",) or tail[1:] not in _BETTER:
            return None
        number = self._odds(at)
        return self._take("MIN", at + 5, number) if number else None

    def _odds(self, at: int) -> int | None:
        """The number of 2:1, 2-1, 2 to 1, where they stand there."""
        said = [token.folded for token in self.line[at : at + 3]]
        if len(said) == 3 and said[2] == "1" and (said[1] == "to" or _ODDS.fullmatch(said[1])):
            return whole_number(said[0]) or None
        return None

    def _minimum(self, at: int) -> Item:
        """At least 2:1."""
        number = self._odds(at)
        return self._take("MIN", at + 3, number) if number else self._take("MAYBE", at)

    def _counters(self, at: int) -> Item | None:
        """AS 3+1+1."""
        end = at
        while end < len(self.line) and (
            self.line[end].text.isdigit() if (end - at) % 2 == 0 else self.line[end].text == "+"
        ):
            end += 1
        if end == at:
            return None
        end -= (end - at) % 2 == 0
        said = "".join(token.text for token in self.line[at:end])
        return self._take("AS", end, said)

    def _number(self) -> Item | None:
        line, at = self.line, self.at
        if line[at].folded in NUMBERS:
            tens = NUMBERS[line[at].folded]
            ones = at + 2 if at + 2 < len(line) and line[at + 1].text == "-" else at + 1
            if tens >= 20 and ones < len(line) and 0 < NUMBERS.get(line[ones].folded, 10) < 10:
                return self._take("NUM", ones + 1, tens + NUMBERS[line[ones].folded])
            return self._take("NUM", at + 1, tens)
        number = whole_number(line[at].text) if _figure(line[at]) else None
        if number is None or self._part_of_a_figure(at):
            return None
        return self._take("NUM", at + 1, number)

    def _part_of_a_figure(self, at: int) -> bool:
        """4.5, 2-1, -5, 1,000, 50%: a figure that is more than a whole number."""
        line = self.line
        after, further = line[at + 1 : at + 2], line[at + 2 : at + 3]
        if after and after[0].glued and after[0].text in "%-.,:/":
            goes_on = bool(further) and further[0].glued and _figure(further[0])
            if after[0].text == "%" or goes_on:
                return True
        if not (at and line[at].glued and line[at - 1].text in "-.,:"):
            return False
        stuck = line[at - 1].glued and at > 1  # to the word or figure before it
        return _figure(line[at - 2]) if stuck else line[at - 1].text in "-."

    def _unknown(self) -> Item:
        token = self.line[self.at]
        if kind := _SIGNS.get(token.text):
            return self._take(kind, self.at + 1)
        found = self.lexicon.begun(self.line, self.at)
        if found is None:
            return self._take("UNKNOWN", self.at + 1)
        name, end = found
        if name.area or name.nation:
            return self._take("NAME", end, name)
        return self._take("UNCLEAR", end, name)


def _figure(token: Token) -> bool:
    return token.text.isdigit()


def read(line: str, lexicon: Lexicon, exchange: Exchange) -> list[Item]:
    """What a line says, without its fillers. One that is refused anyway is not read to its end."""
    found: list[Item] = []
    for item in Lexer(line, lexicon, exchange).items():
        if item.kind != "FILL":
            found.append(item)
        if item.kind in ("UNKNOWN", *DOUBTS) and len(found) > LONGEST:
            break
    return found


def doubtful(items: Sequence[Item]) -> Item | None:
    """The first word that leaves the order in doubt."""
    return next((item for item in items if item.kind in DOUBTS), None)


def slips(items: Sequence[Item]) -> Iterator[tuple[str, Name]]:
    for item in items:
        if item.kind == "NAME" and item.value.slip:
            yield item.text, item.value
