"""A board whose areas have states, in words: a narrow table of what is not empty, and sentences for
the rest.

Six powers in thirty-one countries are too wide for a letter and mostly empty. So a row is a country
in which forces stand, or which hostile forces keep from being normal; all others are named
together, by who controls them and by who moves their armies.
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
    """A country with forces: how it stands, and each power's, "Germany 9!", in card order."""

    area: str
    state: str
    forces: tuple[str, ...]

    @property
    def cells(self) -> tuple[str, ...]:
        return self.state, ", ".join(self.forces)


def rows(board: Board) -> list[Row]:
    """The countries in which something stands, in card order."""
    found = []
    for area in board.areas:
        land, cells = board.lands[area], board.cells.get(area, {})
        forces = tuple(
            force(name, cells[name].pf, cells[name].cut_off, name in land.hostile)
            for name in board.nations
            if name in cells and cells[name].pf
        )
        if forces:
            found.append(Row(area, land.in_words(), forces))
    return found


def force(name: str, points: int, cut_off: int, hostile: bool) -> str:
    """ "Germany 9!", "Italy 3-2": nine points that are hostile to the country; three, two of them
    out of supply."""
    return f"{name} {points}{f'-{cut_off}' if cut_off else ''}{'!' if hostile else ''}"


def sentences(board: Board) -> list[str]:
    """Everything that stands in no row: countries without forces, armies, alliances, enmities."""
    full = {row.area for row in rows(board)}
    empty = [area for area in board.areas if area not in full]
    told = []
    for name in board.nations:
        if held := [
            area
            for area in empty
            if board.lands[area].state == CONTROLLED and board.lands[area].controller == name
        ]:
            told.append(f"{name} controls, without forces there: {all_of(held)}.")
    if free := [area for area in empty if board.lands[area].state == FREE]:
        told.append(f"Nobody’s and empty: {all_of(free)}.")
    if homes := [area for area in empty if board.lands[area].state == HOME]:
        told.append(f"Homes of which no forces are told: {all_of(homes)}.")
    if moved := list(_armies(board)):
        told.append(f"Armies of minor countries: {'; '.join(moved)}.")
    if lost := [area for area in board.areas if board.lands[area].lost]:
        told.append(
            "More than half of it is under hostile control, and its power scores nothing (19.13):"
            f" {all_of(lost)}."
        )
    return [*told, *relations(board)]


def _armies(board: Board) -> Iterator[str]:
    """ "Germany moves those of Hungary and Finland"."""
    for name in (*board.nations, ""):
        mine = [
            area
            for area in board.areas
            if board.lands[area].operator == name and not board.lands[area].destroyed
        ]
        if mine:
            yield (
                f"{name or 'the gamesmaster'} moves {'those' if len(mine) > 1 else 'that'} of"
                f" {all_of(mine)}"
            )
    if gone := [area for area in board.areas if board.lands[area].destroyed]:
        yield (
            f"{'those' if len(gone) > 1 else 'that'} of {all_of(gone)}"
            f" {'are' if len(gone) > 1 else 'is'} destroyed"
        )


def relations(board: Board) -> list[str]:
    """Who is allied, at odds, in one hand; and which powers are hostile to countries that are no
    power's."""
    told = []
    for said, pairs in (
        ("Allied", board.alliances),
        ("Hostile to each other", board.at_odds),
        ("Same player", board.hands),
    ):
        if pairs:
            told.append(f"{said}: {'; '.join(f'{one} and {other}' for one, other in pairs)}.")
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
    return [*told, *([f"Hostile: {'; '.join(foes)}."] if foes else [])]


def legend(board: Board) -> str:
    """What the signs of the rows mean, in a line: those that stand in one."""
    found = rows(board)
    signs = [f"A number: {board.unit.full}"] if found else []
    said = " ".join(cell for row in found for cell in row.forces)
    if "!" in said:
        signs.append("! hostile to the country, which is not normalised")
    if "-" in said:
        signs.append("4-2 four, two of them out of supply")
    return "; ".join(signs) + "." if signs else ""


def as_text(board: Board) -> str:
    """Rows in columns of a fixed-width type, then the sentences, each in lines of at most 72
    signs."""
    key = "\n".join(textwrap.wrap(legend(board), WIDTH))
    return "\n\n".join(
        part for part in ("\n".join(_lines(rows(board))), key, "\n".join(_wrap(board))) if part
    )


def _lines(found: list[Row]) -> Iterator[str]:
    first = max((len(row.area) for row in found), default=0) + 2
    second = max((len(row.state) for row in found), default=0) + 2
    for row in found:
        head = f"{row.area:<{first}}{row.state:<{second}}"
        yield from textwrap.wrap(
            ", ".join(row.forces), WIDTH, initial_indent=head, subsequent_indent=" " * len(head)
        )


def _wrap(board: Board) -> Iterator[str]:
    for sentence in sentences(board):
        yield from textwrap.wrap(sentence, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def differences(old: Board, new: Board) -> list[str]:
    """Where two boards differ, a line each, for a report that replaces an earlier one."""
    told = []
    for area in new.areas:
        before, after = (_stands(board.lands[area]) for board in (old, new))
        if before != after:
            told.append(f"{area}: {after}, not {before}")
        was, now = (_forces(board, area) for board in (old, new))
        if was != now:
            told.append(f"{area}: {now}, not {was}")
    added = [line for line in relations(new) if line not in relations(old)]
    return [*told, *added]


def _stands(land: Land) -> str:
    return (
        land.in_words()
        if land.normal
        else f"{land.in_words()} and not normalised"
        if land.controller
        else land.in_words()
    )


def _forces(board: Board, area: str) -> str:
    return next((row.cells[1] for row in rows(board) if row.area == area), "no forces")
