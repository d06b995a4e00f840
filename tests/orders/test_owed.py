"""Who still owes orders, above all in teams: front page and reminders (F1; design 5)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from games.base import clock
from games.letters import rendering
from games.positions import in_force, owed
from games.turns import reminders
from orders.intake import ledger
from tests.support.browsing import log_in
from tests.support.campaign import Campaign, person
from tests.support.teams import begin, order

pytestmark = [pytest.mark.django_db, pytest.mark.quick]


def wanted(campaign: Campaign, name: str) -> bool:
    """Return whether the person's front page says that they owe orders of France."""
    return "No orders of yours are in force yet" in log_in(name).read("/")


def reminded(campaign: Campaign) -> set[str]:
    """Send the reminders. Return the first names of the people of France who get one."""
    reminders.remind(campaign.phase.deadline - timedelta(minutes=1))
    names = {letter.address.partition("@")[0] for letter in campaign.letters("reminder")}
    return names & {"felix", "flora", "fred"}


def started(rule: str, monkeypatch: pytest.MonkeyPatch) -> Campaign:
    campaign = begin(rule)
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    return campaign


def test_voting_team_reminds_each_member_until_they_have_voted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """F1, majority: even when two votes settle the orders, the third member may still vote."""
    campaign = started("majority", monkeypatch)
    order(campaign, "felix", "France", "PLACE 1 Poland")
    assert [wanted(campaign, name) for name in ("felix", "flora", "fred")] == [False, True, True]
    order(campaign, "flora", "France", "PLACE 1 Poland")
    assert in_force.texts_in_force(campaign.phase)["France"]
    assert [wanted(campaign, name) for name in ("felix", "flora", "fred")] == [False, False, True]
    assert reminded(campaign) == {"fred"}
    letter = rendering.render(campaign.letters("reminder", "fred")[0]).text
    assert "Your own vote on the orders of France has not come yet" in letter
    assert "If you send nothing" not in letter
    order(campaign, "fred", "France", "PASS")
    assert not wanted(campaign, "fred")


def test_member_owes_orders_again_after_canceling_a_vote(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = started("majority", monkeypatch)
    order(campaign, "felix", "France", "PLACE 1 Poland")
    ledger.cancel(campaign.seat("France"), ledger.Arrival("web", person("felix"), campaign.now))
    assert wanted(campaign, "felix")
    assert reminded(campaign) == {"felix", "flora", "fred"}


def test_telephone_orders_for_a_team_satisfy_all_members(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    campaign = started("majority", monkeypatch)
    france = campaign.seat("France")
    ledger.receive(
        france,
        "PASS",
        ledger.Arrival("telephone", None, campaign.now, taken_down=ledger.TakenDown(campaign.ada)),
    )
    assert [wanted(campaign, name) for name in ("felix", "flora", "fred")] == [False] * 3
    assert reminded(campaign) == set()


def test_proposal_satisfies_a_member_of_a_team_with_a_spokesman(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """F1, spokesman: until the spokesman sends orders, the whole team is reminded."""
    campaign = started("spokesman", monkeypatch)
    order(campaign, "flora", "France", "PLACE 1 Poland")
    assert [wanted(campaign, name) for name in ("felix", "flora", "fred")] == [True, False, True]
    assert reminded(campaign) == {"felix", "flora", "fred"}
    texts = {
        name: rendering.render(campaign.letters("reminder", name)[0]).text
        for name in ("felix", "flora", "gustav", "una")
    }
    assert "Felix, who speaks for France, has sent no orders yet" in texts["flora"]
    assert "No orders of your team are in force yet" in texts["felix"]
    assert "No orders of yours are in force yet" in texts["una"]
    order(campaign, "felix", "France", "PLACE 2 Poland")
    assert [wanted(campaign, name) for name in ("felix", "flora", "fred")] == [False] * 3


def test_one_members_orders_satisfy_a_team_where_the_last_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    campaign = started("last_received", monkeypatch)
    order(campaign, "fred", "France", "PLACE 1 Poland")
    assert [wanted(campaign, name) for name in ("felix", "flora", "fred")] == [False] * 3
    assert reminded(campaign) == set()
    assert owed.nations_owed_by(person("gustav"), campaign.phase) == ["Germany"]
