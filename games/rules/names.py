"""Names of areas and nations as players write them (contract 3): synonyms, unambiguous starts,
suggestions.

What equals a name or a synonym means that name; anything else means the one name that begins so.
Nothing is ever guessed: a name that fits several is refused with all its readings, and one that
fits none with the nearest.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from functools import lru_cache

SYNONYMS: dict[str, tuple[str, ...]] = {
    "Russia": ("USSR", "Soviet Union"),
    "Britain": ("UK", "England", "Great Britain"),
    "USA": ("US", "United States", "America"),
    "Rumania": ("Romania", "Roumania"),
    "Baltic States": ("Baltics",),
    "Alsace-Lorraine": ("Alsace",),
    "Czechoslovakia": ("Czech",),
}


@lru_cache(maxsize=4096)  # the same few names come again and again
def fold(text: str) -> str:
    """What is left of a name when capitals, extra blanks and the difference of hyphen and blank are
    taken away."""
    return " ".join(text.casefold().replace("-", " ").split())


_MEANING = {fold(synonym): name for name, synonyms in SYNONYMS.items() for synonym in synonyms}


class NameFault(Exception):
    """A name that cannot be taken. `str()` is half a sentence; `near` are the names it might have
    been, best first."""

    def __init__(self, said: str, near: Sequence[str] = (), *, ambiguous: bool = False) -> None:
        super().__init__(said)
        self.near = tuple(near)
        self.ambiguous = ambiguous


class Vocabulary:
    """The names that one place in a line may hold: the areas of a card, or its nations."""

    def __init__(self, names: Sequence[str], noun: str) -> None:
        self.names = tuple(names)
        self.noun = noun
        self._exact = {fold(name): name for name in self.names}
        # Spellings come with the name that each stands for. A synonym of a name that the card lacks
        # is no spelling of anything.
        self._spellings = [(fold(name), name) for name in self.names]
        self._spellings += [
            (fold(synonym), name) for name in self.names for synonym in SYNONYMS.get(name, ())
        ]

    def find(self, text: str) -> str:
        """The name on the card that `text` means. Raises `NameFault`."""
        key = fold(text)
        if key in self._exact:
            return self._exact[key]
        if key in _MEANING:
            # A synonym is taken at its word before any start of a name is looked at: "UK" never
            # means Ukraine.
            name = _MEANING[key]
            if name in self.names:
                return name
            raise NameFault(f"“{text}” means {name}, and there is no {self.noun} {name}")
        readings = self.starting_with(key)
        if len(readings) == 1:
            return readings[0]
        if readings:
            raise NameFault(
                f"“{text}” is ambiguous: it may be {any_of(readings)}", readings, ambiguous=True
            )
        raise NameFault(f"there is no {self.noun} “{text}”", self.nearest(text))

    def starting_with(self, key: str) -> list[str]:
        """Return the names that begin with a folded text, in the order of the card."""
        begun = {name for spelling, name in self._spellings if key and spelling.startswith(key)}
        return [name for name in self.names if name in begun]

    def nearest(self, text: str) -> tuple[str, ...]:
        """Names whose spelling is like `text`, best first."""
        key = fold(text)
        if not 1 < len(key) <= 40:  # difflib is slow on long texts, and one letter is like anything
            return ()
        close = get_close_matches(
            key, [spelling for spelling, _ in self._spellings], n=3, cutoff=0.6
        )
        meant = dict(self._spellings)
        return tuple(dict.fromkeys(meant[spelling] for spelling in close))


@lru_cache(maxsize=256)
def vocabulary(names: tuple[str, ...], noun: str) -> Vocabulary:
    """One vocabulary for all texts that are read against the same card."""
    return Vocabulary(names, noun)


def all_of(names: Sequence[str]) -> str:
    """Names in a sentence: "France", "France and Britain", "USA, France and Britain"."""
    return _join(names, "and")


def any_of(names: Sequence[str]) -> str:
    return _join(names, "or")


def _join(names: Sequence[str], word: str) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {word} {names[-1]}"
