"""Pauses, schedules, holidays, holds: equal for all players, each with a letter and an act (0.2,
design 5)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from games import desk, tasks
from games.desk import DeskError
from games.evidence import export
from games.models import Act, DeadlineChange, Game, Person, Phase
from games.rules.verification import verify
from games.timing import schedule
from games.turns import rulings
from tests.support.campaign import NATIONS, Campaign
from tests.support.letters import letter_text
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
FRIDAYS = {"every": "weekday", "weekday": "friday", "weeks": 2, "time": "09:00"}
EVERYBODY = {"ada", "una", "felix", "bea", "rosa", "gustav"}


def readers(campaign: Campaign, kind: str) -> set[str]:
    return {letter.address.split("@")[0] for letter in campaign.letters(kind)}


def newest_text(campaign: Campaign, kind: str, name: str = "gustav") -> str:
    return letter_text(campaign.letters(kind, name)[-1])


def reschedule(
    campaign: Campaign, rule: dict[str, Any], zone: str, why: str, *, move_open: bool = False
) -> None:
    ada, now = campaign.ada, campaign.now
    desk.reschedule(campaign.game, rule, zone, why, ada, now, move_open=move_open)


def attacking() -> Campaign:
    """Return a campaign in its first attack phase, for which Germany has ordered one attack."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("France", "PLACE 6 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    return campaign


def test_resume_restores_the_time_left_before_the_pause() -> None:
    """Issue 5, 5: resume with the time that was left; everybody gets the new deadline."""
    campaign = Campaign.begin(schedule={"every": "minutes", "minutes": 600})
    first = campaign.phase.deadline
    desk.pause(campaign.game, "Ada is ill.", campaign.ada, first - timedelta(minutes=65))
    campaign.wait_until(first + timedelta(days=3))
    assert campaign.phase.status == Phase.Status.OPEN
    assert readers(campaign, "paused") == EVERYBODY
    assert "The deadline had 1 hour and 5 minutes left" in newest_text(campaign, "paused")
    desk.resume(campaign.game, "Ada is well again.", campaign.ada, campaign.now)
    campaign.game.refresh_from_db()
    assert campaign.game.status == Game.Status.RUNNING
    assert campaign.game.paused_at is None
    assert campaign.phase.deadline == campaign.now + timedelta(minutes=65)
    assert readers(campaign, "resumed") == EVERYBODY
    assert "Ada is well again." in newest_text(campaign, "resumed")
    assert campaign.pass_deadline().status == Phase.Status.RESOLVED


def test_orders_sent_during_a_pause_are_in_time_and_the_record_verifies() -> None:
    """Promises 1 and 5: in the record a pause is a deadline that moved."""
    campaign = Campaign.begin(options={"rng.settle": "first_reading"})
    old = campaign.phase.deadline
    desk.pause(campaign.game, "Snow.", campaign.ada, campaign.now + timedelta(minutes=30))
    sent = campaign.order("Germany", "PLACE 10 Poland", at=old + 5 * HOUR)
    assert sent.counts
    assert not sent.late
    assert "a date to be announced" in newest_text(campaign, "receipt")
    campaign.now = old + 6 * HOUR
    desk.resume(campaign.game, "Thaw.", campaign.ada, campaign.now)
    campaign.order("France", "PLACE 6 Poland")
    campaign.pass_deadline()
    assert campaign.board()["Poland"]["Germany"].pf == 10
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_far_deadline_of_a_paused_game_is_shown_nowhere() -> None:
    """Design 5: a paused game has no deadline to announce until it is resumed."""
    campaign = Campaign.begin()
    desk.pause(campaign.game, "Snow.", campaign.ada, campaign.now)
    assert campaign.phase.deadline == schedule.STANDS
    campaign.order("Germany", "PLACE 10 Poland")
    for kind in ("paused", "receipt"):
        assert "2999" not in newest_text(campaign, kind)


