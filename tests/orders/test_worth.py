"""What an area is worth to one's own nation and to others (issue 24, 3; review of a player, S5)."""

from __future__ import annotations

import pytest

from games import permissions, positions
from orders.web import worth
from tests.support.campaign import NATIONS, Campaign

pytestmark = pytest.mark.django_db


def test_the_worth_of_an_area_is_what_the_sheets_of_all_nations_pay_there() -> None:
    campaign = Campaign.begin()
    game = campaign.game
    seen = permissions.view(game, positions.position(game), "Germany")
    told = worth.of_areas(game.rules, seen, "Germany", NATIONS)
    for nation in NATIONS:
        for one in game.rules.guide.sheet(seen, nation).objectives:
            there = told[one.area]
            paid = there.own if nation == "Germany" else dict(there.others)[nation]
            assert one.points in [points for _, points in paid]
    assert {mark.area for mark in worth.marks(told)} <= set(told)


def test_a_blind_game_tells_no_more_than_ones_own_chart() -> None:
    campaign = Campaign.begin(options={"ow2.blind": "yes"})
    game = campaign.game
    seen = permissions.view(game, positions.position(game), "Germany")
    told = worth.of_areas(game.rules, seen, "Germany", NATIONS)
    assert not any(there.others for there in told.values())
