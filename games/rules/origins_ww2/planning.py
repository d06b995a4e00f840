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
from ..orders import Order, Pass
from ..plan import Plan, PlannedOrder, Total
from . import checking
from . import choices as offered
from .chances import chances
from .choices import brief, choices
from .face_down import BLANKS_A_TURN
from .language import orders_of
from .reading import (
    VERBS,
    Attack,
    Blanks,
    Control,
    LoseFirst,
    Place,
    Share,
    StandingUnderstanding,
    Understanding,
)
from .state import State

__all__ = ["brief", "chances", "choices", "plan", "revise", "samples"]


def plan(state: State, nation: str, text: str) -> Plan:
    """Return the accepted orders as values, and the running totals of the phase."""
    orders = checking.read(text, nation, state).orders
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
        text, _order(ordered), drop, lambda text: orders_of(state, nation, text)[0]
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
    if isinstance(order, Place):
        verb = "FROM HOME" if order.from_home else "PLACE"
        return PlannedOrder(verb, order.area, order.pf, counters=order.counters, line=order.line)
    if isinstance(order, Blanks):
        return PlannedOrder("BLANKS", order.area, order.number, line=order.line)
    if isinstance(order, Attack):
        odds = chances(state, nation, order.area, order.targets)
        others = chances(state, nation, order.area, order.otherwise) if order.otherwise else None
        listed = (order.targets, order.stocks, order.otherwise, order.minimum)
        planned = PlannedOrder("ATTACK", order.area, 0, *listed, line=order.line)
        return replace(planned, odds=odds, other_odds=others)
    if isinstance(order, Understanding):
        return PlannedOrder("UNDERSTANDING", order.area, line=order.line)
    if isinstance(order, Control):
        return PlannedOrder("CONTROL", order.area, line=order.line)
    if isinstance(order, Share):
        return PlannedOrder("SHARE", order.area, nations=(order.partner,), line=order.line)
    if isinstance(order, StandingUnderstanding):
        return PlannedOrder("STANDING UNDERSTANDING ALL", line=order.line)
    if isinstance(order, LoseFirst):
        if not order.area:
            return PlannedOrder(offered.LOSE_ALL, line=order.line)
        return PlannedOrder(offered.LOSE, order.area, line=order.line)
    assert isinstance(order, Pass), order
    return PlannedOrder("PASS", line=order.line)


def _order(ordered: PlannedOrder) -> Order:
    """Return the order for a value. The caller made it from a `Choice`, so verb, area and nations
    are set."""
    area = ordered.area or ""
    match ordered.verb:
        case "PLACE" | "FROM HOME":
            return Place(0, ordered.number, area, ordered.verb == "FROM HOME", ordered.counters)
        case "BLANKS":
            return Blanks(0, ordered.number, area)
        case "ATTACK":
            return Attack(
                0, area, ordered.nations, ordered.stocks, ordered.otherwise, ordered.minimum
            )
        case "UNDERSTANDING":
            return Understanding(0, area)
        case "CONTROL":
            return Control(0, area)
        case "SHARE":
            return Share(0, area, ordered.nations[0])
        case "STANDING UNDERSTANDING ALL":
            return StandingUnderstanding(0)
        case offered.LOSE | offered.LOSE_ALL:
            return LoseFirst(0, area)
    assert ordered.verb == "PASS", ordered
    return Pass(0)
