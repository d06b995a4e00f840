"""What each viewer may see of a position, and the board as it is drawn."""

from __future__ import annotations

from dataclasses import replace

from .. import Board, Cell
from . import blind
from .state import OVER, Memory, State


def view(state: State, nation: str | None) -> State:
    """Return the state as a nation sees it.

    Board and card are public. What its earlier orders left behind is private to a nation, and so
    are its charts in a blind game. Everybody sees the number of face-down counters; only their
    nation sees the values.
    """
    placed = {own: text for own, text in state.memory.placed.items() if own == nation}
    memory = Memory(placed, tuple(own for own in state.memory.standing if own == nation))
    hidden = (state.blind or state.options["ow2.running_score"] == "hidden") and state.step != OVER
    return replace(
        blind.view_for(state, nation).view_for(nation), memory=memory, scores_hidden=hidden
    )


def board(state: State) -> Board:
    """Return the public board. Only the number of face-down counters is shown; their own nation
    learns more in `brief`."""
    there: dict[str, dict[str, Cell]] = {area: {} for area in state.card.areas}
    for area, nation, cell in state.pieces:
        there[area][nation] = cell
    cells = {
        area: {nation: here[nation] for nation in state.card.order if nation in here}
        for area, here in there.items()
    }
    for area, nation in state.face_down:
        lying = state.face_down.number(area, nation)
        cells[area] |= {nation: replace(state.pieces.cell_at(area, nation), face_down=lying)}
    return Board(
        state.card.areas, state.card.order, {area: here for area, here in cells.items() if here}
    )
