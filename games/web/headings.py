"""A nation at the head of a table's column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from games.boards.mosaic import places
from games.boards.plate import letters


@dataclass(frozen=True)
class Heading:
    """A nation with the letters and the colour that stand for it."""

    name: str
    short: str
    css: str


def headings(nations: Sequence[str]) -> dict[str, Heading]:
    """Every nation of a game with its letters and colour, in card order."""
    return {
        name: Heading(name, letters(name, nations), f"n{place}")
        for name, place in places(tuple(nations)).items()
    }
