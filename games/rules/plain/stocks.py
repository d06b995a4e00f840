"""Find stocks as people name them: by symbol, by exchange and symbol, or by company."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..markets import MARKETS, NEW_YORK, Market
from ..orders import STOCKS_A_LINE, is_stock
from .names import LONG_ENOUGH, is_slip, shortenings
from .tokens import Token, chunk, tokens
from .typography import keyboard_signs
from .words import (
    AFTER_COMPANIES,
    AFTER_STOCKS,
    ALIASES,
    BETWEEN_STOCKS,
    COMPANIES,
    EXCHANGES,
    KINDS,
    LIKE_NAMES,
    LONGEST,
)

_SUFFIXES = tuple(market.suffix for market in MARKETS.values() if market.suffix)
#: Most words of a company's name, counting punctuation, that may contain a slip.
LONGEST_NAME = 6
_APOSTROPHES = {ord("'"): None, ord("’"): None}
_SIGNS = re.compile(r"[\W_]+")


class NamedStocks(NamedTuple):
    """Stocks in the order of the line, and where they end.

    `slips`: misspelled companies, each with its name.
    """

    symbols: tuple[str, ...]
    end: int
    slips: tuple[tuple[str, str], ...] = ()


class _Stock(NamedTuple):
    symbol: str
    end: int
    slip: str = ""  # as typed, where the company is misspelled


class StockNotation(NamedTuple):
    """How stocks may be written.

    `marked`: the word STOCK comes before them. `any_symbol`: they need not be known here. `barred`
    returns where another name that begins at a place in the line ends, 0 for none; `named` says
    whether one may begin there, by its start or with a slip. `listed`: another stock stands before
    this one.
    """

    marked: bool
    any_symbol: bool
    barred: Callable[[int], int]
    named: Callable[[int], bool]
    listed: bool = False


class Exchange:
    """The stocks of one market whose companies are known here."""

    def __init__(self, market: Market) -> None:
        self.market = market
        self.symbols = frozenset(word for word in COMPANIES if _is_listed(word, market))
        self.names: dict[str, str] = {}
        ambiguous: set[str] = set()
        for name, symbol in [
            *((COMPANIES[symbol], symbol) for symbol in self.symbols),
            *((name, symbol) for name, symbol in ALIASES.items() if symbol in self.symbols),
        ]:
            written = tokens(keyboard_signs(name))  # as a line has it: A2A is three words
            key = _fold(" ".join(token.text for token in written))
            if self.names.get(key, symbol) != symbol:
                ambiguous.add(key)
            self.names[key] = symbol
        for key in ambiguous:
            del self.names[key]
        self._near: dict[str, list[str]] = {}
        for key in self.names:
            if len(key) >= LONG_ENOUGH:
                for variant in shortenings(key):
                    self._near.setdefault(variant, []).append(key)
        self._ends = {end for key in self.names for end in (key[:5], key[-5:])}
        self._starts = {
            word.casefold() for word in (*self.symbols, *EXCHANGES.get(market.id, ()))
        } | {_bare(name.split()[0]) for name in self.names}
        self._longest: dict[str, int] = {}
        for key in self.names:
            first = _bare(key.split()[0])
            # Punctuation between the words counts as words.
            self._longest[first] = max(self._longest.get(first, 0), 2 * len(key.split()))

    def stock_list(self, line: list[Token], at: int, how: StockNotation) -> NamedStocks | None:
        """Return the list of stocks that begins here, up to the first that is too many; or None."""
        stocks: list[_Stock] = []
        end = at
        start: int | None = at
        while start is not None and len(stocks) <= STOCKS_A_LINE:
            stock = self._one(line, start, how._replace(listed=bool(stocks)))
            if stock is None:
                break
            end = _suffix_end(line, stock.end)
            stocks.append(stock._replace(end=end))
            start = _next_stock_start(line, end)
        if not stocks:
            return None
        slips = tuple((stock.slip, COMPANIES[stock.symbol]) for stock in stocks if stock.slip)
        return NamedStocks(tuple(stock.symbol for stock in stocks), end, slips)

    def begins_bare(self, line: list[Token], at: int) -> bool:
        """Return whether a stock is here that needs no word before it.

        It has $ or an exchange before it, or is a known name or symbol.
        """
        token = line[at]
        if _bare(token.text) not in self._starts and token.text not in ("$", "the"):
            return False
        return bool(
            (token.text.isupper() and len(token.text) > 1 and token.text in self.symbols)
            or self._prefixed_stock(line, at)
            or self.company(line, at)
        )

    def company(self, line: list[Token], at: int) -> tuple[str, int] | None:
        """Return the symbol of the company whose whole name is here, and where the name ends."""
        start = at + 1 if at + 1 < len(line) and line[at].folded == "the" else at
        longest = self._longest.get(_bare(line[start].text), 0)
        for end in range(min(len(line), start + longest), start, -1):
            if not line[end - 1].text[0].isalnum():
                continue
            symbol = self.names.get(_fold_tokens(line[start:end]))
            if symbol:
                while end < len(line) and line[end].folded in AFTER_COMPANIES:
                    end += 1
                return symbol, end
        return None

    def misspelt(self, line: list[Token], at: int, how: StockNotation) -> _Stock | None:
        """Return the one company that is one typing slip away.

        Its name has five letters or more.
        """
        if at >= len(line) or how.named(at):
            return None
        for end in range(min(len(line), at + LONGEST_NAME), at, -1):
            if not line[end - 1].text[0].isalnum() or line[end - 1].text.isdigit():
                continue
            near = self._slip(_fold_tokens(line[at:end]))
            if len(near) == 1:
                return _Stock(near.pop(), end, " ".join(token.text for token in line[at:end]))
        return None

    def _slip(self, typed: str) -> set[str]:
        """Return the symbols of companies whose names are one typing slip away."""
        if not LONG_ENOUGH - 1 <= len(typed) <= 40:
            return set()
        # One slip leaves one end of a long name as it is, and ends are quick to compare.
        if len(typed) > 11 and typed[:5] not in self._ends and typed[-5:] not in self._ends:
            return set()
        return {
            self.names[key]
            for variant in shortenings(typed)
            for key in self._near.get(variant, ())
            if key.count(" ") == typed.count(" ") and is_slip(typed, key)
        }

    def symbol_for(self, symbol: str, written: str) -> str:
        """Return the symbol that is meant by a stock spelled like the name of a company.

        Ford is F, unless FORD is written and there is such a stock.
        """
        company = self.names.get(_fold(symbol))
        if company is None or symbol in self.symbols:
            return symbol
        if symbol in LIKE_NAMES and symbol in written:
            return symbol
        return company

    def _one(self, line: list[Token], at: int, how: StockNotation) -> _Stock | None:
        if at >= len(line):
            return None
        if end_of_name := how.barred(at):  # American Express is longer than the Americans
            company = self.company(line, at)
            return _Stock(*company) if company and company[1] > end_of_name else None
        if share := self._share_class(line, at):
            return share
        match = self._stock_at(line, at, how)
        return _Stock(*match) if match else self.misspelt(line, at, how)

    def _share_class(self, line: list[Token], at: int) -> _Stock | None:
        """Return the stock of one class of shares that is written with a stroke: BRK/B."""
        texts = [token.text.upper() for token in line[at : at + 3]]
        if len(texts) < 3 or texts[1] != "/" or not (line[at + 1].glued and line[at + 2].glued):
            return None
        symbol = f"{texts[0]}.{texts[2]}"
        return _Stock(symbol, at + 3, "".join(texts)) if symbol in self.symbols else None

    def joined(self, symbols: Sequence[str], written: str) -> tuple[str, ...]:
        """Return a list of stocks in which BRK/B, as written, is one stock and not two."""
        result: list[str] = []
        for symbol in symbols:
            one = f"{result[-1]}.{symbol}" if result else ""
            if one in self.symbols and f"{result[-1]}/{symbol}" in written.upper():
                result[-1] = one
            else:
                result.append(symbol)
        return tuple(result)

    def _stock_at(self, line: list[Token], at: int, how: StockNotation) -> tuple[str, int] | None:
        if prefixed := self._prefixed_stock(line, at):
            return prefixed
        written, end = chunk(line, at)
        if how.marked and written.isupper() and written in LIKE_NAMES:
            return written, end
        if company := self.company(line, at):
            return company
        if not written or not is_stock(written, self.market) or (written.casefold(),) in KINDS:
            return None
        symbol = written.upper()
        # A small letter alone is a stock where only one can stand: “stock f”, “ge / f”.
        closes = end == len(line) or line[end].text in ",.;/)!"
        is_said = written.isupper() or (closes and (how.marked or how.listed))
        if symbol in self.symbols and (len(written) > 1 or is_said):
            return symbol, end
        if not (how.any_symbol and self.market.has_symbol(symbol)):
            return None
        return (symbol, end) if written.isupper() or self.market.suffix else None

    def _prefixed_stock(self, line: list[Token], at: int) -> tuple[str, int] | None:
        """Return a stock written as $GE or NYSE:GE, and where it ends."""
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


def _next_stock_start(line: list[Token], end: int) -> int | None:
    """Return where the next stock of a list may begin; None where the list ends.

    A mark, a word, or a comma and a word come before it (GE, IBM, or F). The first stock with a
    usable report decides.
    """
    between = [token.folded for token in line[end : end + 2]]
    if len(between) < 2:
        return None
    start = None
    if between[0] in (",", "(") and between[1].isalpha() and between[1] in BETWEEN_STOCKS:
        start = end + 2
    elif between[0] in BETWEEN_STOCKS:
        start = end + 1
    if start is not None and line[start - 1].text.isalpha() and line[start : start + 1]:
        start += line[start].text == ":"  # reserve: IBM
    return start


def _suffix_end(line: list[Token], end: int) -> int:
    """Return where words after a stock end that say it is one: GE stock, GE as the stock."""
    if end == len(line) or line[end].folded not in LONGEST:
        return end
    for length in range(4, 0, -1):
        if tuple(token.folded for token in line[end : end + length]) in AFTER_STOCKS:
            return end + length
    return end


def _is_listed(symbol: str, market: Market) -> bool:
    if market is NEW_YORK:
        return not symbol.endswith(_SUFFIXES)
    return market.has_symbol(symbol)


@lru_cache(maxsize=4096)  # the same few words come again and again
def _bare(word: str) -> str:
    return "".join(char for char in word.casefold() if char.isalnum())


def _fold(name: str) -> str:
    """Return a name without capitals, punctuation and the article."""
    return _strip_article(_words(name))


def _fold_tokens(line: Sequence[Token]) -> str:
    """Return part of a line as `_fold` does; "" if it contains a question mark."""
    if any("?" in token.text for token in line):
        return ""
    return _strip_article([word for token in line for word in _words(token.text)])


def _strip_article(words: Sequence[str]) -> str:
    return " ".join(words[1:] if words[:1] == ["the"] and len(words) > 1 else words)


@lru_cache(maxsize=4096)  # the same few words come again and again
def _words(name: str) -> list[str]:
    """Return a name's words without capitals and punctuation."""
    text = name.casefold().replace("&", " and ").replace("+", " and ").translate(_APOSTROPHES)
    return _SIGNS.sub(" ", text).split()


@lru_cache(maxsize=16)
def exchange(market: Market) -> Exchange:
    return Exchange(market)
