"""The board in a letter: a plain-text table that any mail program shows, and rows for the HTML
table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from games.rules import Board
from games.rules.names import all_of

from . import lands

WIDTH = 72
EMPTY = "."


@dataclass(frozen=True)
class Row:
    area: str
    cells: tuple[str, ...]


def rows(board: Board) -> list[Row]:
    """Return a row for every area where something stands, with a cell for each nation; `legend`
    names the other areas. Where areas have states, return those with forces, with 2 cells."""
    if board.lands:
        return [Row(row.area, row.cells) for row in lands.rows(board)]
    return [
        Row(area, cells)
        for area, cells in zip(board.areas, _cells(board), strict=True)
        if any(cell != EMPTY for cell in cells)
    ]


def as_text(board: Board) -> str:
    """Return the board as monospaced text of at most 72 columns. Nations that do not fit go into
    another table."""
    if board.lands:
        return lands.as_text(board)
    if not (occupied := rows(board)):
        return legend(board)
    by_nation = zip(*(row.cells for row in occupied), strict=True)
    cells = dict(zip(board.nations, by_nation, strict=True))
    columns = {nation: 2 + max(len(nation), *map(len, column)) for nation, column in cells.items()}
    tables = [
        "\n".join(_table([row.area for row in occupied], nations, columns, cells))
        for nations in _side_by_side(board, columns)
    ]
    return "\n\n".join([*tables, legend(board)])


def empty_board_sentence(board: Board) -> str:
    """Return a sentence with the areas of a board without counters, instead of a table of dots; ""
    for any other board."""
    if board.lands or any(cell != EMPTY for cells in _cells(board) for cell in cells):
        return ""
    areas = all_of(list(board.areas))
    return f"The board is empty. Its areas are {areas}. {alliances_sentence(board)}".rstrip()


def legend(board: Board, *, every_area: bool = False) -> str:
    """Return the meaning of the symbols on this board, the areas that have no row (none with
    `every_area`), and alliances."""
    if board.lands:
        return lands.legend(board)
    cells = [cell for row in board.cells.values() for cell in row.values()]
    signs = ["A number: PFs"] if any(cell.pf for cell in cells) else []
    if any(cell.understanding for cell in cells):
        signs.append("U: Understanding (8+U: it and 8 PFs)")
    if any(cell.control for cell in cells):
        signs.append("C: CONTROL")
    if any(cell.face_down for cell in cells):
        signs.append("2?: 2 new counters face down")
    if any(cell.treaty for cell in cells):
        signs.append("T: treaty rights (12T: 12 PFs that give them)")
    occupied = {row.area for row in rows(board)}
    free = [area for area in board.areas if not every_area and area not in occupied]
    sentences = [
        "; ".join([*signs, "a dot: nothing"]) if signs else "",
        f"Empty: {all_of(free)}" if free else "",
        alliances_sentence(board).removesuffix("."),
    ]
    return "".join(f"{sentence}. " for sentence in sentences if sentence).rstrip()


def sums(board: Board) -> list[str]:
    """Return the sentences below a board whose areas have states: everything that is in no row.
    Empty for any other board."""
    return lands.sentences(board) if board.lands else []


def alliances_sentence(board: Board) -> str:
    """Return “Allied: Britain and France; Germany and Austria-Hungary.”; "" without alliances."""
    return (
        f"Allied: {'; '.join(f'{first} and {second}' for first, second in board.alliances)}."
        if board.alliances
        else ""
    )


def changes(old: Board, new: Board) -> list[str]:
    """Return the differences of two boards, one line each, for a report that replaces an earlier
    one."""
    if new.lands:
        return lands.differences(old, new)
    sentences = [
        f"{ally} and {partner} are allied"
        for ally, partner in new.alliances
        if (ally, partner) not in old.alliances
    ]
    sentences += [
        f"{ally} and {partner} are not allied"
        for ally, partner in old.alliances
        if (ally, partner) not in new.alliances
    ]
    for area, cells_before, cells_after in zip(new.areas, _cells(old), _cells(new), strict=True):
        for nation, before, after in zip(new.nations, cells_before, cells_after, strict=True):
            if before != after:
                sentences.append(f"{area}, {nation}: {_word(after)}, not {_word(before)}")
    return sentences


def _word(cell: str) -> str:
    return "nothing" if cell == EMPTY else cell


def _cells(board: Board) -> list[tuple[str, ...]]:
    """Return the cells of each area, one for each nation."""
    rows = []
    for area in board.areas:
        here = board.cells.get(area, {})
        rows.append(
            tuple(
                [
                    str(here[nation]) or EMPTY if nation in here else EMPTY
                    for nation in board.nations
                ]
            )
        )
    return rows


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
    areas: Sequence[str],
    nations: list[str],
    columns: Mapping[str, int],
    cells: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    first = max(len(area) for area in areas)
    yield " " * first + "".join([nation.rjust(columns[nation]) for nation in nations])
    rows = zip(
        *([cell.rjust(columns[nation]) for cell in cells[nation]] for nation in nations),
        strict=True,
    )
    for area, row in zip(areas, rows, strict=True):
        yield area.ljust(first) + "".join(row)
