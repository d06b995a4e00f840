"""The flow of a refereed game: deadlines for players, none for the gamesmaster, dice between (Rules
B.8)."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from pytest_django import Settings

from games import desk
from games.models import Act, DeadlineChange, Game, Letter, Outage, Phase, Seat
from games.operations import outstanding
from games.positions import in_force
from games.rules import REFEREE_SEAT
from games.timing import schedule
from games.turns import holds, outage_credit, queue
from orders.intake import bots, ledger
from tests.support.stored import stored

from .campaign import MONDAY, PLAYERS, Refereed, person

pytestmark = [pytest.mark.django_db, pytest.mark.guest]

HOUR = timedelta(hours=1)


def kinds(war: Refereed) -> list[str]:
    return list(war.game.phases.order_by("number").values_list("kind", flat=True))


def at_the_first_report(**given: Any) -> Refereed:
    def build() -> Refereed:
        war = Refereed.begin(**given)
        war.play_to("referee")
        return war

    return stored(("refereed, first report", repr(sorted(given.items()))), build)


def test_hours_to_correct_a_report_are_given_back_after_an_outage(settings: Settings) -> None:
    """A referee who sees an error could not have mended it while the service was down."""
    settings.GIVE_TIME_BACK = True
    war = at_the_first_report()
    war.report()
    phase = war.phase
    due = phase.due_at
    assert due is not None
    Outage.objects.create(way="pages", since=due - HOUR / 2, until=due + 3 * HOUR)
    assert outage_credit.credit_time(due + 3 * HOUR) == 1
    phase.refresh_from_db()
    assert phase.due_at == due + 4 * HOUR
    act = Act.objects.get(kind="moved")
    assert act.words.startswith("The report for")
    assert act.reason.endswith("never more than an hour.") or "there was in all" in act.reason


# --- opening ---


def test_gamesmaster_of_a_refereed_game_has_one_seat_for_reports() -> None:
    """docs/refereed.md: the seat Referee has no player and is no power's."""
    war = Refereed.open()
    powers = [seat.nation for seat in war.game.seats.nations()]
    assert powers == ["Italy", "France", "USSR", "USA", "Britain", "Germany"]
    assert (war.referee.nation, war.referee.ordinal) == (REFEREE_SEAT, 6)
    assert not war.referee.sittings.exists()
    assert desk.empty_seats(war.game) == []


@pytest.mark.parametrize(
    ("seats", "message"),
    [
        ({"Italy": "me"}, "a gamesmaster cannot play"),
        ({"USSR": "bot"}, "Bots cannot play this game"),
        ({"France": "felix@example.org fay@example.org"}, "this game has no teams"),
        ({"France": "table"}, "Choose the powers for 4, 5 or 6 players"),
        ({"Britain": "table", "Italy": "table"}, "Choose the powers for 4, 5 or 6 players"),
    ],
)
def test_invalid_seats_are_refused_with_a_sentence(seats: dict[str, str], message: str) -> None:
    """2.0: 4 to 6 players; the gamesmaster reads all orders; bots write no free text."""
    with pytest.raises(desk.DeskError, match=message):
        Refereed.open(seats={"Italy": "ida@example.org", "Germany": "gustav@example.org", **seats})
    assert not Game.objects.exists()


def test_gamesmaster_cannot_sit_down_and_player_cannot_run_the_game() -> None:
    """docs/refereed.md: a gamesmaster who plays cannot be the referee."""
    war = Refereed.open(seats=dict.fromkeys(PLAYERS, ""))
    offered = desk.invite(war.seat("Italy"), "ada@example.org", war.ada, MONDAY)
    with pytest.raises(desk.DeskError, match="cannot play"):
        desk.accept(offered, war.ada, MONDAY)
    with pytest.raises(desk.DeskError, match="Bots cannot play"):
        desk.let_the_service_play(war.seat("France"), MONDAY)
    with pytest.raises(desk.DeskError, match="reserved for the gamesmaster's reports"):
        desk.invite(war.referee, "rosa@example.org", war.ada, MONDAY)
    war = Refereed.begin()
    with pytest.raises(desk.DeskError, match="cannot play"):
        desk.add_gamesmaster(war.game, "rosa@example.org", war.ada, war.now)
    with pytest.raises(desk.DeskError, match="Bots cannot play this game"):
        desk.set_stand_ins(war.game, True, war.ada, war.now)


def test_report_settings_belong_to_refereed_games_only() -> None:
    war = Refereed.open(report_hours=4, report_days=0)
    assert (war.game.report_hours, war.game.report_days) == (4, 0)
    with pytest.raises(desk.DeskError, match="“400” is not possible"):
        Refereed.open(report_hours=400)
    with pytest.raises(desk.DeskError, match="does not apply to games of Origins"):
        Refereed.open(
            ruleset_id="origins-ww2", card_name="historical", options={}, seats={}, report_hours=4
        )


