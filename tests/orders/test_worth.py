"""What an area is worth to one's own nation and to others (issue 24, 3; player review, S5)."""

from __future__ import annotations

import pytest

from games import permissions, positions
from orders.web import worth
from tests.support.campaign import NATIONS, Campaign

pytestmark = pytest.mark.django_db


def test_area_worth_adds_up_the_objectives_of_all_nations() -> None:
    campaign = Campaign.begin()
    game = campaign.game
    view = permissions.view(game, positions.position(game), "Germany")
    worth_by_area = worth.area_worths(game.rules, view, "Germany", NATIONS)
    for nation in NATIONS:
        for objective in game.rules.guide.nation_facts(view, nation).objectives:
            area_worth = worth_by_area[objective.area]
            paid = area_worth.own if nation == "Germany" else dict(area_worth.others)[nation]
            assert objective.points in [points for _, points in paid]
    assert {mark.area for mark in worth.marks(worth_by_area)} <= set(worth_by_area)


def test_area_worth_in_a_blind_game_shows_only_ones_own_objectives() -> None:
    campaign = Campaign.begin(options={"ow2.blind": "yes"})
    game = campaign.game
    view = permissions.view(game, positions.position(game), "Germany")
    worth_by_area = worth.area_worths(game.rules, view, "Germany", NATIONS)
    assert not any(area_worth.others for area_worth in worth_by_area.values())
