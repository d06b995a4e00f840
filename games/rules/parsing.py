"""Reading one line of orders from left to right (contract 3): what all games share. A game's own
parser knows its verbs.

Text and the names of a card go in; nothing here knows a board.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches

from .markets import NEW_YORK, Market
from .names import NameFault, Vocabulary
from .orders import STOCKS_A_LINE, Line, Unreadable, is_stock, shorten, whole_number, words


def _example_form(market: Market, form: str) -> str:
    """An example of an order with a stock of that market: ATTACK Russia IN Serbia STOCK 7203.T."""
    return form.replace(f"STOCK {NEW_YORK.example}", f"STOCK {market.example}")


class Parser:
    """A line and how far it has been read. Each piece takes its words or raises `Unreadable`.

    `forms`: how an order is written, by its first word in capitals. `offered`: those of them that a
    line with an unknown first word may have meant; all where none are given.
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
            else {verb: _example_form(market, form) for verb, form in forms.items()}
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
        taken, self.at = self.words[self.at :], len(self.words)
        return taken

    def key_word(self, word: str) -> bool:
        if self.at < len(self.words) and self.words[self.at].casefold() == word:
            self.at += 1
            return True
        return False

    def number(self, verb: str) -> int:
        number = whole_number(self.words[self.at]) if self.at < len(self.words) else None
        if number is None:
            raise Unreadable("a whole number of 1 or more is missing", self.forms[verb])
        self.at += 1
        return number

    def area(self, said: list[str]) -> str:
        return self.name(said, self.areas)

    def nation(self, said: list[str]) -> str:
        return self.name(said, self.nations)

    def name(self, said: list[str], names: Vocabulary) -> str:
        text = " ".join(said)
        if not text:
            raise Unreadable(
                f"the name of {'an' if names.noun == 'area' else 'a'} {names.noun} is missing",
                self.form(),
            )
        try:
            return names.find(text)
        except NameFault as fault:
            instead = ""
            if fault.near and not fault.ambiguous:
                # Names follow a blank, a colon or a comma: "At" in ATTACK is not what is to be put
                # right.
                instead = re.sub(
                    r"(?<=[\s:,])" + r"\s+".join(map(re.escape, said)),
                    fault.near[0],
                    self.line.text,
                    count=1,
                )
            raise Unreadable(shorten(str(fault)), near=instead) from fault

    def stocks(self, form: str) -> tuple[str, ...]:
        """Stocks with strokes. What follows STOCK or a stroke is a stock even where it spells MIN
        or ELSE."""
        found: list[str] = []
        while True:
            word = self.words[self.at] if self.at < len(self.words) else ""
            if not is_stock(word, self.market):
                said = (
                    f"“{shorten(word)}” is not a stock symbol" if word else "the stock is missing"
                )
                first = "a letter or digit" if self.market.suffix else "a letter"
                raise Unreadable(
                    f"{said}: write {first} and up to 7 more letters, digits, periods or hyphens",
                    form,
                )
            self.at += 1
            found.append(word.upper())
            if not self.key_word("/"):
                break
        if len(found) > STOCKS_A_LINE:
            more = "" if self.market.suffix else "/IBM/F"
            raise Unreadable(f"name at most {STOCKS_A_LINE} stocks in a line", form + more)
        return tuple(found)

    def endings(self, known: Collection[str], form: str, otherwise: str) -> Iterator[str]:
        """The key words that may follow, in any order and each at most once; whoever asks takes
        what belongs to each.

        `otherwise`: what any other word is, as in “none of STOCK and MIN”.
        """
        seen: set[str] = set()
        while self.at < len(self.words):
            ending = self.words[self.at].casefold()
            self.at += 1
            if ending in seen:
                raise Unreadable(f"{ending.upper()} is there twice", form)
            if ending not in known:
                raise Unreadable(f"“{shorten(self.words[self.at - 1])}” is {otherwise}", form)
            seen.add(ending)
            yield ending

    def minimum(self, best: int, form: str) -> int:
        """What follows MIN: odds from 1-1 to the best column of the table."""
        match = (
            re.fullmatch(r"([1-9])-1", self.words[self.at]) if self.at < len(self.words) else None
        )
        if match is None or int(match[1]) > best:
            raise Unreadable(f"MIN takes odds from 1-1 to {best}-1", form + " MIN 2-1")
        self.at += 1
        return int(match[1])

    # Saying what would have been read.

    def form(self) -> str:
        return self.forms.get(self.words[0].upper(), "")

    def unknown_verb(self) -> Unreadable:
        """The line begins with no verb of the game, or goes on otherwise than its verb does."""
        verb = self.verb
        if verb.upper() in self.forms:
            return Unreadable(
                f"this is not how {verb.upper()} is written", self.forms[verb.upper()]
            )
        # PLACE4 and other words that have grown together begin with what was meant.
        near = [key for key in self.offered if verb.startswith(key.casefold())]
        near += get_close_matches(verb[:20].upper(), self.offered, n=1, cutoff=0.6)
        said = f"no order begins with “{shorten(self.words[0])}”"
        if near:
            return Unreadable(said, self.forms[near[0]], near=self.correct_first_word(near[0]))
        return Unreadable(f"{said}; orders begin with {', '.join(self.offered)}", verbless=True)

    def correct_first_word(self, key: str) -> str:
        """The line with its first word put right, if it could be read then: PLACE4 Poland is PLACE
        4 Poland."""
        first, rest = self.words[0], self.line.text[len(self.words[0]) :]
        grown = first[len(key) :] if first.casefold().startswith(key.casefold()) else ""
        mended = f"{key} {grown}{rest}" if grown else f"{key}{rest}"
        try:
            self.again(mended)
        except Unreadable:
            return ""
        return mended

    def again(self, text: str) -> object:
        """Reads another text in the place of the line, by the game's own verbs."""
        raise NotImplementedError
