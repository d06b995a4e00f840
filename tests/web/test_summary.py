"""The summary: chances from the table, expected and actual losses (issue 7, point 5)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from django.urls import reverse

from games.models import Phase
from games.records import debrief, score_history
from games.rules.origins_ww2.table import TABLE
from games.rules.registry import ruleset
from games.web.game.debrief import places
from tests.records.played import short_card
from tests.support.campaign import MONDAY, Campaign
from tests.support.staging import played

from .conftest import Browser

pytestmark = pytest.mark.django_db


def fought() -> Campaign:
    """Return a campaign after one turn: Germany attacked France in Poland, 8 against 2."""
    campaign = Campaign.begin(options={"ow2.running_score": "shown"})
    campaign.order("Germany", "PLACE 8 Poland")
    campaign.order("France", "PLACE 2 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    campaign.pass_deadline()
    return campaign


def test_attack_is_shown_with_its_chances_and_losses(as_: Browser) -> None:
    campaign = fought()
    review = debrief.summarize(campaign.game)
    (attack,) = review.turns[0].attacks
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
    assert "this happened" in page
    assert page.count('class="dared"') == 1


def test_losses_dealt_equal_losses_suffered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Expected and actual, over a game."""
    short_card(monkeypatch, turns=3)
    campaign = Campaign.begin()
    while campaign.game.status == "running":
        played(campaign)
    review = debrief.summarize(campaign.game)
    attacks = [attack for turn in review.turns for attack in turn.attacks if not attack.ruled]
    assert sum(balance.attacks for balance in review.balances) == len(attacks) > 0
    assert sum(balance.dealt for balance in review.balances) == sum(
        balance.suffered for balance in review.balances
    )
    assert sum(balance.dealt_expected for balance in review.balances) == pytest.approx(
        sum(balance.suffered_expected for balance in review.balances)
    )
    assert len(review.turns) == 3
    assert review.winners
    assert review.turns[-1].scores == dict(campaign.resolution().scores)
    for turn in review.turns:
        for attack in turn.attacks:
            assert sum(share for _, _, share in attack.risk.chances) == 100
            assert attack.chance > 0, "what came must have been possible"


def test_attack_on_several_nations_is_shared_by_strength() -> None:
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
    """F5: no running score if the game says so."""
    short_card(monkeypatch, turns=2)
    campaign = Campaign.begin(options={"ow2.running_score": "hidden"})
    campaign.pass_deadline()
    campaign.pass_deadline()
    page = as_().read(reverse("game-summary", args=[campaign.game.pk]))
    assert "Standings by turn" not in page
    while campaign.game.status == "running":
        campaign.pass_deadline()
    assert "Standings by turn" in as_().read(reverse("game-summary", args=[campaign.game.pk]))


def test_summary_has_the_permissions_of_its_game(
    as_: Browser, private: Campaign, campaign: Campaign
) -> None:
    page = reverse("game-summary", args=[private.game.pk])
    assert as_().get(page)["Location"].startswith(reverse("login"))
    assert as_("charlie").get(page).status_code == 404
    assert as_("gustav").get(page).status_code == 200
    assert "No phase has been judged yet" in as_().read(
        reverse("game-summary", args=[campaign.game.pk])
    )
    assert as_("ada").post(page).status_code == 405


