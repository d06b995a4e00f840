"""Conditional orders (Rules B.8): what an IF waits for, and whether it has come about by what has
been told."""

from __future__ import annotations

from . import hostility
from .orders import Condition, Order
from .players import has_entered
from .state import State


def condition_of(order: Order) -> Condition | None:
    """The first condition of a line, inside MINOR too; None where it has none."""
    if order.condition is not None:
        return order.condition
    return condition_of(order.inner) if order.inner is not None else None


def met(state: State, condition: Condition) -> bool | None:
    """Whether a condition has come about by what has been told; None for words that only the
    gamesmaster can judge."""
    if condition.kind == "invades":
        return state.country(condition.b).invaded_by(condition.a)
    if condition.kind == "war":
        return hostility.hostile(state, condition.a, condition.b) or (
            condition.b in state.card.order and hostility.hostile(state, condition.b, condition.a)
        )
    if condition.kind == "allied":
        return hostility.by_treaty(state, condition.a, condition.b)
    if condition.kind == "entered":
        return has_entered(state) if condition.a == state.card.us_power else None
    return None
