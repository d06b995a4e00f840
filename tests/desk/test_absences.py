"""Absences (issue 5, 5): no deadline on these days, for everybody alike, within an allowance."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from games import desk
from games.desk import DeskError, absences
from games.letters import rendering
from games.models import Absence, Act
from tests.support.campaign import MONDAY, Campaign, person

pytestmark = pytest.mark.django_db

#: The first deadline is Friday 27 November 2026, 09:00 in New York.
FRIDAYS = {"every": "weekday", "weekday": "friday", "weeks": 2, "time": "09:00"}
THURSDAY, FRIDAY, SUNDAY = date(2026, 11, 26), date(2026, 11, 27), date(2026, 11, 29)


def campaign_by_weeks() -> Campaign:
    return Campaign.begin(schedule=FRIDAYS)


def away(campaign: Campaign, nation: str, first: date, last: date, **more: object) -> Absence:
    player = campaign.players[nation]
    return desk.announce(campaign.game, player, first, last, player, campaign.now)


def test_an_absence_told_in_time_moves_the_open_deadline_for_everybody() -> None:
    """Never for one player; who is away is for the gamesmaster alone."""
    campaign = campaign_by_weeks()
    absence = away(campaign, "France", THURSDAY, SUNDAY)
    assert campaign.phase.deadline.isoformat() == "2026-11-30T14:00:00+00:00"
    letters = campaign.letters("moved")
    assert len(letters) == 6
    text = " ".join(rendering.render(letters[0]).text.split())
    assert "The reason: “A player is away until Sunday 29 November 2026.”" in text
    assert "France" not in text.split("The reason")[1].split("Orders")[0]
    assert absences.effect(absence).endswith("for everybody alike.")
    act = Act.objects.get(kind="away")
    assert act.private
    assert act.words == "France is away from Thursday 26 November 2026 to Sunday 29 November 2026."


def test_deadlines_to_come_keep_clear_of_the_days() -> None:
    campaign = campaign_by_weeks()
    away(campaign, "Russia", date(2026, 12, 10), date(2026, 12, 12))
    assert campaign.phase.deadline.date() == FRIDAY
    campaign.pass_deadline()
    assert campaign.phase.deadline.date() == date(2026, 12, 13)


def test_an_absence_told_on_the_last_day_moves_nothing_unless_the_gamesmaster_tells_it() -> None:
    """A player must tell it a day before; what a gamesmaster enters counts at once."""
    campaign = campaign_by_weeks()
    campaign.now = campaign.phase.deadline - timedelta(hours=23)
    old = campaign.phase.deadline
    away(campaign, "France", FRIDAY, FRIDAY)
    assert campaign.phase.deadline == old
    desk.announce(
        campaign.game, campaign.players["Russia"], FRIDAY, FRIDAY, campaign.ada, campaign.now
    )
    assert campaign.phase.deadline > old


def test_days_beyond_the_allowance_are_told_and_move_nothing() -> None:
    """`absence_days` counts a player's absences in a game together, in order of telling."""
    campaign = campaign_by_weeks()
    desk.set_absence_days(campaign.game, 5, campaign.ada, campaign.now)
    campaign.game.refresh_from_db()
    first = away(campaign, "France", date(2027, 1, 1), date(2027, 1, 4))
    second = away(campaign, "France", THURSDAY, SUNDAY)
    assert absences.effect(first).startswith("Deadlines that would fall")
    assert absences.effect(second).startswith("The first 1 of its 4 days")
    assert campaign.phase.deadline.date() == FRIDAY
    third = away(campaign, "France", date(2027, 2, 1), date(2027, 2, 2))
    assert absences.effect(third).startswith("It moves no deadline: this game allows 5 days")


def test_what_a_former_player_told_counts_no_more() -> None:
    campaign = campaign_by_weeks()
    away(campaign, "Russia", date(2026, 12, 10), date(2026, 12, 12))
    seat, rosa = campaign.seat("Russia"), campaign.players["Russia"]
    desk.vacate(seat, rosa, "Moved to the moon.", campaign.ada, campaign.now)
    campaign.pass_deadline()
    assert campaign.phase.deadline.date() == date(2026, 12, 11)


def test_an_absence_that_is_withdrawn_counts_no_more_and_leaves_moved_deadlines() -> None:
    campaign = campaign_by_weeks()
    absence = away(campaign, "France", THURSDAY, SUNDAY)
    moved = campaign.phase.deadline
    desk.withdraw_absence(absence, campaign.players["France"], campaign.now)
    assert campaign.phase.deadline == moved
    with pytest.raises(DeskError, match="already withdrawn"):
        desk.withdraw_absence(absence, campaign.players["France"], campaign.now)


@pytest.mark.parametrize(
    ("first", "last", "why"),
    [
        (date(2026, 11, 20), date(2026, 11, 18), "before it begins"),
        (date(2026, 11, 10), date(2026, 11, 18), "is in the past"),
        (date(2026, 11, 20), date(2027, 3, 18), "at most 60"),
        (date(2028, 11, 20), date(2028, 11, 21), "more than a year ahead"),
    ],
)
def test_days_that_make_no_sense_are_refused_with_a_sentence(
    first: date, last: date, why: str
) -> None:
    campaign = campaign_by_weeks()
    with pytest.raises(DeskError, match=why):
        away(campaign, "France", first, last)
    assert not Absence.objects.exists()


def test_the_same_days_are_not_told_twice_nor_by_a_stranger() -> None:
    campaign = campaign_by_weeks()
    away(campaign, "France", THURSDAY, SUNDAY)
    with pytest.raises(DeskError, match="already entered"):
        away(campaign, "France", SUNDAY, SUNDAY)
    with pytest.raises(DeskError, match="plays no seat"):
        desk.announce(campaign.game, person("charlie"), THURSDAY, SUNDAY, campaign.ada, MONDAY)


def test_a_game_by_minutes_knows_no_days() -> None:
    """A table that plays by minutes sits there; an absence is told and moves nothing."""
    campaign = Campaign.begin()
    old = campaign.phase.deadline
    absence = away(campaign, "France", MONDAY.date(), MONDAY.date())
    assert campaign.phase.deadline == old
    assert "stay where they are" in absences.effect(absence)
