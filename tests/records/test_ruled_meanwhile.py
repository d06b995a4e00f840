"""A ruling on an earlier phase changes neither which orders are in force nor how they were read.

The record verifies, and what was put together at the lock stays as the digest names it (promise 5).
"""

from __future__ import annotations

import copy
from datetime import timedelta
from typing import Any

import pytest

from games import desk
from games.evidence import export
from games.positions import in_force
from games.rules.verification import record, verify
from games.turns import rulings
from orders.intake import ledger
from tests.support import teams
from tests.support.campaign import Campaign

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


def rule(campaign: Campaign, number: int, cells: dict[str, Any]) -> None:
    """Rule, a minute later, what stands in some areas after a phase."""
    campaign.now += MINUTE
    phase, what = campaign.game.phases.get(number=number), {"cells": cells}
    rulings.rule(phase, "position", what, "The newspaper.", campaign.ada, campaign.now)
    campaign.game.refresh_from_db()


def close_poland(campaign: Campaign) -> None:
    """Rule that Germany had CONTROL of Poland after turn 1."""
    rule(campaign, 2, {"Poland": {"Germany": {"pf": 0, "control": True}}})


def play_turn_1(campaign: Campaign) -> None:
    campaign.pass_deadline()
    campaign.pass_deadline()


def differences(campaign: Campaign) -> list[str]:
    tree = export.record(campaign.game, private=True)
    return [str(difference) for difference in verify.check(tree)]


def test_votes_stay_as_they_were_put_together_at_the_lock() -> None:
    """F1: a line that most of a team sent is in force though it would be refused now."""
    campaign = teams.begin("majority")
    play_turn_1(campaign)
    for name in teams.TEAMS["France"]:
        teams.order(campaign, name, "France", "PLACE 4 Poland\nPLACE 2 Italy")
    phase = campaign.pass_deadline()
    close_poland(campaign)
    salt, text = in_force.salted_texts(phase)["France"]
    assert record.leaf("France", text, salt) == phase.leaves["France"]
    assert "France" not in campaign.board().get("Poland", {})
    assert campaign.board()["Italy"]["France"].pf == 2
    assert differences(campaign) == []


@pytest.mark.parametrize("channel", ["mail", "ahead"])
def test_orders_read_after_a_ruling_that_came_after_them(channel: str) -> None:
    """Mail may wait for its sender's answer for hours; orders ahead, for a tick."""
    campaign = Campaign.begin()
    play_turn_1(campaign)
    came = campaign.now
    close_poland(campaign)
    player = campaign.players["France"]
    arrival = ledger.Arrival(channel, player, came)
    assert not ledger.receive(campaign.seat("France"), "PLACE 4 Poland", arrival).counts
    campaign.pass_deadline()
    assert differences(campaign) == []


def test_nation_that_could_order_before_a_ruling_has_missed_the_phase() -> None:
    campaign = Campaign.open()
    card = copy.deepcopy(campaign.game.card)
    card["objectives"].pop("USA", None)
    campaign.game.card = card
    campaign.game.save(update_fields=["card"])
    desk.start(campaign.game, campaign.now)
    campaign.order("USA", "PLACE 2 Poland")
    campaign.order("Germany", "PLACE 2 Poland")
    campaign.pass_deadline()
    assert "USA" in campaign.pass_deadline().missed
    rule(campaign, 1, {"Poland": {"USA": {}, "Germany": {}}, "USA": {"USA": {}}})
    assert differences(campaign) == []


def test_reading_by_a_ruling_after_the_lock_is_refuted() -> None:
    campaign = Campaign.begin()
    play_turn_1(campaign)
    campaign.order("France", "PLACE 4 Poland")
    campaign.pass_deadline()
    close_poland(campaign)
    tree = export.record(campaign.game, private=True)
    assert verify.check(tree) == []
    tree["phases"][2]["submissions"][0]["counts"] = False
    assert any("submission 1 counts" in str(difference) for difference in verify.check(tree))
