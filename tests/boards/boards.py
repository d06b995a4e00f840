"""Boards to draw: an empty one, a late one, and one with every nation in every area."""

from __future__ import annotations

from games.rules import Board, Cell, cards

GAME = "origins-ww2"
CARD = cards.load(GAME, "historical")
AREAS, NATIONS = tuple(CARD["areas"]), tuple(CARD["order"])
CONTROL = Cell(control=True)


def seal(pf: int = 0) -> Cell:
    return Cell(pf, understanding=True)


EMPTY = Board(AREAS, NATIONS, {})
CROWDED = Board(
    AREAS,
    NATIONS,
    {
        area: {name: Cell(12 + 3 * place, understanding=True) for place, name in enumerate(NATIONS)}
        for area in AREAS
    },
)
LATE = Board(
    AREAS,
    NATIONS,
    {
        "USA": {"USA": Cell(9), "France": seal(), "Britain": seal(3)},
        "Britain": {"Britain": Cell(14), "Germany": seal(2)},
        "France": {"France": Cell(11), "Britain": seal(4)},
        "Germany": {"Germany": Cell(23), "Russia": seal(1)},
        "Russia": {"Russia": Cell(17), "Germany": Cell(1)},
        "Rhineland": {"Germany": CONTROL},
        "Alsace-Lorraine": {"France": CONTROL},
        "Czechoslovakia": {"Russia": CONTROL, "Germany": CONTROL},
        "Poland": {
            "USA": Cell(4),
            "France": seal(),
            "Britain": seal(5),
            "Russia": Cell(10),
            "Germany": Cell(13),
        },
    },
)
