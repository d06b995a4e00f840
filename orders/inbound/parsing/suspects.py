"""Recognize lines that their sender may have meant as orders, among those that do not count.

Such a line is only quoted in the answer. It is never read as an order because of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cached_property, lru_cache

from games.rules.names import SYNONYMS
from games.rules.plain.words import NUMBERS, PEOPLES
from games.rules.registry import RULESETS

from .normalize import looks_like_order, plain

#: Longer lines are prose.
_LONGEST = 400
#: Names may be shortened to this many letters.
_SHORTEST = 3
#: A number of PFs: not part of a date, a time, a sum or a telephone number.
_NUMBER = re.compile(
    r"(?<!\d)(?<!\d[.,:/-])(?<!\+)\d{1,3}(?![\d:/]|[.,-]\d)"
    rf"|\b(?:{'|'.join(NUMBERS)}|rest|everything)\b|\ball (?:in|to)",
    re.IGNORECASE,
)
_PASSES = re.compile(r"\W*(?:i|we)(?:'ll| will)? pass\b", re.IGNORECASE)
_MARKS = re.compile(r"[ \t]*(?:[>|¦│┃»][ \t]?)+")
#: A line of the letter may be broken differently in the quotation; shorter ones must be equal.
_LONG_ENOUGH = 30


@lru_cache(maxsize=4)
def _words_of_orders(games: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for the words by which people mean orders of these games."""
    stems = (stem for game in games for verb in RULESETS[game].verbs for stem in verb.stems)
    return re.compile(rf"\b(?:{'|'.join(dict.fromkeys(stems))})", re.IGNORECASE)


def no_letter() -> str:
    """Return no text: the letter that the message answers is not known."""
    return ""


class Suspects:
    """What orders look like in one game.

    `names` are the areas and nations of its card. `letter` returns the text of the letter that the
    message answers; it is called only if a line looks like an order.
    """

    def __init__(self, names: Collection[str] = (), letter: Callable[[], str] = no_letter) -> None:
        self._names = _starts(names)
        self._letter = letter

    def looks_meant(self, line: str) -> bool:
        """Return whether a line looks like an order or command, and not like our own letter's.

        Lines in the canonical language look so even if the letter has them too.
        """
        return looks_like_order(line) or (self._is_plain_order(line) and not self.is_ours(line))

    def is_ours(self, line: str) -> bool:
        """Return whether a line is in the letter that the message answers."""
        text = _folded(line)
        lines, whole = self._letter_lines
        return text in lines or (len(text) >= _LONG_ENOUGH and text in whole)

    def _is_plain_order(self, line: str) -> bool:
        """Return whether a line has a name of the card, and a number or a word of orders."""
        text = plain(line[:_LONGEST])
        if _PASSES.match(text):
            return True
        if _NUMBER.search(text) is None and _words_of_orders(tuple(RULESETS)).search(text) is None:
            return False
        words = re.findall(r"[^\W\d_]+", text)
        return any(word.casefold() in self._names for word in words if word not in ("us", "Us"))

    @cached_property
    def _letter_lines(self) -> tuple[frozenset[str], str]:
        lines = [_folded(line) for line in self._letter().split("\n")]
        return frozenset(line for line in lines if line), " ".join(line for line in lines if line)


def _folded(line: str) -> str:
    return " ".join(plain(_MARKS.sub("", line, count=1)).casefold().split()).strip("* ")


def _starts(names: Collection[str]) -> frozenset[str]:
    """Return a word of each spelling of the names, and the starts of these words.

    It is the first word of a name, and the last of another spelling (“Great Britain”).
    """
    words = [re.findall(r"[^\W\d_]+", name.casefold())[:1] for name in names]
    words += [
        re.findall(r"[^\W\d_]+", spelling.casefold())[-1:]
        for name in names
        for spelling in (*SYNONYMS.get(name, ()), *PEOPLES.get(name, ()))
    ]
    return frozenset(
        word[:size]
        for spelled in words
        for word in spelled
        for size in range(min(_SHORTEST, len(word)), len(word) + 1)
    )
