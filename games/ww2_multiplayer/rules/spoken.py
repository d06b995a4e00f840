"""Put order lines and events into words to read out on the telephone."""

from __future__ import annotations

import re
from collections.abc import Mapping

from games.rules import REFEREE_SEAT, Json
from games.rules.names import all_of

from . import checking, seeing
from .orders import Order
from .reading import read
from .state import State

_KINDS = {
    "supply": "supply",
    "transit": "passage",
    "base": "bases",
    "lend_lease": "Lend-Lease",
    "transport": "the use of its transport",
}


def orders(
    state: State, nation: str, text: str, companies: Mapping[str, str]
) -> tuple[tuple[int, str], ...]:
    if nation == REFEREE_SEAT:
        return read(text, REFEREE_SEAT, state).understood
    return tuple(
        (order.line, sentence(order))
        for order in checking.orders_of(text, nation, seeing.view(state, nation))
    )


def sentence(order: Order) -> str:
    """Return an order as a sentence."""
    points = "" if order.sp is None else f"{order.sp} Strength Points "
    points = "one Strength Point " if order.sp == 1 else points
    words = {
        "MOVE": f"Move {points}from {order.origin} to {order.to}",
        "RAIL": f"Move {points}by rail from {order.origin} to {order.to}",
        "AIRDROP": f"Drop {points}from {order.origin} on {order.to}",
        "SEA": f"Ship {points}from {order.origin} to {order.to}",
        "AMPHIB": f"Land {points}from {order.origin} at {order.to}",
        "ATTACK": f"Attack {order.to}",
        "BUILD": f"Build {points}at {order.to}",
        "REPLACE": f"Replace {points}at {order.to}",
        "INVADE": f"Invade {order.country}",
        "ALLY": f"Offer {order.to} an alliance, or accept one",
        "UNALLY": f"End the alliance with {order.to}",
        "PEACE": f"Offer {order.to} peace, or accept it",
        "DECLARE": f"Declare war on {order.to}",
        "GRANT": f"Grant {order.to} {_KINDS.get(order.kind, '')}",
        "REVOKE": f"Take {_KINDS.get(order.kind, '')} back from {order.to}",
        "MED": f"The Mediterranean rule is {'applied' if order.on else 'not applied'}",
        "COLUMN": "Score by the printed column",
        "BLEND": f"In your combined column, {order.country} counts as for {order.to}",
        "PASS": "No orders",
    }.get(order.verb, f"In your own words: {order.text}")
    if order.verb == "MINOR" and order.inner is not None:
        return f"For {order.country}: {sentence(order.inner)}"
    if order.verb == "IF" and order.inner is not None and order.condition is not None:
        condition = order.condition.text
        condition = condition if order.condition.kind else condition.lower()
        return f"If {condition}: {sentence(order.inner)}"
    if order.verb in ("SEA", "AMPHIB"):
        sea = "Mediterranean" if order.sea == "MED" else order.sea.title()
        words += f", through the {sea}" if sea else ""
        words += f", with transport of {order.using}" if order.using else ""
    if order.verb == "ATTACK":
        words += f" in {order.country}" if order.country else ""
    if order.powers:
        words += f" {'with' if order.verb == 'ATTACK' else 'against'} {all_of(order.powers)}"
    if order.verb in ("GRANT", "REVOKE") and order.origin:
        words += f" in {order.origin}"
    return f"{words}."


def event(entry: Json, companies: Mapping[str, str]) -> str:
    """Return a public event without parentheses (figures of sales) and quotation marks."""
    message = re.sub(r" \([^()]*\)", "", str(entry.get("message", "")))
    return message.replace("“", "").replace("”", "")
