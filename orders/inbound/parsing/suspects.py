"""Recognize lines that their sender may have meant as orders, among those that do not count.

Such a line is only quoted in the answer. It is never read as an order because of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from difflib import get_close_matches
from functools import cached_property, lru_cache

from games.rules.names import SYNONYMS, fold
from games.rules.plain.sentences import orders_nothing
from games.rules.plain.words import KINDS, NUMBERS, PEOPLES
from games.rules.registry import RULESETS

from . import headings, patterns
from .normalize import COMMANDS, looks_like_order, normal, order_heads, plain, without_addresses

#: Longer lines are prose.
_LONGEST = 400
#: Names may be shortened to this many letters.
_SHORTEST = 3
#: A number of PFs: not part of a date, a time, a sum or a telephone number.
_NUMBER = re.compile(
    r"(?<!\d)(?<!\d[.,:/-])(?:(?<!\+)|(?=\d\d?(?! ?\d)))\d{1,3}(?![\d:/]|[.,-]\d)"
    rf"|\b(?:{'|'.join(NUMBERS)}|rest|everything)\b|\ball (?:in|to)",
    re.IGNORECASE,
)
_OTHER_COMMANDS = (
    *("ADOPT", "VOTE", "PROPOSE", "COUNTER", "ACCEPT", "DECLINE", "WITHDRAW", "BLOCK", "REPORT"),
    *("REMIND", "PAUSE", "RESUME", "VETO", "PROCESS", "EXTEND", "RULE", "EJECT", "VACATE"),
)
_LONG_RUN = re.compile(r"(\S{40})\S+")
_PASSES = re.compile(r"\W*(?:i|we)(?:'ll| will)? pass\b", re.IGNORECASE)
_MARKS = re.compile(r"[ \t]*(?:[>|¦│┃»][ \t]?)+")
#: The label above a quoted letter, in any language, of a subject of ours: “Betreff: [Title] …”.
_SUBJECT = re.compile(r"^[^\W\d_]+\s?:\s*(?=(?:re: )?\[)")
#: How like a word must be to be that word, misspelled.
_ALIKE = 0.75
#: In longer lines a name is also of other things, and its start a word of any language: “aus”.
_FEW_WORDS = 4
#: A line of the letter may be broken differently in the quotation; shorter ones must be equal.
_LONG_ENOUGH = 30


@lru_cache(maxsize=4)
def _words_of_orders(games: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for the words by which people mean orders of these games."""
    stems = (stem for game in games for verb in RULESETS[game].verbs for stem in verb.stems)
    return re.compile(rf"\b(?:{'|'.join(dict.fromkeys(stems))})", re.IGNORECASE)


@lru_cache(maxsize=1)
def _first_words() -> tuple[str, ...]:
    """Return the first words of orders and commands, in capitals."""
    commands = {form.split()[0].upper() for form in patterns.MEANING}
    return (*order_heads(), *COMMANDS, *_OTHER_COMMANDS, *commands)


def no_letter() -> str:
    """Return no text: the letter that the message answers is not known."""
    return ""


