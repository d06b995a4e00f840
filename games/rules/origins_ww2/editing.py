"""What a ruling may do to a position: cells edited, counters given and taken, allies handed over,
points added.

Every fault is one sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .. import Cell, RulesError
from ..points import adjust_points
from .card import CONTROL, UNDERSTANDING, Card
from .judging import attempts
from .state import OVER, Pieces, State

__all__ = ["adjust", "ally", "attempts", "counter", "edit", "hand_over", "ruling_kinds"]

#: More PFs than a whole game hands out: a slip of the key.
MOST_PF = 999
NAMES = {UNDERSTANDING: "Understanding", CONTROL: "CONTROL"}

ruling_kinds: tuple[str, ...] = (
    "orders",
    "digit",
    "result",
    "position",
    "counter",
    "controller",
    "points",
    "option",
    "again",
    "rollback",
    "revoke",
)


def edit(state: State, cells: Mapping[str, Mapping[str, Cell]]) -> State:
    """The listed cells become this. The card is not asked: the gamesmaster knows what he does; only
    the board must be possible."""
    pieces = state.pieces
    for area, row in cells.items():
        _check_names(state.card, area=area)
        for nation, cell in row.items():
            _check_names(state.card, nation=nation)
            if not 0 <= cell.pf <= MOST_PF:
                raise RulesError(
                    f"{nation} cannot have {cell.pf} PFs in {area}: a number from 0 to {MOST_PF} is"
                    " wanted."
                )
            pieces = pieces.put(area, nation, cell)
    for area in cells:
        _check_control(pieces, area, state.card)
        _check_nobody_beneath(state, pieces, area, ())
    return replace(state, pieces=pieces)


def counter(state: State, nation: str, area: str, counter: str, given: bool) -> State:
    """A counter given or taken.

    An Understanding is given on top of the PFs that stand there and takes none of them; taken back,
    it leaves none. CONTROL is given as it is placed: the owner's PFs and Understanding there leave
    the game (T2), and nobody else may be there but others with CONTROL; taken back, it leaves
    nothing. The card must allow the counter; an edit of the position may do what it does not.
    """
    _check_names(state.card, area=area, nation=nation)
    cell = state.pieces.at(area, nation)
    stands = cell.control if counter == CONTROL else cell.understanding
    name = NAMES.get(counter)
    if name is None:
        raise RulesError(f"There is no counter “{counter}”; there are {' and '.join(NAMES)}.")
    if not given:
        if not stands:
            raise RulesError(f"{nation} has no {name} in {area} to lose.")
        left = Cell() if counter == CONTROL else replace(cell, understanding=False)
        return replace(state, pieces=state.pieces.put(area, nation, left))
    if stands:
        raise RulesError(f"{nation} already has {name} in {area}.")
    if not state.card.allows(nation, area, counter):
        raise RulesError(f"{nation} may not have {name} in {area}.")
    new = Cell(control=True) if counter == CONTROL else replace(cell, understanding=True)
    pieces = state.pieces.put(area, nation, new)
    _check_control(pieces, area, state.card)
    down = state.face_down
    if counter == CONTROL:
        _check_nobody_beneath(state, pieces, area, (nation,))
        # They leave the game with the rest of what the owner has there (T2).
        down = down.without(area, nation)
    return replace(state, pieces=pieces, face_down=down)


def ally(state: State, a: str, b: str, allied: bool) -> State:
    raise RulesError("There are no alliances in this game.")


def hand_over(state: State, nation: str, controller: str) -> State:
    """N3: another nation has an ally until the turn is over, whatever its die said, and where no
    stock gave one."""
    _check_names(state.card, nation=nation)
    _check_names(state.card, nation=controller)
    unheld = state.unheld
    if nation in state.out:
        raise RulesError(f"{nation} is not in this game.")
    if nation not in unheld:
        raise RulesError(
            f"{nation} sends its own orders: only of a nation that nobody holds it can be ruled who"
            " has it."
        )
    if controller in unheld or controller not in state.in_play:
        raise RulesError(f"{controller} has no player, so it cannot play {nation}.")
    if state.drawing:
        raise RulesError(f"The draw for {nation} has not been made. Rule on it afterwards.")
    if state.step == OVER:
        raise RulesError(f"The game is over, so nobody plays {nation}.")
    if state.controllers.get(nation) == controller:
        raise RulesError(f"{controller} already plays {nation}.")
    has = {**state.controllers, nation: controller}
    return replace(state, controllers={one: has[one] for one in state.card.order if one in has})


def adjust(state: State, nation: str, points: int) -> State:
    """Points on top of what the card pays."""
    return replace(state, points=adjust_points(state.points, state.card.order, nation, points))


def _check_names(card: Card, *, area: str | None = None, nation: str | None = None) -> None:
    if area is not None and area not in card.areas:
        raise RulesError(f"There is no area “{area}”.")
    if nation is not None and nation not in card.order:
        raise RulesError(f"There is no nation “{nation}”.")


def _check_nobody_beneath(state: State, pieces: Pieces, area: str, but: tuple[str, ...]) -> None:
    """K18 of counters that lie face down: none of others, where CONTROL stands."""
    if not pieces.closed(area):
        return
    for nation in state.card.order:
        number = state.face_down.number(area, nation)
        if number and nation not in but:
            raise RulesError(
                f"{area} would have CONTROL beside {number} counter{'' if number == 1 else 's'} of"
                f" {nation} that lie face down: CONTROL excludes everything else. Rule"
                f" the orders of {nation} otherwise first."
            )


def _check_control(pieces: Pieces, area: str, card: Card) -> None:
    """K18: CONTROL excludes everything else, neither the owner's nor anybody's."""
    owners = [nation for nation in card.order if pieces.at(area, nation).control]
    if not owners:
        return
    for nation in card.order:
        cell = pieces.at(area, nation)
        if cell.pf or cell.understanding:
            raise RulesError(
                f"{area} would have CONTROL of {owners[0]} beside {cell.pf} PFs of {nation}"
                + (" and its Understanding" if cell.understanding else "")
                + ": CONTROL excludes everything else."
            )
