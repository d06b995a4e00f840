"""A nation's card and the standings: objectives, deadline, history; hidden information stays
hidden."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from games.turns import rulings
from tests.support.campaign import Campaign, person
from tests.support.staging import played

from .conftest import Browser

pytestmark = pytest.mark.django_db


def card(as_: Browser, campaign: Campaign, slug: str = "germany", name: str | None = None) -> str:
    answer = as_(name).get(reverse("nation", args=[campaign.game.pk, slug]))
    assert answer.status_code == 200
    return answer.content.decode()


def standings(as_: Browser, campaign: Campaign, name: str | None = None) -> str:
    answer = as_(name).get(reverse("standing", args=[campaign.game.pk]))
    assert answer.status_code == 200
    return answer.content.decode()


def test_pages_before_the_first_result_say_so(as_: Browser, campaign: Campaign) -> None:
    assert "No results yet" in card(as_, campaign)
    assert "None yet." in card(as_, campaign)
    assert "No results yet" in standings(as_, campaign)


def test_reached_objectives_add_up_to_the_score(as_: Browser, campaign: Campaign) -> None:
    """Rules F13, as if the game ended here."""
    campaign.order("Germany", "PLACE 5 Austria")
    campaign.pass_deadline()
    campaign.order("Germany", "CONTROL Austria")
    campaign.pass_deadline()
    shown = card(as_, campaign)
    austria = next(row for row in shown.split("<tr")[1:] if "Austria</th>" in row)
    assert "yes" in austria
    assert "CONTROL" in austria
    score = campaign.resolution().scores["Germany"]
    assert re.search(
        rf'<span class="points">{score}</span> points as if the game ended here', shown
    )
    assert f'<td class="figure">{score}</td>' in shown.split("Score by phase")[1]


def test_present_turn_is_marked_in_the_allocation(as_: Browser, campaign: Campaign) -> None:
    assert re.search(r'class="on">1<span class="now">now</span>', card(as_, campaign))
    played(campaign)
    played(campaign)
    assert re.search(r'class="on">2<span class="now">now</span>', card(as_, campaign))


def test_nation_page_lists_attacks_by_and_on_the_nation(as_: Browser, campaign: Campaign) -> None:
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("Russia", "PLACE 3 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: Russia STOCK GE")
    phase = campaign.pass_deadline()
    for slug in ("germany", "russia"):
        shown = card(as_, campaign, slug)
        assert "Germany attacks Russia in Poland" in shown
        assert reverse("phase", args=[campaign.game.pk, phase.number]) + "#attack-1" in shown
    assert "Germany attacks" not in card(as_, campaign, "france")


def test_ruled_points_are_marked(as_: Browser, campaign: Campaign) -> None:
    phase = campaign.pass_deadline()
    what, why = {"nation": "Germany", "points": 2}, "Agreed on at the table."
    rulings.rule(phase, "points", what, why, campaign.ada, campaign.now)
    assert "+2 of them by rulings" in card(as_, campaign)


def test_hidden_scores_are_on_no_page_before_the_end(as_: Browser, db: None) -> None:
    """Rules C, ow2.running_score = hidden; from `view` only."""
    campaign = Campaign.begin(options={"ow2.running_score": "hidden"})
    played(campaign)
    played(campaign)
    for name in (None, "gustav", "ada"):
        shown = card(as_, campaign, name=name)
        assert "scores are secret until the end" in shown
        assert "Reached</th>" not in shown
        assert 'class="points"' not in shown
        shown_standings = standings(as_, campaign, name)
        assert "scores are secret until the end" in shown_standings
        assert "<svg" not in shown_standings
        assert 'class="points"' not in shown_standings


def test_score_chart_has_a_table_and_does_not_rely_on_color(
    as_: Browser, campaign: Campaign
) -> None:
    for _ in range(4):
        played(campaign)
    shown = standings(as_, campaign)
    assert len(re.findall(r"<polyline points=\"\d", shown)) == 10, "five lines, and five in the key"
    dashes = re.findall(r'<g class="run n\d">.*?<polyline points="[^"]*"([^/]*)/>', shown)
    assert len(set(dashes)) == 5
    shapes = re.findall(r'<path class="mark" d="([^"]*)" transform="translate\(\d+\.', shown)
    assert len(set(shapes)) == 5
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", shown, re.S)
    assert len(rows) == 4
    newest = campaign.resolution()
    figures = [int(figure) for figure in re.findall(r'<td class="figure">(-?\d+)', rows[0])]
    assert figures == [newest.scores[nation] for nation in campaign.game.card["order"]]


def test_nation_page_shows_no_address_or_orders(as_: Browser, campaign: Campaign) -> None:
    gustav = person("gustav")
    gustav.name = ""
    gustav.save()
    campaign.order("Germany", "PLACE 3 Rumania")
    for name in (None, "felix", "ada", "gustav"):
        shown = card(as_, campaign, name=name).split("<main")[1]
        assert "gustav@" not in shown
        assert "PLACE 3 Rumania" not in shown


def test_nation_page_needs_permission_and_an_existing_nation(
    as_: Browser, campaign: Campaign, private: Campaign
) -> None:
    for address in (
        reverse("nation", args=[private.game.pk, "germany"]),
        reverse("standing", args=[private.game.pk]),
    ):
        assert as_().get(address).status_code == 302
        assert as_("charlie").get(address).status_code == 404
        assert as_("felix").get(address).status_code == 200
        assert as_("ada").post(address).status_code == 405
    assert as_().get(reverse("nation", args=[campaign.game.pk, "atlantis"])).status_code == 404
