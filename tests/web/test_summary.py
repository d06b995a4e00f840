"""The summary: chances from the table, expected and actual losses (issue 7, point 5)."""

from __future__ import annotations

import pytest
from django.urls import reverse

from games.records import debrief
from games.rules.origins_ww2.table import TABLE
from games.rules.registry import ruleset
from tests.records.played import short_card
from tests.support.campaign import Campaign
from tests.support.staging import played

from .conftest import Browser

pytestmark = pytest.mark.django_db


def fought() -> Campaign:
    """One turn: Germany attacks France in Poland, 8 against 2."""
    campaign = Campaign.begin(options={"ow2.running_score": "shown"})
    campaign.order("Germany", "PLACE 8 Poland")
    campaign.order("France", "PLACE 2 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    campaign.pass_deadline()
    return campaign


def test_an_attack_is_told_with_its_chances_and_costs(as_: Browser) -> None:
    campaign = fought()
    told = debrief.of(campaign.game)
    (attack,) = told.turns[0].attacks
    column = [row[3] for row in TABLE.values()]  # 4-1
    assert (attack.odds, attack.attacker, attack.defender) == ("4-1", 8, 2)
    assert {result: attack.risk.chance(result) for result in "DX-A"} == {
        result: 10 * column.count(result) for result in "DX-A"
    }
    assert attack.own_expected == pytest.approx(
        column.count("A") / 10 * 8 + column.count("X") / 10 * 2
    )
    assert attack.theirs_expected == pytest.approx((column.count("D") + column.count("X")) / 10 * 2)
    board = campaign.board()["Poland"]
    left = {nation: board[nation].pf if nation in board else 0 for nation in ("Germany", "France")}
    assert attack.own_lost == 8 - left["Germany"]
    assert attack.theirs_lost == 2 - left["France"]
    page = as_().read(reverse("game-summary", args=[campaign.game.pk]))
    assert "so it came" in page
    assert page.count('class="dared"') == 1


def test_the_books_of_all_nations_balance(monkeypatch: pytest.MonkeyPatch) -> None:
    """What attackers destroy equals what others suffer, expected and actual, over a game."""
    short_card(monkeypatch, turns=3)
    campaign = Campaign.begin()
    while campaign.game.status == "running":
        played(campaign)
    told = debrief.of(campaign.game)
    attacks = [attack for turn in told.turns for attack in turn.attacks if not attack.ruled]
    assert sum(one.attacks for one in told.balances) == len(attacks) > 0
    assert sum(one.dealt for one in told.balances) == sum(one.suffered for one in told.balances)
    assert sum(one.dealt_expected for one in told.balances) == pytest.approx(
        sum(one.suffered_expected for one in told.balances)
    )
    assert len(told.turns) == 3
    assert told.winners
    assert told.turns[-1].scores == dict(campaign.resolution().scores)
    for turn in told.turns:
        for attack in turn.attacks:
            assert sum(share for _, _, share in attack.risk.chances) == 100
            assert attack.chance > 0, "what came must have been possible"


def test_each_share_of_an_attack_on_several_is_by_what_stood_there() -> None:
    rules = ruleset("origins-ww2")
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("France", "PLACE 4 Poland")
    campaign.order("Britain", "PLACE 1 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: France, Britain STOCK GE")
    phase = campaign.pass_deadline()
    row = campaign.resolution(phase)
    risks = rules.guide.risks(campaign.game.load(row.before), row.events)
    risk = next(risk for risk in risks if risk is not None)
    assert risk.expected["France"] == pytest.approx(4 * risk.expected["Britain"])


def test_hidden_scores_stay_hidden_until_the_end(
    as_: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F5: no running score where the game says so, here either."""
    short_card(monkeypatch, turns=2)
    campaign = Campaign.begin(options={"ow2.running_score": "hidden"})
    campaign.pass_deadline()
    campaign.pass_deadline()
    page = as_().read(reverse("game-summary", args=[campaign.game.pk]))
    assert "Standings by turn" not in page
    while campaign.game.status == "running":
        campaign.pass_deadline()
    assert "Standings by turn" in as_().read(reverse("game-summary", args=[campaign.game.pk]))


def test_the_summary_is_for_whoever_sees_the_game(
    as_: Browser, private: Campaign, campaign: Campaign
) -> None:
    page = reverse("game-summary", args=[private.game.pk])
    assert as_().get(page)["Location"].startswith(reverse("login"))
    assert as_("charlie").get(page).status_code == 404
    assert as_("gustav").get(page).status_code == 200
    assert "Nothing has been judged yet" in as_().read(
        reverse("game-summary", args=[campaign.game.pk])
    )
    assert as_("ada").post(page).status_code == 405
