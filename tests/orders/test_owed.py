"""From whom orders are owed, above all in teams: front page and reminders (F1; design 5)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from games.letters import rendering
from games.turns import reminders
from gamesmaster import clock
from orders import in_force, ledger, owed
from tests.support.browsing import log_in
from tests.support.campaign import Campaign, person
from tests.support.teams import begin, order

pytestmark = pytest.mark.django_db


def wanted(campaign: Campaign, name: str) -> bool:
    """Whether somebody's front page says that orders of France are wanted of him."""
    return "You have not sent orders yet" in log_in(name).read("/")


def reminded(campaign: Campaign) -> set[str]:
    """The people of France who are reminded, by first name."""
    reminders.remind(campaign.phase.deadline - timedelta(minutes=1))
    names = {letter.address.partition("@")[0] for letter in campaign.letters("reminder")}
    return names & {"felix", "flora", "fred"}


def started(rule: str, monkeypatch: pytest.MonkeyPatch) -> Campaign:
    campaign = begin(rule)
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    return campaign


def test_of_a_team_that_votes_each_member_is_asked_until_he_has_voted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """F1, majority: a vote settles nothing for others; a third may still vote on it."""
    campaign = started("majority", monkeypatch)
    order(campaign, "felix", "France", "PLACE 1 Poland")
    assert [wanted(campaign, name) for name in ("felix", "flora", "fred")] == [False, True, True]
    order(campaign, "flora", "France", "PLACE 1 Poland")
    assert in_force.texts_in_force(campaign.phase)["France"]
    assert [wanted(campaign, name) for name in ("felix", "flora", "fred")] == [False, False, True]
    assert reminded(campaign) == {"fred"}
    said = rendering.render(campaign.letters("reminder", "fred")[0]).text
    assert "Your own vote on the orders of France has not come yet" in said
    assert "If you send nothing" not in said
    order(campaign, "fred", "France", "PASS")
    assert not wanted(campaign, "fred")


def test_who_takes_his_vote_back_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = started("majority", monkeypatch)
    order(campaign, "felix", "France", "PLACE 1 Poland")
    ledger.cancel(campaign.seat("France"), channel="web", person=person("felix"), now=campaign.now)
    assert wanted(campaign, "felix")
    assert reminded(campaign) == {"felix", "flora", "fred"}


def test_orders_taken_down_for_the_whole_team_are_wanted_of_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    campaign = started("majority", monkeypatch)
    france = campaign.seat("France")
    ledger.receive(
        france, "PASS", channel="telephone", person=None, entered_by=campaign.ada, now=campaign.now
    )
    assert [wanted(campaign, name) for name in ("felix", "flora", "fred")] == [False] * 3
    assert reminded(campaign) == set()


def test_where_a_spokesman_speaks_who_has_proposed_has_done_his_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """F1, spokesman: while silent the whole team is reminded and told who owes."""
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
    assert "No orders have come from you yet" in texts["una"]
    order(campaign, "felix", "France", "PLACE 2 Poland")
    assert [wanted(campaign, name) for name in ("felix", "flora", "fred")] == [False] * 3


def test_where_whoever_is_last_counts_one_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = started("last_received", monkeypatch)
    order(campaign, "fred", "France", "PLACE 1 Poland")
    assert [wanted(campaign, name) for name in ("felix", "flora", "fred")] == [False] * 3
    assert reminded(campaign) == set()
    assert owed.by(person("gustav"), campaign.phase) == ["Germany"]
