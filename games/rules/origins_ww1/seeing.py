"""What each viewer may see of a position, and the board as it is drawn."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from .. import Board, Cell
from . import alliances
from .state import State

_cell = lru_cache(maxsize=4096)(Cell)


def view(state: State, nation: str | None) -> State:
    """Return the state as a nation sees it.

    The board is public. Earlier orders and offers are private to a nation, and so are secret
    alliances to their members (A8).
    """
    placed = {own: text for own, text in state.placed.items() if own == nation}
    return replace(alliances.view_for(state, nation), placed=placed)


def board(state: State) -> Board:
    cells: dict[str, dict[str, Cell]] = {}
    for area in state.card.areas:
        here = {
            nation: _cell(pf, treaty=state.treaty(area, nation))
            for nation in state.card.order
            if (pf := state.piles.pf_at(area, nation))
        }
        if here:
            cells[area] = here
    return Board(state.card.areas, state.card.order, cells, state.alliances)
