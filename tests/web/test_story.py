"""A phase attack by attack: map, forces, the row and cell of the table, losses, what is left."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from games.boards.inks import THEMES
from games.models import Phase
from games.records import replay
from games.turns import rulings
from tests.support.campaign import Campaign

from .conftest import Browser

pytestmark = pytest.mark.django_db


def fought(campaign: Campaign) -> Phase:
    """Fight two attacks by Germany in the first turn, the second of them void; return the phase."""
    campaign.order("Germany", "PLACE 8 Poland\nPLACE 1 Austria")
    campaign.order("Russia", "PLACE 2 Poland")
    campaign.order("France", "PLACE 3 Austria\nPLACE 1 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: Russia STOCK GE\nATTACK Austria: France STOCK XOM")
    return campaign.pass_deadline()


def test_story_shows_each_area_before_and_after_an_attack(as_: Browser, campaign: Campaign) -> None:
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


def test_void_attack_has_a_reason_but_no_table_row(as_: Browser, campaign: Campaign) -> None:
    phase = fought(campaign)
    page = as_().read(reverse("phase", args=[campaign.game.pk, phase.number]))
    second = page.split('id="attack-2"')[1].split("</li>")[0]
    assert "is void" in second
    assert "of the table" not in second
    assert "PFs in Austria" in second


def test_map_of_an_attack_shows_the_area_before_it(as_: Browser, campaign: Campaign) -> None:
    phase = fought(campaign)
    picture = reverse("board-svg", args=[campaign.game.pk, phase.number])
    answer = as_().get(picture + "?version=1&fight=1")
    assert answer.status_code == 200
    drawn = answer.content.decode()
    assert drawn.startswith("<svg")
    assert "Poland: France has 1 PF. Russia has 2 PFs. Germany has 8 PFs." in drawn
    whole = as_().read(picture + "?version=1")
    assert len(drawn) < len(whole)
    # The star and its orange only mark changes (review player S7).
    assert THEMES["light"].mark in whole
    assert THEMES["light"].mark not in drawn
    there = drawn.rpartition('<g class="pieces"')[2]
    pale = "".join(re.findall(r'<g opacity=".4">.*?</g>', there))
    assert [name for name in ("GE", "FR", "RU") if f">{name}<" in there] == ["GE", "FR", "RU"]
    assert [name for name in ("GE", "FR", "RU") if f">{name}<" in pale] == ["FR"]
    assert "pieces that took no part are pale" in as_().read(
        reverse("phase", args=[campaign.game.pk, phase.number])
    )
    for bad_query in (
        "?version=1&fight=3",
        "?version=1&fight=0",
        "?version=1&fight=x",
        "?version=1&fight=²",
        "?version=3",
    ):
        assert as_().get(picture + bad_query).status_code == 404, bad_query


def test_attack_map_needs_permission_to_see_the_game(as_: Browser, private: Campaign) -> None:
    phase = fought(private)
    picture = reverse("board-svg", args=[private.game.pk, phase.number]) + "?version=1&fight=1"
    assert as_().get(picture).status_code == 302
    assert as_("charlie").get(picture).status_code == 404
    assert as_("gustav").get(picture).status_code == 200


def test_every_attack_begins_with_the_board_left_by_the_one_before(campaign: Campaign) -> None:
    """Rules C.2, K1 and K10."""
    resolution = campaign.resolution(fought(campaign))
    moments = replay.moments(campaign.game, resolution, None)
    assert len(moments) == 2
    assert moments[0].after == moments[1].before
    assert moments[1].after == moments[1].before, "a void attack costs nothing"


def test_ruling_on_the_position_does_not_change_the_story(campaign: Campaign) -> None:
    """The ruling comes after the attacks, so the boards before them stay."""
    phase = fought(campaign)
    before = replay.moments(campaign.game, campaign.resolution(phase), None)
    cells = {"Rumania": {"Russia": {"pf": 3, "understanding": False, "control": False}}}
    rulings.rule(
        phase, "position", {"cells": cells}, "Agreed on by all.", campaign.ada, campaign.now
    )
    assert replay.moments(campaign.game, campaign.resolution(phase), None) == before


def test_story_has_no_boards_if_events_do_not_lead_to_the_result(
    as_: Browser, campaign: Campaign
) -> None:
    """No event tells the value of counters face down, so only the figures of attacks are shown."""
    phase = fought(campaign)
    resolution = campaign.resolution(phase)
    events = [
        {**event, "losses": {"Germany": 1}} if event["kind"] == "attack" else event
        for event in resolution.events
    ]
    resolution.events = events
    assert replay.moments(campaign.game, resolution, None) == []


def test_placement_phase_has_no_story(as_: Browser, campaign: Campaign) -> None:
    campaign.order("Germany", "PLACE 4 Poland")
    phase = campaign.pass_deadline()
    page = as_().read(reverse("phase", args=[campaign.game.pk, phase.number]))
    assert 'class="fights' not in page
    assert "The board before them" not in page


def test_report_names_no_rule_by_its_code_and_leads_to_the_rules_page(
    as_: Browser, campaign: Campaign
) -> None:
    """Issue 24: “rule C P3” says nothing to a reader, and the letter leaves it out too."""
    phase = fought(campaign)
    for number in (1, phase.number):
        page = as_().read(reverse("phase", args=[campaign.game.pk, number]))
        assert "<cite>" not in page
        for event in campaign.resolution(campaign.game.phases.get(number=number)).events:
            assert f">{event['rule']}<" not in page
    there = reverse("rules-of", args=[campaign.game.ruleset_id])
    assert f'href="{there}#attacking">How an attack is decided' in page
    assert 'id="attacking"' in as_().read(there)
