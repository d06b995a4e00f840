"""What chat programs show of an address: much of public games, nothing of private (issue 6, 5)."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from django.urls import reverse
from PIL import Image
from pytest_django import Settings

from games.boards import images
from games.models import Game
from tests.support.browsing import Visitor, log_in
from tests.support.campaign import Campaign

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_drawn_yet(settings: Settings, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path
    images._LATEST.clear()


def tags(html: str) -> dict[str, str]:
    return dict(
        re.findall(r'<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)"', html)
    )


def test_a_public_game_shows_its_name_its_state_and_its_board() -> None:
    campaign = Campaign.begin(title='Peace & "quiet"')
    found = tags(Visitor().read(campaign.game.get_absolute_url()))
    assert found["og:title"] == "Peace &amp; &quot;quiet&quot;"
    assert "Orders are due by" in found["og:description"]
    assert found["og:url"] == f"http://games.test/games/{campaign.game.pk}/"
    assert found["twitter:card"] == "summary_large_image"
    picture = Visitor().get(found["og:image"].removeprefix("http://games.test"))
    assert picture["Content-Type"] == "image/png"
    assert Image.open(io.BytesIO(picture.content)).size == (1200, 630)
    assert (found["og:image:width"], found["og:image:height"]) == ("1200", "630")
    assert len(picture.content) < 300_000
    drawn = Image.open(io.BytesIO(picture.content)).convert("RGB")
    colours = {colour for _, colour in drawn.getcolors(100_000) or ()}
    assert any(blue > red + 60 and blue > green + 30 for red, green, blue in colours), (  # type: ignore[misc]
        "France is blue, and not grey"
    )
    again = Visitor().get(
        found["og:image"].removeprefix("http://games.test"),
        headers={"If-None-Match": picture["ETag"]},
    )
    assert again.status_code == 304


def test_the_page_of_a_phase_shows_the_board_that_it_left() -> None:
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 8 Poland")
    phase = campaign.pass_deadline()
    found = tags(Visitor().read(reverse("phase", args=[campaign.game.pk, phase.number])))
    assert found["og:title"].startswith(phase.title)
    assert Visitor().get(found["og:image"].removeprefix("http://games.test")).status_code == 200


def test_the_picture_is_the_publics_whoever_asks() -> None:
    """A network keeps what it has fetched for everybody."""
    campaign = Campaign.begin()
    path = reverse("preview-picture", args=[campaign.game.pk])
    browser = log_in("gustav")
    assert browser.get(path).content == Visitor().get(path).content
    assert "public" in browser.get(path)["Cache-Control"]


@pytest.mark.parametrize("number", ["99", "-1", "x", "²"])
def test_a_phase_that_is_not_there_has_no_picture(number: str) -> None:
    campaign = Campaign.begin()
    address = reverse("preview-picture", args=[campaign.game.pk])
    assert Visitor().get(address, {"phase": number}).status_code == 404


def test_of_a_private_game_nobody_is_shown_anything() -> None:
    """Design 8: the login page says the same for every game; its own players' pages say no more."""
    campaign = Campaign.begin(title="Behind closed doors", public=False)
    page = campaign.game.get_absolute_url()
    led = Visitor().get(page, follow=True)
    assert "Behind closed doors" not in led.content.decode()
    assert tags(led.content.decode())["og:title"] == "Gamesmaster"
    browser = log_in("gustav")
    own = browser.read(page)
    assert "Behind closed doors" not in " ".join(tags(own).values())
    assert "og:image" not in tags(own)
    assert "feed.xml" not in own.replace('href="/feed.xml"', "")
    for somebody in (Visitor(), browser):
        assert somebody.get(reverse("preview-picture", args=[campaign.game.pk])).status_code == 404


def test_the_front_page_says_what_this_is() -> None:
    assert "games by mail" in tags(Visitor().read("/"))["og:description"]


def test_every_state_of_a_game_has_a_sentence_and_a_picture() -> None:
    campaign = Campaign.begin()
    campaign.pass_deadline()
    for status in Game.Status.values:
        Game.objects.filter(pk=campaign.game.pk).update(status=status)
        assert tags(Visitor().read(campaign.game.get_absolute_url()))["og:description"], status
        assert (
            Visitor().get(reverse("preview-picture", args=[campaign.game.pk])).status_code == 200
        ), status
