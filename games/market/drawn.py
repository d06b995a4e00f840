"""The digits drawn so far, by what they came from: for whoever wants to know whether the die is
honest (games.records.uniformity)."""

from __future__ import annotations

from collections.abc import Hashable

from django.db.models import QuerySet

from games.models import Draw, Game
from games.rules.markets import NEW_YORK, by_exchange

from .sessions import DEMO

NEW_YORK_SALES = f"{NEW_YORK.place} sales"
DEMO_SALES = "DEMO exchange, made up"
#: Digits that no sales decide (`rng.source`).
OTHERS = {"gm_dice": "The gamesmasters' own rolls", "commit_reveal": "Seeds published beforehand"}


def digits_by_source(games: QuerySet[Game]) -> dict[str, list[int]]:
    """The digits of these games by where they came from, New York first.

    A figure that decided several attacks, here or in another game, counts once: the test asks how
    the market fell, and one fall is one fall.
    """
    sources = {
        pk: options.get("rng.source", "stocks")
        for pk, options in games.values_list("pk", "options")
    }
    rows = Draw.objects.filter(phase__game__in=sources).order_by("pk")
    columns = (
        "pk",
        "digit",
        "phase__game",
        "phase__exchange",
        "phase__session",
        "figure__symbol",
        "figure__volume",
    )
    found: dict[str, dict[Hashable, int]] = {NEW_YORK_SALES: {}, DEMO_SALES: {}}
    for pk, digit, game, exchange, session, symbol, volume in rows.values_list(*columns):
        group = OTHERS.get(sources[game]) or _sales_of(exchange)
        once: Hashable = pk if group in OTHERS.values() else (exchange, session, symbol, volume)
        found.setdefault(group, {})[once] = digit
    return {group: list(digits.values()) for group, digits in found.items() if digits}


def _sales_of(exchange: str) -> str:
    """“London sales”. Where no exchange is recorded, digits were drawn before there was another
    than New York."""
    if exchange == DEMO:
        return DEMO_SALES
    return f"{(by_exchange(exchange) or NEW_YORK).place} sales"
