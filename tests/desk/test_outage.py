"""Outage credit: time lost in an outage is given back by a published rule (design 5)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from pytest_django import Settings

from games import desk, tasks
from games.base import clock
from games.evidence import export
from games.models import Act, DeadlineChange, Letter, Phase, Pulse
from games.rules.verification import verify
from games.turns import deadlines, outage_credit
from orders.intake import ledger
from tests.support.campaign import MONDAY, NATIONS, Campaign
from tests.support.letters import letter_text
from tests.support.ticks import tick_in_process

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
Set = Callable[[datetime], None]


@pytest.fixture(autouse=True)
def half_an_hour(settings: Settings) -> None:
    settings.OUTAGE_MINUTES = 30


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Set:
    """Return a function that runs a real tick at an instant, with its tasks in this process."""
    tick_in_process(monkeypatch, "phases")

    def tick(now: datetime) -> None:
        monkeypatch.setattr(clock, "now", lambda: now)
        tasks.tick()

    return tick


def pulse(at: datetime) -> None:
    Pulse.objects.update_or_create(name="tick", defaults={"at": at})


def test_deadline_during_an_outage_is_extended_by_its_length(at: Set) -> None:
    """The time counts from the end of the outage; all are notified, and nothing is locked
    meanwhile."""
    campaign = Campaign.begin()
    at(MONDAY + 50 * MINUTE)
    assert campaign.phase.deadline == MONDAY + HOUR
    late = campaign.order("Germany", "PLACE 10 Poland", at=MONDAY + 55 * MINUTE)
    at(MONDAY + 90 * MINUTE)
    phase = campaign.phase
    assert phase.status == Phase.Status.OPEN
    assert phase.deadline == MONDAY + 130 * MINUTE
    assert late.counts
    change = DeadlineChange.objects.get()
    assert change.changed_by is None
    assert len(campaign.letters("moved")) == 6
    text = letter_text(campaign.letters("moved")[0])
    assert "The reason: “The service was down" in text
    assert Act.objects.get(kind="moved").done_by is None
    campaign.wait_until(phase.deadline)
    campaign.wait_until(phase.deadline + MINUTE)
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_record_verifies_if_orders_precede_a_slower_credit(at: Set) -> None:
    """Issue 10, machine asleep: orders came 0.5 milliseconds after the tick's instant, but locked
    the game's row first."""
    campaign = Campaign.begin()
    pulse(MONDAY + 50 * MINUTE)
    woken, instant = MONDAY + 90 * MINUTE, timedelta(microseconds=505)
    before = campaign.order("Germany", "PLACE 10 Poland", at=woken + instant)
    at(woken)
    after = campaign.order("USA", "PLACE 1 Poland", at=woken - instant)
    assert (before.late, after.late) == (True, False)
    assert DeadlineChange.objects.get().changed_at == before.received_at
    assert {letter.written_at for letter in campaign.letters("moved")} == {before.received_at}
    assert campaign.phase.deadline == MONDAY + 130 * MINUTE
    campaign.wait_until(campaign.phase.deadline + MINUTE)
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_mail_read_after_a_credit_is_judged_by_the_new_deadline(at: Set) -> None:
    """However long it waited; orders by page at that time were late, and the record holds both."""
    campaign = Campaign.begin()
    pulse(MONDAY + 50 * MINUTE)
    page = campaign.order("France", "PLACE 2 Poland", at=MONDAY + 70 * MINUTE)
    at(MONDAY + 90 * MINUTE)
    seat, player = campaign.seat("Germany"), campaign.players["Germany"]
    mail = ledger.receive(
        seat, "PLACE 10 Poland", ledger.Arrival("mail", player, MONDAY + 70 * MINUTE)
    )
    assert (page.late, mail.late) == (True, False)
    campaign.wait_until(campaign.phase.deadline + MINUTE)
    record = export.record(campaign.game, private=True)
    assert verify.check(record) == []
    row = next(row for row in record["phases"][0]["submissions"] if row["nation"] == "France")
    row["late"] = False
    assert "whether submission" in str(verify.check(record)[0])


def test_outage_is_credited_once(at: Set) -> None:
    campaign = Campaign.begin()
    pulse(MONDAY + 50 * MINUTE)
    at(MONDAY + 90 * MINUTE)
    at(MONDAY + 90 * MINUTE)
    assert DeadlineChange.objects.filter(phase__game=campaign.game).count() == 1
    assert outage_credit.credit_time(MONDAY + 91 * MINUTE) == 0


def test_short_gap_is_no_outage(at: Set) -> None:
    """Half an hour without a tick counts as a restart; the deadline stands."""
    campaign = Campaign.begin()
    pulse(MONDAY + 45 * MINUTE)
    at(MONDAY + 70 * MINUTE)
    assert Phase.objects.get(game=campaign.game, number=1).status == Phase.Status.RESOLVED


