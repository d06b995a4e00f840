"""Outage credit: time in which no orders could come in is given back, by the rule of every game.

(docs/design.md 5, games.rules.time_credit.)
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from unittest.mock import Mock

import pytest
from django.db import OperationalError
from django.test import Client
from pytest_django import Settings

from games import desk, tasks
from games.evidence import export
from games.models import Act, DeadlineChange, Letter, Outage, Phase, Pulse
from games.rules import time_credit
from games.rules.verification import verify
from games.turns import deadlines, outage_credit, ways_in
from games.turns.ways_in import MAIL, PAGES
from orders.intake import ledger
from tests.support.campaign import MONDAY, NATIONS, Campaign
from tests.support.letters import letter_text
from tests.support.ticks import tick_at

pytestmark = pytest.mark.django_db

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
Set = Callable[[datetime], None]


@pytest.fixture(autouse=True)
def time_is_given_back(settings: Settings) -> None:
    settings.GIVE_TIME_BACK = True


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Set:
    return tick_at(monkeypatch, "phases")


def pulse(at: datetime, name: str = "tick") -> None:
    Pulse.objects.update_or_create(name=name, defaults={"at": at})


def shut(since: datetime, until: datetime, *ways: str) -> None:
    """Let ways in be shut; the first process that starts afterwards notes it."""
    for way in ways:
        pulse(since, way)
        ways_in.beat(way, until, ways_in.SILENT_AT_START)


# --- what counts as an outage, and what is given back ---


@pytest.mark.parametrize("way", [PAGES, MAIL])
def test_restart_of_seconds_over_a_deadline_gives_time_back(way: str, at: Set) -> None:
    """An upgrade really costs players nothing: ten minutes in a phase of an hour."""
    campaign = Campaign.begin()
    at(MONDAY + HOUR - MINUTE)
    shut(MONDAY + HOUR - 5 * SECOND, MONDAY + HOUR + 20 * SECOND, way)
    at(MONDAY + HOUR + 21 * SECOND)
    assert campaign.phase.deadline == MONDAY + 71 * MINUTE
    text = letter_text(campaign.letters("moved")[0])
    assert "could not come in from 16 Nov, 17:59 UTC to 16 Nov, 18:00 UTC" in text


def test_outage_that_ended_after_the_tick_read_its_clock_waits_for_the_next(at: Set) -> None:
    """A record in which time was given back before the outage was over would not follow."""
    campaign = Campaign.begin()
    end = MONDAY + HOUR
    at(end - MINUTE)
    shut(end - 20 * SECOND, end + 10 * SECOND, PAGES)
    at(end + 5 * SECOND)
    assert campaign.phase.deadline == end
    assert campaign.phase.status == Phase.Status.OPEN
    at(end + 11 * SECOND)
    assert campaign.phase.deadline > end
    tree = export.current(campaign.game, private=True, people=False)
    assert not list(verify.differences(tree))


def test_credit_is_no_less_than_a_tenth_of_the_phase(at: Set) -> None:
    campaign = Campaign.begin(schedule={"every": "minutes", "minutes": 600})
    end = MONDAY + 600 * MINUTE
    at(end - MINUTE)
    shut(end - 10 * SECOND, end + 50 * SECOND, PAGES)
    at(end + 51 * SECOND)
    assert campaign.phase.deadline == end + 61 * MINUTE


def test_phase_of_minutes_gets_back_as_much_as_an_outage_took(at: Set) -> None:
    """Phases of 5 minutes, and an upgrade of 14: a whole phase would have passed."""
    campaign = Campaign.begin(schedule={"every": "minutes", "minutes": 5})
    at(MONDAY + 4 * MINUTE)
    shut(MONDAY + 4 * MINUTE, MONDAY + 18 * MINUTE, PAGES)
    at(MONDAY + 18 * MINUTE)
    assert campaign.phase.deadline == MONDAY + 32 * MINUTE


def test_reason_says_how_much_is_given_back() -> None:
    opened, minute = MONDAY, MONDAY + MINUTE
    assert time_credit.describe(opened, minute, minute, minute + 40 * SECOND).startswith(
        "1 minute is given back"
    )
    assert time_credit.describe(opened, minute, minute, minute + 5 * MINUTE).startswith(
        "5 minutes are given back"
    )


def test_restart_before_or_after_a_deadline_moves_nothing(at: Set) -> None:
    campaign = Campaign.begin()
    at(MONDAY + 30 * MINUTE)
    shut(MONDAY + 30 * MINUTE, MONDAY + 31 * MINUTE, PAGES)
    at(MONDAY + 31 * MINUTE)
    assert Outage.objects.get().credited_at == MONDAY + 31 * MINUTE
    assert campaign.phase.deadline == MONDAY + HOUR
    assert not DeadlineChange.objects.exists()


def test_busy_process_is_not_shut() -> None:
    pulse(MONDAY, PAGES)
    ways_in.beat(PAGES, MONDAY + 55 * SECOND)
    assert not Outage.objects.exists()
    ways_in.beat(PAGES, MONDAY + 3 * MINUTE)
    assert Outage.objects.get().since == MONDAY + 55 * SECOND


def test_database_that_was_away_for_seconds_over_a_deadline_gives_time_back(
    at: Set, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL restarted: pages answered 503 at the deadline, and nothing was given back, because
    the process itself ran on and was silent for less than a minute."""
    campaign, end = Campaign.begin(), MONDAY + HOUR
    at(end - MINUTE)
    silent = ways_in.try_to_beat(PAGES, end - 5 * SECOND, ways_in.SILENT)
    with monkeypatch.context() as away:
        away.setattr(ways_in, "beat", Mock(side_effect=OperationalError("restarting")))
        away.setattr(ways_in, "connection", Mock())
        for second in (-3, -1, 1):
            silent = ways_in.try_to_beat(PAGES, end + second * SECOND, silent)
    at(end + 2 * SECOND)
    assert campaign.phase.status == Phase.Status.OPEN, "the lock waits for a pulse"
    silent = ways_in.try_to_beat(PAGES, end + 3 * SECOND, silent)
    at(end + 4 * SECOND)
    assert campaign.phase.deadline == end + 11 * MINUTE
    ways_in.try_to_beat(PAGES, end + 20 * SECOND, silent)
    assert Outage.objects.count() == 1, "only silence after a failure is short"


