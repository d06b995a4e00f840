"""Look up names of areas and nations as players write them.

A text that equals a name or synonym means that name; any other text means the one name that begins
with it. Nothing is guessed: a text that fits several names is refused with all of them, and one
that fits none with the nearest.
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
    """Return a name without capitals, extra spaces and the difference between hyphen and space."""
    return " ".join(text.casefold().replace("-", " ").split())


def slug(nation: str) -> str:
    """Return a nation's name as phases of it alone have it in their kind."""
    return fold(nation).replace(" ", "-")


_MEANING = {fold(synonym): name for name, synonyms in SYNONYMS.items() for synonym in synonyms}


class NameFault(Exception):
    """A text that is not one name. `str()` is half a sentence.

    `near` are the names that it might have been, best first.
    """

    def __init__(self, message: str, near: Sequence[str] = (), *, ambiguous: bool = False) -> None:
        super().__init__(message)
        self.near = tuple(near)
        self.ambiguous = ambiguous


class Vocabulary:
    """The names that one part of a line may hold: the areas of a card, or its nations."""

    def __init__(self, names: Sequence[str], noun: str) -> None:
        self.names = tuple(names)
        self.noun = noun
        self._exact = {fold(name): name for name in self.names}
        # Each spelling with its name. Synonyms of names that the card lacks are left out.
        self._spellings = [(fold(name), name) for name in self.names]
        self._spellings += [
            (fold(synonym), name) for name in self.names for synonym in SYNONYMS.get(name, ())
        ]

    def exactly(self, text: str) -> str:
        """Return the name that `text` or a synonym of it is, written out; "" if there is none."""
        key = fold(text)
        name = self._exact.get(key) or _MEANING.get(key, "")
        return name if name in self.names else ""

    def find(self, text: str) -> str:
        """Return the name on the card that `text` means.

        Raise `NameFault` where there is none or more than one.
        """
        key = fold(text)
        if key in self._exact:
            return self._exact[key]
        if key in _MEANING:
            # Synonyms come before starts of names: "UK" never means Ukraine.
            name = _MEANING[key]
            if name in self.names:
                return name
            raise NameFault(f"“{text}” means {name}, and there is no {self.noun} {name}")
        readings = self.names_starting_with(key)
        if len(readings) == 1:
            return readings[0]
        if readings:
            raise NameFault(
                f"“{text}” is ambiguous: it may be {any_of(readings)}", readings, ambiguous=True
            )
        raise NameFault(f"there is no {self.noun} “{text}”", self.nearest(text))

    def names_starting_with(self, key: str) -> list[str]:
        """Return the names that begin with a folded text, in card order."""
        matches = {name for spelling, name in self._spellings if key and spelling.startswith(key)}
        return [name for name in self.names if name in matches]

    def nearest(self, text: str) -> tuple[str, ...]:
        """Return names that are spelled like `text`, best first."""
        key = fold(text)
        if not 1 < len(key) <= 40:  # difflib is slow on long texts; one letter is like any
            return ()
        close = get_close_matches(
            key, [spelling for spelling, _ in self._spellings], n=3, cutoff=0.6
        )
        names = dict(self._spellings)
        return tuple(dict.fromkeys(names[spelling] for spelling in close))


@lru_cache(maxsize=256)
def vocabulary(names: tuple[str, ...], noun: str) -> Vocabulary:
    """Return one vocabulary for all texts that are read against the same card."""
    return Vocabulary(names, noun)


def all_of(names: Sequence[str]) -> str:
    """Return names as part of a sentence: "France, Britain and USA"."""
    return _join(names, "and")


def any_of(names: Sequence[str]) -> str:
    return _join(names, "or")


def count_of(number: int, thing: str) -> str:
    """Return “1 point”, “3 points”."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _join(names: Sequence[str], word: str) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {word} {names[-1]}"
