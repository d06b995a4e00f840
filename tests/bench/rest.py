"""What the service costs by running games: a tick with nothing due, which comes every second, and
pages that list seats on offer.

    python -m tests.bench rest [--database sqlite|postgresql] [--games 200 2000] [--times 40]

Each game has a seat on offer and one that the service plays; all orders are sent."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from unittest import mock

from django.db import connection
from django.test.utils import CaptureQueriesContext

from games.base import clock

from . import bare, figures, many, talkative

GAMES = (200, 2000, 5000)
TICK, ALL = "a tick with nothing due", "the one each minute that goes through all jobs"


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench rest")
    parser.add_argument("--database", choices=figures.DATABASES, default="sqlite")
    parser.add_argument("--games", type=int, nargs="+", default=list(GAMES))
    parser.add_argument("--times", type=int, default=40)
    many.add_played(parser)
    arguments = parser.parse_args(words)
    with figures.database(arguments.database):
        found = measured(arguments)
        figures.keep(f"rest-{arguments.database}", {"database": arguments.database, **found})


def measured(wanted: argparse.Namespace) -> dict[str, Any]:
    """Return the costs at each number of running games in bare pages, and the tick's queries."""
    from games import desk, tasks
    from games.models import Pulse

    deadline = clock.now() + timedelta(hours=6)
    league = many.League(3, deadline, played=wanted.played, bot=True)
    played = talkative.play(deadline, 3)
    queries: dict[str, int] = {}

    def prepare(size: int) -> dict[str, Callable[[], Any]]:
        league.grow(size)
        assert len(desk.seats_on_offer()) > size
        tick = resting_tick()
        tick()  # what comes once a day
        with CaptureQueriesContext(connection) as asked:
            tick()
        queries[str(size)] = len(asked)

        def all_jobs() -> None:
            Pulse.objects.filter(name=tasks.ALL_JOBS).delete()

        visitor, player = bare.browser(), bare.browser(played.players["Germany"])
        return {
            figures.BARE: bare.bare_page(),
            TICK: tick,
            figures.ASIDE: all_jobs,
            ALL: tick,
            "the first page of a visitor": bare.page(visitor, "/"),
            "the first page of a player": bare.page(player, "/"),
            "the page of seats on offer": bare.page(visitor, "/standby/"),
            f"{talkative.TALK}{talkative.GAME}": bare.page(
                player, played.game.get_absolute_url(), played.game.title
            ),
        }

    found = figures.by_size(sorted(wanted.games), "running games", wanted.times, prepare)
    figures.say("queries of a tick", list(queries.items()))
    return {**found, "queries": {TICK: queries}}


def resting_tick() -> Callable[[], None]:
    """Return a function that ticks, when nothing is due, as beat lets a worker do."""
    from games import tasks
    from games.models import Pulse

    # Else the service would give back the time since the last tick.
    Pulse.objects.update_or_create(name="tick", defaults={"at": clock.now()})

    def tick() -> None:
        with mock.patch.object(tasks.do_job, "delay") as handed:
            tasks.tick()
        assert not handed.called, handed.call_args_list

    return tick