def test_paused_game_cannot_be_paused_or_moved() -> None:
    campaign = Campaign.begin()
    desk.pause(campaign.game, "Snow.", campaign.ada, campaign.now)
    with pytest.raises(DeskError, match="already paused"):
        desk.pause(campaign.game, "Snow.", campaign.ada, campaign.now)
    with pytest.raises(DeskError, match="Resume it first"):
        desk.extend(campaign.phase, campaign.now + 5 * HOUR, "More.", campaign.ada, campaign.now)
    with pytest.raises(DeskError, match="Resume it first"):
        reschedule(campaign, FRIDAYS, "UTC", "Slower.", move_open=True)
    with pytest.raises(DeskError, match="not paused"):
        desk.resume(Campaign.begin().game, "On.", campaign.ada, campaign.now)


def test_pause_while_drawing_delays_the_result() -> None:
    """Design 5: nothing of a paused game falls due; judging continues after the pause."""
    campaign = attacking()
    phase = campaign.phase
    campaign.wait_until(phase.deadline)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.DRAWING
    desk.pause(campaign.game, "Snow.", campaign.ada, campaign.now)
    campaign.wait_until(campaign.now + timedelta(days=2))
    phase.refresh_from_db()
    assert phase.status == Phase.Status.DRAWING
    desk.resume(campaign.game, "Thaw.", campaign.ada, campaign.now)
    tasks.do_all_due(campaign.now)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED


def test_act_of_time_needs_a_reason_and_is_listed() -> None:
    """Issue 5: no act of a gamesmaster is invisible."""
    campaign = Campaign.begin()
    for attempt in (desk.pause, desk.abandon):
        with pytest.raises(DeskError, match="Enter a reason"):
            attempt(campaign.game, "  ", campaign.ada, campaign.now)
    desk.extend(campaign.phase, campaign.now + 5 * HOUR, "Bea asked.", campaign.ada, campaign.now)
    act = Act.objects.get(game=campaign.game, kind="moved")
    assert (act.reason, act.done_by, act.private) == ("Bea asked.", campaign.ada, False)
    assert act.about["after"] == (campaign.now + 5 * HOUR).isoformat()


def test_schedule_moves_and_the_open_deadline_only_if_requested() -> None:
    """Issue 5, 5: move the whole schedule."""
    campaign = Campaign.begin()
    old = campaign.phase.deadline
    reschedule(campaign, FRIDAYS, "Europe/Berlin", "Slower.", move_open=False)
    assert campaign.phase.deadline == old
    reschedule(campaign, FRIDAYS, "Europe/London", "Slower still.", move_open=True)
    assert campaign.phase.deadline.isoformat() == "2026-11-27T09:00:00+00:00"
    assert "every second Friday at 09:00 London time" in newest_text(campaign, "rescheduled")
    assert "Fri 27 Nov, 09:00 UTC" in newest_text(campaign, "rescheduled")
    assert readers(campaign, "rescheduled") == EVERYBODY
    with pytest.raises(DeskError, match="is not a time zone"):
        reschedule(campaign, FRIDAYS, "Mars/Olympus", "Far.")
    with pytest.raises(DeskError, match="not a day of the week"):
        reschedule(campaign, FRIDAYS | {"weekday": "doomsday"}, "UTC", "Odd.")


@pytest.mark.parametrize("grace", [0, 6])
def test_phase_closes_at_once_only_if_nobody_owes_orders(grace: int) -> None:
    """Players who may still order keep the announced time; grace ends with it, and the record
    verifies."""
    campaign = Campaign.begin(options={"orders.grace_hours": grace})
    for nation in NATIONS[1:]:
        campaign.order(nation, "PASS")
    with pytest.raises(DeskError, match="USA can still send orders"):
        desk.process_now(campaign.phase, "All are in.", campaign.ada, campaign.now)
    campaign.order("USA", "PASS")
    phase = campaign.phase
    desk.process_now(phase, "All are in.", campaign.ada, campaign.now + timedelta(minutes=1))
    campaign.wait_until(campaign.now + timedelta(minutes=1))
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED
    assert phase.locked_at == campaign.now
    assert DeadlineChange.objects.get(phase=phase).reason == "All are in."
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_open_phase_must_be_paused_instead_of_held() -> None:
    campaign = Campaign.begin()
    with pytest.raises(DeskError, match="Pause the game"):
        desk.hold(campaign.phase, "Wait.", campaign.ada, campaign.now)


