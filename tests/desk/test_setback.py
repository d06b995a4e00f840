"""Clock rollback: a clock that was ahead and is set right delays nobody (design 5;
games.turns.clock_rollback; faults.md)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from games import desk, tasks
from games.base import clock
from games.evidence import export
from games.models import DeadlineChange, Letter, Phase, Pulse
from games.rules.verification import record, verify
from games.turns import clock_rollback
from orders.models import Handling
from tests.inbound.writing import keep
from tests.support.campaign import MONDAY, Campaign
from tests.support.ticks import tick_in_process

pytestmark = pytest.mark.django_db

MINUTE, HOUR, DAY, YEAR = (timedelta(minutes=n) for n in (1, 60, 24 * 60, 365 * 24 * 60))
SECOND = timedelta(seconds=1)
Set = Callable[[datetime], None]


@pytest.fixture
def at(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Set:
    """Return a function that runs a real tick at an instant: deadlines in this process, letters
    stay."""
    settings.GIVE_TIME_BACK = True
    tick_in_process(monkeypatch, "phases")

    def tick(now: datetime) -> None:
        monkeypatch.setattr(clock, "now", lambda: now)
        tasks.tick()

    return tick


@pytest.mark.parametrize("wrong", [HOUR, DAY, YEAR])
def test_clock_rollback_restores_the_deadline(at: Set, wrong: timedelta) -> None:
    """The jump forward looked like an outage and moved the deadline; everybody hears of both
    moves."""
    campaign = Campaign.begin()
    at(MONDAY + 10 * MINUTE)
    deadline = campaign.phase.deadline
    at(MONDAY + 10 * MINUTE + wrong)
    assert campaign.phase.deadline > MONDAY + wrong
    at(MONDAY + 11 * MINUTE)
    assert campaign.phase.deadline == deadline
    at(MONDAY + 12 * MINUTE)
    assert DeadlineChange.objects.count() == 2
    assert "clock was ahead" in DeadlineChange.objects.order_by("-pk")[0].reason
    assert len(campaign.letters("moved")) == 12
    campaign.order("Germany", "PLACE 10 Poland", at=MONDAY + 20 * MINUTE)
    assert campaign.pass_deadline().status == Phase.Status.RESOLVED
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_record_verifies_after_a_clock_that_was_ahead_and_then_behind(at: Set) -> None:
    """Time was given back when the phase was a minute old; set back by a year, it was opened again.
    Nobody can tell how long it was then, but no outage gives more than a day."""
    campaign = Campaign.begin()
    at(MONDAY + 10 * MINUTE)
    for minute, wrong in ((11, YEAR), (12, -YEAR)):
        at(MONDAY + minute * MINUTE + wrong)
        at(MONDAY + minute * MINUTE + 10 * SECOND)
    assert campaign.phase.opened_at < MONDAY
    tree = export.record(campaign.game, private=True)
    assert verify.check(tree) == []
    credit = tree["phases"][0]["deadline_changes"][0]
    ended = datetime.fromisoformat(credit["outage"]["until"])
    credit["new"] = record.instant(ended + DAY + 2 * MINUTE)
    (found,) = [str(each) for each in verify.check(tree) if "after an outage" in str(each)]
    assert f"should be “from {credit['outage']['until']} to " in found


def test_orders_received_while_the_clock_was_ahead_count_and_the_record_verifies(at: Set) -> None:
    """Their instants are a year off but before that deadline; a checker cannot tell."""
    campaign = Campaign.begin()
    at(MONDAY + 10 * MINUTE)
    at(MONDAY + YEAR)
    assert campaign.order("Germany", "PLACE 10 Poland", at=MONDAY + YEAR + MINUTE).counts
    at(MONDAY + 12 * MINUTE)
    assert campaign.order("France", "PLACE 6 Poland", at=MONDAY + 13 * MINUTE).counts
    assert campaign.pass_deadline().status == Phase.Status.RESOLVED
    assert campaign.board()["Poland"]["Germany"].pf == 10
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_phase_opened_while_the_clock_was_ahead_gets_its_full_length(at: Set) -> None:
    campaign = Campaign.begin()
    at(MONDAY + HOUR - MINUTE)
    campaign.wait_until(MONDAY + YEAR)  # `manage.py tick` by hand credits no outage
    Pulse.objects.update(at=MONDAY + YEAR)
    assert campaign.phase.opened_at == MONDAY + YEAR
    at(MONDAY + HOUR + MINUTE)
    assert campaign.phase.opened_at == MONDAY + HOUR + MINUTE
    assert MONDAY + 2 * HOUR <= campaign.phase.deadline <= MONDAY + 3 * HOUR


def test_clock_that_was_behind_costs_at_most_the_length_of_a_phase(at: Set) -> None:
    """Ahead, right, behind, right: the deadline is never further off than the phase is long."""
    campaign = Campaign.begin()
    for wrong in (DAY, timedelta(0), -DAY, timedelta(0)):
        at(MONDAY + 10 * MINUTE + wrong)
        at(MONDAY + 11 * MINUTE + wrong)
    assert campaign.phase.deadline <= MONDAY + 11 * MINUTE + HOUR


def test_clock_rollback_makes_letters_and_mail_due_now(at: Set) -> None:
    """They were due at an instant a year off and would have waited for it."""
    campaign = Campaign.begin()
    at(MONDAY + MINUTE)
    ahead = MONDAY + YEAR
    at(ahead)
    keep(campaign, "Germany", "STATUS\n", at=ahead)
    assert Letter.objects.filter(kind="moved", due_at__gt=MONDAY + HOUR).count() == 6
    now = MONDAY + 2 * MINUTE
    clock_rollback.undo_clock_jump(now)
    assert not Letter.objects.filter(due_at__gt=now).exists()
    assert not Handling.objects.filter(due_at__gt=now).exists()


@pytest.mark.both_databases
def test_clock_rollback_locks_messages_before_games_and_games_before_phases(at: Set) -> None:
    """`game_row.take_row`: a worker that holds a message waits for its game; the repair held the
    games and waited for the messages."""
    campaign = Campaign.begin()
    at(campaign.now)
    Pulse.objects.filter(name="tick").update(at=campaign.now + HOUR)
    with CaptureQueriesContext(connection) as done:
        clock_rollback.undo_clock_jump(campaign.now)
    written = [query["sql"] for query in done.captured_queries]
    first = {
        table: next(
            place
            for place, sql in enumerate(written)
            if sql.startswith(start) and f'"{table}"' in sql
        )
        for table, start in (
            ("orders_handling", "UPDATE"),
            ("games_game", "SELECT"),
            ("games_phase", "UPDATE"),
        )
    }
    assert list(first.values()) == sorted(first.values())


def test_clock_rollback_keeps_a_deadline_set_by_the_gamesmaster(at: Set) -> None:
    campaign = Campaign.begin()
    at(MONDAY + MINUTE)
    at(MONDAY + 20 * HOUR)
    desk.extend(campaign.phase, MONDAY + 40 * HOUR, "A holiday.", campaign.ada, MONDAY + 20 * HOUR)
    at(MONDAY + 2 * MINUTE)
    assert campaign.phase.deadline == MONDAY + 40 * HOUR


def test_small_clock_correction_moves_nothing(at: Set) -> None:
    campaign = Campaign.begin()
    at(MONDAY + 10 * MINUTE)
    at(MONDAY + 10 * MINUTE - timedelta(seconds=30))
    assert not DeadlineChange.objects.exists()
    assert campaign.phase.deadline == MONDAY + HOUR
