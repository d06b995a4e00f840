"""Read one line of orders from left to right, in all games.

A game's own parser knows its verbs. Text and the names of a card go in; nothing here knows a board.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache

from .markets import NEW_YORK, Market
from .names import NameFault, Vocabulary
from .orders import STOCKS_A_LINE, Line, UnreadableLine, is_stock, shorten, whole_number, words


def example_form(market: Market, form: str) -> str:
    """Return an example order with a stock of that market: ATTACK Russia IN Serbia STOCK 7203.T."""
    return form.replace(f"STOCK {NEW_YORK.example}", f"STOCK {market.example}")


@lru_cache(maxsize=4096)  # the same few words come again and again
def _nearest(word: str, keys: tuple[str, ...]) -> list[str]:
    return get_close_matches(word, keys, n=1, cutoff=0.6)


class Parser:
    """A line and how far it has been read. Each method takes its words or raises `Unreadable`.

    `forms`: an example of each order, by its first word in capitals. `offered`: those of them to
    suggest for a line with an unknown first word; all if empty.
    """

    def __init__(
        self,
        line: Line,
        areas: Vocabulary,
        nations: Vocabulary,
        forms: Mapping[str, str],
        offered: Collection[str] = (),
        market: Market = NEW_YORK,
    ) -> None:
        self.line = line
        self.market = market
        self.areas = areas
        self.nations = nations
        self.forms = (
            forms
            if market is NEW_YORK
            else {verb: example_form(market, form) for verb, form in forms.items()}
        )
        self._offered = offered
        self.words = words(line.text)
        self.at = 1  # the first word is the verb

    @property
    def verb(self) -> str:
        return self.words[0].casefold()

    @property
    def offered(self) -> list[str]:
        return [key for key in self.forms if not self._offered or key in self._offered]

    # Pieces of a line.

    def rest(self) -> list[str]:
        remaining, self.at = self.words[self.at :], len(self.words)
        return remaining

    def key_word(self, word: str) -> bool:
        if self.at < len(self.words) and self.words[self.at].casefold() == word:
            self.at += 1
            return True
        return False

    def number(self, verb: str) -> int:
        number = whole_number(self.words[self.at]) if self.at < len(self.words) else None
        if number is None:
            raise UnreadableLine("a whole number of 1 or more is missing", self.forms[verb])
        self.at += 1
        return number

    def area(self, words: list[str]) -> str:
        return self.name(words, self.areas)

    def nation(self, words: list[str]) -> str:
        return self.name(words, self.nations)

    def name(self, words: list[str], names: Vocabulary) -> str:
        text = " ".join(words)
        if not text:
            raise UnreadableLine(
                f"the name of {'an' if names.noun == 'area' else 'a'} {names.noun} is missing",
                self.form(),
            )
        try:
            return names.find(text)
        except NameFault as fault:
            corrected = ""
            if fault.near and not fault.ambiguous:
                # Names follow a space, a colon or a comma, so "At" in ATTACK is not replaced.
                corrected = re.sub(
                    r"(?<=[\s:,])" + r"\s+".join(map(re.escape, words)),
                    fault.near[0],
                    self.line.text,
                    count=1,
                )
            near = corrected if corrected != self.line.text else ""
            raise UnreadableLine(shorten(str(fault)), self.form(), near=near) from fault

    def stocks(self, form: str) -> tuple[str, ...]:
        """Return stocks separated by slashes.

        A word after STOCK or a slash is a stock even if it is MIN or ELSE.
        """
        symbols: list[str] = []
        while True:
            word = self.words[self.at] if self.at < len(self.words) else ""
            if not is_stock(word, self.market):
                sentence = (
                    f"“{shorten(word)}” is not a stock symbol" if word else "the stock is missing"
                )
                first = "a letter or digit" if self.market.suffix else "a letter"
                raise UnreadableLine(
                    f"{sentence}: write {first} and up to 7 more letters, digits, periods or"
                    " hyphens",
                    form,
                )
            self.at += 1
            symbols.append(word.upper())
            if not self.key_word("/"):
                break
        if len(symbols) > STOCKS_A_LINE:
            more = "" if self.market.suffix else "/IBM/F"
            raise UnreadableLine(f"name at most {STOCKS_A_LINE} stocks in a line", form + more)
        return tuple(symbols)

    def endings(self, known: Collection[str], form: str, otherwise: str) -> Iterator[str]:
        """Yield the key words that may follow, in any order and each at most once.

        The caller reads what belongs to each. `otherwise` describes any other word, as in “none of
        STOCK and MIN”.
        """
        seen: set[str] = set()
        while self.at < len(self.words):
            ending = self.words[self.at].casefold()
            self.at += 1
            if ending in seen:
                raise UnreadableLine(f"{ending.upper()} is written twice, so write it once", form)
            if ending not in known:
                raise UnreadableLine(f"“{shorten(self.words[self.at - 1])}” is {otherwise}", form)
            seen.add(ending)
            yield ending

    def minimum(self, best: int, form: str) -> int:
        """Return the number that follows MIN: odds from 1-1 to the best column of the table."""
        match = (
            re.fullmatch(r"([1-9])-1", self.words[self.at]) if self.at < len(self.words) else None
        )
        if match is None or int(match[1]) > best:
            raise UnreadableLine(f"MIN takes odds from 1-1 to {best}-1", form + " MIN 2-1")
        self.at += 1
        return int(match[1])

    # Suggestions for lines that cannot be read.

    def form(self) -> str:
        return self.forms.get(self.words[0].upper(), "")

    def unknown_verb(self) -> UnreadableLine:
        """Return the fault of a line that has no known verb, or no words that fit its verb."""
        verb = self.verb
        if verb.upper() in self.forms:
            return UnreadableLine(
                f"this is not how {verb.upper()} is written", self.forms[verb.upper()]
            )
        # PLACE4 and other words without a space in between begin with the intended verb.
        near = [key for key in self.offered if verb.startswith(key.casefold())]
        near += _nearest(verb[:20].upper(), tuple(self.offered))
        sentence = f"no order begins with “{shorten(self.words[0])}”"
        if near:
            return UnreadableLine(
                sentence, self.forms[near[0]], near=self.correct_first_word(near[0])
            )
        return UnreadableLine(
            f"{sentence}; orders begin with {', '.join(self.offered)}", verbless=True
        )

    def correct_first_word(self, key: str) -> str:
        """Return the line with its first word corrected: PLACE4 Poland becomes PLACE 4 Poland.

        Return "" if the corrected line could not be read either.
        """
        first, rest = self.words[0], self.line.text[len(self.words[0]) :]
        attached = first[len(key) :] if first.casefold().startswith(key.casefold()) else ""
        corrected = f"{key} {attached}{rest}" if attached else f"{key}{rest}"
        try:
            self.reread(corrected)
        except UnreadableLine:
            return ""
        return corrected

    def reread(self, text: str) -> object:
        """Read another text in place of the line, by the game's own verbs."""
        raise NotImplementedError
