"""Boards of World War I: an empty one, a late one with treaties, one with full areas."""

from __future__ import annotations

from games.rules import Board, Cell, cards

GAME = "origins-ww1"
CARD = cards.load(GAME, "standard")
AREAS, NATIONS = tuple(CARD["areas"]), tuple(CARD["order"])


def pile(pf: int, nation: str, area: str) -> Cell:
    return Cell(pf, treaty=pf >= CARD["treaty_at"] and CARD["home"][nation] != area)


CROWDED = Board(
    AREAS,
    NATIONS,
    {
        area: {name: pile(12 + 21 * place, name, area) for place, name in enumerate(NATIONS)}
        for area in AREAS
    },
    (("Britain", "France"), ("Germany", "Austria-Hungary")),
)
LATE = Board(
    AREAS,
    NATIONS,
    {
        "Serbia": {
            "Russia": pile(9, "Russia", "Serbia"),
            "Austria-Hungary": pile(10, "Austria-Hungary", "Serbia"),
        },
        "Germany": {"Germany": pile(40, "Germany", "Germany")},
        "Far East": {"Britain": pile(12, "Britain", "Far East")},
    },
    (("Britain", "France"),),
)
EMPTY = Board(AREAS, NATIONS, {})
