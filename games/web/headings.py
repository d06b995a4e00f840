"""A nation at the head of a table's column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from games.boards.mosaic import places


@dataclass(frozen=True)
class Heading:
    """A nation with the letters and the colour that stand for it."""

    name: str
    short: str
    css: str


def headings(nations: Sequence[str]) -> dict[str, Heading]:
    """Every nation of a game with its letters and colour, in card order."""
    return {
        name: Heading(name, letters_for(name, nations), f"n{place}")
        for name, place in places(tuple(nations)).items()
    }


def letters_for(name: str, others: Iterable[str]) -> str:
    """The shortest start of a name, of two letters or more, that no other nation shares."""
    plain = "".join(character for character in name if character.isalpha()).upper()
    rest = [
        "".join(character for character in other if character.isalpha()).upper()
        for other in others
        if other != name
    ]
    for length in range(2, len(plain)):
        if not any(other.startswith(plain[:length]) for other in rest):
            return plain[:length]
    return plain