# --- phases ---


def test_game_turn_goes_from_diplomacy_through_orders_and_reports_to_the_next() -> None:
    """B.8, spi.flow = batched; 4.41: printed order, then dice for American intervention (18.0)."""
    war = Refereed.begin()
    war.play_to("diplomacy", turn=2)
    reports = [
        f"referee-{name}" for name in ("italy", "france", "ussr", "usa", "britain", "germany")
    ]
    assert kinds(war) == ["diplomacy", "orders", *reports, "dice-1", "diplomacy"]


def test_sequential_flow_has_a_deadline_for_each_player_turn() -> None:
    """Rules B.8, spi.flow = sequential."""
    war = Refereed.begin(
        players=4, options={"spi.flow": "sequential", "spi.us_entry": "base_schedule"}
    )
    war.play_to("diplomacy", turn=2)
    powers = ("france", "ussr", "britain", "germany")
    pairs = [f"{step}-{name}" for name in powers for step in ("orders", "referee")]
    assert kinds(war) == ["diplomacy", *pairs, "diplomacy"]


def test_diplomacy_lasts_its_own_days_until_the_hour_of_the_schedule() -> None:
    """4.2: a fortnight, two before the first Game-Turn; orders follow the schedule."""
    war = Refereed.begin(
        options={"spi.diplomacy_days": 14},
        schedule={"every": "weekday", "weekday": "friday", "weeks": 1, "time": "12:00"},
    )
    opened = war.phase.opened_at.date()
    # from Monday 16 November 28 days end on a Monday; Friday follows
    assert (war.phase.deadline.date() - opened).days == 32
    assert war.phase.deadline.date() == date(2026, 12, 18)
    war.pass_deadline()
    assert war.phase.deadline.date() == date(2026, 12, 25)


@pytest.mark.parametrize(
    ("rule", "day"),
    [
        ({"every": "days", "days": 3, "time": "09:00"}, 30),
        ({"every": "weekday", "weekday": "friday", "weeks": 4, "time": "09:00"}, 4),
        ({"every": "times", "times": ["09:00", "17:00"], "on": "weekdays"}, 30),
        ({"every": "trading_morning", "sessions": 5, "time": "09:00"}, 30),
    ],
)
def test_phase_of_fixed_days_fits_every_kind_of_schedule(rule: dict[str, Any], day: int) -> None:
    """14 days later, at the schedule's hour, on the next day that the schedule allows."""
    meant, after = schedule.for_length(rule, "America/New_York", MONDAY, 14)
    deadline = schedule.next_deadline(meant, "America/New_York", after)
    assert (deadline.day, deadline.hour) == (day, 14)


def test_schedule_by_minutes_ignores_days_of_diplomacy() -> None:
    """A group at one table or on the telephone has its clock for diplomacy too."""
    war = Refereed.begin(options={"spi.diplomacy_days": 14})
    assert war.phase.deadline - war.phase.opened_at == HOUR


def test_holidays_and_new_schedules_keep_the_length_of_diplomacy() -> None:
    war = Refereed.begin(
        options={"spi.diplomacy_days": 14}, schedule={"every": "days", "days": 7, "time": "12:00"}
    )
    assert war.phase.deadline.date() == date(2026, 12, 14)
    desk.set_holidays(
        war.game, [(date(2026, 12, 13), date(2026, 12, 15), "Advent")], war.ada, war.now
    )
    assert war.phase.deadline.date() == date(2026, 12, 16)
    rule = {"every": "days", "days": 2, "time": "08:00"}
    zone, why = "America/New_York", "Mornings suit us better."
    desk.reschedule(war.game, rule, zone, why, war.ada, war.now, move_open=True)
    # the 14th and 2 days of Advent
    assert (war.phase.deadline.date(), war.phase.deadline.hour) == (
        date(2026, 12, 16),
        13,
    )


# --- reports ---


def test_report_phase_waits_without_a_deadline() -> None:
    """docs/refereed.md: nothing is due or overdue; only the gamesmaster gets a letter."""
    war = at_the_first_report()
    phase = war.phase
    assert (phase.deadline, phase.due_at) == (schedule.STANDS, None)
    assert (phase.has_deadline, in_force.is_report_owed(phase)) == (False, True)
    war.wait_until(war.now + timedelta(days=3))
    phase.refresh_from_db()
    assert (phase.status, phase.attempts) == (Phase.Status.OPEN, 0)
    assert queue.claim(war.now, 10) == ("", [])
    assert not outstanding.overdue_phases(war.now).exists()
    letters = Letter.objects.filter(phase=phase).exclude(kind="board")
    assert {letter.person for letter in letters} == {war.ada}


