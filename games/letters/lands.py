"""Describe a board whose areas have states: a narrow table of the areas with forces, and sentences
for the rest.

A table of 6 powers and 31 countries is too wide for a letter, and mostly empty. So only countries
with forces, or not normalized because of hostile forces, get a row; the others are listed together
by who controls them and who moves their armies.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from games.rules import Board
from games.rules.lands import CONTROLLED, FREE, HOME, Land
from games.rules.names import all_of

WIDTH = 72


@dataclass(frozen=True)
class Row:
    """A country with forces: its state, and each power's force, such as "Germany 9!", in scenario
    order."""

    area: str
    state: str
    forces: tuple[str, ...]

    @property
    def cells(self) -> tuple[str, ...]:
        return self.state, ", ".join(self.forces)


def rows(board: Board) -> list[Row]:
    """Return a row for each country with forces, in scenario order."""
    country_rows = []
    for area in board.areas:
        land, cells = board.lands[area], board.cells.get(area, {})
        forces = tuple(
            force(name, cells[name].pf, cells[name].cut_off, name in land.hostile)
            for name in board.nations
            if name in cells and cells[name].pf
        )
        if forces:
            country_rows.append(Row(area, land.describe(), forces))
    return country_rows


def force(name: str, points: int, cut_off: int, hostile: bool) -> str:
    """Return "Germany 9!" for 9 points that are hostile to the country, or "Italy 3-2" for 3 points
    of which 2 are out of supply."""
    return f"{name} {points}{f'-{cut_off}' if cut_off else ''}{'!' if hostile else ''}"


def sentences(board: Board) -> list[str]:
    """Return sentences for everything that is in no row: countries without forces, armies,
    alliances, hostilities."""
    full = {row.area for row in rows(board)}
    empty = [area for area in board.areas if area not in full]
    lines = []
    for name in board.nations:
        if held_areas := [
            area
            for area in empty
            if board.lands[area].state == CONTROLLED and board.lands[area].controller == name
        ]:
            lines.append(f"{name} controls, without forces there: {all_of(held_areas)}.")
    if free := [area for area in empty if board.lands[area].state == FREE]:
        lines.append(f"Empty and controlled by nobody: {all_of(free)}.")
    if homes := [area for area in empty if board.lands[area].state == HOME]:
        lines.append(f"Home countries without reported forces: {all_of(homes)}.")
    if moved := list(_armies(board)):
        lines.append(f"Armies of minor countries: {'; '.join(moved)}.")
    if lost := [area for area in board.areas if board.lands[area].lost]:
        lines.append(
            "More than half under hostile control, so its power scores nothing (19.13):"
            f" {all_of(lost)}."
        )
    return [*lines, *relations(board)]


def _armies(board: Board) -> Iterator[str]:
    """Yield who moves which armies: "Germany moves those of Hungary and Finland"."""
    for name in (*board.nations, ""):
        moved = [
            area
            for area in board.areas
            if board.lands[area].operator == name and not board.lands[area].destroyed
        ]
        if moved:
            yield (
                f"{name or 'the gamesmaster'} moves {'those' if len(moved) > 1 else 'that'} of"
                f" {all_of(moved)}"
            )
    if gone := [area for area in board.areas if board.lands[area].destroyed]:
        yield (
            f"{'those' if len(gone) > 1 else 'that'} of {all_of(gone)}"
            f" {'are' if len(gone) > 1 else 'is'} destroyed"
        )


def relations(board: Board) -> list[str]:
    """Return which powers are allied, hostile to each other, or played by one person, and which are
    hostile to countries that are no power's home."""
    lines = [
        f"{heading}: {'; '.join(f'{first} and {second}' for first, second in pairs)}."
        for heading, pairs in board.relations
    ]
    foes = [
        f"{name} to {all_of(against)}"
        for name in board.nations
        if (
            against := [
                area
                for area in board.areas
                if name in board.lands[area].foes and not board.lands[area].home
            ]
        )
    ]
    return [*lines, *([f"Hostile: {'; '.join(foes)}."] if foes else [])]


def legend(board: Board) -> str:
    """Return the meaning of the symbols that occur in the rows, in one line."""
    country_rows = rows(board)
    signs = [f"A number: {board.unit.full}"] if country_rows else []
    forces = " ".join(cell for row in country_rows for cell in row.forces)
    if "!" in forces:
        signs.append("! hostile to the country, which is not normalized")
    if "-" in forces:
        signs.append("4-2 means 4, of which 2 are out of supply")
    return "; ".join(signs) + "." if signs else ""


def as_text(board: Board) -> str:
    """Return the rows as monospaced columns, then the sentences, all in lines of at most 72
    characters."""
    key = textwrap.wrap(legend(board), WIDTH)
    told = [
        line
        for sentence in sentences(board)
        for line in textwrap.wrap(sentence, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    ]
    return "\n\n".join("\n".join(part) for part in ([*_lines(rows(board))], key, told) if part)


def _lines(rows: list[Row]) -> Iterator[str]:
    first = max((len(row.area) for row in rows), default=0) + 2
    second = max((len(row.state) for row in rows), default=0) + 2
    for row in rows:
        head = f"{row.area:<{first}}{row.state:<{second}}"
        yield from textwrap.wrap(
            ", ".join(row.forces), WIDTH, initial_indent=head, subsequent_indent=" " * len(head)
        )


def differences(old: Board, new: Board) -> list[str]:
    """Return the differences of two boards, one line each, for a report that replaces an earlier
    one."""
    changes = []
    for area in new.areas:
        before, after = (_land_words(board.lands[area]) for board in (old, new))
        if before != after:
            changes.append(f"{area}: {after}, not {before}")
        was, now = (_forces(board, area) for board in (old, new))
        if was != now:
            changes.append(f"{area}: {now}, not {was}")
    added = [line for line in relations(new) if line not in relations(old)]
    return [*changes, *added]


def _land_words(land: Land) -> str:
    contested = land.controller and not land.normal
    return f"{land.describe()} and not normalized" if contested else land.describe()


def _forces(board: Board, area: str) -> str:
    return next((row.cells[1] for row in rows(board) if row.area == area), "no forces")
