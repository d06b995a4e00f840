"""An order text as a page shows and edits it: its orders, the totals left, and one order written
into it.

Clicking on a map edits only the text. Everything else that the player typed stays: other lines,
comments, blank lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .. import amending, sampling
from ..digits import STOCKS
from ..orders import Order
from ..plan import Plan, PlannedOrder, Total
from . import checking
from .chances import chances
from .choices import brief, choices
from .face_down import BLANKS_A_TURN
from .language import orders_of
from .reading import VERBS, Attack, Blanks, Place, order_of
from .state import State

__all__ = ["brief", "chances", "choices", "plan", "revise", "samples"]


def plan(state: State, nation: str, text: str) -> Plan:
    """Return the accepted orders as values, and the running totals of the phase."""
    reading = checking.read(text, nation, state)
    if reading.doubt is not None:  # a page goes on editing what it would read
        reading = checking.read("\n".join(reading.doubt.lines), nation, state)
    orders = reading.orders
    room = {order.line: left for order, left in checking.room(state, nation, orders)}
    values = (_value(state, nation, order) for order in orders)
    return Plan(
        tuple(value.within(room.get(value.line, value.number)) for value in values),
        _totals(state, nation, orders),
    )


def samples(state: State, nation: str, stocks: Sequence[str]) -> tuple[str, ...]:
    """Return lines that would be accepted now; attacks name these stocks where stocks decide."""
    return sampling.samples(
        VERBS,
        choices(state, nation),
        lambda text: checking.read(text, nation, state),
        stocks if state.options["rng.source"] == STOCKS else (),
    )


def revise(state: State, nation: str, text: str, ordered: PlannedOrder, drop: bool = False) -> str:
    """Return the text with this order replacing any about the same thing, or with that one removed.

    A new order comes last. A comment after the replaced line is kept. PASS is removed when
    something is ordered, because it only said that there are no orders.
    """
    return amending.revise(
        text, order_of(ordered), drop, lambda text: orders_of(state, nation, text)[0]
    )


def _totals(state: State, nation: str, orders: tuple[Order, ...]) -> tuple[Total, ...]:
    if not state.is_placing or state.mover not in (None, nation):
        return ()
    new, at_home = state.allocation(nation), state.home_pf(nation)
    placed = [order for order in orders if isinstance(order, Place)]
    used = sum(order.pf for order in placed if not order.from_home)
    totals = [Total("PLACE", new, used, "new PFs left to place")]
    if at_home:
        moved = sum(order.pf for order in placed if order.from_home)
        sentence = f"PFs at home in {state.home(nation)} can still leave"
        totals.append(Total("FROM HOME", at_home, moved, sentence))
    if state.lays_face_down:
        blanks = sum(order.number for order in orders if isinstance(order, Blanks))
        totals.append(Total("BLANKS", BLANKS_A_TURN, blanks, "blank counters left"))
    return tuple(totals)


def _value(state: State, nation: str, order: Order) -> PlannedOrder:
    value = replace(order.planned(), line=order.line)
    if not isinstance(order, Attack):
        return value
    odds = chances(state, nation, order.area, order.targets)
    others = chances(state, nation, order.area, order.otherwise) if order.otherwise else None
    return replace(value, odds=odds, other_odds=others)
