"""A tick asks once whether anything is due, and then loses no deadline (docs/design.md, 5)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games import desk, tasks
from games.base import clock
from games.models import Game, Letter, MarketClosure, Motion, Outage, Phase, Pulse
from games.models.leased import leased_models
from games.rules import PhaseId
from games.rules.vote_kinds import MORE_TIME
from orders.intake import ahead
from orders.models import Submission
from tests.bench import copies
from tests.support.campaign import MONDAY, NATIONS, Campaign
from tests.support.examples import WHOLE
from tests.support.ticks import tick_in_process

pytestmark = pytest.mark.django_db

MICROSECOND, SECOND, MINUTE = timedelta.resolution, timedelta(seconds=1), timedelta(minutes=1)
#: Two people, and three bots.
SEATS = dict.fromkeys(NATIONS, "bot") | {"USA": "una@example.org", "Germany": "gustav@example.org"}
Ticks = Callable[..., list[str]]


@pytest.fixture
def tick(monkeypatch: pytest.MonkeyPatch) -> Ticks:
    """Return a function that runs one real tick at an instant and returns its statements."""
    tick_in_process(monkeypatch, *tasks.JOBS)

    def run(at: object) -> list[str]:
        monkeypatch.setattr(clock, "now", lambda: at)
        with CaptureQueriesContext(connection) as queries:
            tasks.tick()
        return [query["sql"] for query in queries.captured_queries]

    return run


def at_rest() -> Campaign:
    """Return a game with bots in which everything has been done that was due."""
    campaign = Campaign.begin(seats=SEATS)
    tasks.do_all_due(campaign.now + SECOND)
    campaign.now += 2 * SECOND
    assert not tasks.may_be_due(campaign.now)
    return campaign


def test_tick_at_rest_asks_equally_little_with_3_and_with_30_running_games(tick: Ticks) -> None:
    """One question whether the service is held, one whether anything is due, and the pulse."""
    campaign = at_rest()
    games = copies.Copies(without=("Mail", "Handling"))
    counts = []
    for number in (3, 30):
        games.grow(number)
        assert Game.objects.filter(status=Game.Status.RUNNING).count() == number
        campaign.now += SECOND
        counts.append(len(tick(campaign.now)))
        assert Pulse.objects.get(name="tick").at == campaign.now
    assert counts == [3, 3]


@pytest.mark.both_databases
def test_each_table_that_is_a_queue_makes_something_due() -> None:
    for model in leased_models():
        assert f" {model._meta.db_table} " in tasks.DUE


DUE_ROWS: dict[str, Callable[[Campaign], object]] = {
    "phase": lambda game: Phase.objects.filter(game=game.game).update(due_at=game.now),
    "reminder": lambda game: Phase.objects.filter(game=game.game).update(remind_at=game.now),
    "witness": lambda game: Phase.objects.filter(game=game.game).update(witness_at=game.now),
    "letter": lambda game: Letter.objects.filter(game=game.game).update(due_at=game.now),
    "vote": lambda game: Motion.objects.create(
        game=game.game, phase=game.phase, kind="end", opened_at=game.now, due_at=game.now
    ),
    "closure": lambda game: MarketClosure.objects.create(
        exchange="NYSE", day=game.now.date(), due_at=game.now
    ),
    "outage": lambda game: Outage.objects.create(
        way="pages", since=game.now - MINUTE, until=game.now
    ),
    "stopped ticks": lambda game: Pulse.objects.filter(name="tick").update(
        at=game.now - 6 * MINUTE
    ),
    "clock ahead": lambda game: Pulse.objects.filter(name="tick").update(at=game.now + 2 * MINUTE),
    "no tick yet": lambda game: Pulse.objects.all().delete(),
    "a minute at rest": lambda game: Pulse.objects.filter(name="all jobs").update(
        at=game.now - MINUTE
    ),
    "record entry": lambda game: desk.extend(
        game.phase, game.phase.deadline + MINUTE, "More time.", game.ada, game.now
    ),
}


@pytest.mark.both_databases
@pytest.mark.parametrize("what", DUE_ROWS)
def test_tick_goes_through_its_jobs_when_something_is_due(what: str) -> None:
    campaign = at_rest()
    assert DUE_ROWS[what](campaign)
    assert tasks.may_be_due(campaign.now)


@pytest.mark.both_databases
@pytest.mark.parametrize("column", ["due_at", "remind_at", "witness_at"])
def test_tick_rests_until_the_instant_at_which_a_phase_is_due(column: str) -> None:
    campaign = at_rest()
    Phase.objects.filter(game=campaign.game).update(**{column: campaign.now})
    assert not tasks.may_be_due(campaign.now - MICROSECOND)
    assert tasks.may_be_due(campaign.now)


@pytest.mark.both_databases
def test_tick_leaves_the_queues_of_a_paused_game_at_rest() -> None:
    campaign = at_rest()
    Phase.objects.filter(game=campaign.game).update(due_at=campaign.now, remind_at=campaign.now)
    Game.objects.filter(pk=campaign.game.pk).update(status=Game.Status.PAUSED)
    assert not tasks.may_be_due(campaign.now)


def test_bots_order_in_the_tick_after_their_phase_has_opened(tick: Ticks) -> None:
    campaign = at_rest()
    at = campaign.phase.deadline
    tick(at - MINUTE)
    while campaign.phase.number == 1:
        at += SECOND
        tick(at)
    tick(at + SECOND)
    sent = Submission.objects.filter(phase=campaign.phase, channel="program")
    assert {row.seat.nation for row in sent} == {"France", "Britain", "Russia"}


@pytest.mark.both_databases
def test_no_tick_rests_while_a_job_has_something_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """A campaign with bots, a vote, reminders and orders ahead, looked at every five minutes, in a
    soak every two: the one statement finds all that the jobs do, also without the pass of each
    minute. (Only bots that think about deals depend on it.)"""
    monkeypatch.setattr(tasks, "AT_REST", timedelta(days=1))
    options: dict[str, Any] = {"seats": SEATS, "veto_hours": 1, "press.deals": "none"}
    campaign = Campaign.begin(**options)
    seat, gustav = campaign.seat("Germany"), campaign.players["Germany"]
    ahead.keep(seat, campaign.phase, gustav, PhaseId(1, "attacks"), "PASS", campaign.now)
    now, done, step = MONDAY, 0, MINUTE * (2 if WHOLE else 5)
    while campaign.phase.number < 4:
        now += step
        if now == MONDAY + 10 * MINUTE:
            for person in campaign.players.values():
                desk.votes.cast(campaign.game, person, MORE_TIME.key, "", now)
        due = tasks.may_be_due(now)
        count = tasks.do_all_due(now)
        assert due or not count
        done += due
    assert 10 < done < (now - MONDAY) / step
    assert Motion.objects.get().outcome == "carried"
    assert Submission.objects.filter(channel="ahead", seat=seat).exists()


def test_everything_due_is_done_though_later_jobs_make_earlier_ones_due(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`do_all_due` ends where nothing is left: no job is asked again that has been asked since
    the last that had something to do."""
    due, asked = {"orders", "board"}, list[str]()
    makes = {"orders": "phase", "board": "letter", "letter": "orders"}

    def job(name: str) -> tasks.Quick:
        def do(now: object) -> int:
            asked.append(name)
            if name not in due:
                return 0
            due.remove(name)
            if name in makes:
                due.add(makes.pop(name))
            return 1

        return tasks.Quick(do)

    names = ["phase", "letter", "orders", "board", "votes"]
    monkeypatch.setattr(tasks, "JOBS", {name: job(name) for name in names})
    assert tasks.do_all_due(MONDAY) == 5
    assert due == set()
    assert asked == [*names, *names, "phase", "letter", "orders"]
