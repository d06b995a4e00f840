"""The board in a letter: as a table of figures that any mail program shows, and as rows for the
page's table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from games.rules import Board

from . import lands

WIDTH = 72
EMPTY = "."


@dataclass(frozen=True)
class Row:
    area: str
    cells: tuple[str, ...]


def rows(board: Board) -> list[Row]:
    """Areas down, nations across, every area of the card, empty or not. Where areas have states:
    those with forces, in two columns."""
    if board.lands:
        return [Row(row.area, row.cells) for row in lands.rows(board)]
    return [
        Row(area, tuple(_cell(board, area, nation) for nation in board.nations))
        for area in board.areas
    ]


def as_text(board: Board) -> str:
    """The board in at most 72 columns of a fixed-width type; nations that do not fit beside the
    others come in a second table."""
    if board.lands:
        return lands.as_text(board)
    cells = {
        nation: [_cell(board, area, nation) for area in board.areas] for nation in board.nations
    }
    columns = {nation: 2 + max(len(nation), *map(len, there)) for nation, there in cells.items()}
    tables = [
        "\n".join(_table(board, nations, columns, cells))
        for nations in _side_by_side(board, columns)
    ]
    return "\n\n".join([*tables, legend(board)])


def legend(board: Board) -> str:
    """What the signs on this board mean, in a line."""
    if board.lands:
        return lands.legend(board)
    cells = [cell for row in board.cells.values() for cell in row.values()]
    signs = ["a number PFs"] if any(cell.pf for cell in cells) else []
    if any(cell.understanding for cell in cells):
        signs.append("U Understanding (8+U: it and 8 PFs)")
    if any(cell.control for cell in cells):
        signs.append("C CONTROL")
    if any(cell.face_down for cell in cells):
        signs.append("2? two new counters, face down")
    if any(cell.treaty for cell in cells):
        signs.append("T treaty rights (12T: 12 PFs that give them)")
    said = "; ".join([*signs, f"{EMPTY} nothing"])
    return f"{said}. {allied(board)}" if board.alliances else said


def sums(board: Board) -> list[str]:
    """What is said below a board whose areas have states: everything that stands in no row. Nothing
    of any other."""
    return lands.sentences(board) if board.lands else []


def allied(board: Board) -> str:
    """ "Allied: Britain and France; Germany and Austria-Hungary." """
    return (
        f"Allied: {'; '.join(f'{one} and {other}' for one, other in board.alliances)}."
        if board.alliances
        else ""
    )


def changes(old: Board, new: Board) -> list[str]:
    """Where two boards differ, a line each, for a report that replaces an earlier one."""
    if new.lands:
        return lands.differences(old, new)
    told = [
        f"{one} and {other} are allied"
        for one, other in new.alliances
        if (one, other) not in old.alliances
    ]
    told += [
        f"{one} and {other} are not allied"
        for one, other in old.alliances
        if (one, other) not in new.alliances
    ]
    for area in new.areas:
        for nation in new.nations:
            before, after = _cell(old, area, nation), _cell(new, area, nation)
            if before != after:
                told.append(f"{area}, {nation}: {_word(after)}, not {_word(before)}")
    return told


def _word(cell: str) -> str:
    return "nothing" if cell == EMPTY else cell


def _cell(board: Board, area: str, nation: str) -> str:
    here = board.cells.get(area)
    cell = here.get(nation) if here else None
    return EMPTY if cell is None else str(cell) or EMPTY


def _side_by_side(board: Board, columns: Mapping[str, int]) -> Iterator[list[str]]:
    room = WIDTH - max(len(area) for area in board.areas)
    group: list[str] = []
    for nation in board.nations:
        if group and sum(columns[other] for other in [*group, nation]) > room:
            yield group
            group = []
        group.append(nation)
    yield group


def _table(
    board: Board, nations: list[str], columns: Mapping[str, int], cells: Mapping[str, list[str]]
) -> Iterator[str]:
    first = max(len(area) for area in board.areas)
    yield " " * first + "".join([nation.rjust(columns[nation]) for nation in nations])
    rows = zip(
        *([cell.rjust(columns[nation]) for cell in cells[nation]] for nation in nations),
        strict=True,
    )
    for area, row in zip(board.areas, rows, strict=True):
        yield area.ljust(first) + "".join(row)
