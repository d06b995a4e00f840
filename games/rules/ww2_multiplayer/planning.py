"""Order lines in the verbs of `choices`, so that a page can show which of them a text has chosen,
and take them out again."""

from __future__ import annotations

from collections.abc import Sequence

from .. import Choice, sampling
from ..orders import Line, lines
from ..plan import Odds, Ordered, Plan
from . import checking, language, told
from .orders import Order, Unclear
from .seeing import brief, choices
from .state import SHEET, State

__all__ = ["brief", "chances", "choices", "plan", "revise", "samples"]

#: What a choice says in whole words, with nothing to be named: GRANT SUPPLY TO USA, MED ON, COLUMN
# PRINTED.
_WHOLE = ("GRANT", "REVOKE", "MED", "COLUMN", "PASS")


def plan(state: State, nation: str, text: str) -> Plan:
    """Return what is ordered, without totals: what may be spent is on the base game's tracks."""
    if nation == SHEET:
        return Plan((), ())
    return Plan(tuple(_ordered(order) for order in checking.orders_of(text, nation, state)), ())


def samples(state: State, nation: str, stocks: Sequence[str]) -> tuple[str, ...]:
    """Lines that would be taken as they stand: for the map, or in a diplomacy out of the
    choices."""
    return told.samples(state, nation) or sampling.samples(
        choices(state, nation), lambda text: checking.read(text, nation, state), ()
    )


def revise(state: State, nation: str, text: str, ordered: Ordered, drop: bool = False) -> str:
    """Take a line out, by number or by what it says, or put a choice's line after the others."""
    if drop:
        return _without(text, state, ordered)
    choice = Choice(ordered.verb, ordered.area, nations=ordered.nations)
    return "\n".join(
        [*([text.rstrip()] if text.strip() else []), choice.line(nations=ordered.nations)]
    )


def chances(state: State, nation: str, area: str, targets: Sequence[str]) -> Odds | None:
    return None  # what an attack comes to stands in the base game's tables


def _ordered(order: Order) -> Ordered:
    if order.verb in _WHOLE:
        return Ordered(order.text, line=order.line)
    if order.verb == "ALLY":
        return Ordered(order.verb, nations=(order.to,), line=order.line)
    if order.verb == "DECLARE":
        return Ordered("DECLARE WAR ON", order.to, line=order.line)
    if order.verb == "BLEND":
        return Ordered(order.verb, f"{order.country} {order.to}", line=order.line)
    return Ordered(
        order.verb, order.country or order.to or None, order.sp or 0, order.powers, line=order.line
    )


def _without(text: str, state: State, wanted: Ordered) -> str:
    """The text without the line of that number; where none is named, without the lines that say
    what `wanted` says."""
    dropped = (
        {wanted.line}
        if wanted.line
        else {line.number for line in lines(text) if _says(line, state, wanted)}
    )
    return "\n".join(
        line for number, line in enumerate(text.splitlines(), start=1) if number not in dropped
    )


def _says(line: Line, state: State, wanted: Ordered) -> bool:
    try:
        found = _ordered(language.read_line(line, state))
    except Unclear:
        return False
    return (found.verb, found.area, found.nations) == (wanted.verb, wanted.area, wanted.nations)
