"""An order text as a page shows and changes it: what it orders, what is left to order, and one
order written into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .. import amending, sampling
from ..digits import STOCKS
from ..orders import Order, Pass
from ..plan import Odds, Ordered, Plan, Total
from . import alliances, checking
from . import chances as printed_chances
from .choices import brief, choices
from .language import orders_of
from .reading import Ally, Attack, Leave, Place
from .state import State

__all__ = ["brief", "chances", "choices", "plan", "revise", "samples"]


def plan(state: State, nation: str, text: str) -> Plan:
    """What the accepted lines order, as values, and the running totals of the phase. Odds are those
    after one's own PFs are placed."""
    state = alliances.view_for(state, nation)
    orders = checking.read(text, nation, state).orders
    seen = checking.after_placing(state, nation, orders)
    return Plan(
        tuple(_value(seen, nation, order) for order in orders), _totals(state, nation, orders)
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
    taken out. A new one comes last."""
    return amending.revise(
        text, _order(state, ordered), drop, lambda text: orders_of(state, nation, text)[0]
    )


def chances(state: State, nation: str, area: str, targets: Sequence[str]) -> Odds | None:
    return printed_chances.chances(alliances.view_for(state, nation), nation, area, targets)


def _totals(state: State, nation: str, orders: tuple[Order, ...]) -> tuple[Total, ...]:
    if not state.placing or state.mover not in (None, nation):
        return ()
    asked = sum(order.pf for order in orders if isinstance(order, Place))
    return (Total("PLACE", state.allocation(nation), asked, "new PFs to place"),)


def _value(state: State, nation: str, order: Order) -> Ordered:
    if isinstance(order, Place):
        return Ordered("PLACE", order.area, order.pf, line=order.line)
    if isinstance(order, Attack):
        odds = printed_chances.chances(state, nation, order.area, (order.target,))
        found = Ordered("ATTACK", order.area, 0, (order.target,), order.stocks, line=order.line)
        return replace(found, minimum=order.minimum, odds=odds)
    if isinstance(order, Ally):
        return Ordered("ALLY", nations=(order.partner,), line=order.line)
    if isinstance(order, Leave):
        return Ordered("LEAVE ALLIANCE", line=order.line)
    assert isinstance(order, Pass), order
    return Ordered("PASS", line=order.line)


def _order(state: State, ordered: Ordered) -> Order:
    """The order that a value stands for. Whoever asks for it has made it of a `Choice`, so that
    verb, area and nations are there."""
    area = ordered.area or ""
    match ordered.verb:
        case "PLACE":
            return Place(0, ordered.number, area)
        case "ATTACK":
            minimum = ordered.minimum if state.choosing else None
            return Attack(0, ordered.nations[0], area, ordered.stocks, minimum, state.choosing)
        case "ALLY":
            return Ally(0, ordered.nations[0])
        case "LEAVE ALLIANCE":
            return Leave(0)
    assert ordered.verb == "PASS", ordered
    return Pass(0)
