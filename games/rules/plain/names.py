"""Find areas and nations as people name them in a sentence.

Names of peoples, starts of names and names with one typing slip count, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..names import SYNONYMS, Vocabulary, fold
from .tokens import Token
from .words import PEOPLES

#: A name of this many letters or more may contain one typing slip.
LONG_ENOUGH = 5
#: The start of a name must be at least this long in a sentence.
SHORTEST_START = 2


class Name(NamedTuple):
    """The meaning of some words: an area, a nation, or both.

    `near`: possible names where there is not exactly one. `slip`: it is spelled differently.
    """

    area: str | None
    nation: str | None
    near: tuple[str, ...] = ()
    slip: bool = False


class Lexicon:
    """The names of a card."""

    def __init__(self, areas: Vocabulary, nations: Vocabulary) -> None:
        self.areas = areas
        self.nations = nations
        self.exact: dict[str, Name] = {}
        for name in dict.fromkeys((*areas.names, *nations.names)):
            both = Name(
                name if name in areas.names else None, name if name in nations.names else None
            )
            for spelling in (name, *SYNONYMS.get(name, ())):
                self.exact[fold(spelling)] = both
            if both.nation:
                for people in PEOPLES.get(name, ()):
                    self.exact.setdefault(fold(people), Name(None, name))
        self.longest = max((len(key.split()) for key in self.exact), default=1)
        self._near: dict[str, list[str]] = {}
        for spelling in self.exact:
            if len(spelling) >= LONG_ENOUGH:
                for variant in shortenings(spelling):
                    self._near.setdefault(variant, []).append(spelling)

    def windows(self, line: Sequence[Token], at: int) -> Iterator[tuple[str, int]]:
        """Yield the next words as one text, the longest first, each with its end.

        A hyphen in a name is as good as a space.
        """
        text = line[at].folded
        windows = [(text, at + 1)]
        end = at + 1
        while end < len(line) and len(windows) < self.longest:
            token = line[end]
            end += 1
            if token.text == "-" and token.glued:
                continue
            if not token.text[0].isalpha():
                break
            text = f"{text} {token.folded}"
            windows.append((text, end))
        return reversed(windows)

    def find(self, line: Sequence[Token], at: int) -> tuple[Name, int] | None:
        """Return the longest name that is spelled out here, and its end.

        A name of two words or more may contain a slip.
        """
        if not line[at].text[0].isalpha():
            return None
        for text, end in self.windows(line, at):
            name = self.exact.get(text) or (self.slip(text) if " " in text else None)
            if name:
                return name, end
        return None

    def find_start(self, line: Sequence[Token], at: int) -> tuple[Name, int] | None:
        """Return a name whose start is here, or one with a slip in it, and its end."""
        if not line[at].text[0].isalpha():
            return None
        text = line[at].folded
        name = self._name_by_start(text) if len(text) >= SHORTEST_START else None
        name = name or self.slip(text)
        return (name, at + 1) if name else None

    def _name_by_start(self, text: str) -> Name | None:
        area, near = _names_starting(self.areas, text)
        nation, others = _names_starting(self.nations, text)
        if area or nation or near or others:
            return Name(area, nation, tuple(dict.fromkeys((*near, *others))))
        return None

    def slip(self, text: str) -> Name | None:
        """Return the one name that is one slip away, or a name with all of these in `near`.

        A slip is a letter wrong, missing or added, or two letters exchanged, but not the first one:
        Prussia is not Russia.
        """
        if not LONG_ENOUGH - 1 <= len(text) <= 40:
            return None
        near = {
            self.exact[spelling]
            for variant in shortenings(text)
            for spelling in self._near.get(variant, ())
            if spelling[0] == text[0]
            and spelling.count(" ") == text.count(" ")
            and is_slip(text, spelling)
        }
        if len(near) == 1:
            return near.pop()._replace(slip=True)
        names = {name.area or name.nation or "" for name in near}
        return Name(None, None, tuple(sorted(names))) if near else None


def _names_starting(vocabulary: Vocabulary, text: str) -> tuple[str | None, tuple[str, ...]]:
    names = vocabulary.names_starting_with(text)
    return (names[0], ()) if len(names) == 1 else (None, tuple(names))


@lru_cache(maxsize=4096)  # the same few words come again and again
def shortenings(text: str) -> frozenset[str]:
    """Return the text, and the text without each one of its letters.

    Two texts that are one slip apart have one of these in common.
    """
    return frozenset((text, *(text[:index] + text[index + 1 :] for index in range(len(text)))))


def is_slip(typed: str, meant: str) -> bool:
    """Return whether the two texts are one typing slip apart."""
    start = 0
    shorter = min(len(typed), len(meant))
    while start < shorter and typed[start] == meant[start]:
        start += 1
    typed_rest, meant_rest = typed[start:], meant[start:]
    if (
        typed_rest[:2] == meant_rest[1::-1]
        and len(meant_rest) > 1
        and typed_rest[2:] == meant_rest[2:]
    ):
        return True
    return typed_rest != meant_rest and (
        typed_rest[1:] == meant_rest[1:]
        or typed_rest[1:] == meant_rest
        or typed_rest == meant_rest[1:]
    )


@lru_cache(maxsize=64)
def lexicon(areas: Vocabulary, nations: Vocabulary) -> Lexicon:
    """Return one lexicon for all texts that are read against the same card."""
    return Lexicon(areas, nations)
