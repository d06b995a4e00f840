"""A board as a table: areas are rows, nations are columns, and changes are marked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.utils.text import slugify

from games.pages import lands
from games.pages.headings import Heading, headings
from games.rules import NOTHING, Board, Cell
from games.rules.lands import PF, Unit
from games.rules.names import count_of
from games.rules.registry import ruleset


@dataclass(frozen=True)
class Square:
    """What one nation has in one area."""

    heading: Heading
    cell: Cell
    home: bool
    was: str | None = None  # "new", or what was there before the last phase; None if unchanged

    @property
    def empty(self) -> bool:
        return self.cell == NOTHING


@dataclass(frozen=True)
class Row:
    area: str
    squares: tuple[Square, ...]

    @property
    def closed(self) -> bool:
        return any(square.cell.control for square in self.squares)


@dataclass(frozen=True)
class Grid:
    headings: tuple[Heading, ...]
    rows: tuple[Row, ...]
    changes: bool
    counters: bool = True  # whether the game has counters other than PFs, for the legend
    treaty_at: int | None = None  # how many PFs give treaty rights, if the game has them
    relations: tuple[tuple[str, tuple[tuple[Heading, Heading], ...]], ...] = ()
    unit: Unit = PF
    lands: tuple[lands.LandRow, ...] = ()  # used instead of `rows` if areas have states

    @property
    def face_down(self) -> bool:
        """Whether any counter lies face down, so that the legend must explain it."""
        return any(square.cell.face_down for row in self.rows for square in row.squares)


@lru_cache(maxsize=64)
def slugs(nations: tuple[str, ...]) -> dict[str, str]:
    """Return each nation's slug; a name without one, or with one that is taken, gets a number."""
    by_nation: dict[str, str] = {}
    for place, nation in enumerate(nations, start=1):
        slug = slugify(nation)
        by_nation[nation] = slug if slug and slug not in by_nation.values() else f"nation-{place}"
    return by_nation


def describe_cell(cell: Cell, unit: Unit = PF) -> str:
    """Return the content of a square in words: “3 PFs and an Understanding”."""
    if cell.control and not cell.pf:
        return "CONTROL" if unit == PF else "control"
    parts = ["control"] if cell.control else []
    if cell.pf:
        parts.append(
            unit.amount(cell.pf) + (f", {cell.cut_off} out of supply" if cell.cut_off else "")
        )
    if cell.understanding:
        parts.append("an Understanding")
    if cell.treaty:
        parts.append("treaty rights")
    if cell.face_down:
        parts.append(f"{count_of(cell.face_down, 'counter')} face down")
    return " and ".join(parts) or "nothing"


def grid(board: Board, before: Board | None, card: Mapping[str, Any]) -> Grid:
    """Return the board for the template; changes are relative to `before`, if given."""
    known = headings(board.nations)
    homes = card.get("home", {})

    def square(area: str, nation: str) -> Square:
        cell, was = board.cell(area, nation), None
        if before is not None and (earlier := before.cell(area, nation)) != cell:
            was = "new" if earlier == NOTHING else f"was {describe_cell(earlier, board.unit)}"
        return Square(known[nation], cell, homes.get(nation) == area, was)

    rows = tuple(
        Row(area, tuple(square(area, nation) for nation in board.nations)) for area in board.areas
    )
    land_rows = lands.rows(board, before, known)
    return Grid(
        headings=tuple(known.values()),
        rows=rows,
        changes=any(square.was is not None for row in rows for square in row.squares)
        or any(row.was is not None for row in land_rows),
        counters=bool(ruleset(card["game"]).counters),
        treaty_at=card.get("treaty_at"),
        relations=tuple(
            (name, tuple((known[nation], known[other]) for nation, other in pairs))
            for name, pairs in board.relations
        ),
        unit=board.unit,
        lands=land_rows,
    )