def test_held_phase_waits_until_the_hold_is_lifted() -> None:
    """Issue 5, 5: hold."""
    campaign = attacking()
    phase = campaign.phase
    campaign.wait_until(phase.deadline)
    desk.hold(phase, "A question to Germany.", campaign.ada, campaign.now)
    # The form says that the reason goes to every player.
    assert readers(campaign, "change") == EVERYBODY
    assert "A question to Germany." in newest_text(campaign, "change")
    campaign.wait_until(campaign.now + timedelta(days=1))
    phase.refresh_from_db()
    assert phase.status == Phase.Status.HELD
    desk.lift_hold(phase, campaign.ada, campaign.now)
    tasks.do_all_due(campaign.now)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED
    kinds = Act.objects.exclude(kind="vacant").values_list("kind", flat=True)
    assert set(kinds) == {"held", "lifted"}


def test_lifting_a_hold_never_locks_a_phase_early() -> None:
    """Promise 2: every deadline is enforced at the announced instant."""
    campaign = Campaign.begin()
    phase = campaign.phase
    Phase.objects.filter(pk=phase.pk).update(status="held", held_from="open", due_at=None)
    phase.refresh_from_db()
    desk.lift_hold(phase, campaign.ada, campaign.now)
    assert phase.due_at == phase.deadline


def test_abandoned_game_takes_no_orders_and_never_falls_due() -> None:
    campaign = Campaign.begin()
    desk.abandon(campaign.game, "Two have left.", campaign.ada, campaign.now)
    phase = campaign.phase
    campaign.wait_until(phase.deadline + HOUR)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.OPEN
    assert readers(campaign, "abandoned") == EVERYBODY
    with pytest.raises(Exception, match="is over"):
        campaign.order("Germany", "PASS")
    with pytest.raises(DeskError, match="already over"):
        desk.abandon(campaign.game, "Twice.", campaign.ada, campaign.now)


def test_last_phase_of_an_abandoned_game_stays_as_it_is() -> None:
    """An old page still has the buttons; a game that is over cannot be resumed either."""
    campaign = attacking()
    phase = campaign.phase
    desk.abandon(campaign.game, "Two have left.", campaign.ada, campaign.now)
    by = (campaign.ada, campaign.now)
    later = phase.deadline + HOUR
    acts: list[Callable[[], object]] = [
        lambda: desk.extend(phase, later, "More.", *by),
        lambda: desk.give_more_time(phase, *by),
        lambda: desk.process_now(phase, "Now.", *by),
        lambda: desk.hold(phase, "Wait.", *by),
        lambda: desk.lift_hold(phase, *by),
        lambda: desk.enter_figure(phase, "GE", 4_200, *by),
        lambda: desk.enter_rolls(phase, [4], *by),
    ]
    phase.refresh_from_db()
    for act in acts:
        with pytest.raises(DeskError, match="“The lights go out” is over"):
            act()
    with pytest.raises(rulings.RulingError, match="is over: its last result is not published"):
        rulings.release(phase, *by)


def test_holiday_moves_the_open_deadline_and_later_ones() -> None:
    """Issue 5, 5: to the first day after the holiday, at the same time of day."""
    campaign = Campaign.begin(schedule=FRIDAYS, zone="Europe/Berlin")
    assert campaign.phase.deadline.isoformat() == "2026-11-27T08:00:00+00:00"
    thanksgiving = (date(2026, 11, 26), date(2026, 11, 28), "Thanksgiving")
    assert desk.set_holidays(campaign.game, [thanksgiving], campaign.ada, campaign.now)
    assert campaign.phase.deadline.isoformat() == "2026-11-29T08:00:00+00:00"
    assert "Thanksgiving" in newest_text(campaign, "moved")
    campaign.game.refresh_from_db()
    lucia = (date(2026, 12, 11), date(2026, 12, 11), "Lucia")
    desk.set_holidays(campaign.game, [lucia], campaign.ada, campaign.now)
    campaign.pass_deadline()
    assert campaign.phase.deadline.astimezone(campaign.game.zoneinfo).date() == date(2026, 12, 12)


