"""The board through time: every phase and version, with changes marked, for those who may see the
game."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from games.models import Resolution
from games.turns import rulings
from tests.support.campaign import Campaign
from tests.support.staging import played

from .conftest import Browser

pytestmark = pytest.mark.django_db


def address(campaign: Campaign, asked: str = "") -> str:
    return reverse("board", args=[campaign.game.pk]) + asked


def shown(as_: Browser, campaign: Campaign, asked: str = "", name: str | None = None) -> str:
    answer = as_(name).get(address(campaign, asked))
    assert answer.status_code == 200
    return answer.content.decode()


def three_phases(campaign: Campaign) -> None:
    for _ in range(3):
        played(campaign)


def test_history_has_a_stop_for_every_phase_and_begins_with_the_newest(
    as_: Browser, campaign: Campaign
) -> None:
    three_phases(campaign)
    page = shown(as_, campaign)
    assert re.findall(r"data-at=\"([\d.]+)\"", page) == ["1.0", "1.1", "2.1", "3.1"]
    assert '<h2 id="here">Turn 2, placement</h2>' in page
    for there in ('max="3"', 'value="3"', 'rel="prev"'):
        assert there in page
    assert 'rel="next"' not in page


def test_history_stop_shows_its_board_and_changes(as_: Browser, campaign: Campaign) -> None:
    campaign.order("Germany", "PLACE 4 Poland")
    campaign.pass_deadline()
    first = shown(as_, campaign, "?at=1.1")
    assert "<strong>Poland</strong>, Germany: 4 PFs" in first
    assert "board.svg?version=1" in first
    start = shown(as_, campaign, "?at=1.0")
    assert "The board as the game begins" in start
    assert "board.svg?version=0" in start
    assert "4 PFs" not in start


def test_slider_and_links_show_the_same_boards(as_: Browser, campaign: Campaign) -> None:
    """Without a script the slider is a form; with one only the board is fetched."""
    three_phases(campaign)
    by_place = shown(as_, campaign, "?place=2")
    assert '<h2 id="here">Turn 1, attacks</h2>' in by_place
    part = shown(as_, campaign, "?place=2&part=1")
    assert '<h2 id="here">Turn 1, attacks</h2>' in part
    assert "<html" not in part


def test_history_shows_both_versions_of_a_ruled_result(as_: Browser, campaign: Campaign) -> None:
    campaign.order("Germany", "PLACE 4 Poland")
    phase = campaign.pass_deadline()
    cells = {"Poland": {"Germany": {"pf": 6, "understanding": False, "control": False}}}
    rulings.rule(
        phase, "position", {"cells": cells}, "Two were forgotten.", campaign.ada, campaign.now
    )
    assert Resolution.objects.filter(phase=phase).count() == 2
    page = shown(as_, campaign)
    assert '<h2 id="here">Turn 1, placement, version 2</h2>' in page
    assert "Different from version 1" in page
    assert "Poland, Germany: 6, not 4" in page
    assert "There is a newer version" in shown(as_, campaign, "?at=1.1")


def test_history_keeps_phases_undone_by_a_rollback(as_: Browser, campaign: Campaign) -> None:
    campaign.order("Germany", "PLACE 4 Poland")
    phase = campaign.pass_deadline()
    rulings.rule(phase, "rollback", {}, "The wrong sheet was used.", campaign.ada, campaign.now)
    page = shown(as_, campaign, "?at=1.1")
    assert "Undone by a ruling" in page
    assert "4 PFs" in page


def test_forming_game_has_no_board(as_: Browser, db: None) -> None:
    campaign = Campaign.open()
    assert "there is no board yet" in shown(as_, campaign)


def test_history_needs_permission_and_an_existing_board(
    as_: Browser, campaign: Campaign, private: Campaign
) -> None:
    assert as_().get(address(private)).status_code == 302
    assert as_("charlie").get(address(private)).status_code == 404
    assert as_("gustav").get(address(private)).status_code == 200
    assert as_("gustav").post(address(campaign)).status_code == 405
    for wrong_query in ("?at=9.9", "?at=nonsense", "?place=99", "?place=-1", "?place=²"):
        assert as_().get(address(campaign, wrong_query)).status_code == 404, wrong_query


def test_pictures_of_private_games_need_permission(as_: Browser, private: Campaign) -> None:
    private.order("Germany", "PLACE 4 Poland")
    private.pass_deadline()
    picture = reverse("board-svg", args=[private.game.pk, 1]) + "?version=0"
    assert as_("charlie").get(picture).status_code == 404
    answer = as_("felix").get(picture)
    assert answer.status_code == 200
    assert "private" in answer["Cache-Control"]
