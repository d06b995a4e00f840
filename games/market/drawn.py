"""Collect the digits drawn so far by their source, to check whether the die is fair
(games.records.uniformity)."""

from __future__ import annotations

from collections.abc import Hashable

from django.db.models import OuterRef, QuerySet, Subquery

from games.models import Draw, Game, RecordEntry
from games.rules.markets import NEW_YORK, market_of_exchange
from games.rules.sessions import DEMO

NEW_YORK_SALES = f"{NEW_YORK.place} sales"
DEMO_SALES = "DEMO exchange, made up"
#: Sources of digits other than sales (`rng.source`), in words.
OTHERS = {
    "gm_dice": "The gamesmasters' own rolls",
    "commit_reveal": "Seeds with a hash published in advance",
}


def digits_by_source(games: QuerySet[Game]) -> dict[str, list[int]]:
    """Return the digits of these games by source, New York first.

    A figure that decided several attacks, in one game or several, counts once, because the market
    threw the die only once. So does another digit in a game and its imported copies, which have the
    same record entries.
    """
    first = RecordEntry.objects.filter(game=OuterRef("pk"), number=1).values("hash")
    rows_of_games = games.annotate(first=Subquery(first)).values_list("pk", "options", "first")
    sources, played = {}, {}
    for pk, options, entry in rows_of_games:
        sources[pk], played[pk] = options.get("rng.source", "stocks"), entry or pk
    rows = Draw.objects.filter(phase__game__in=sources).order_by("pk")
    columns = (
        "digit",
        "phase__game",
        "phase__number",
        "nation",
        "line",
        "phase__exchange",
        "phase__session",
        "figure__symbol",
        "figure__volume",
    )
    digits_by_group: dict[str, dict[Hashable, int]] = {NEW_YORK_SALES: {}, DEMO_SALES: {}}
    for digit, game, *attack, exchange, session, symbol, volume in rows.values_list(*columns):
        group = OTHERS.get(sources[game]) or _sales_of(exchange)
        fall: Hashable = (exchange, session, symbol, volume)
        if group in OTHERS.values():
            fall = (played[game], *attack)
        digits_by_group.setdefault(group, {})[fall] = digit
    return {group: list(digits.values()) for group, digits in digits_by_group.items() if digits}


def _sales_of(exchange: str) -> str:
    """Return “London sales”; sales of an exchange that is not in the table are New York's."""
    if exchange == DEMO:
        return DEMO_SALES
    return f"{(market_of_exchange(exchange) or NEW_YORK).place} sales"