def test_report_is_carried_out_after_the_hour_for_corrections() -> None:
    war = at_the_first_report()
    phase = war.phase
    sent = war.report("END")
    phase.refresh_from_db()
    assert (sent.counts, phase.due_at) == (True, war.now + HOUR)
    half = war.now + HOUR / 2
    war.report("INVASION Italy Greece\nEND", at=half)
    phase.refresh_from_db()
    assert phase.due_at == half + HOUR, "a correction gets its second look too"
    war.wait_until(war.now + HOUR)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.OPEN
    war.carry_out()
    assert "Italy invades Greece" in str(war.resolution(phase).events)
    assert phase.submissions.count() == 2


def test_withdrawn_report_leaves_the_phase_waiting() -> None:
    war = at_the_first_report()
    war.report("END")
    ledger.cancel(war.referee, ledger.Arrival("web", war.ada, war.now + HOUR / 4))
    assert war.report_owed
    war.wait_until(war.now + 2 * HOUR)
    assert war.phase.kind == "referee-italy"


def test_final_report_or_zero_hours_are_carried_out_at_once() -> None:
    war = at_the_first_report()
    war.report("END", final=True)
    war.wait_until(war.now)
    assert war.phase.kind == "referee-france"
    desk.change_settings(war.game, {"report_hours": 0, "report_days": 7}, war.ada, war.now)
    war.game.refresh_from_db()
    war.report("END")
    war.wait_until(war.now)
    assert war.phase.kind == "referee-ussr"


def test_gamesmaster_may_carry_out_a_report_now() -> None:
    """`desk.process_now`: only with a report."""
    war = at_the_first_report()
    with pytest.raises(desk.DeskError, match="has not come yet"):
        desk.process_now(war.phase, "Let us go on.", war.ada, war.now)
    war.report("END")
    desk.process_now(war.phase, "Let us go on.", war.ada, war.now)
    war.wait_until(war.now)
    assert war.phase.kind == "referee-france"
    assert not DeadlineChange.objects.filter(phase__game=war.game).exists()


def test_report_without_a_valid_line_is_stored_without_effect() -> None:
    war = at_the_first_report()
    sent = war.report("LINE France 3 DONE\nfrobnicate the fleet")
    assert (sent.counts, sent.text) == (False, "LINE France 3 DONE\nfrobnicate the fleet")
    assert len(sent.remarks) == 2
    assert war.report_owed


def test_player_turn_takes_as_many_reports_as_needed() -> None:
    """docs/refereed.md: `referee-france`, `referee-france-2`, … until a report says END."""
    war = at_the_first_report()
    war.step(reports=lambda phase: "INVASION Italy Greece")
    assert war.phase.kind == "referee-italy-2"
    war.step(reports=lambda phase: "DICE 2 FOR the airdrop")
    assert kinds(war)[-2:] == ["dice-1", "referee-italy-3"]
    assert "the airdrop" in str(war.resolution().events)
    war.step(reports=lambda phase: "END")
    assert war.phase.kind == "referee-france"


def test_reports_of_two_gamesmasters_are_recorded_with_their_senders() -> None:
    war = at_the_first_report()
    bert = desk.add_gamesmaster(war.game, "bert@example.org", war.ada, war.now)
    war.report("INVASION Italy Greece\nEND")
    war.report("END", by=bert, at=war.now + HOUR / 4)
    assert [row.person for row in war.phase.submissions.order_by("number")] == [war.ada, bert]
    war.carry_out()
    assert "Greece" not in str(war.resolution(war.game.phases.get(kind="referee-italy")).events)


# --- other causes that move deadlines ---


def test_report_sent_during_a_pause_is_carried_out_after_it() -> None:
    """During the pause the report is received, but nothing is carried out."""
    war = at_the_first_report()
    desk.pause(war.game, "I am on a journey.", war.ada, war.now)
    assert war.phase.deadline_changes.count() == 0
    war.report("END")
    war.wait_until(war.now + 5 * HOUR)
    assert war.phase.kind == "referee-italy"
    desk.resume(war.game, "I am back.", war.ada, war.now)
    assert war.phase.deadline_changes.count() == 0
    war.wait_until(war.now + HOUR)
    assert war.phase.kind == "referee-france"