def test_review_names_winner_place_turning_point_and_throws(
    as_: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 24, 5."""
    short_card(monkeypatch, turns=3)
    campaign = Campaign.begin()
    while campaign.game.status == "running":
        played(campaign)
    page = as_("gustav").read(reverse("game-summary", args=[campaign.game.pk]))
    winners = campaign.resolution().winners or ["nobody"]
    assert f"{winners[0]} wins" in page or "share the win" in page
    assert "Germany came " in page
    assert "Your luck: " in page
    assert "luckiest throw" in page
    finals = page.split("Final scores, and luck")[1].split("</table>")[0]
    assert re.search(
        r"Germany</span></th>.*?\d+</td><td class=\"figure\">[+−]?\d+\.\d</td>", finals
    )
    assert reverse("preview-picture", args=[campaign.game.pk]) in page
    game = as_("gustav").read(campaign.game.get_absolute_url())
    assert "Germany came " in game
    assert reverse("game-summary", args=[campaign.game.pk]) in game


@pytest.mark.parametrize(
    ("courses", "place"),
    [
        ([(5, 4), (3, 4), (6, 4), (9, 5)], 2),
        ([(1, 4), (2, 4), (6, 5)], 2),
        ([(5, 4), (7, 4)], 0),
        ([(5, 4), (4, 4)], None),
    ],
    ids=["lost and won back", "in the last phase", "always", "level in the end"],
)
def test_turning_point_is_where_the_winner_took_the_lead_for_good(
    courses: list[tuple[int, int]], place: int | None
) -> None:
    marks = [
        score_history.Mark(
            Phase(number=number, turn=number, kind="attacks"),
            1,
            MONDAY,
            {"USA": own, "France": best},
            ("USA",),
        )
        for number, (own, best) in enumerate(courses)
    ]
    point = debrief.turning_point(marks)
    assert (point.phase.number if point else None) == place
    assert point is None or point.last == (place == len(courses) - 1), "“and won” (N15)"


def test_pages_of_a_game_that_is_over_say_only_what_is_true_of_it(
    as_: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 44: “The turning point: Turn 1, placement”, because the USA begins with 22 points; and
    “as if the game ended here” where it did."""
    short_card(monkeypatch, turns=1)
    campaign = Campaign.begin()
    while campaign.game.status == "running":
        campaign.pass_deadline()
    assert campaign.resolution().winners == ["USA"]
    page = as_().read(reverse("game-summary", args=[campaign.game.pk]))
    assert "USA led from the first phase to the end." in page
    assert "The turning point:" not in page
    first, last = (
        as_().read(reverse("phase", args=[campaign.game.pk, number])) for number in (1, 2)
    )
    assert "Scores as if the game ended here: " in first
    assert "Final scores: " in last
    assert "as if the game ended here" not in last


def test_nations_with_equal_scores_share_a_place() -> None:
    scores = {"USA": 9, "France": 5, "Britain": 5, "Russia": 1}
    assert places(scores, ["France", "Russia", "Austria"]) == [
        "France came equal second with 5 points.",
        "Russia came fourth with 1 point.",
    ]


def test_playing_again_prefills_addresses_for_the_gamesmaster_only(as_: Browser) -> None:
    """A former player gets the settings of the game; only the gamesmaster may see addresses."""
    campaign = Campaign.begin(title="The lights go out")
    again = f"{reverse('game-new')}?again={campaign.game.pk}"
    for_ada, for_gustav = as_("ada").read(again), as_("gustav").read(again)
    assert "The lights go out, again" in for_ada
    assert "felix@" in for_ada
    assert "The lights go out, again" in for_gustav
    assert "felix@" not in for_gustav
    assert as_("charlie").get(again).status_code == 404


def test_scores_below_zero_have_a_minus_sign(as_: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 44: pages had a hyphen, letters a minus sign."""
    campaign = fought()
    rules = campaign.game.rules
    scored = rules.standing

    def lose(_: Any, state: Any) -> Any:
        standing = scored(state)
        return replace(standing, scores=dict.fromkeys(standing.scores, -3))

    monkeypatch.setattr(type(rules), "standing", lose)
    here, number = reverse("game", args=[campaign.game.pk]), campaign.phase.number
    for path in ("", "standing/", "nations/germany/", f"phases/{number - 1}/", "feed.xml"):
        page = re.sub(r"<(script|style|svg).*?</\1>|<[^>]*>", " ", as_().read(f"{here}{path}"))
        assert "−3" in page, path
        assert not re.findall(r"(?<![\w-])-\d+(?![\w-])", page), path
    summary = as_().read(reverse("game-summary", args=[campaign.game.pk]))
    assert "−3</td>" in summary
    assert ">-3<" not in summary
