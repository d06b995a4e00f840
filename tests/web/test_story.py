"""A phase attack by attack: map, forces, the row and cell of the table, losses, what is left."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from games.models import Phase
from games.records import replay
from games.turns import rulings
from tests.support.campaign import Campaign

from .conftest import Browser

pytestmark = pytest.mark.django_db


def fought(campaign: Campaign) -> Phase:
    """Two attacks of Germany in the first turn; the second one is void."""
    campaign.order("Germany", "PLACE 8 Poland\nPLACE 1 Austria")
    campaign.order("Russia", "PLACE 2 Poland")
    campaign.order("France", "PLACE 3 Austria\nPLACE 1 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: Russia STOCK GE\nATTACK Austria: France STOCK XOM")
    return campaign.pass_deadline()


def test_each_attack_shows_what_stood_there_before_and_after(
    as_: Browser, campaign: Campaign
) -> None:
    phase = fought(campaign)
    event = next(event for event in campaign.resolution(phase).events if event["kind"] == "attack")
    page = as_().read(reverse("phase", args=[campaign.game.pk, phase.number]))
    first = page.split('id="attack-1"')[1].split('id="attack-2"')[0]
    assert "PFs in Poland before this attack and after it" in first
    assert '<span class="unseen">8 PFs</span>' in first
    assert '<span class="unseen">2 PFs</span>' in first
    assert "France" in first, "who looks on is told too"
    assert f"<caption>Row {event['digit']} of the table</caption>" in first
    assert len(re.findall("<mark>", first)) == 1
    for nation, lost in event["losses"].items():
        assert re.search(rf"{nation}.*?<td>{lost}</td>", first, re.S)


def test_a_void_attack_has_its_reason_and_no_row(as_: Browser, campaign: Campaign) -> None:
    phase = fought(campaign)
    page = as_().read(reverse("phase", args=[campaign.game.pk, phase.number]))
    second = page.split('id="attack-2"')[1].split("</li>")[0]
    assert "is void" in second
    assert "of the table" not in second
    assert "PFs in Austria" in second


def test_the_map_of_an_attack_shows_its_area_before_it(as_: Browser, campaign: Campaign) -> None:
    phase = fought(campaign)
    picture = reverse("board-svg", args=[campaign.game.pk, phase.number])
    answer = as_().get(picture + "?version=1&fight=1")
    assert answer.status_code == 200
    drawn = answer.content.decode()
    assert drawn.startswith("<svg")
    assert "Poland: France has 1 PF. Russia has 2 PFs. Germany has 8 PFs." in drawn
    whole = as_().read(picture + "?version=1")
    assert len(drawn) < len(whole)
    for asked in (
        "?version=1&fight=3",
        "?version=1&fight=0",
        "?version=1&fight=x",
        "?version=1&fight=²",
        "?version=3",
    ):
        assert as_().get(picture + asked).status_code == 404, asked


def test_the_map_of_an_attack_is_for_those_who_see_the_game(
    as_: Browser, private: Campaign
) -> None:
    phase = fought(private)
    picture = reverse("board-svg", args=[private.game.pk, phase.number]) + "?version=1&fight=1"
    assert as_().get(picture).status_code == 302
    assert as_("charlie").get(picture).status_code == 404
    assert as_("gustav").get(picture).status_code == 200


def test_every_moment_begins_where_the_one_before_has_ended(campaign: Campaign) -> None:
    """Rules C.2, K1 and K10: each attack is judged on the board that the last one left."""
    resolution = campaign.resolution(fought(campaign))
    moments = replay.moments(campaign.game, resolution, None)
    assert len(moments) == 2
    assert moments[0].after == moments[1].before
    assert moments[1].after == moments[1].before, "a void attack costs nothing"


def test_a_ruling_on_the_position_leaves_the_story_as_it_was_fought(campaign: Campaign) -> None:
    """The ruling comes after the attacks; what stood before each of them it does not touch."""
    phase = fought(campaign)
    before = replay.moments(campaign.game, campaign.resolution(phase), None)
    cells = {"Rumania": {"Russia": {"pf": 3, "understanding": False, "control": False}}}
    rulings.rule(
        phase, "position", {"cells": cells}, "Agreed on by all.", campaign.ada, campaign.now
    )
    assert replay.moments(campaign.game, campaign.resolution(phase), None) == before


def test_where_the_events_do_not_lead_to_the_board_no_board_between_is_shown(
    as_: Browser, campaign: Campaign
) -> None:
    """No event tells the value of counters face down: only the attack's figures show."""
    phase = fought(campaign)
    resolution = campaign.resolution(phase)
    events = [
        {**event, "losses": {"Germany": 1}} if event["kind"] == "attack" else event
        for event in resolution.events
    ]
    resolution.events = events
    assert replay.moments(campaign.game, resolution, None) == []


def test_a_phase_of_placements_has_no_attacks_to_tell(as_: Browser, campaign: Campaign) -> None:
    campaign.order("Germany", "PLACE 4 Poland")
    phase = campaign.pass_deadline()
    page = as_().read(reverse("phase", args=[campaign.game.pk, phase.number]))
    assert 'class="fights' not in page
    assert "The board before them" not in page