def test_report_phase_ignores_everything_that_moves_deadlines(settings: Settings) -> None:
    """Extension, holiday, new schedule, early lock, outage: there is no deadline to move."""
    war = at_the_first_report(
        may_lock_early=True, schedule={"every": "days", "days": 1, "time": "12:00"}
    )
    with pytest.raises(
        desk.DeskError, match="has no deadline: it closes when you send your report"
    ):
        desk.extend(war.phase, war.now + timedelta(days=2), "More time.", war.ada, war.now)
    today = war.now.date()
    desk.set_holidays(war.game, [(today, today + timedelta(days=4), "Easter")], war.ada, war.now)
    rule, zone = {"every": "days", "days": 2, "time": "08:00"}, "Europe/Paris"
    desk.reschedule(war.game, rule, zone, "Paris now.", war.ada, war.now, move_open=True)
    desk.change_settings(war.game, {"may_lock_early": False}, war.ada, war.now)
    desk.announce(
        war.game, war.players["France"], today, today + timedelta(days=2), war.ada, war.now
    )
    settings.GIVE_TIME_BACK = True
    outage_credit.credit_time(war.now)
    outage_credit.credit_time(war.now + timedelta(hours=5))
    assert (war.phase.deadline, war.phase.due_at) == (schedule.STANDS, None)
    assert not DeadlineChange.objects.filter(phase=war.phase).exists()


def test_extra_time_for_a_newcomer_does_not_move_a_report_phase() -> None:
    war = at_the_first_report()
    desk.vacate(war.seat("France"), war.players["France"], "He is ill.", war.ada, war.now)
    offered = desk.invite(war.seat("France"), "fay@example.org", war.ada, war.now, extra_hours=24)
    desk.accept(offered, person("fay"), war.now)
    assert (war.phase.deadline, war.phase.due_at) == (schedule.STANDS, None)


def test_orders_close_early_when_all_are_final_but_reports_do_not() -> None:
    war = Refereed.begin(may_lock_early=True, players=4)
    war.pass_deadline()
    for power in ("France", "USSR", "Britain", "Germany", "Italy"):
        war.order(power, "PASS", final=True)
    war.wait_until(war.now)
    assert war.phase.kind == "referee-france"
    assert war.phase.due_at is None


def test_report_phase_counts_no_missed_turn() -> None:
    """The gamesmaster's seat misses nothing, is never vacant, and no bot stands in for it."""
    war = at_the_first_report()
    war.play_to("diplomacy", turn=2)
    assert all(REFEREE_SEAT not in phase.missed for phase in war.game.phases.all())
    assert REFEREE_SEAT not in [seat.nation for seat, _ in desk.vacant_seats(war.game)]
    assert not Act.objects.filter(seat=war.referee).exists()
    assert bots.play(war.now) == 0


def test_gamesmaster_is_reminded_every_week_until_a_report_is_in() -> None:
    war = at_the_first_report()
    phase = war.phase
    before = Letter.objects.filter(phase=phase, person=war.ada).count()
    for week in (1, 2):
        war.wait_until(phase.opened_at + timedelta(days=7 * week))
        assert Letter.objects.filter(phase=phase, person=war.ada).count() == before + week
    desk.change_settings(war.game, {"report_hours": 14, "report_days": 0}, war.ada, war.now)
    phase.refresh_from_db()
    assert phase.remind_at is None


def test_held_report_phase_continues_with_its_report() -> None:
    war = at_the_first_report()
    phase = war.phase
    war.report("END", final=True)
    token, (claimed,) = queue.claim(war.now, 1)
    holds.hold(claimed, token, "Something failed.", war.now)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.HELD
    desk.lift_hold(phase, war.ada, war.now)
    war.wait_until(war.now)
    assert war.phase.kind == "referee-france"


def test_count_of_the_gamesmaster_ends_the_game() -> None:
    """docs/refereed.md: the result of `count` publishes the secret columns."""
    war = Refereed.begin(players=5, options={"spi.last_turn": 1, "spi.us_entry": "base_schedule"})
    war.order("Germany", "COLUMN PRINTED")
    war.play_to("count")
    war.report("CONTROLLER Poland Germany\nEND")
    war.carry_out()
    assert war.over
    assert war.resolution().scores["Germany"] >= 0
    assert war.game.finished_at is not None
    assert isinstance(war.game.seats.get(referee=True), Seat)


def test_silence_in_diplomacy_is_no_missed_turn() -> None:
    """4.2 allows silence there; two missed rounds of orders are reported."""
    war = Refereed.begin(players=4, options={"spi.us_entry": "base_schedule"})
    war.play_to("orders", turn=2)
    assert not desk.vacant_seats(war.game)
    assert [phase.kind for phase in war.game.phases.all() if phase.missed] == ["orders"]
    war.pass_deadline()
    vacant = [seat.nation for seat, _ in desk.vacant_seats(war.game)]
    assert vacant == ["France", "USSR", "Britain", "Germany"]
