"""Areas and nations as people name them in a sentence: peoples, starts of names, and one slip of
the keyboard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..names import SYNONYMS, Vocabulary, fold
from .tokens import Token
from .words import PEOPLES

#: A name of this many letters or more may have one slip of the keyboard in it.
LONG_ENOUGH = 5
#: A start of a name shorter than this is no name in the middle of a sentence.
SHORTEST_START = 2


class Name(NamedTuple):
    """What some words name: an area, a nation, or both; `near`: what they may name where it is not
    one thing. `slip`: it is not spelled so."""

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
        self.longest = max((len(one.split()) for one in self.exact), default=1)
        self._near: dict[str, list[str]] = {}
        for spelling in self.exact:
            if len(spelling) >= LONG_ENOUGH:
                for left in shortened(spelling):
                    self._near.setdefault(left, []).append(spelling)

    def windows(self, line: Sequence[Token], at: int) -> Iterator[tuple[str, int]]:
        """What stands there in one word, two and more, the most first, and where each ends. A
        hyphen in a name is as good as a blank."""
        words: list[str] = []
        found: list[tuple[str, int]] = []
        place = at
        while place < len(line) and len(words) < self.longest:
            if line[place].text == "-" and words and line[place].glued:
                place += 1
                continue
            if not line[place].text[0].isalpha():
                break
            words.append(line[place].folded)
            place += 1
            found.append((" ".join(words), place))
        return reversed(found)

    def find(self, line: Sequence[Token], at: int) -> tuple[Name, int] | None:
        """The longest name that is spelled out there, or of two words or more with a slip."""
        if not line[at].text[0].isalpha():
            return None
        for text, end in self.windows(line, at):
            found = self.exact.get(text) or (self.slip(text) if " " in text else None)
            if found:
                return found, end
        return None

    def begun(self, line: Sequence[Token], at: int) -> tuple[Name, int] | None:
        """A name of which the start stands there, or one with a slip in it."""
        if not line[at].text[0].isalpha():
            return None
        text = line[at].folded
        found = self._started(text) if len(text) >= SHORTEST_START else None
        found = found or self.slip(text)
        return (found, at + 1) if found else None

    def _started(self, text: str) -> Name | None:
        area, near = _starting_with(self.areas, text)
        nation, others = _starting_with(self.nations, text)
        if area or nation or near or others:
            return Name(area, nation, tuple(dict.fromkeys((*near, *others))))
        return None

    def slip(self, text: str) -> Name | None:
        """The one name that is a slip away: a letter wrong, missing, added, or two of them
        exchanged."""
        if not LONG_ENOUGH - 1 <= len(text) <= 40:
            return None
        near = {
            self.exact[spelling]
            for left in shortened(text)
            for spelling in self._near.get(left, ())
            if spelling.count(" ") == text.count(" ") and is_slip(text, spelling)
        }
        if len(near) == 1:
            return near.pop()._replace(slip=True)
        called = {one.area or one.nation or "" for one in near}
        return Name(None, None, tuple(sorted(called))) if near else None


def _starting_with(vocabulary: Vocabulary, text: str) -> tuple[str | None, tuple[str, ...]]:
    names = vocabulary.starting_with(text)
    return (names[0], ()) if len(names) == 1 else (None, tuple(names))


@lru_cache(maxsize=4096)  # the same few words come again and again
def shortened(text: str) -> frozenset[str]:
    """The text, and what is left of it without one of its letters: two that are one slip apart have
    one of these in common."""
    return frozenset((text, *(text[:place] + text[place + 1 :] for place in range(len(text)))))


def is_slip(typed: str, meant: str) -> bool:
    """Whether one stroke of the keyboard parts the two."""
    start = 0
    shorter = min(len(typed), len(meant))
    while start < shorter and typed[start] == meant[start]:
        start += 1
    one, other = typed[start:], meant[start:]
    if one[:2] == other[1::-1] and len(other) > 1 and one[2:] == other[2:]:
        return True
    return one != other and (one[1:] == other[1:] or one[1:] == other or one == other[1:])


@lru_cache(maxsize=64)
def lexicon(areas: Vocabulary, nations: Vocabulary) -> Lexicon:
    """One lexicon for all texts that are read against the same card."""
    return Lexicon(areas, nations)
