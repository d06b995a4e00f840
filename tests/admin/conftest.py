"""Fixtures for the tests of the admin: a game with a row of every kind, and staff."""

from __future__ import annotations

import pytest

from games.accounts import tokens
from games.models import Listing, MarketClosure, Outage, Person, Pulse, SessionChange
from orders.models import StockCheck, Submission
from tests.admin import desk_rows
from tests.records import played
from tests.support.browsing import Visitor, log_in
from tests.support.campaign import MONDAY, Campaign, person
from tests.support.stored import stored


@pytest.fixture
def root(campaign: Campaign) -> Visitor:
    """Return an administrator, created after the game: stored games need an empty database."""
    return log_in(Person.objects.create_superuser("root@example.org"))


@pytest.fixture
def campaign() -> Campaign:
    """Return Ada's game: turn 1 is played; Germany has sent its placement for turn 2."""
    return stored("a row of every kind", _campaign)


def _campaign() -> Campaign:
    campaign = played.begin()
    played.first_turn(campaign)
    campaign.order("Germany", "PLACE 9 Rumania # nobody must know")
    tokens.new_login(person("gustav"), "", MONDAY)
    Pulse.objects.update_or_create(name="tick", defaults={"at": MONDAY})
    Outage.objects.create(way="pages", since=MONDAY, until=MONDAY, credited_at=MONDAY)
    MarketClosure.objects.create(day=MONDAY.date(), reason="a day of mourning")
    Listing.objects.create(symbol="GE", source="yahoo", verdict="good", checked_at=MONDAY)
    StockCheck.objects.create(
        submission=Submission.objects.earliest("pk"), symbol="GE", due_at=MONDAY
    )
    times = ("old_opens", "old_closes", "new_opens", "new_closes", "changed_at")
    day = {**dict.fromkeys(times, MONDAY), "old": "2026-11-17", "new": "2026-11-18"}
    second = campaign.game.phases.get(number=2)
    SessionChange.objects.create(phase=second, reason="a storm", **day)
    desk_rows.write(campaign)
    return campaign


@pytest.fixture
def ada(campaign: Campaign) -> Visitor:
    """Return the gamesmaster, who is no member of the staff."""
    return log_in(campaign.ada)


@pytest.fixture
def charlie(campaign: Campaign) -> Visitor:
    """Return the gamesmaster of another game, with no permission for Ada's."""
    who = person("charlie")
    seats = {"Germany": "dana@example.org"}
    other = Campaign.open(title="Another game", public=False, seats=seats)
    other.game.gamesmasters.set([who])
    return log_in(who)
