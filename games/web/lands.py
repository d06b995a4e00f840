"""A board whose areas have states as rows: country, state, forces, who moves its army."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from games.rules import Board, Cell
from games.rules.lands import Land
from games.web.headings import Heading

NOTHING = Cell()


@dataclass(frozen=True)
class Force:
    """What a power has in a country; `was`: before the last phase, if different."""

    heading: Heading
    cell: Cell
    hostile: bool
    was: str | None = None


@dataclass(frozen=True)
class LandRow:
    """A country; `was`: before the last phase, if different. `mover` None: the gamesmaster."""

    area: str
    land: Land
    controller: Heading | None
    home: Heading | None
    forces: tuple[Force, ...]
    mover: Heading | None
    was: str | None = None

    @property
    def state(self) -> str:
        return self.land.in_words()

    @property
    def has_army(self) -> bool:
        return self.land.operator is not None


def rows(board: Board, before: Board | None, known: Mapping[str, Heading]) -> tuple[LandRow, ...]:
    """Every country in card order; none where the board's areas have no states."""
    found = []
    for area, land in board.lands.items():
        was = before.lands.get(area) if before is not None else None
        found.append(
            LandRow(
                area,
                land,
                known.get(land.controller),
                known.get(land.home),
                _forces(board, before, area, known),
                known.get(land.operator or ""),
                was.in_words() if was is not None and _stands(was) != _stands(land) else None,
            )
        )
    return tuple(found)


def _stands(land: Land) -> tuple[str, str, bool]:
    return land.state, land.controller, land.normal


def _forces(
    board: Board, before: Board | None, area: str, known: Mapping[str, Heading]
) -> tuple[Force, ...]:
    found = []
    for name, heading in known.items():
        cell = board.cells.get(area, {}).get(name, NOTHING)
        earlier = before.cells.get(area, {}).get(name, NOTHING) if before is not None else cell
        changed = (cell.pf, cell.cut_off) != (earlier.pf, earlier.cut_off)
        if cell.pf or changed:
            was = (f"was {earlier.pf}" if earlier.pf else "new") if changed else None
            found.append(Force(heading, cell, name in board.lands[area].hostile, was))
    return tuple(found)
