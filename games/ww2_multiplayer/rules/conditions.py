"""Find the condition of an order, and whether it is met by what has been reported (Rules B.8)."""

from __future__ import annotations

from . import hostility
from .orders import Condition, Order
from .players import has_entered
from .state import State


def condition_of(order: Order) -> Condition | None:
    """Return the first condition of a line, also inside MINOR; None if it has none."""
    if order.condition is not None:
        return order.condition
    return condition_of(order.inner) if order.inner is not None else None


def is_met(state: State, condition: Condition) -> bool | None:
    """Return whether a condition is met; None if only the gamesmaster can judge its words."""
    if condition.kind == "invades":
        return state.country(condition.b).is_invaded_by(condition.a)
    if condition.kind == "war":
        return hostility.hostile(state, condition.a, condition.b) or (
            condition.b in state.card.order and hostility.hostile(state, condition.b, condition.a)
        )
    if condition.kind == "allied":
        return hostility.have_treaty(state, condition.a, condition.b)
    if condition.kind == "entered":
        return has_entered(state) if condition.a == state.card.us_power else None
    return None