def test_process_whose_pulse_failed_while_another_went_on_notes_no_outage() -> None:
    """Its own connection was cut; the pages were open."""
    silent = ways_in.SILENT_AFTER_FAILURE
    ways_in.try_to_beat(PAGES, MONDAY, ways_in.SILENT)
    ways_in.try_to_beat(PAGES, MONDAY + 2.2 * SECOND, silent)
    assert not Outage.objects.exists()


def test_pulse_ahead_of_the_clock_is_set_right() -> None:
    pulse(MONDAY + HOUR, PAGES)
    ways_in.beat(PAGES, MONDAY)
    assert Pulse.objects.get().at == MONDAY
    assert not Outage.objects.exists()


def test_ways_that_open_one_after_the_other_are_given_back_together(
    settings: Settings, at: Set
) -> None:
    settings.MAIL_IN = ["lmtp"]
    campaign = Campaign.begin()
    at(MONDAY + 58 * MINUTE)
    pulse(MONDAY + 58 * MINUTE, MAIL)
    shut(MONDAY + 58 * MINUTE, MONDAY + 64 * MINUTE, PAGES)
    at(MONDAY + 64 * MINUTE)
    assert campaign.phase.deadline == MONDAY + HOUR
    ways_in.beat(MAIL, MONDAY + 66 * MINUTE, ways_in.SILENT_AT_START)
    ways_in.beat(PAGES, MONDAY + 66 * MINUTE, HOUR)
    at(MONDAY + 66 * MINUTE)
    assert campaign.phase.deadline == MONDAY + 76 * MINUTE
    assert DeadlineChange.objects.count() == 1


def sleep(at: Set, since: datetime, until: datetime) -> None:
    """Let the machine sleep: when it wakes up, it ticks before the pages show themselves."""
    pulse(since)
    pulse(since, PAGES)
    at(until)
    ways_in.beat(PAGES, until + SECOND)
    for later in (2 * SECOND, 10 * MINUTE):
        at(until + later)


def test_machine_that_slept_for_two_days_gives_time_back_once(at: Set) -> None:
    """A classroom's laptop. The deadline moved by an hour, and seconds later by a day, because
    pages that had not been open for a day were not waited for."""
    campaign, awake = Campaign.begin(), MONDAY + timedelta(days=2)
    sleep(at, MONDAY + HOUR - MINUTE, awake)
    assert (campaign.phase.number, campaign.phase.deadline) == (1, awake + 61 * MINUTE)
    assert DeadlineChange.objects.count() == 1
    readers = [letter.address for letter in campaign.letters("moved")]
    assert len(readers) == len(set(readers)) == 6


def test_machine_that_slept_until_a_session_opened_gives_time_back_once(at: Set) -> None:
    """The lock was too late, which gave time back, and seconds later the outage did once more."""
    campaign = Campaign.begin()
    campaign.place_in_poland()
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    phase, awake = campaign.phase, campaign.phase.deadline + 10 * HOUR
    sleep(at, phase.deadline - MINUTE, awake)
    phase.refresh_from_db()
    change = DeadlineChange.objects.get()
    assert (phase.status, phase.deadline) == (Phase.Status.OPEN, awake + 61 * MINUTE)
    assert change.outage_from == awake - 10 * HOUR - MINUTE
    campaign.wait_until(phase.deadline)
    campaign.pass_deadline()
    assert verify.check(export.record(campaign.game, private=True)) == []


