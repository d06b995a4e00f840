"""Express order lines in the verbs of `choices`.

With this a page shows which choices a text contains, and takes them out again.
"""

from __future__ import annotations

from collections.abc import Sequence

from games.rules import REFEREE_SEAT, sampling
from games.rules.orders import Line, lines
from games.rules.plan import Odds, Plan, PlannedOrder

from . import checking, language, told
from .orders import VERBS, Order, UnclearOrder
from .seeing import brief, choices
from .state import State

__all__ = ["brief", "chances", "choices", "plan", "revise", "samples"]

#: Verbs of choices that are the whole line: GRANT SUPPLY TO USA, MED ON, COLUMN PRINTED.
_WHOLE = ("GRANT", "REVOKE", "MED", "COLUMN", "PASS")


def plan(state: State, nation: str, text: str) -> Plan:
    """Return the orders without totals, because limits are on the base game's tracks."""
    if nation == REFEREE_SEAT:
        return Plan((), ())
    return Plan(
        tuple(_planned_order(order) for order in checking.orders_of(text, nation, state)), ()
    )


def samples(state: State, nation: str, stocks: Sequence[str]) -> tuple[str, ...]:
    """Return sample lines that would be accepted: for the map, or in diplomacy from the choices."""
    return told.samples(state, nation) or sampling.samples(
        VERBS, choices(state, nation), lambda text: checking.read(text, nation, state), ()
    )


def revise(state: State, nation: str, text: str, ordered: PlannedOrder, drop: bool = False) -> str:
    """Take a line out, by number or by content, or append the line of a choice."""
    if drop:
        return _remove_lines(text, nation, state, ordered)
    choice = VERBS.choice(ordered.verb, ordered.area, nations=ordered.nations)
    return "\n".join(
        [*([text.rstrip()] if text.strip() else []), choice.line(nations=ordered.nations)]
    )


def chances(state: State, nation: str, area: str, targets: Sequence[str]) -> Odds | None:
    return None  # the results of attacks are in the base game's tables


def _planned_order(order: Order) -> PlannedOrder:
    if order.verb in _WHOLE:
        return PlannedOrder(order.text, line=order.line)
    if order.verb == "ALLY":
        return PlannedOrder(order.verb, nations=(order.to,), line=order.line)
    if order.verb == "DECLARE":
        return PlannedOrder("DECLARE WAR ON", order.to, line=order.line)
    if order.verb == "BLEND":
        return PlannedOrder(order.verb, f"{order.country} {order.to}", line=order.line)
    return PlannedOrder(
        order.verb, order.country or order.to or None, order.sp or 0, order.powers, line=order.line
    )


def _remove_lines(text: str, nation: str, state: State, wanted: PlannedOrder) -> str:
    """Return the text without the line that has the number of `wanted`.

    Without a number drop the lines with the same order.
    """
    written = lines(text)
    dropped = (
        {wanted.line}
        if wanted.line
        else {line.number for line in written if _is_order_in_line(line, nation, state, wanted)}
    )
    starts = {line.number for line, _ in language.read_lines(written, nation, state)}
    for line in written:  # what goes on with a line above goes with it
        if line.number not in starts and line.number - 1 in dropped:
            dropped.add(line.number)
    return "\n".join(
        line for number, line in enumerate(text.splitlines(), start=1) if number not in dropped
    )


def _is_order_in_line(line: Line, nation: str, state: State, wanted: PlannedOrder) -> bool:
    try:
        ordered = _planned_order(language.read_line(line, nation, state))
    except UnclearOrder:
        return False
    return (ordered.verb, ordered.area, ordered.nations) == (
        wanted.verb,
        wanted.area,
        wanted.nations,
    )
