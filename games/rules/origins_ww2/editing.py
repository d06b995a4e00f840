"""Changes that a ruling may make to a position: edited cells, counters, control of allies, points.

Every error message is one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from .. import Cell, RulesError
from ..names import count_of
from ..points import adjust
from .card import CONTROL, UNDERSTANDING, Card
from .judging import attempts
from .state import OVER, Pieces, State

__all__ = ["adjust", "attempts", "counter", "edit", "edits", "hand_over", "ruling_kinds"]

#: The most PFs accepted in a cell. A whole game allocates fewer, so more is a typing error.
MOST_PF = 999
#: The counters as they stand in a sentence.
NAMES = {UNDERSTANDING: "an Understanding", CONTROL: "CONTROL"}

ruling_kinds: tuple[str, ...] = ("digit", "result", "option")


def edit(state: State, cells: Mapping[str, Mapping[str, Cell]]) -> State:
    """Set the listed cells.

    The gamesmaster decides, so the card's permissions are not checked; only an impossible board is
    rejected.
    """
    pieces = state.pieces
    for area, row in cells.items():
        _check_names(state.card, area=area)
        for nation, cell in row.items():
            _check_names(state.card, nation=nation)
            if not 0 <= cell.pf <= MOST_PF:
                raise RulesError(
                    f"{nation} cannot have {cell.pf} PFs in {area}: enter a number from 0 to"
                    f" {MOST_PF}."
                )
            pieces = pieces.with_cell(area, nation, cell)
    for area in cells:
        _check_control(pieces, area, state.card)
        _check_nobody_beneath(state, pieces, area, ())
    return replace(state, pieces=pieces)


def counter(state: State, nation: str, area: str, counter: str, given: bool) -> State:
    """Give or take a counter.

    An Understanding is given in addition to the PFs there, and costs none of them; taking it back
    returns none. CONTROL is given as players place it: the owner's PFs and Understanding there
    leave the game (T2), and no other nation may be there except with CONTROL; taking it back leaves
    nothing. The card must allow the counter. An edit of the position may place one that the card
    does not allow.
    """
    _check_names(state.card, area=area, nation=nation)
    cell = state.pieces.cell_at(area, nation)
    stands = cell.control if counter == CONTROL else cell.understanding
    name = NAMES.get(counter)
    if name is None:
        raise RulesError(f"There is no counter “{counter}”; there are {' and '.join(NAMES)}.")
    if not given:
        if not stands:
            raise RulesError(f"{nation} has no {name.removeprefix('an ')} in {area} to lose.")
        left = Cell() if counter == CONTROL else replace(cell, understanding=False)
        return replace(state, pieces=state.pieces.with_cell(area, nation, left))
    if stands:
        raise RulesError(f"{nation} already has {name} in {area}.")
    if not state.card.allows(nation, area, counter):
        raise RulesError(f"{nation} may not have {name} in {area}.")
    new = Cell(control=True) if counter == CONTROL else replace(cell, understanding=True)
    pieces = state.pieces.with_cell(area, nation, new)
    _check_control(pieces, area, state.card)
    down = state.face_down
    if counter == CONTROL:
        _check_nobody_beneath(state, pieces, area, (nation,))
        # They leave the game with the owner's other PFs there (T2).
        down = down.remove(area, nation)
    return replace(state, pieces=pieces, face_down=down)


def hand_over(state: State, nation: str, controller: str) -> State:
    """Give an unheld nation to another controller until the end of the turn (N3), overruling its
    die or the lack of one."""
    _check_names(state.card, nation=nation)
    _check_names(state.card, nation=controller)
    unheld = state.unheld
    if nation in state.out:
        raise RulesError(f"{nation} is not in this game.")
    if nation not in unheld:
        raise RulesError(
            f"{nation} has a player and sends its own orders, so you cannot rule who controls it."
        )
    if controller in unheld or controller not in state.in_play:
        raise RulesError(f"{controller} has no player, so it cannot play {nation}.")
    if state.drawing:
        raise RulesError(f"The draw for {nation} has not been made yet. Rule on it after the draw.")
    if state.step == OVER:
        raise RulesError(f"The game is over, so nobody can control {nation}.")
    if state.controllers.get(nation) == controller:
        raise RulesError(f"{controller} already plays {nation}.")
    controllers = {**state.controllers, nation: controller}
    return replace(
        state,
        controllers={
            ally_name: controllers[ally_name]
            for ally_name in state.card.order
            if ally_name in controllers
        },
    )


edits: dict[str, Callable[..., State]] = {
    "position": edit,
    "counter": counter,
    "controller": hand_over,
    "points": adjust,
}


def _check_names(card: Card, *, area: str | None = None, nation: str | None = None) -> None:
    if area is not None and area not in card.areas:
        raise RulesError(f"There is no area “{area}”.")
    if nation is not None and nation not in card.order:
        raise RulesError(f"There is no nation “{nation}”.")


def _check_nobody_beneath(state: State, pieces: Pieces, area: str, but: tuple[str, ...]) -> None:
    """Check K18 for face-down counters: no other nation may have any where there is CONTROL."""
    if not pieces.closed(area):
        return
    for nation in state.card.order:
        number = state.face_down.number(area, nation)
        if number and nation not in but:
            raise RulesError(
                f"{area} would have CONTROL beside {count_of(number, 'counter')} of"
                f" {nation} face down, but CONTROL excludes everything else. Amend the orders of"
                f" {nation} by a ruling first."
            )


def _check_control(pieces: Pieces, area: str, card: Card) -> None:
    """Check K18: CONTROL excludes everything else, the owner's own pieces too."""
    owners = [nation for nation in card.order if pieces.cell_at(area, nation).control]
    if not owners:
        return
    for nation in card.order:
        cell = pieces.cell_at(area, nation)
        if cell.pf or cell.understanding:
            raise RulesError(
                f"{area} would have CONTROL of {owners[0]} beside {cell.pf} PFs of {nation}"
                + (" and its Understanding" if cell.understanding else "")
                + ": CONTROL excludes everything else."
            )
