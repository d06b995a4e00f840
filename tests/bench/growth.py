"""W3: costs after 1,000 past phases and after 100,000, within a tenth.

    python -m tests.bench growth [--database sqlite|postgresql] [--past 1000 100000] [--times 40]

Beside the past, a game as people play it (`talkative`) has 1 past phase or many. The
database itself writes whole games again and again, each lot an hour older than the last."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from django.conf import settings

from games.base import clock

from . import acknowledge, bare, copies, drawings, figures, many, rest, talkative

PHASES = (1000, 100_000)
PASSED = "a placement deadline locked, resolved and told"
GAME, OLD = "the page of a running game", "the page of a finished game"
TIME, STANDING = "the board through time", "the standings"
HOME, ARCHIVE = "the first page", "the archive"
PICTURE = "a new picture of a board"


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench growth")
    parser.add_argument("--database", choices=figures.DATABASES, default="sqlite")
    parser.add_argument("--past", type=int, nargs=2, default=list(PHASES))
    parser.add_argument("--times", type=int, default=40)
    many.add_played(parser)
    talkative.add_options(parser)
    arguments = parser.parse_args(words)
    with figures.database(arguments.database):
        results = measured(arguments)
        figures.keep(f"growth-{arguments.database}", {"database": arguments.database, **results})


def measured(wanted: argparse.Namespace) -> dict[str, Any]:
    """Return the costs at each number of past phases, in bare pages, and how they grow."""
    from games.models import Phase
    from tests.support.campaign import NATIONS, Campaign

    now, sizes = clock.now(), sorted(wanted.past)
    past = Campaign.begin(
        now - timedelta(days=30),
        title="Over",
        seats={"USA": "una@example.org", **dict.fromkeys(NATIONS[1:], "bot")},
    )
    from orders.intake import bots

    with talkative.letters_unsent():
        while past.game.status == "running":
            bots.play(past.now)
            past.pass_deadline()
    talkative.put_away(past.now)
    phases_a_game = past.game.phases.count()
    past_games = copies.Copies(ago=timedelta(hours=1))
    told = talkative.Told(now + timedelta(hours=6), wanted)
    league = many.League(5, now + timedelta(hours=6), played=wanted.played)
    # All of them now, so that only the past grows.
    league.grow(wanted.played + 2 + (wanted.times + figures.WARM) * len(sizes))
    waiting = iter(league.ids()[wanted.played + 1 :])  # not the game of the orders
    numbers = count()

    def prepare(size: int) -> dict[str, Callable[[], Any]]:
        with copies.hurried():
            past_games.grow(size // phases_a_game)
        resolved = Phase.objects.filter(game__status="finished", status="resolved").count()
        assert resolved >= size - phases_a_game
        _fill_folder(size)
        return {**_acts(league, past.game, now, waiting, numbers), **told.acts(now)}

    results = figures.by_size(sizes, "past phases", wanted.times, prepare)
    return {"rows": past_games.counted(), **results}


def _acts(
    league: many.League,
    over: Any,
    now: datetime,
    waiting: Iterator[int],
    numbers: Iterator[int],
) -> dict[str, Callable[[], Any]]:
    from games.boards import images
    from games.models import Phase
    from games.turns import process, queue

    game = league.game(league.most)
    browser = bare.browser(game.seats.get(nation="Germany").sittings.get(until=None).person)

    def passed() -> None:
        """Process the deadline of another game each time; all of them are alike and due at once."""
        phase = Phase.objects.get(game=next(waiting), status="open")
        # 10 minutes ago: the service no longer waits for mail that was sent at the last moment.
        then = now - timedelta(minutes=10)
        Phase.objects.filter(pk=phase.pk).update(deadline=then, due_at=then)
        token, claimed = queue.claim(now, 1)
        assert claimed == [phase.pk]
        process.process([phase.pk], token, now)
        phase.refresh_from_db()
        assert phase.status == "resolved"
        talkative.put_away(now)

    def picture() -> None:
        title = f"The board, number {next(numbers)}"
        images.png(images.Drawing("origins-ww2", drawings.CARD, drawings.crowded(1), title=title))

    pages = {
        GAME: game.get_absolute_url(),
        HOME: "/",
        ARCHIVE: "/archive/",
        OLD: over.get_absolute_url(),
        TIME: f"{over.get_absolute_url()}board/",
        STANDING: f"{over.get_absolute_url()}standing/",
    }
    tick = rest.resting_tick()
    return {
        figures.BARE: bare.bare_page(),
        **acknowledge.acts(game, "Germany"),
        PASSED: passed,
        **{name: bare.page(browser, address) for name, address in pages.items()},
        f"tick that is {figures.ASIDE}": tick,  # the phase that has passed is news for it
        rest.TICK: tick,
        PICTURE: picture,
    }


def _fill_folder(number: int) -> None:
    """Store `number` pictures: as many as that many past phases leave behind."""
    folder = Path(settings.VAR_DIR) / "boards"
    folder.mkdir(exist_ok=True)
    for place in range(len(list(folder.iterdir())), number):
        (folder / f"{place:064x}.png").write_bytes(b"\x89PNG\r\n\x1a\n")