@pytest.mark.parametrize(
    ("first", "last", "name", "why"),
    [
        (date(2026, 12, 26), date(2026, 12, 24), "Christmas", "before it begins"),
        (date(2026, 1, 1), date(2026, 12, 31), "All year", "Pause the game"),
        (date(2026, 12, 24), date(2026, 12, 26), " ", "Enter a name for"),
    ],
)
def test_invalid_holiday_is_refused(first: date, last: date, name: str, why: str) -> None:
    campaign = Campaign.begin(schedule=FRIDAYS)
    with pytest.raises(DeskError, match=why):
        desk.set_holidays(campaign.game, [(first, last, name)], campaign.ada, campaign.now)


def test_allowing_early_processing_applies_to_the_open_phase() -> None:
    """Issue 5, 5: early processing when all orders are final, if the game allows it."""
    campaign = Campaign.begin()
    for nation in NATIONS:
        campaign.order(nation, "PASS", final=True)
    assert campaign.phase.status == Phase.Status.OPEN
    desk.change_settings(campaign.game, {"may_lock_early": True}, campaign.ada, campaign.now)
    assert campaign.phase.due_at == campaign.now
    assert readers(campaign, "change") == EVERYBODY
    desk.change_settings(campaign.game, {"may_lock_early": False}, campaign.ada, campaign.now)
    assert campaign.phase.due_at == campaign.phase.deadline


def test_forbidding_early_processing_later_keeps_the_record_valid() -> None:
    """Promise 5: a later setting makes no earlier lock wrong."""
    campaign = Campaign.begin(may_lock_early=True)
    for nation in NATIONS:
        campaign.order(nation, "PASS", final=True)
    campaign.wait_until(campaign.now + timedelta(minutes=1))
    desk.change_settings(campaign.game, {"may_lock_early": False}, campaign.ada, campaign.now)
    assert campaign.phase.number == 2
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_approval_hours_are_limited() -> None:
    campaign = Campaign.begin()
    desk.change_settings(campaign.game, {"approval_hours": 24}, campaign.ada, campaign.now)
    campaign.game.refresh_from_db()
    assert campaign.game.approval_hours == 24
    with pytest.raises(DeskError, match="0 to 336"):
        desk.change_settings(campaign.game, {"approval_hours": 999}, campaign.ada, campaign.now)


def test_resume_leaves_at_least_an_hour() -> None:
    """Nobody watches a paused game: players need time to send orders once they hear of the
    resumption."""
    campaign = Campaign.begin(schedule={"every": "minutes", "minutes": 600})
    desk.pause(campaign.game, "Snow.", campaign.ada, campaign.phase.deadline - timedelta(minutes=2))
    campaign.now = campaign.now + timedelta(days=4)
    desk.resume(campaign.game, "Thaw.", campaign.ada, campaign.now)
    assert campaign.phase.deadline == campaign.now + HOUR


def test_reminders_stop_during_a_pause_and_return_after_it() -> None:
    campaign = Campaign.begin()
    desk.pause(campaign.game, "Snow.", campaign.ada, campaign.now)
    campaign.wait_until(campaign.now + timedelta(days=2))
    assert campaign.letters("reminder") == []
    desk.resume(campaign.game, "Thaw.", campaign.ada, campaign.now)
    campaign.wait_until(campaign.phase.deadline - timedelta(minutes=5))
    assert len(campaign.letters("reminder")) == 5


def test_second_reminder_within_an_hour_is_refused_with_the_time() -> None:
    """An hour counts from the reminder, not from the last full hour of the clock."""
    campaign = Campaign.begin(schedule={"every": "minutes", "minutes": 600})
    ada, first = campaign.ada, campaign.now + timedelta(minutes=55)
    assert desk.remind(campaign.phase, ada, first) == list(NATIONS)
    sentence = "Everybody was reminded at 17:55; you can remind again at 18:55."
    with pytest.raises(DeskError, match=sentence):
        desk.remind(campaign.phase, ada, first + timedelta(minutes=10))
    assert Act.objects.filter(kind="reminded").count() == 1
    assert len(campaign.letters("reminder")) == 5
    assert desk.remind(campaign.phase, ada, first + HOUR) == list(NATIONS)
    assert len(campaign.letters("reminder")) == 10


