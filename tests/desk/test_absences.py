"""Absences (issue 5, 5): no deadline on these days for any player, within an allowance."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.urls import reverse

from games import desk
from games.desk import DeskError, absences, times
from games.models import Absence, Act
from tests.desk.conftest import Browser
from tests.support.campaign import MONDAY, Campaign, person
from tests.support.letters import letter_text

pytestmark = pytest.mark.django_db

#: The first deadline is Friday 27 November 2026, 09:00 in New York.
FRIDAYS = {"every": "weekday", "weekday": "friday", "weeks": 2, "time": "09:00"}
THURSDAY, FRIDAY, SUNDAY = date(2026, 11, 26), date(2026, 11, 27), date(2026, 11, 29)


def campaign_by_weeks() -> Campaign:
    return Campaign.begin(schedule=FRIDAYS)


def away(campaign: Campaign, nation: str, first: date, last: date, **more: object) -> Absence:
    player = campaign.players[nation]
    return desk.announce(campaign.game, player, first, last, player, campaign.now)


def test_absence_moves_the_open_deadline_for_everybody() -> None:
    """Never for one player only; the gamesmaster alone reads who is away."""
    campaign = campaign_by_weeks()
    absence = away(campaign, "France", THURSDAY, SUNDAY)
    assert campaign.phase.deadline.isoformat() == "2026-11-30T14:00:00+00:00"
    letters = campaign.letters("moved")
    assert len(letters) == 6
    text = letter_text(letters[0])
    assert "The reason: “A player is away until Sunday 29 November 2026.”" in text
    assert "France" not in text.split("The reason")[1].split("Orders")[0]
    assert absences.describe_effect(absence).endswith("for everybody.")
    act = Act.objects.get(kind="away")
    assert act.private
    assert act.words == "France is away from Thursday 26 November 2026 to Sunday 29 November 2026."


def test_later_deadlines_avoid_the_days_of_an_absence() -> None:
    campaign = campaign_by_weeks()
    away(campaign, "Russia", date(2026, 12, 10), date(2026, 12, 12))
    assert campaign.phase.deadline.date() == FRIDAY
    campaign.pass_deadline()
    assert campaign.phase.deadline.date() == date(2026, 12, 13)


def test_absence_entered_on_the_last_day_moves_the_deadline_only_by_the_gamesmaster() -> None:
    """Players must enter it a day before; an entry by the gamesmaster counts at once."""
    campaign = campaign_by_weeks()
    campaign.now = campaign.phase.deadline - timedelta(hours=23)
    old = campaign.phase.deadline
    absence = away(campaign, "France", FRIDAY, FRIDAY)
    assert campaign.phase.deadline == old
    assert absences.describe_effect(absence) == (
        "Deadlines that would fall on these days come later, for everybody. The open deadline"
        " stays on Friday 27 November 2026."
    )
    desk.announce(
        campaign.game, campaign.players["Russia"], FRIDAY, FRIDAY, campaign.ada, campaign.now
    )
    assert campaign.phase.deadline > old


def test_deadline_of_a_resumed_game_avoids_the_days_of_an_absence() -> None:
    """Docs: no deadline falls on them; the player had entered it during the pause."""
    campaign = campaign_by_weeks()
    left = campaign.phase.deadline - campaign.now
    times.pause(campaign.game, "A holiday.", campaign.ada, campaign.now)
    campaign.now += timedelta(days=7)
    day = (campaign.now + left).date()
    away(campaign, "France", day, day + timedelta(days=1))
    times.resume(campaign.game, "Back.", campaign.ada, campaign.now)
    assert campaign.phase.deadline == campaign.now + left + timedelta(days=2)


@pytest.mark.both_databases
def test_days_beyond_the_allowance_move_no_deadline() -> None:
    """`absence_days` counts all absences of a player in a game, in the order of entry."""
    campaign = campaign_by_weeks()
    desk.change_settings(campaign.game, {"absence_days": 5}, campaign.ada, campaign.now)
    campaign.game.refresh_from_db()
    first = away(campaign, "France", date(2027, 1, 1), date(2027, 1, 4))
    second = away(campaign, "France", THURSDAY, SUNDAY)
    assert absences.describe_effect(first).startswith("Deadlines that would fall")
    assert absences.describe_effect(second).startswith("The first 1 of its 4 days")
    assert campaign.phase.deadline.date() == FRIDAY
    third = away(campaign, "France", date(2027, 2, 1), date(2027, 2, 2))
    assert absences.describe_effect(third).startswith(
        "It moves no deadline: this game allows 5 days"
    )


def test_absence_of_a_former_player_no_longer_counts() -> None:
    campaign = campaign_by_weeks()
    away(campaign, "Russia", date(2026, 12, 10), date(2026, 12, 12))
    seat, rosa = campaign.seat("Russia"), campaign.players["Russia"]
    desk.vacate(seat, rosa, "Moved to the moon.", campaign.ada, campaign.now)
    campaign.pass_deadline()
    assert campaign.phase.deadline.date() == date(2026, 12, 11)


def test_withdrawn_absence_leaves_moved_deadlines() -> None:
    campaign = campaign_by_weeks()
    absence = away(campaign, "France", THURSDAY, SUNDAY)
    moved = campaign.phase.deadline
    desk.withdraw_absence(absence, campaign.players["France"], campaign.now)
    assert campaign.phase.deadline == moved
    with pytest.raises(DeskError, match="already withdrawn"):
        desk.withdraw_absence(absence, campaign.players["France"], campaign.now)


def test_absence_that_moved_a_deadline_uses_up_the_allowance_though_it_is_withdrawn() -> None:
    """One player could move the deadline day by day, as often as they liked."""
    campaign = Campaign.begin(schedule=FRIDAYS, absence_days=2)
    for number in range(4):
        day = campaign.phase.deadline.date()
        absence = away(campaign, "France", day, day)
        campaign.now += timedelta(minutes=1)
        desk.withdraw_absence(absence, campaign.players["France"], campaign.now)
        assert campaign.phase.deadline.date() == FRIDAY + timedelta(days=min(number + 1, 2))
    campaign.pass_deadline()
    assert campaign.phase.deadline.date() == date(2026, 12, 11), "a withdrawn day has deadlines"


def test_absence_withdrawn_before_it_moved_anything_leaves_the_allowance() -> None:
    campaign = Campaign.begin(schedule=FRIDAYS, absence_days=1)
    later = date(2026, 12, 11)
    desk.withdraw_absence(
        away(campaign, "France", later, later), campaign.players["France"], campaign.now
    )
    away(campaign, "France", FRIDAY, FRIDAY)
    assert campaign.phase.deadline.date() == FRIDAY + timedelta(days=1)


@pytest.mark.parametrize(
    ("first", "last", "why"),
    [
        (date(2026, 11, 20), date(2026, 11, 18), "before it begins"),
        (date(2026, 11, 10), date(2026, 11, 18), "is in the past"),
        (date(2026, 11, 20), date(2027, 3, 18), "at most 60"),
        (date(2028, 11, 20), date(2028, 11, 21), "more than a year ahead"),
    ],
)
def test_invalid_days_are_refused_with_a_sentence(first: date, last: date, why: str) -> None:
    campaign = campaign_by_weeks()
    with pytest.raises(DeskError, match=why):
        away(campaign, "France", first, last)
    assert not Absence.objects.exists()


@pytest.mark.both_databases
def test_absence_is_entered_once_and_only_by_players() -> None:
    campaign = campaign_by_weeks()
    away(campaign, "France", THURSDAY, SUNDAY)
    with pytest.raises(DeskError, match="You are already"):
        away(campaign, "France", SUNDAY, SUNDAY)
    with pytest.raises(DeskError, match="plays no seat"):
        desk.announce(campaign.game, person("charlie"), THURSDAY, SUNDAY, campaign.ada, MONDAY)


def test_page_promises_later_deadlines_only_where_they_come(as_: Browser) -> None:
    """Deadlines by minutes stay where they are."""
    later = "Deadlines that would fall on such a day come later"
    soon = "An open deadline moves if you enter your absence 24 hours before it."
    for campaign, moves in ((campaign_by_weeks(), True), (Campaign.begin(title="Quick"), False)):
        page = as_("felix").read(reverse("away", args=[campaign.game.pk]))
        assert (later in page) is moves
        assert (soon in page) is moves
        assert ("In this game absences move no deadlines." in page) is not moves


def test_absence_moves_nothing_in_a_game_with_deadlines_by_minutes() -> None:
    """Such players sit at one table; the absence is stored and moves nothing."""
    campaign = Campaign.begin()
    old = campaign.phase.deadline
    absence = away(campaign, "France", MONDAY.date(), MONDAY.date())
    assert campaign.phase.deadline == old
    assert "stay where they are" in absences.describe_effect(absence)


def test_refused_absence_speaks_to_the_player_or_of_the_nation() -> None:
    campaign = campaign_by_weeks()
    away(campaign, "France", THURSDAY, SUNDAY)
    with pytest.raises(DeskError, match="You are already away from Thursday"):
        away(campaign, "France", FRIDAY, SUNDAY)
    felix, ada, now = campaign.players["France"], campaign.ada, campaign.now
    with pytest.raises(DeskError, match="France is already away from Thursday"):
        desk.announce(campaign.game, felix, FRIDAY, SUNDAY, ada, now)
    until = FRIDAY + timedelta(days=300)
    with pytest.raises(DeskError, match="Ask the gamesmaster for a pause"):
        away(campaign, "France", FRIDAY, until)
    with pytest.raises(DeskError, match="Pause the game, or replace the player"):
        desk.announce(campaign.game, felix, FRIDAY, until, ada, now)
