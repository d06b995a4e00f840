"""A game by minutes pauses by itself when its people have gone (the gamesmaster's book, 7).

Not when a group that is there sends nothing on purpose, nor when it plays by days.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any
from unittest import mock

import pytest

from games import desk
from games.desk import practice
from games.desk.opening import BOT
from games.evidence import export
from games.models import Act, Game, Phase
from games.rules.verification import verify
from games.timing import schedule
from games.turns import pauses
from tests.support.campaign import MONDAY, NATIONS, Campaign, person
from tests.support.letters import letter_text

pytestmark = pytest.mark.django_db

LESSON: Mapping[str, Any] = {"every": "minutes", "minutes": 10}
NIGHT = timedelta(hours=12)
#: Nation by nation: a phase of placement, five of attacks, one of counters.
IN_TURN = {"ow2.attacks": "sequential"}


@pytest.fixture(autouse=True)
def _games_pause_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Campaign, "pauses_by_itself", True)


def lesson(**given: Any) -> Campaign:
    """Return a game with a deadline every ten minutes, whose first placement has been played."""
    campaign = Campaign.begin(schedule=LESSON, **given)
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.pass_deadline()
    return campaign


def night(campaign: Campaign) -> None:
    """Let all deadlines of a night pass, one after the other."""
    morning = campaign.now + NIGHT
    while campaign.phase.deadline < morning and campaign.phase.status == Phase.Status.OPEN:
        campaign.pass_deadline()
    campaign.wait_until(morning)
    campaign.game.refresh_from_db()


def is_paused(campaign: Campaign) -> bool:
    campaign.game.refresh_from_db()
    return campaign.game.status == Game.Status.PAUSED


def test_class_that_went_home_stops_after_a_turn_without_orders() -> None:
    """One turn is lost and not six; the morning finds the next phase whole."""
    campaign = lesson()
    night(campaign)
    phase = campaign.phase
    assert is_paused(campaign)
    assert (phase.turn, phase.kind, phase.status) == (2, "attacks", Phase.Status.OPEN)
    assert phase.deadline == schedule.STANDS
    assert campaign.game.paused_at == phase.opened_at
    act = Act.objects.get(game=campaign.game, kind="paused")
    assert (act.done_by, act.reason) == (None, "Nobody sent orders for a whole turn.")
    desk.resume(campaign.game, "The next lesson.", campaign.ada, campaign.now)
    assert campaign.phase.deadline == campaign.now + timedelta(minutes=10)
    campaign.order("Germany", "PASS")
    assert campaign.pass_deadline().status == Phase.Status.RESOLVED


def vacant(campaign: Campaign) -> set[str]:
    acts = Act.objects.filter(game=campaign.game, kind="vacant")
    return {act.seat.nation for act in acts.select_related("seat") if act.seat is not None}


def test_group_that_went_home_is_paused_and_its_seats_are_not_vacant() -> None:
    """The gamesmaster got a letter about each seat beside the one about the pause. A player who is
    still away when others play again is missing."""
    campaign = lesson()
    night(campaign)
    assert (is_paused(campaign), vacant(campaign)) == (True, set())
    desk.resume(campaign.game, "The next lesson.", campaign.ada, campaign.now)
    campaign.order("Germany", "PASS")
    campaign.pass_deadline()
    assert {"France", "Germany"} & vacant(campaign) == {"France"}


def test_seats_are_reported_to_a_gamesmaster_who_is_there() -> None:
    """They see that nobody sends anything, and no pause tells them of it."""
    campaign = lesson()
    for _ in range(2):
        campaign.pass_deadline()
        more_time(campaign)
    campaign.pass_deadline()
    assert (is_paused(campaign), vacant(campaign)) == (False, {*NATIONS})


def test_letter_about_such_a_pause_says_why_and_to_the_gamesmaster_what_to_do() -> None:
    campaign = lesson()
    night(campaign)
    to_player, to_ada = (
        letter_text(campaign.letters("paused", name)[-1]) for name in ("gustav", "ada")
    )
    for text in (to_player, to_ada):
        assert "The game is paused." in text
        assert "Nobody sent orders for a whole turn." in text
        assert "The deadline had 10 minutes left" in text
    assert "Resume the game" in to_ada
    assert "Resume the game" not in to_player


@pytest.mark.both_databases
def test_record_of_such_a_pause_verifies_with_orders_sent_during_it() -> None:
    """Promises 1 and 5: on the record it is a pause like any other."""
    campaign = lesson()
    night(campaign)
    sent = campaign.order("Germany", "CONTROL Poland")
    assert (sent.counts, sent.late) == (True, False)
    desk.resume(campaign.game, "The next lesson.", campaign.ada, campaign.now)
    campaign.pass_deadline()
    assert campaign.board()["Poland"]["Germany"].control
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_phase_of_attacks_in_which_all_rightly_send_nothing_stops_nothing() -> None:
    """A table plays six turns, and sends nothing in any phase of attacks."""
    campaign = lesson()
    while campaign.pass_deadline().turn < 6:
        if campaign.phase.kind == "placement":
            campaign.order("Germany", "PASS")
        assert not is_paused(campaign)


def test_nation_by_nation_a_turn_without_attacks_stops_nothing() -> None:
    """Six phases in a row without orders are ordinary play where each nation attacks by itself."""
    campaign = lesson(options=IN_TURN)
    for _ in range(6):
        assert campaign.phase.turn == 1
        campaign.pass_deadline()
    campaign.order("Germany", "PASS")
    campaign.pass_deadline()
    assert (campaign.phase.turn, is_paused(campaign)) == (2, False)
    night(campaign)
    assert is_paused(campaign)
    assert campaign.phase.turn == 3


def test_resumed_game_gets_a_whole_turn_again() -> None:
    """Its gamesmaster is there: a phase of attacks without orders does not stop it again."""
    campaign = lesson()
    night(campaign)
    desk.resume(campaign.game, "The next lesson.", campaign.ada, campaign.now)
    campaign.pass_deadline()
    assert (campaign.phase.turn, campaign.phase.kind) == (3, "placement")
    assert not is_paused(campaign)
    night(campaign)
    assert is_paused(campaign)
    assert (campaign.phase.turn, campaign.phase.kind) == (4, "placement")


def test_second_resume_counts_no_pause_as_time_of_the_phase() -> None:
    """A lesson was interrupted twice: its phase of ten minutes then lasted an hour, because the
    week between the lessons passed for time that it had."""
    campaign = Campaign.begin(schedule=LESSON)
    for pause in (timedelta(days=7), timedelta(minutes=3)):
        desk.pause(campaign.game, "The bell.", campaign.ada, campaign.now)
        campaign.now += pause
        desk.resume(campaign.game, "The next lesson.", campaign.ada, campaign.now)
        assert campaign.phase.deadline == campaign.now + timedelta(minutes=10)


def unreadable(campaign: Campaign) -> None:
    campaign.order("Russia", "What do I do?")


def more_time(campaign: Campaign) -> None:
    desk.give_more_time(campaign.phase, campaign.ada, campaign.now)


@pytest.mark.parametrize("sign", [unreadable, more_time])
def test_any_sign_of_a_person_counts(sign: Callable[[Campaign], None]) -> None:
    """Whose orders do not count, and who moves a deadline, is there all the same."""
    campaign = lesson()
    campaign.pass_deadline()
    sign(campaign)
    for _ in range(2):
        campaign.pass_deadline()
    assert not is_paused(campaign)


@pytest.mark.both_databases
def test_classes_whose_phases_open_together_pause_each_by_itself() -> None:
    """One worker opens the phases of all; two groups have gone home, and one is there."""
    gone, present, also_gone = (lesson(title=title) for title in ("10a", "10b", "10c"))
    for _ in range(2):
        present.order("Germany", "PASS")
        gone.pass_deadline()
    paused = Game.objects.filter(status=Game.Status.PAUSED).values_list("pk", flat=True)
    assert set(paused) == {gone.game.pk, also_gone.game.pk}
    assert {phase.kind for phase in Phase.objects.filter(status="open")} == {"attacks"}


def test_bots_do_not_play_on_for_people_who_left() -> None:
    seats = {nation: BOT for nation in NATIONS if nation != "Germany"}
    campaign = lesson(seats={**seats, "Germany": "gustav@example.org"})
    night(campaign)
    assert is_paused(campaign)
    assert campaign.phase.turn == 2


def test_game_of_bots_alone_and_practice_game_go_on() -> None:
    """Nobody could resume a practice game, and nobody is missed where bots play alone."""
    campaign = Campaign.begin(schedule=LESSON, seats=dict.fromkeys(NATIONS, BOT))
    alone = practice.begin(person("lena"), "Germany", MONDAY)
    other = Campaign(alone, MONDAY, campaign.ada)
    for _ in range(5):
        campaign.pass_deadline()
        other.pass_deadline()
    assert not is_paused(campaign)
    assert not is_paused(other)


def test_game_plays_on_where_the_service_is_its_gamesmaster(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A demonstration: nobody could resume its game (PAUSE_UNATTENDED)."""
    monkeypatch.setattr(Campaign, "pauses_by_itself", False)
    campaign = lesson()
    night(campaign)
    assert not is_paused(campaign)
    assert campaign.phase.turn > 2


def test_game_by_days_plays_on_without_orders() -> None:
    """A campaign by mail keeps its announced deadlines, also where all are silent."""
    campaign = Campaign.begin(schedule={"every": "days", "days": 1, "time": "09:00"})
    for _ in range(5):
        campaign.pass_deadline()
    assert not is_paused(campaign)


@pytest.mark.both_databases
def test_pause_and_the_result_before_it_are_written_together_or_not_at_all() -> None:
    """Promise 2: a crash between them leaves the phase due, and the next try writes both."""
    campaign = lesson()
    campaign.pass_deadline()
    due = campaign.phase
    with mock.patch.object(pauses, "pause", side_effect=RuntimeError("crashed")):
        campaign.wait_until(due.deadline)
    due.refresh_from_db()
    assert due.status != Phase.Status.RESOLVED
    assert campaign.phase == due
    campaign.wait_until(due.deadline + timedelta(minutes=5))
    due.refresh_from_db()
    assert due.status == Phase.Status.RESOLVED
    assert is_paused(campaign)
    assert Act.objects.filter(game=campaign.game, kind="paused").count() == 1
    assert len(campaign.letters("paused", "ada")) == 1
