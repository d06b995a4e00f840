"""An order text as a page shows and changes it: what it orders, what is left to order, and one
order written into it.

Pointing at a map edits the text and nothing else. What the player typed himself stays as it is:
other lines, comments, blank lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .. import amending, sampling
from ..digits import STOCKS
from ..orders import Order, Pass
from ..plan import Ordered, Plan, Total
from . import checking
from . import choices as offered
from .chances import chances
from .choices import brief, choices
from .face_down import BLANKS_A_TURN
from .language import orders_of
from .reading import (
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
    """What the accepted lines order, as values, and the running totals of the phase."""
    orders = checking.read(text, nation, state).orders
    return Plan(
        tuple(_value(state, nation, order) for order in orders), _totals(state, nation, orders)
    )


def samples(state: State, nation: str, stocks: Sequence[str]) -> tuple[str, ...]:
    """Lines that would be taken as they stand; attacks with these stocks where stocks decide."""
    return sampling.samples(
        choices(state, nation),
        lambda text: checking.read(text, nation, state),
        stocks if state.options["rng.source"] == STOCKS else (),
    )


def revise(state: State, nation: str, text: str, ordered: Ordered, drop: bool = False) -> str:
    """The text with this order in place of whatever it says about the same thing, or with that
    taken out. A new one comes last.

    A comment behind the line that is replaced is kept. PASS goes when something is ordered, for it
    was meant for nothing else.
    """
    return amending.revise(
        text, _order(ordered), drop, lambda text: orders_of(state, nation, text)[0]
    )


def _totals(state: State, nation: str, orders: tuple[Order, ...]) -> tuple[Total, ...]:
    if not state.placing or state.mover not in (None, nation):
        return ()
    new, at_home = state.allocation(nation), state.home_pf(nation)
    placed = [order for order in orders if isinstance(order, Place)]
    used = sum(order.pf for order in placed if not order.from_home)
    found = [Total("PLACE", new, used, "new PFs to place")]
    if at_home:
        moved = sum(order.pf for order in placed if order.from_home)
        said = f"PFs at home in {state.home(nation)} that may leave"
        found.append(Total("FROM HOME", at_home, moved, said))
    if state.lays_face_down:
        blanks = sum(order.number for order in orders if isinstance(order, Blanks))
        found.append(Total("BLANKS", BLANKS_A_TURN, blanks, "blank counters"))
    return tuple(found)


def _value(state: State, nation: str, order: Order) -> Ordered:
    if isinstance(order, Place):
        verb = "FROM HOME" if order.from_home else "PLACE"
        return Ordered(verb, order.area, order.pf, counters=order.counters, line=order.line)
    if isinstance(order, Blanks):
        return Ordered("BLANKS", order.area, order.number, line=order.line)
    if isinstance(order, Attack):
        odds = chances(state, nation, order.area, order.targets)
        others = chances(state, nation, order.area, order.otherwise) if order.otherwise else None
        listed = (order.targets, order.stocks, order.otherwise, order.minimum)
        found = Ordered("ATTACK", order.area, 0, *listed, line=order.line)
        return replace(found, odds=odds, other_odds=others)
    if isinstance(order, Understanding):
        return Ordered("UNDERSTANDING", order.area, line=order.line)
    if isinstance(order, Control):
        return Ordered("CONTROL", order.area, line=order.line)
    if isinstance(order, Share):
        return Ordered("SHARE", order.area, nations=(order.partner,), line=order.line)
    if isinstance(order, StandingUnderstanding):
        return Ordered("STANDING UNDERSTANDING ALL", line=order.line)
    if isinstance(order, LoseFirst):
        if not order.area:
            return Ordered(offered.LOSE_ALL, line=order.line)
        return Ordered(offered.LOSE, order.area, line=order.line)
    assert isinstance(order, Pass), order
    return Ordered("PASS", line=order.line)


def _order(ordered: Ordered) -> Order:
    """The order that a value stands for. Whoever asks for it has made it of a `Choice`, so that
    verb, area and nations are there."""
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
