"""Deals in Origins of World War I. The only joint act of two nations is to ally."""

from __future__ import annotations

from ..deals import terms
from ..deals.terms import Clause
from .bargaining import bargains, ideas, outlook, parts, seen_alike, wants
from .checking import read
from .reading import Ally
from .state import State

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

verbs = (terms.PEACE, terms.ALLY, terms.ATTACK, terms.LEAVE)


def has_come_about(state: State, clause: Clause) -> bool:
    return state.ally_of(clause.pair[0]) == clause.pair[1]


def bar(before: State, after: State, clause: Clause) -> str:
    """Say what kept two nations from allying: each nation is in one alliance at most (A.4)."""
    for nation in clause.pair:
        if ally := before.ally_of(nation):
            return f"{nation} was already allied with {ally}."
    return ""


def orders_it(state: State, nation: str, text: str, clause: Clause) -> bool:
    ordered = read(text, nation, state).orders
    other = clause.other(nation)
    return any(isinstance(order, Ally) and order.partner == other for order in ordered)
