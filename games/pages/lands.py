"""Rows of a board whose areas have states: country, state, forces, who moves its army."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from games.pages.headings import Heading
from games.rules import Board, Cell
from games.rules.lands import Land


@dataclass(frozen=True)
class Force:
    """A power's force in a country. `was`: before the last phase, if different."""

    heading: Heading
    cell: Cell
    hostile: bool
    was: str | None = None


@dataclass(frozen=True)
class LandRow:
    """A country. `was`: before the last phase, if different. No `mover`: the gamesmaster moves."""

    area: str
    land: Land
    controller: Heading | None
    home: Heading | None
    forces: tuple[Force, ...]
    mover: Heading | None
    was: str | None = None

    @property
    def state(self) -> str:
        return self.land.describe()

    @property
    def has_army(self) -> bool:
        return self.land.operator is not None


def rows(board: Board, before: Board | None, known: Mapping[str, Heading]) -> tuple[LandRow, ...]:
    """Return every country in the scenario's order; nothing if its areas have no states."""
    land_rows = []
    for area, land in board.lands.items():
        was = before.lands.get(area) if before is not None else None
        land_rows.append(
            LandRow(
                area,
                land,
                known.get(land.controller),
                known.get(land.home),
                _forces(board, before, area, known),
                known.get(land.operator or ""),
                was.describe() if was is not None and _stands(was) != _stands(land) else None,
            )
        )
    return tuple(land_rows)


def _stands(land: Land) -> tuple[str, str, bool]:
    return land.state, land.controller, land.normal


def _forces(
    board: Board, before: Board | None, area: str, known: Mapping[str, Heading]
) -> tuple[Force, ...]:
    forces = []
    for name, heading in known.items():
        cell = board.cell(area, name)
        earlier = before.cell(area, name) if before is not None else cell
        changed = (cell.pf, cell.cut_off) != (earlier.pf, earlier.cut_off)
        if cell.pf or changed:
            was = (f"was {earlier.pf}" if earlier.pf else "new") if changed else None
            forces.append(Force(heading, cell, name in board.lands[area].hostile, was))
    return tuple(forces)
