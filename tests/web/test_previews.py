"""Previews of addresses in chat programs: much of public games, nothing of private ones (issue 6,
5)."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from django.urls import reverse
from PIL import Image, ImageSequence
from pytest_django import Settings

from games.boards import images, preview
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


def test_preview_of_a_public_game_has_its_name_state_and_board() -> None:
    campaign = Campaign.begin(title='Peace & "quiet"')
    meta = tags(Visitor().read(campaign.game.get_absolute_url()))
    assert meta["og:title"] == "Peace &amp; &quot;quiet&quot;"
    assert "Orders are due by" in meta["og:description"]
    assert meta["og:url"] == f"http://games.test/games/{campaign.game.pk}/"
    assert meta["twitter:card"] == "summary_large_image"
    picture = Visitor().get(meta["og:image"].removeprefix("http://games.test"))
    assert picture["Content-Type"] == "image/png"
    assert Image.open(io.BytesIO(picture.content)).size == (1200, 630)
    assert (meta["og:image:width"], meta["og:image:height"]) == ("1200", "630")
    assert len(picture.content) < 300_000
    drawn = Image.open(io.BytesIO(picture.content)).convert("RGB")
    colors = {color for _, color in drawn.getcolors(100_000) or ()}
    assert any(blue > red + 60 and blue > green + 30 for red, green, blue in colors), (  # type: ignore[misc]
        "France is blue, and not grey"
    )
    again = Visitor().get(
        meta["og:image"].removeprefix("http://games.test"),
        headers={"If-None-Match": picture["ETag"]},
    )
    assert again.status_code == 304


def test_preview_of_a_phase_has_its_board() -> None:
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 8 Poland")
    phase = campaign.pass_deadline()
    meta = tags(Visitor().read(reverse("phase", args=[campaign.game.pk, phase.number])))
    assert meta["og:title"].startswith(phase.title)
    assert meta["og:description"].endswith("What happened, and the board after it.")
    following = reverse("phase", args=[campaign.game.pk, campaign.phase.number])
    assert "Orders are due by" in tags(Visitor().read(following))["og:description"]
    assert Visitor().get(meta["og:image"].removeprefix("http://games.test")).status_code == 200


@pytest.mark.parametrize("score", ["shown", "hidden"])
def test_preview_picture_has_the_scores_that_everybody_may_see(
    monkeypatch: pytest.MonkeyPatch, score: str
) -> None:
    """Issue 44: beside the board it was half empty."""
    shown: list[str] = []

    def note(board: bytes, title: str, lines: tuple[str, ...], foot: str) -> bytes:
        shown.extend(lines)
        return b""

    monkeypatch.setattr(preview, "png", note)
    campaign = Campaign.begin(options={"ow2.running_score": score})
    campaign.order("Germany", "PLACE 8 Poland")
    campaign.pass_deadline()
    Visitor().get(reverse("preview-picture", args=[campaign.game.pk]))
    assert shown[0] == "Turn 1, attacks."
    scores = "USA 22, France 0, Britain 0, Russia 0, Germany 0"
    assert (scores in shown) == (score == "shown")


def test_preview_picture_is_the_same_for_every_reader() -> None:
    """Networks cache what they have fetched for everybody."""
    campaign = Campaign.begin()
    path = reverse("preview-picture", args=[campaign.game.pk])
    browser = log_in("gustav")
    assert browser.get(path).content == Visitor().get(path).content
    assert "public" in browser.get(path)["Cache-Control"]


@pytest.mark.parametrize("number", ["99", "-1", "x", "²"])
def test_missing_phase_has_no_preview_picture(number: str) -> None:
    campaign = Campaign.begin()
    address = reverse("preview-picture", args=[campaign.game.pk])
    assert Visitor().get(address, {"phase": number}).status_code == 404


def test_preview_of_a_private_game_reveals_nothing() -> None:
    """Design 8: the login page is the same for every game; pages of its own players have no more in
    their preview."""
    campaign = Campaign.begin(title="Behind closed doors", public=False)
    page = campaign.game.get_absolute_url()
    login = Visitor().get(page, follow=True)
    assert "Behind closed doors" not in login.content.decode()
    assert tags(login.content.decode())["og:title"] == "Gamesmaster"
    browser = log_in("gustav")
    own = browser.read(page)
    assert "Behind closed doors" not in " ".join(tags(own).values())
    assert "og:image" not in tags(own)
    assert "feed.xml" not in own.replace('href="/feed.xml"', "")
    for reader in (Visitor(), browser):
        assert reader.get(reverse("preview-picture", args=[campaign.game.pk])).status_code == 404


def test_front_page_preview_describes_the_service() -> None:
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


def test_animation_has_the_boards_of_all_phases_in_the_colors_of_the_nations() -> None:
    """Chosen by frequency, the colors of small counters were gray; the file was four times as
    large."""
    campaign = Campaign.begin()
    campaign.order("USA", "PLACE 2 Poland")
    for _ in range(3):
        campaign.pass_deadline()
    answer = Visitor().get(reverse("replay-picture", args=[campaign.game.pk]))
    assert answer["Content-Type"] == "image/gif"
    assert len(answer.content) < 60_000 * 3
    frames = ImageSequence.all_frames(
        Image.open(io.BytesIO(answer.content)), lambda frame: frame.convert("RGB")
    )
    assert len(frames) == 3
    for frame in frames:
        colors = {color for _, color in frame.getcolors(100_000) or ()}
        assert any(green > red + 60 and green > blue + 20 for red, green, blue in colors), (  # type: ignore[misc]
            "the USA is green"
        )
