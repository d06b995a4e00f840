"""Changes that a ruling may make to a position: edited piles, points. Every error message is one
sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from .. import Cell, RulesError
from ..points import adjust
from .alliances import ally
from .judging import attempts
from .scoring import treaty_nations_so_far
from .state import State

__all__ = ["adjust", "ally", "attempts", "edit", "edits", "ruling_kinds"]

#: The most PFs accepted in a pile. A whole game allocates fewer, so more is a typing error.
MOST_PF = 999

ruling_kinds: tuple[str, ...] = ("digit", "result", "option")


def edit(state: State, cells: Mapping[str, Mapping[str, Cell]]) -> State:
    """Set the listed piles. Treaty rights follow from the piles and cannot be set."""
    piles = state.piles
    for area, row in cells.items():
        if area not in state.card.areas:
            raise RulesError(f"There is no area “{area}”.")
        for nation, cell in row.items():
            if nation not in state.card.order:
                raise RulesError(f"There is no nation “{nation}”.")
            if cell.understanding or cell.control:
                raise RulesError(
                    f"{nation} can only have PFs in {area}: there are no counters in this game."
                )
            if not 0 <= cell.pf <= MOST_PF:
                raise RulesError(
                    f"{nation} cannot have {cell.pf} PFs in {area}: enter a number from 0 to"
                    f" {MOST_PF}."
                )
            piles = piles.with_pf(area, nation, cell.pf)
    return replace(state, piles=piles, tied=treaty_nations_so_far(state, piles))


edits: dict[str, Callable[..., State]] = {
    "position": edit,
    "alliance": lambda state, nations, allied: ally(state, nations[0], nations[1], allied),
    "points": adjust,
}
