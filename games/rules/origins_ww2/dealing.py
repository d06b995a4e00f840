"""Deals in Origins of World War II. The only joint act of two nations is to share CONTROL."""

from __future__ import annotations

from ..deals import terms
from ..deals.terms import Clause
from .bargaining import bargains, ideas, outlook, parts, wants
from .bot import seen_alike
from .checking import read
from .reading import Share
from .state import COUNTER_PF, State

__all__ = [
    "bar",
    "bargains",
    "has_come_about",
    "ideas",
    "orders_it",
    "outlook",
    "parts",
    "seen_alike",
    "verbs",
    "wants",
]

verbs = (terms.PEACE, terms.SHARE, terms.ATTACK, terms.LEAVE)


def has_come_about(state: State, clause: Clause) -> bool:
    return all(state.pieces.cell_at(clause.area, nation).control for nation in clause.pair)


def bar(before: State, after: State, clause: Clause) -> str:
    """Say what kept two nations from sharing CONTROL (T4), judged by the board after the phase."""
    area, here = clause.area, after.pieces.present(clause.area)
    for nation in clause.pair:
        if not after.card.allows(nation, area, "control"):
            return f"{nation}’s objectives allow no CONTROL in {area}."
    if after.pieces.closed(area):
        return f"{area} is closed by CONTROL."
    if here - set(clause.pair):
        return f"Others stood in {area}."
    for nation in clause.pair:
        if after.pieces.strength(area, nation) < COUNTER_PF:
            return f"{nation} had fewer than {COUNTER_PF} PFs in {area}."
    return ""


def orders_it(state: State, nation: str, text: str, clause: Clause) -> bool:
    sent = read(text, nation, state).orders
    other = clause.other(nation)
    return any(
        isinstance(order, Share) and order.area == clause.area and order.partner == other
        for order in sent
    )
