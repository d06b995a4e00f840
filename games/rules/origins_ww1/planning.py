"""An order text as a page shows and edits it: its orders, the totals left, and one order written
into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .. import amending, sampling
from ..digits import STOCKS
from ..orders import Order
from ..plan import Odds, Plan, PlannedOrder, Total
from . import alliances, checking, placement
from . import chances as printed_chances
from .choices import brief, choices
from .language import orders_of
from .reading import VERBS, Attack, Place, order_of
from .state import State

__all__ = ["brief", "chances", "choices", "plan", "revise", "samples"]


def plan(state: State, nation: str, text: str) -> Plan:
    """Return the accepted orders as values, and the running totals of the phase.

    Odds are those after the nation's own placement.
    """
    state = alliances.view_for(state, nation)
    reading = checking.read(text, nation, state)
    if reading.doubt is not None:  # a page goes on editing what it would read
        reading = checking.read("\n".join(reading.doubt.lines), nation, state)
    orders = reading.orders
    seen = checking.state_after_placing(state, nation, orders)
    placed = {order.line: pf for order, pf in placement.room(state, nation, orders)[0]}
    values = (_value(seen, nation, order) for order in orders)
    return Plan(
        tuple(value.within(placed.get(value.line, 0)) for value in values),
        _totals(state, nation, orders),
    )


def samples(state: State, nation: str, stocks: Sequence[str]) -> tuple[str, ...]:
    """Return lines that would be accepted now; attacks name these stocks where stocks decide.

    None attacks an ally, although the rules allow it (`wwi.attack_ally`).
    """
    ally = state.ally_of(nation)
    offered = [
        replace(choice, nations=tuple(other for other in choice.nations if other != ally))
        for choice in choices(state, nation)
        if choice.verb != "ATTACK" or set(choice.nations) != {ally}
    ]
    return sampling.samples(
        VERBS,
        offered,
        lambda text: checking.read(text, nation, state),
        stocks if state.options["rng.source"] == STOCKS else (),
    )


def revise(state: State, nation: str, text: str, ordered: PlannedOrder, drop: bool = False) -> str:
    """Return the text with this order replacing any about the same thing, or with that one removed.
    A new order comes last."""
    return amending.revise(
        text,
        order_of(ordered, state.is_choosing),
        drop,
        lambda text: orders_of(state, nation, text)[0],
    )


def chances(state: State, nation: str, area: str, targets: Sequence[str]) -> Odds | None:
    return printed_chances.chances(alliances.view_for(state, nation), nation, area, targets)


def _totals(state: State, nation: str, orders: tuple[Order, ...]) -> tuple[Total, ...]:
    if not state.is_placing or state.mover not in (None, nation):
        return ()
    asked = sum(order.pf for order in orders if isinstance(order, Place))
    return (Total("PLACE", state.allocation(nation), asked, "new PFs left to place"),)


def _value(state: State, nation: str, order: Order) -> PlannedOrder:
    value = replace(order.planned(), line=order.line)
    if not isinstance(order, Attack):
        return value
    return replace(value, odds=printed_chances.chances(state, nation, order.area, (order.target,)))