class Suspects:
    """What orders look like in one game.

    `names` are the areas and nations of its card. `letter` returns the text of the letter that the
    message answers; it is called only if a line looks like an order.
    """

    def __init__(self, names: Collection[str] = (), letter: Callable[[], str] = no_letter) -> None:
        self._full_names = _spelled(names)
        self._names = _starts(self._full_names)
        self._folded_names = frozenset(fold(name) for name in names)
        self._letter = letter

    def looks_meant(self, line: str) -> bool:
        """Return whether a line looks like an order or command, and not like our own letter's.

        Lines in the canonical language look so even if the letter has them too.
        """
        return looks_like_order(line) or (self._is_plain_order(line) and not self.is_ours(line))

    def is_new_in_quotation(self, line: str, *, in_letter: bool) -> bool:
        """Return whether a line marked as a quotation looks like an order that is not quoted.

        `in_letter`: it is in a quoted letter of ours. If that letter is not known, its lines are
        taken for ours, and of other quotations only lines in the canonical language look so.
        """
        text = _MARKS.sub("", line, count=1)
        if not (looks_like_order(text) or self._is_plain_order(text)):
            return False
        squeezed = self._letter_squeezed
        if not squeezed:
            return not in_letter and looks_like_order(text)
        return _squeezed(text) not in squeezed

    def opens_letter(self, line: str) -> bool:
        """Return whether a line begins a letter to other players."""
        return headings.opens(normal(line), self._folded_names) is not None

    def names_card(self, line: str) -> bool:
        """Return whether a line has a whole name of the card."""
        return any(
            word.casefold() in self._full_names for word in _words(line) if word not in ("us", "Us")
        )

    def resembles_name(self, word: str) -> bool:
        """Return whether a word is one of a name, perhaps misspelled."""
        return bool(get_close_matches(word.casefold(), self._full_names, n=1, cutoff=_ALIKE))

    def is_near(self, line: str) -> bool:
        """Return whether a line may be a misspelled order or command, or is one.

        Otherwise it says nothing that an answer could explain line by line. A name beside an
        address and a word that no order has is of a place: “10115 Berlin, Germany”.
        """
        written = plain(_LONG_RUN.sub(r"\1", line)[:_LONGEST])
        text = without_addresses(written)
        words = _words(text)
        is_place = text != written and not all(
            self.resembles_name(word) or (word.casefold(),) in KINDS for word in words
        )
        is_short = len(words) <= _FEW_WORDS and not is_place
        if looks_like_order(text) or _PASSES.match(text) or orders_nothing(text):
            return True
        if is_short and self._is_plain_order(text):
            return True
        if words and get_close_matches(words[0].upper(), _first_words(), n=1, cutoff=_ALIKE):
            return True
        return (is_short or self._counts(text)) and any(map(self.resembles_name, words))

    def is_ours(self, line: str) -> bool:
        """Return whether a line is in the letter that the message answers, or has its subject."""
        text = _SUBJECT.sub("", _folded(line))
        lines, whole = self._letter_lines
        return text in lines or (len(text) >= _LONG_ENOUGH and text in whole)

    def _is_plain_order(self, line: str) -> bool:
        """Return whether a line has a name of the card, and a number or a word of orders."""
        text = plain(line[:_LONGEST])
        if _PASSES.match(text):
            return True
        if not self._counts(text):
            return False
        return any(
            word.casefold() in self._names for word in _words(text) if word not in ("us", "Us")
        )

    def _counts(self, text: str) -> bool:
        """Return whether a line has a number or a word of orders."""
        return bool(_NUMBER.search(text) or _words_of_orders(tuple(RULESETS)).search(text))

    @cached_property
    def _letter_squeezed(self) -> str:
        """Return the letter without spaces and punctuation: programs break lines and cells."""
        return _squeezed(self._letter())

    @cached_property
    def _letter_lines(self) -> tuple[frozenset[str], str]:
        lines = [_folded(line) for line in self._letter().split("\n")]
        return frozenset(line for line in lines if line), " ".join(line for line in lines if line)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text)


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]+", "", plain(text).casefold())


def _folded(line: str) -> str:
    return " ".join(plain(_MARKS.sub("", line, count=1)).casefold().split()).strip("* ")


def _spelled(names: Collection[str]) -> frozenset[str]:
    """Return a word of each spelling of the names.

    It is the first word of a name, and the last of another spelling (“Great Britain”).
    """
    words = [_words(name.casefold())[:1] for name in names]
    words += [
        _words(spelling.casefold())[-1:]
        for name in names
        for spelling in (*SYNONYMS.get(name, ()), *PEOPLES.get(name, ()))
    ]
    return frozenset(word for spelled in words for word in spelled)


def _starts(words: Collection[str]) -> frozenset[str]:
    """Return the words, and what they may be shortened to."""
    return frozenset(
        word[:size] for word in words for size in range(min(_SHORTEST, len(word)), len(word) + 1)
    )
