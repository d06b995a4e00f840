"""Nations as headings of a table's columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from games.boards.mosaic import places
from games.boards.plate import abbreviation


@dataclass(frozen=True)
class Heading:
    """A nation with its letters and the CSS class of its color."""

    name: str
    short: str
    css: str


def headings(nations: Sequence[str]) -> dict[str, Heading]:
    """Return every nation of a game with its letters and color, in the scenario's order."""
    return {
        name: Heading(name, abbreviation(name, tuple(nations)), f"n{place}")
        for name, place in places(tuple(nations)).items()
    }