# --- a lock waits for orders that may be on their way ---


def test_lock_waits_until_the_pages_show_that_they_were_open(at: Set) -> None:
    campaign = Campaign.begin()
    first = campaign.phase
    pulse(MONDAY + HOUR - SECOND, PAGES)
    at(MONDAY + HOUR + 3 * SECOND)
    assert campaign.phase == first
    ways_in.beat(PAGES, MONDAY + HOUR + 3 * SECOND)
    at(MONDAY + HOUR + 6 * SECOND)
    assert campaign.phase.number == 2


def test_deadline_waits_for_shut_pages_and_then_moves(at: Set) -> None:
    campaign = Campaign.begin()
    pulse(MONDAY + 50 * MINUTE, PAGES)
    for minute in (61, 75, 89):
        at(MONDAY + minute * MINUTE)
        assert campaign.phase.status == Phase.Status.OPEN
    ways_in.beat(PAGES, MONDAY + 90 * MINUTE)
    at(MONDAY + 90 * MINUTE)
    assert campaign.phase.deadline == MONDAY + 130 * MINUTE


def test_deadline_does_not_wait_for_pages_that_are_gone(at: Set) -> None:
    campaign = Campaign.begin()
    pulse(MONDAY - 24 * HOUR, PAGES)
    at(MONDAY + HOUR + 3 * SECOND)
    assert campaign.phase.number == 2


def test_mail_that_stays_shut_gives_time_back_within_an_hour(settings: Settings, at: Set) -> None:
    """Everybody is told, and may order by page; the next deadline does not move once more."""
    settings.MAIL_IN = ["lmtp"]
    campaign = Campaign.begin()
    pulse(MONDAY + 50 * MINUTE, MAIL)
    for minute in range(60, 115, 3):
        at(MONDAY + minute * MINUTE)
        assert (campaign.phase.number, campaign.phase.deadline) == (1, MONDAY + HOUR)
    at(MONDAY + 115 * MINUTE)
    assert campaign.phase.deadline == MONDAY + 175 * MINUTE
    text = letter_text(campaign.letters("moved")[0])
    assert "could not come in from 16 Nov, 17:50 UTC to 16 Nov, 18:55 UTC" in text
    for minute in (120, 176, 234):
        pulse(MONDAY + (minute - 1) * MINUTE)
        at(MONDAY + minute * MINUTE)
        assert campaign.phase.number == 1
    at(MONDAY + 236 * MINUTE)
    assert campaign.phase.number == 2
    assert DeadlineChange.objects.count() == 1
    tree = export.current(campaign.game, private=True, people=False)
    assert verify.check(tree) == []


def test_pages_that_stay_shut_give_time_back_within_a_day(at: Set) -> None:
    campaign = Campaign.begin()
    pulse(MONDAY + 50 * MINUTE, PAGES)
    for minute in (61, 12 * 60, 50 + 24 * 60 - 5):
        pulse(MONDAY + (minute - 1) * MINUTE)
        at(MONDAY + minute * MINUTE)
        assert campaign.phase.number == 1
    (change,) = DeadlineChange.objects.all()
    assert change.outage_from == MONDAY + 50 * MINUTE


def test_lock_waits_for_what_a_mail_server_holds_since_an_outage(
    settings: Settings, at: Set
) -> None:
    """A mail server tries again after five minutes or more; a quarter of the phase at most."""
    settings.MAIL_IN = ["lmtp"]
    campaign = Campaign.begin()
    shut(MONDAY + 41 * MINUTE, MONDAY + 50 * MINUTE, MAIL)
    for minute in (50, 55, 59, 61, 63):
        ways_in.beat(MAIL, MONDAY + minute * MINUTE, HOUR)
        at(MONDAY + minute * MINUTE)
        assert campaign.phase.number == 1
    ways_in.beat(MAIL, MONDAY + 65 * MINUTE, HOUR)
    at(MONDAY + 65 * MINUTE)
    assert campaign.phase.number == 2


