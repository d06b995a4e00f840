"""Read the text form of a board, as a state's `repr` and the tests of rules write it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from games.rules import Cell
from games.rules.origins_ww1.state import Pair, Piles
from games.rules.origins_ww2.state import Pieces

_CELL = re.compile(r"(?P<pile>[0-9]+|U|C)(?P<more>(\+[UC])*)")


def pieces_from_text(text: str) -> Pieces:
    """Return a board of the Second World War: “Poland: Germany 8+U, Russia 3; Austria: Germany C”.

    Raise `ValueError` where an entry does not have that form.
    """
    cells: dict[Pair, Cell] = {}
    for place, entry in _entries(text):
        match = _CELL.fullmatch(entry)
        if not match:
            raise ValueError(f"“{entry}” must be what a nation has, such as 8+U")
        marks = [match["pile"], *match["more"].split("+")]
        pf = int(match["pile"]) if match["pile"].isdigit() else 0
        cells[place] = Cell(pf, "U" in marks, "C" in marks)
    return Pieces(cells)


def piles_from_text(text: str) -> Piles:
    """Return a board of the First World War: “Serbia: Russia 12, Germany 3; Africa: France 10”."""
    return Piles({place: int(entry) for place, entry in _entries(text)})


def _entries(text: str) -> Iterator[tuple[Pair, str]]:
    """Yield area and nation with what the nation has there."""
    for part in filter(None, text.split("; ")):
        area, nations = part.split(": ")
        for entry in nations.split(", "):
            nation, has = entry.rsplit(" ", 1)
            yield (area, nation), has
