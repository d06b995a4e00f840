"""Deadlines of many games take as many queries as those of one (docs/design.md 5)."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games import market
from games.models import Act, Draw, Game, Phase
from games.turns import process, queue
from tests.bench import many
from tests.support.campaign import MONDAY

pytestmark = pytest.mark.django_db(transaction=True)

SIZES = (1, 10, 100)
#: Long enough after a deadline for all readings.
LATER = timedelta(hours=80)


def _processed(games: list[int], now: datetime) -> int:
    """Process what is due in these games, in one batch. Return the number of queries.

    SQLite takes so many values in one statement: inserts into one table count once.
    """
    Phase.objects.exclude(game__in=games).update(due_at=None)
    token, ids = queue.claim(now, len(games))
    assert len(ids) == len(games)
    with CaptureQueriesContext(connection) as asked:
        process.process(ids, token, now)
    begun = [query["sql"].partition("(")[0] for query in asked]
    return sum(
        not (sql.startswith("INSERT") and sql == before)
        for before, sql in zip(["", *begun], begun, strict=False)
    )


def test_attack_query_count_is_the_same_for_1_and_100_games(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Games are loaded, drawn and written in sets."""
    # On a busy machine even made-up sales may take longer than a second.
    monkeypatch.setattr(process, "PATIENCE", (0.0, market.SECONDS_TO_ASK))
    league = many.League(3, MONDAY, many.ATTACKS, played=1)
    league.grow(1 + sum(SIZES))
    Game.objects.update(market=Game.Market.DEMO)
    alike = league.ids()
    locks, results = [], []
    for size in (1, *SIZES):  # the first reads the market, and is not counted
        games, alike = alike[:size], alike[size:]
        phases = Phase.objects.filter(game__in=games, number=4)
        phases.update(due_at=MONDAY)
        locks.append(_processed(games, MONDAY + timedelta(minutes=10)))
        assert set(phases.values_list("status", flat=True)) == {Phase.Status.DRAWING}
        results.append(_processed(games, MONDAY + LATER))
        assert set(phases.values_list("status", flat=True)) == {Phase.Status.RESOLVED}
        assert Draw.objects.filter(phase__in=phases).count() >= size
    assert len(set(locks[1:])) == 1, locks
    assert len(set(results[1:])) == 1, results


def test_seed_and_vacancy_query_count_is_the_same_for_1_and_100_games(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two nations of each game are silent and reported; the phase's seed gives the digits."""
    monkeypatch.setattr(many, "UNUSUAL", (many.MISSING,))
    league = many.League(5, MONDAY, many.MIXED, played=1)
    league.grow(1 + sum(SIZES))
    options = Game.objects.values_list("options", flat=True)[0]
    Game.objects.update(options=options | {"rng.source": market.COMMIT_REVEAL, "seat.nmr_limit": 1})
    alike = league.ids()
    # One seed for all games: other digits would lead to different numbers of queries.
    seeded = Phase.objects.filter(game__in=alike, number=4)[0]
    market.choose_seed(seeded)
    seed = {"seed_nonce": seeded.seed_nonce, "seed_hash": seeded.seed_hash}
    locks, results = [], []
    for size in (1, *SIZES):
        games, alike = alike[:size], alike[size:]
        phases = Phase.objects.filter(game__in=games, number=4)
        phases.update(**seed, due_at=MONDAY)
        locks.append(_processed(games, MONDAY + timedelta(minutes=10)))
        assert Act.objects.filter(phase__in=phases, kind="vacant").count() == 2 * size
        phases.update(due_at=MONDAY)
        results.append(_processed(games, MONDAY + timedelta(minutes=11)))
        assert set(phases.values_list("status", flat=True)) == {Phase.Status.RESOLVED}
        assert Draw.objects.filter(phase__in=phases).count() >= size
    assert len(set(locks[1:])) == 1, locks
    assert len(set(results[1:])) == 1, results
