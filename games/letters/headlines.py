"""What attacks have done to the reader's own nations, as the first sentence of a report."""

from __future__ import annotations

from collections.abc import Iterable

from games.rules import Board, Cell
from games.rules.names import all_of

NOTHING = Cell()


def of_change(was: Board, now: Board, nations: Iterable[str]) -> str:
    """“You lost 6 in Poland and 2 in Austria, and won CONTROL in Rumania.” Nothing where the
    board of the nations has not changed, or areas have states of their own."""
    if now.lands:
        return ""
    lost, gone, won = [], [], []
    for nation in nations:
        for area in now.areas:
            before = was.cells.get(area, {}).get(nation, NOTHING)
            after = now.cells.get(area, {}).get(nation, NOTHING)
            won += _counters(after, before, area)
            gone += _counters(before, after, area) if not after.control else []
            if after.pf < before.pf and not after.control and not after.understanding:
                lost.append(f"{before.pf - after.pf} in {area}")
    parts = [
        f"{verb} {all_of(what)}" for verb, what in (("lost", lost + gone), ("won", won)) if what
    ]
    return f"You {' and '.join(parts)}." if parts else ""


def _counters(cell: Cell, other: Cell, area: str) -> list[str]:
    """The counters in a cell that another one does not have."""
    found = [f"CONTROL in {area}"] if cell.control and not other.control else []
    if cell.understanding and not other.understanding:
        found.append(f"the Understanding in {area}")
    if cell.treaty and not other.treaty:
        found.append(f"the treaty rights in {area}")
    return found