def test_lock_long_after_its_session_opened_gives_time_back(at: Set) -> None:
    """Nobody chooses between two sessions, whatever kept the lock (the demonstration exchange
    opens every six seconds)."""
    campaign = Campaign.begin()
    campaign.place_in_poland()
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    phase, deadline = campaign.phase, campaign.phase.deadline
    for late in range(6):  # the service ticks, but nothing can close the phase
        pulse(deadline + late * MINUTE)
    at(deadline + 6 * MINUTE)
    phase.refresh_from_db()
    assert (phase.status, phase.deadline) == (Phase.Status.OPEN, deadline + 16 * MINUTE)
    assert "their session has opened" in DeadlineChange.objects.get().reason
    campaign.wait_until(phase.deadline)
    campaign.pass_deadline()
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_checker_refutes_a_lock_after_its_session_opened(settings: Settings) -> None:
    settings.GIVE_TIME_BACK = False
    campaign = Campaign.begin()
    campaign.attack_in_poland()
    late = campaign.phase.deadline + 9 * HOUR
    campaign.wait_until(late)
    campaign.pass_deadline()
    (difference,) = [
        str(found)
        for found in verify.check(export.record(campaign.game, private=True))
        if "the lock" in str(found)
    ]
    assert "or time given back" in difference


def test_checker_refutes_another_credit_than_the_rule_gives(at: Set) -> None:
    campaign = Campaign.begin()
    at(MONDAY + 50 * MINUTE)
    at(MONDAY + 90 * MINUTE)
    campaign.wait_until(campaign.phase.deadline + 5 * SECOND)
    tree = export.record(campaign.game, private=True)
    assert verify.check(tree) == []
    (change,) = tree["phases"][0]["deadline_changes"]
    change["outage"]["until"] = change["outage"]["since"]
    assert any("the deadline after an outage" in str(found) for found in verify.check(tree))


def test_report_tells_of_orders_that_closed_late(settings: Settings, client: Client) -> None:
    """A placement has no session to choose, and is closed late: the deadline stands."""
    settings.GIVE_TIME_BACK = False
    campaign = Campaign.begin(public=True)
    phase = campaign.phase
    campaign.wait_until(phase.deadline + 12 * MINUTE)
    sentence = "Orders closed 12 minutes late. No order was taken after the deadline."
    assert sentence in letter_text(campaign.letters("board")[0])
    assert (
        sentence in client.get(f"/games/{campaign.game.pk}/phases/{phase.number}/").content.decode()
    )
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_sentence_about_a_late_lock_says_that_the_sales_were_known() -> None:
    closes = MONDAY
    known = time_credit.lateness(closes, closes + 9 * HOUR, closes + 7 * HOUR)
    assert known == (
        "Orders closed 9 hours late; the sales of that session were already known. No order was"
        " taken after the deadline."
    )
    assert "known" not in time_credit.lateness(closes, closes + 6 * HOUR, closes + 7 * HOUR)
    assert time_credit.lateness(closes, closes + 5 * MINUTE, None) == ""


# --- ticks ---


@pytest.mark.both_databases
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
    assert (change.outage_from, change.outage_until) == (
        MONDAY + 50 * MINUTE,
        MONDAY + 90 * MINUTE,
    )
    assert len(campaign.letters("moved")) == 6
    text = letter_text(campaign.letters("moved")[0])
    assert "The reason: “Orders could not come in" in text
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


@pytest.mark.both_databases
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


@pytest.mark.both_databases
def test_outage_is_credited_once(at: Set) -> None:
    campaign = Campaign.begin()
    pulse(MONDAY + 50 * MINUTE)
    at(MONDAY + 90 * MINUTE)
    at(MONDAY + 90 * MINUTE)
    assert DeadlineChange.objects.filter(phase__game=campaign.game).count() == 1
    assert outage_credit.credit_time(MONDAY + 91 * MINUTE) == 0


def test_short_gap_between_ticks_is_no_outage(at: Set) -> None:
    """Cron may tick by minutes: the pages were open meanwhile."""
    Campaign.begin()
    pulse(MONDAY + 56 * MINUTE)
    at(MONDAY + 61 * MINUTE)
    assert Phase.objects.get(number=1).status == Phase.Status.RESOLVED


def test_deadline_soon_after_an_outage_is_extended(at: Set) -> None:
    """A deadline within an hour after the outage moves too: most of the time was lost."""
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
    ("minutes", "gap", "given"),
    [(5, 40, 40), (5, 90, 60), (60, 3000, 60), (1440, 4000, 1440), (60, 31, 31)],
)
def test_credit_is_limited_to_the_phase_length_or_an_hour_and_a_day(
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


@pytest.mark.both_databases
def test_phase_that_fails_to_be_credited_is_held_and_reported(
    at: Set, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No deadline is better than an impossible one; the other games still get their time."""
    spoilt, sound = Campaign.begin(), Campaign.begin(title="Another")

    def move(phase: Phase, *rest: object, **more: object) -> DeadlineChange:
        if phase.game_id == spoilt.game.pk:
            raise ValueError("no such hour")
        return moved(phase, *rest, **more)  # type: ignore[arg-type]

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
