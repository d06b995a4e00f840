"""Pages of games with hidden information: counters face down (F9), objectives drawn blind (F4)."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from games.records import replay
from tests.support.campaign import NATIONS, Campaign

from .conftest import Browser

pytestmark = [pytest.mark.django_db, pytest.mark.quick]


def face_down() -> Campaign:
    campaign = Campaign.begin(options={"ow2.hidden": "face_down"})
    campaign.order("Germany", "PLACE 8 Poland")
    campaign.order("Russia", "PLACE 2 Poland")
    campaign.order("France", "PLACE 4 Austria")
    campaign.pass_deadline()
    return campaign


def test_history_hides_values_of_counters_face_down(as_: Browser, db: None) -> None:
    campaign = face_down()
    address = reverse("board", args=[campaign.game.pk]) + "?at=1.1"
    pages = {name: as_(name).read(address) for name in (None, "felix", "rosa")}
    for shown in pages.values():
        assert "face down" in shown
        assert "8 PFs" not in shown
        assert "4 PFs" not in shown


def test_attack_report_lists_counters_turned_up(as_: Browser, db: None) -> None:
    campaign = face_down()
    campaign.order("Germany", "ATTACK Poland: Russia STOCK GE")
    phase = campaign.pass_deadline()
    resolution = campaign.resolution(phase)
    for viewer in (None, *NATIONS):
        (moment,) = replay.moments(campaign.game, resolution, viewer)
        assert moment.before.cells["Poland"]["Germany"].pf == 8
        assert moment.before.cells["Poland"]["Russia"].pf == 2
    page = as_().read(reverse("phase", args=[campaign.game.pk, phase.number]))
    assert "PFs in Poland before this attack" in page


def test_drawn_objectives_are_on_the_own_nations_card_only(as_: Browser, db: None) -> None:
    campaign = Campaign.begin(options={"ow2.blind": "yes"})
    campaign.pass_deadline()
    campaign.pass_deadline()
    address = reverse("nation", args=[campaign.game.pk, "germany"])
    own = as_("gustav").read(address)
    assert re.search(r'<table class="list wishes">', own)
    for name in (None, "charlie", "felix", "rosa"):
        other = as_(name).read(address)
        assert "wishes" not in other
        assert "is secret until the game is over" in other
    for name in (None, "gustav"):
        assert "scores are secret until the end" in as_(name).read(
            reverse("standing", args=[campaign.game.pk])
        )


def test_history_has_a_stop_for_the_phase_of_the_draw(as_: Browser, db: None) -> None:
    campaign = Campaign.begin(options={"ow2.blind": "yes"})
    campaign.pass_deadline()
    phase = campaign.game.phases.get(number=1)
    answer = as_().get(reverse("board", args=[campaign.game.pk]) + "?at=1.1")
    assert answer.status_code == 200
    assert "The board did not change" in answer.content.decode()
    assert as_().get(reverse("phase", args=[campaign.game.pk, phase.number])).status_code == 200