def test_reminder_names_only_nations_with_a_player() -> None:
    campaign = Campaign.begin()
    felix = campaign.players["France"]
    desk.vacate(campaign.seat("France"), felix, "Leaves.", felix, campaign.now)
    nations = desk.remind(campaign.phase, campaign.ada, campaign.now)
    assert nations == [nation for nation in NATIONS if nation != "France"]
    words = Act.objects.get(kind="reminded").words
    assert words == "USA, Britain, Russia and Germany were reminded."


def test_reminder_without_a_reader_is_refused() -> None:
    campaign = Campaign.begin()
    for nation in NATIONS:
        player = campaign.players[nation]
        desk.vacate(campaign.seat(nation), player, "Leaves.", player, campaign.now)
    with pytest.raises(DeskError, match="Nobody who gets letters owes orders for Turn 1"):
        desk.remind(campaign.phase, campaign.ada, campaign.now)
    assert not Act.objects.filter(kind="reminded").exists()


def test_reminding_is_offered_only_where_a_letter_would_go(as_: Browser) -> None:
    """Who has no mail gets none."""
    campaign = Campaign.begin()
    for nation in NATIONS[1:]:
        campaign.order(nation, "PASS")
    felix = campaign.players[NATIONS[0]]
    times = f"/games/{campaign.game.pk}/desk/times/"
    assert "Remind those who owe orders" in as_("ada").read(times)
    Person.objects.filter(pk=felix.pk).update(by_post=True)
    assert desk.nations_to_remind(campaign.phase) == []
    for page in (times, f"/games/{campaign.game.pk}/desk/"):
        assert "Remind those who owe orders" not in as_("ada").read(page)
    with pytest.raises(DeskError, match="Nobody who gets letters owes orders"):
        desk.remind(campaign.phase, campaign.ada, campaign.now)


@pytest.mark.parametrize(
    ("rule", "trading_day", "expected"),
    [
        # Friday is blocked: Saturday, or Monday if sales decide.
        ({"every": "days", "days": 1, "time": "09:00"}, False, "2026-11-28T14"),
        ({"every": "days", "days": 1, "time": "09:00"}, True, "2026-11-30T14"),
        ({"every": "trading_morning", "sessions": 1, "time": "09:00"}, False, "2026-11-30T14"),
        # A schedule by minutes ignores days.
        ({"every": "minutes", "minutes": 1440}, False, "2026-11-27T15"),
    ],
)
def test_blocked_day_has_no_deadline(
    rule: dict[str, object], trading_day: bool, expected: str
) -> None:
    """Design 5: the next day is used, or the next trading day if one is needed."""
    after = datetime(2026, 11, 26, 15, 0, tzinfo=UTC)
    deadline = schedule.next_deadline(
        rule,
        "America/New_York",
        after,
        on_trading_day=trading_day,
        blocked=lambda day: day == date(2026, 11, 27),
    )
    assert deadline.isoformat() == f"{expected}:00:00+00:00"


def test_phase_length_follows_the_schedule_for_its_kind() -> None:
    """Issue 25, 5: a rule for each kind of phase; 14 days for the first placement, then 3."""
    rule = {"every": "days", "days": 3, "time": "09:00", "lasts": {"first": 14, "attacks": 1}}
    campaign, lengths = Campaign.begin(schedule=rule), []
    for _ in range(3):
        phase, zone = campaign.phase, campaign.game.zoneinfo
        opened, until = phase.opened_at.astimezone(zone), phase.deadline.astimezone(zone)
        lengths.append((phase.kind, (until.date() - opened.date()).days))
        campaign.pass_deadline()
    assert lengths == [("placement", 14), ("attacks", 1), ("placement", 3)]