def test_deadline_soon_after_an_outage_is_extended(at: Set) -> None:
    """A deadline within an hour after the outage moves too: nobody could read or write."""
    Campaign.begin(schedule={"every": "minutes", "minutes": 180})
    pulse(MONDAY + 40 * MINUTE)
    at(MONDAY + 150 * MINUTE)
    assert Phase.objects.get().deadline == MONDAY + 260 * MINUTE


def test_distant_deadline_is_not_extended(at: Set) -> None:
    Campaign.begin(schedule={"every": "minutes", "minutes": 600})
    pulse(MONDAY + 40 * MINUTE)
    at(MONDAY + 150 * MINUTE)
    assert Phase.objects.get().deadline == MONDAY + 600 * MINUTE


@pytest.mark.parametrize(
    ("minutes", "gap", "given"), [(5, 40, 5), (60, 3000, 60), (1440, 4000, 1440), (60, 31, 31)]
)
def test_credit_is_limited_to_the_phase_length_and_a_day(
    minutes: int, gap: int, given: int, at: Set
) -> None:
    Campaign.begin(schedule={"every": "minutes", "minutes": minutes})
    pulse(MONDAY + (minutes - 1) * MINUTE)
    now = MONDAY + (minutes - 1 + gap) * MINUTE
    at(now)
    assert Phase.objects.get().deadline == now + given * MINUTE


def test_paused_game_and_final_phase_get_no_credit(at: Set) -> None:
    campaign, other = Campaign.begin(), Campaign.begin(may_lock_early=True)
    desk.pause(campaign.game, "Snow.", campaign.ada, MONDAY)
    pulse(MONDAY + 50 * MINUTE)
    for nation in NATIONS:
        other.order(nation, "PASS", final=True, at=MONDAY + 51 * MINUTE)
    at(MONDAY + 90 * MINUTE)
    assert not DeadlineChange.objects.filter(phase__game=other.game).exists()
    assert other.phase.number == 2


def test_manual_tick_credits_outage_time() -> None:
    """docs/operations.md: after an outage the operator may tick by hand."""
    campaign = Campaign.begin()
    pulse(MONDAY + 50 * MINUTE)
    tasks.do_all_due(MONDAY + 90 * MINUTE)
    assert campaign.phase.status == Phase.Status.OPEN
    assert campaign.phase.deadline == MONDAY + 130 * MINUTE
    assert Letter.objects.filter(kind="moved", status="sent").count() == 6


def test_manual_tick_repairs_the_clock() -> None:
    campaign = Campaign.begin()
    tasks.do_all_due(MONDAY + 10 * MINUTE)
    deadline = campaign.phase.deadline
    tasks.do_all_due(MONDAY + 10 * HOUR)
    assert campaign.phase.deadline > MONDAY + 10 * HOUR
    tasks.do_all_due(MONDAY + 11 * MINUTE)
    assert campaign.phase.deadline == deadline


@pytest.mark.parametrize("by_hand", [True, False])
def test_outage_minutes_zero_disables_the_credit(
    settings: Settings, at: Set, by_hand: bool
) -> None:
    """OUTAGE_MINUTES = 0: an operator may tick once a day on purpose."""
    settings.OUTAGE_MINUTES = 0
    campaign = Campaign.begin()
    pulse(MONDAY)
    tick = tasks.do_all_due if by_hand else at
    tick(MONDAY + 5 * HOUR)
    assert campaign.game.phases.get(number=1).status == Phase.Status.RESOLVED


def test_phase_that_fails_to_be_credited_is_held_and_reported(
    at: Set, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No deadline is better than an impossible one; the other games still get their time."""
    spoilt, sound = Campaign.begin(), Campaign.begin(title="Another")

    def move(phase: Phase, *rest: object) -> DeadlineChange:
        if phase.game_id == spoilt.game.pk:
            raise ValueError("no such hour")
        return moved(phase, *rest)  # type: ignore[arg-type]

    moved = deadlines.move
    monkeypatch.setattr(deadlines, "move", move)
    pulse(MONDAY + 50 * MINUTE)
    at(MONDAY + 90 * MINUTE)
    assert spoilt.phase.status == Phase.Status.HELD
    assert spoilt.phase.held_from == Phase.Status.OPEN
    assert [letter.person for letter in spoilt.letters("held")] == [spoilt.ada]
    text = letter_text(spoilt.letters("held")[0])
    assert "could not be given its time back" in text
    assert sound.phase.deadline == MONDAY + 130 * MINUTE
