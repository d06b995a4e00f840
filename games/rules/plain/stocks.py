"""Stocks as people name them: by symbol, with the exchange before it, or by the name of the
company."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from ..markets import MARKETS, NEW_YORK, Market
from ..orders import STOCKS_A_LINE, is_stock
from .names import LONG_ENOUGH, is_slip, shortened
from .tokens import Token, chunk, tokens
from .typography import keyboard_signs
from .words import AFTER_COMPANIES, ALIASES, COMPANIES, EXCHANGES, KINDS, LIKE_NAMES

_SUFFIXES = tuple(market.suffix for market in MARKETS.values() if market.suffix)
#: Words of a company's name, with the signs between them, that are looked at for a slip.
LONGEST_NAME = 6
#: What may stand between two stocks: the first that has a usable report decides.
_BETWEEN = ("/", ",", "or", "and", "then", "else", "otherwise")


_APOSTROPHES = {ord("'"): None, ord("’"): None}
_SIGNS = re.compile(r"[\W_]+")


class Named(NamedTuple):
    """Stocks in the order of the line, and where they end. `slips`: companies that are not spelled
    so, each with its name."""

    symbols: tuple[str, ...]
    end: int
    slips: tuple[tuple[str, str], ...] = ()


class _Stock(NamedTuple):
    symbol: str
    end: int
    slip: str = ""  # what is typed, where it is not how the company is spelled


class How(NamedTuple):
    """How stocks may be written. `marked`: the word STOCK stands before them; `any_symbol`: they
    need not be known here; `barred` gives where something else ends that is named at a place in the
    line, 0 for nothing; `named` says that it may be, by a start or with a slip."""

    marked: bool
    any_symbol: bool
    barred: Callable[[int], int]
    named: Callable[[int], bool]


class Exchange:
    """The stocks of one market that have a name here."""

    def __init__(self, market: Market) -> None:
        self.market = market
        self.symbols = frozenset(one for one in COMPANIES if _listed(one, market))
        self.names: dict[str, str] = {}
        doubled: set[str] = set()
        for name, symbol in [
            *((COMPANIES[symbol], symbol) for symbol in self.symbols),
            *((name, symbol) for name, symbol in ALIASES.items() if symbol in self.symbols),
        ]:
            written = tokens(keyboard_signs(name))  # as a line has it: A2A is three words
            key = _fold(" ".join(token.text for token in written))
            if self.names.get(key, symbol) != symbol:
                doubled.add(key)
            self.names[key] = symbol
        for key in doubled:
            del self.names[key]
        self._near: dict[str, list[str]] = {}
        for key in self.names:
            if len(key) >= LONG_ENOUGH:
                for left in shortened(key):
                    self._near.setdefault(left, []).append(key)
        self._starts = {
            one.casefold() for one in (*self.symbols, *EXCHANGES.get(market.id, ()))
        } | {_bare(name.split()[0]) for name in self.names}
        self._longest: dict[str, int] = {}
        for key in self.names:
            first = _bare(key.split()[0])
            # Signs between the words count as words of the line.
            self._longest[first] = max(self._longest.get(first, 0), 2 * len(key.split()))

    def listed(self, line: list[Token], at: int, how: How) -> Named | None:
        """Return the list of stocks that begins there, to the first that is too many; or None."""
        found: list[_Stock] = []
        end = at
        start: int | None = at
        while start is not None and len(found) <= STOCKS_A_LINE:
            one = self._one(line, start, how)
            if one is None:
                break
            found.append(one)
            end = one.end
            start = _another(line, end)
        if not found:
            return None
        slips = tuple((one.slip, COMPANIES[one.symbol]) for one in found if one.slip)
        return Named(tuple(one.symbol for one in found), end, slips)

    def begins_bare(self, line: list[Token], at: int) -> bool:
        """Whether a stock stands there that needs no word before it: with $, an exchange, or a
        name or symbol that is known here."""
        token = line[at]
        if _bare(token.text) not in self._starts and token.text not in ("$", "the"):
            return False
        return bool(
            (token.text.isupper() and len(token.text) > 1 and token.text in self.symbols)
            or self._prefixed(line, at)
            or self.company(line, at)
        )

    def company(self, line: list[Token], at: int) -> tuple[str, int] | None:
        """The company whose whole name stands there."""
        place = at + 1 if at + 1 < len(line) and line[at].folded == "the" else at
        longest = self._longest.get(_bare(line[place].text), 0)
        for end in range(min(len(line), place + longest), place, -1):
            if not line[end - 1].text[0].isalnum():
                continue
            symbol = self.names.get(_fold(" ".join(token.text for token in line[place:end])))
            if symbol:
                while end < len(line) and line[end].folded in AFTER_COMPANIES:
                    end += 1
                return symbol, end
        return None

    def misspelt(self, line: list[Token], at: int, how: How) -> _Stock | None:
        """The one company that is a slip of the keyboard away, of a name of five letters or
        more."""
        if at >= len(line) or how.named(at):
            return None
        for end in range(min(len(line), at + LONGEST_NAME), at, -1):
            text = " ".join(token.text for token in line[at:end])
            typed = _fold(text)
            if not line[end - 1].text[0].isalnum():
                continue
            if not LONG_ENOUGH - 1 <= len(typed) <= 40:
                continue
            near = {
                self.names[key]
                for left in shortened(typed)
                for key in self._near.get(left, ())
                if key.count(" ") == typed.count(" ") and is_slip(typed, key)
            }
            if len(near) == 1:
                return _Stock(near.pop(), end, text)
        return None

    def meant(self, symbol: str, written: str) -> str:
        """Return the symbol of a stock that is spelled like the name of a company.

        Ford is F, unless FORD is written and there is such a stock.
        """
        company = self.names.get(_fold(symbol))
        if company is None or symbol in self.symbols:
            return symbol
        if symbol in LIKE_NAMES and symbol in written:
            return symbol
        return company

    def _one(self, line: list[Token], at: int, how: How) -> _Stock | None:
        if at >= len(line):
            return None
        if other := how.barred(at):  # American Express is longer than the Americans
            company = self.company(line, at)
            return _Stock(*company) if company and company[1] > other else None
        found = self._spelt(line, at, how)
        return _Stock(*found) if found else self.misspelt(line, at, how)

    def _spelt(self, line: list[Token], at: int, how: How) -> tuple[str, int] | None:
        if prefixed := self._prefixed(line, at):
            return prefixed
        written, end = chunk(line, at)
        if how.marked and written.isupper() and written in LIKE_NAMES:
            return written, end
        if company := self.company(line, at):
            return company
        if not written or not is_stock(written, self.market) or (written.casefold(),) in KINDS:
            return None
        symbol = written.upper()
        if symbol in self.symbols and (len(written) > 1 or written.isupper()):
            return symbol, end
        if not (how.any_symbol and self.market.has_symbol(symbol)):
            return None
        return (symbol, end) if written.isupper() or self.market.suffix else None

    def _prefixed(self, line: list[Token], at: int) -> tuple[str, int] | None:
        """$GE, NYSE:GE."""
        if line[at].text == "$" and at + 1 < len(line):
            written, end = chunk(line, at + 1)
        elif (
            line[at].text.upper() in EXCHANGES.get(self.market.id, ())
            and at + 2 < len(line)
            and line[at + 1].text == ":"
        ):
            written, end = chunk(line, at + 2)
        else:
            return None
        return (written.upper(), end) if is_stock(written, self.market) else None


def _another(line: list[Token], end: int) -> int | None:
    """Return where the next stock of a list may begin: behind a sign, a word, or a comma and a word
    (GE, IBM, or F)."""
    between = [token.folded for token in line[end : end + 2]]
    if between[:1] == [","] and between[1:] and between[1].isalpha() and between[1] in _BETWEEN:
        return end + 2
    return end + 1 if between and between[0] in _BETWEEN else None


def _listed(symbol: str, market: Market) -> bool:
    if market is NEW_YORK:
        return not symbol.endswith(_SUFFIXES)
    return market.has_symbol(symbol)


@lru_cache(maxsize=4096)  # the same few words come again and again
def _bare(word: str) -> str:
    return "".join(sign for sign in word.casefold() if sign.isalnum())


def _fold(name: str) -> str:
    """A name without capitals, signs and the article."""
    said = name.casefold().replace("&", " and ").replace("+", " and ").translate(_APOSTROPHES)
    words = _SIGNS.sub(" ", said).split()
    return " ".join(words[1:] if words[:1] == ["the"] and len(words) > 1 else words)


@lru_cache(maxsize=16)
def exchange(market: Market) -> Exchange:
    return Exchange(market)
