"""Split a line into items: words, numbers, names and lists of stocks, each with its kind.

Only brackets and quotation marks are left out. A word that no order uses becomes an item of its own
kind, which no form accepts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ..orders import STOCKS_A_LINE, whole_number
from .names import LONG_ENOUGH, Lexicon, is_slip
from .stocks import Exchange, StockNotation
from .tokens import Token, tokens
from .words import DOUBTS, KINDS, NOT_NAMES, NUMBERS
from .words import LONGEST as LONGEST_PHRASE

#: The kind of marks that are left out.
_BRACKET = ""
#: Item kinds of punctuation marks.
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
    "(": _BRACKET,
    ")": _BRACKET,
    "'": _BRACKET,
    "[": _BRACKET,
    "]": _BRACKET,
    "?": "MAYBE",
    "/": "OR",
}
#: A refused line with more items than this gets no suggested readings.
LONGEST = 60
_SOFT = ("WITH", "USING")
_ODDS = re.compile(r"[:/-]")
#: Words that may come before and after minimum odds.
_BEFORE_ODDS = frozenset(("but", "only", "at", "with", "for", "odds", "of"))
_BETTER = ("better", "more", "higher", "above")


class Item(NamedTuple):
    """One item of a line.

    `value` is the number of NUM and MIN, the `Name` of NAME, the symbols of STOCKS, the counters of
    AS. `slips` are misspelled words and companies, with what they are read as. `before` and `shape`
    are for forms (games.rules.plain.forms).
    """

    kind: str
    text: str
    value: Any = None
    slips: tuple[tuple[str, str], ...] = ()
    before: str = ""
    shape: str = ""

    @property
    def is_slip(self) -> bool:
        return bool(self.slips) or (self.kind == "NAME" and self.value.slip)


class Lexer:
    """Splits one line into items."""

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
        """Return the next item.

        A name counts first, then a phrase, number or stock, then the start of a name.
        """
        line, at = self.line, self.at
        if (mark_kind := _SIGNS.get(line[at].text)) is not None:
            if line[at].text == "(" and (stocks := self._stocks(at + 1, marked=False)):
                return stocks
            if line[at].text == "+" and self._adds_figure(at):
                mark_kind = "MORE"
            if line[at].text == "(" and self._kind_at(at + 1) == "TOTAL":
                mark_kind = "SEP"
            return self._take(mark_kind, at + 1)
        if match := self.lexicon.find(line, at):
            return self._take("NAME", match[1], match[0])
        if least := self._minimum_item():
            return least
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
        text = self.line[self.at].text
        if end > self.at + 1:
            text = " ".join(token.text for token in self.line[self.at : end])
        self.at = end
        return Item(kind, text, value)

    def _phrase(self) -> tuple[str, int]:
        """Return the kind and end of the longest phrase that begins here; "" for none."""
        at = self.at
        if longest := LONGEST_PHRASE.get(self.line[at].folded):
            words = [token.folded for token in self.line[at : at + longest]]
            for number in range(len(words), 0, -1):
                if kind := KINDS.get(tuple(words[:number])):
                    return kind, at + number
        written = self.line[self.at].text.casefold()  # I'll, don't: no possessive
        return KINDS.get((written,), ""), at + 1

    def _kind_at(self, at: int) -> str:
        """Return the kind of one word of the grammar; "" for any other."""
        return KINDS.get((self.line[at].folded,), "") if at < len(self.line) else ""

    def _stocks(self, at: int, *, marked: bool) -> Item | None:
        if at >= len(self.line) or not (
            self.line[at].text[0].isalnum() or self.line[at].text == "$"
        ):
            return None
        any_symbol = marked or not self.shouted
        how = StockNotation(marked, any_symbol, self._names, self._may_name)
        stocks = self.exchange.stock_list(self.line, at, how)
        if stocks is None or len(stocks.symbols) > STOCKS_A_LINE:
            return None
        return self._take("STOCKS", stocks.end, stocks.symbols)._replace(slips=stocks.slips)

    def _names(self, at: int) -> int:
        match = self.lexicon.find(self.line, at)
        return match[1] if match else 0

    def _may_name(self, at: int) -> bool:
        """Return whether a word of the grammar is here, or perhaps a name.

        A name may be there by its start or with a slip.
        """
        word = (self.line[at].folded,)
        return word in KINDS or self.lexicon.find_start(self.line, at) is not None

    def _minimum_item(self) -> Item | None:
        """Return the minimum of “2-1 or better” or “only at 2:1 or better”, if it begins here."""
        line, at = self.line, self.at
        last = min(len(line) - 4, at + len(_BEFORE_ODDS))
        while at <= last and line[at].folded in _BEFORE_ODDS:
            at += 1
        if at > last:
            return None
        end = at + 4
        if line[at + 3].folded not in ("min", "minimum"):
            if line[at + 3].folded != "or" or end == len(line) or line[end].folded not in _BETTER:
                return None
            end += 1
        number = self._odds(at)
        return self._take("MIN", end, number) if number else None

    def _odds(self, at: int) -> int | None:
        """Return the number of 2:1, 2-1 or 2 to 1, if such odds are here."""
        parts = [token.folded for token in self.line[at : at + 3]]
        between = len(parts) == 3 and (parts[1] == "to" or _ODDS.fullmatch(parts[1]))
        if between and parts[2] in ("1", "one"):
            return whole_number(parts[0]) or NUMBERS.get(parts[0])
        return None

    def _minimum(self, at: int) -> Item:
        """Return the minimum of “at least 2:1” or “min. odds: 2:1”; a doubtful item if no odds
        follow."""
        begin = at
        while begin < len(self.line) and (
            self.line[begin].text in ".:" or self.line[begin].folded in _BEFORE_ODDS
        ):
            begin += 1
        number = self._odds(begin)
        return self._take("MIN", begin + 3, number) if number else self._take("MAYBE", at)

    def _counters(self, at: int) -> Item | None:
        """Return the counters of “AS 3+1+1”, if there are any."""
        end = at
        while end < len(self.line) and (
            self.line[end].text.isdigit() if (end - at) % 2 == 0 else self.line[end].text == "+"
        ):
            end += 1
        if end == at:
            return None
        end -= (end - at) % 2 == 0
        text = "".join(token.text for token in self.line[at:end])
        return self._take("AS", end, text)

    def _number(self) -> Item | None:
        line, at = self.line, self.at
        if line[at].folded in NUMBERS:
            tens = NUMBERS[line[at].folded]
            ones = at + 2 if at + 2 < len(line) and line[at + 1].text == "-" else at + 1
            if tens >= 20 and ones < len(line) and 0 < NUMBERS.get(line[ones].folded, 10) < 10:
                return self._take("NUM", ones + 1, tens + NUMBERS[line[ones].folded])
            return self._take("NUM", at + 1, tens)
        if mixed := self._mixed():
            return mixed
        number = whole_number(line[at].text) if _figure(line[at]) else None
        if number is None or self._part_of_a_figure(at):
            return None
        return self._take("NUM", at + 1, number)

    def _mixed(self) -> Item | None:
        """Return a figure with letters behind it that no order has, as one word: 20th, 12B, 7pm."""
        at, end = self.at, self.at + 1
        if not (_figure(self.line[at]) and end < len(self.line) and self.line[end].glued):
            return None
        if not self.line[end].text[0].isalpha() or self._may_name(end):
            return None
        return self._take("UNKNOWN", end + 1)._replace(
            text=f"{self.line[at].text}{self.line[end].text}"
        )

    def _part_of_a_figure(self, at: int) -> bool:
        """Return whether a number is only part of a figure: 4.5, 2-1, -5, 1,000, 50%."""
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

    def _adds_figure(self, at: int) -> bool:
        """Return whether a plus sign belongs to the figure behind it: “Poland +5”."""
        line = self.line
        follows = at + 1 < len(line) and line[at + 1].glued and _figure(line[at + 1])
        return follows and not (line[at].glued and at > 0 and _figure(line[at - 1]))

    def _unknown(self) -> Item:
        word = self.line[self.at]
        match = self.lexicon.find_start(self.line, self.at)
        if match is None or word.folded in NOT_NAMES:
            return self._misspelled(word.text) or self._unknown_with_figures()
        name, end = match
        if not (name.area or name.nation):
            return self._take("UNCLEAR", end, name)
        # A period closes an abbreviation, unless it closes the line: “Pol. 5”.
        if end + 1 < len(self.line) and self.line[end].text == "." and self.line[end].glued:
            end += not name.slip
        return self._take("NAME", end, name)

    def _unknown_with_figures(self) -> Item:
        """Return an unknown word, with the figures of a code in it: NR4, CV32; not “minus2”."""
        at, end = self.at, self.at + 1
        if self.line[at].text.isupper() and end < len(self.line):
            end += self.line[end].glued and _figure(self.line[end])
        text = "".join(token.text for token in self.line[at:end])
        return self._take("UNKNOWN", end)._replace(text=text)

    def _misspelled(self, typed: str) -> Item | None:
        """Return the item of the one word of the forms that is one slip away: “useing GE”."""
        if (meant := misspelled_word(typed.casefold())) is None:
            return None
        kind, end = KINDS[meant,], self.at + 1
        item = None
        if kind == "STOCK" or kind in _SOFT:
            item = self._stocks(end, marked=kind == "STOCK")
        elif kind == "MIN":
            item = self._minimum(end)
        item = item or self._take(kind, end)
        return item._replace(slips=((typed, f"“{meant}”"), *item.slips))


@lru_cache(maxsize=4096)  # the same few words come again and again
def misspelled_word(typed: str) -> str | None:
    """Return the one word of the forms that is one slip away, or None.

    It has five letters or more. Another ending is another word, not a slip: “placed”.
    """
    near = [
        word
        for (word, *more) in KINDS
        if not more
        and len(word) >= LONG_ENOUGH
        and typed[:1] == word[0]
        and typed[:-1] not in (word, word[:-1])
        and is_slip(typed, word)
    ]
    return near[0] if len({KINDS[word,] for word in near}) == 1 else None


def _figure(token: Token) -> bool:
    return token.text.isdigit()


def read(line: str, lexicon: Lexicon, exchange: Exchange) -> list[Item]:
    """Return the items of a line.

    A long line that is refused anyway is not read to its end.
    """
    items: list[Item] = []
    for item in Lexer(line, lexicon, exchange).items():
        if _says_again(items, item):
            continue
        if item.kind != _BRACKET:
            items.append(item)
        if item.kind in ("UNKNOWN", *DOUBTS) and len(items) > LONGEST:
            break
    return items


def _says_again(items: Sequence[Item], item: Item) -> bool:
    """Return whether a number repeats the one before it: “five (5)” or “5 (five)”."""
    if item.kind != "NUM" or not items or items[-1].kind != "NUM":
        return False
    return items[-1].value == item.value and items[-1].text.isdigit() != item.text.isdigit()


def doubtful(items: Sequence[Item]) -> Item | None:
    """Return the first item that leaves the order in doubt."""
    return next((item for item in items if item.kind in DOUBTS), None)
