"""A report played back, a moving picture of a game, a board on another page (issue 24, 4)."""

from __future__ import annotations

import io
import re

import pytest
from django.urls import reverse
from PIL import Image
from playwright.sync_api import expect

from tests.support.browser import OpenPage
from tests.support.campaign import Campaign
from tests.support.staging import played

from .conftest import Browser
from .test_story import fought

pytestmark = pytest.mark.django_db


def test_replay_picture_has_a_frame_for_each_board(as_: Browser) -> None:
    campaign = Campaign.begin()
    address = reverse("replay-picture", args=[campaign.game.pk])
    assert as_().get(address).status_code == 404
    for _ in range(2):
        played(campaign)
    answer = as_().get(address)
    with Image.open(io.BytesIO(answer.content)) as picture:
        assert (picture.format, getattr(picture, "n_frames", 1)) == ("GIF", 2)


def test_only_public_games_can_be_shared(as_: Browser, private: Campaign) -> None:
    played(private)
    for name in ("replay-picture", "board-embedded"):
        address = reverse(name, args=[private.game.pk])
        assert [as_(who).get(address).status_code for who in (None, "gustav")] == [404, 404]


def test_only_the_embedded_board_may_be_in_a_frame(as_: Browser, campaign: Campaign) -> None:
    embedded = as_().get(reverse("board-embedded", args=[campaign.game.pk]))
    assert "frame-ancestors *" in embedded.headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in embedded.headers
    game = as_().get(campaign.game.get_absolute_url())
    assert game.headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in game.headers["Content-Security-Policy"]


def test_map_of_an_attack_shows_the_area_after_it(as_: Browser, campaign: Campaign) -> None:
    phase = fought(campaign)
    event = next(event for event in campaign.resolution(phase).events if event["kind"] == "attack")
    at = reverse("board-svg", args=[campaign.game.pk, phase.number]) + "?version=1&fight=1"
    before, after = as_().read(at), as_().read(f"{at}&after=1")
    assert (before != after) == bool(event["losses"])


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_report_can_be_played_and_skipped(open_page: OpenPage, motion: str) -> None:
    campaign = Campaign.begin()
    phase = fought(campaign)
    event = next(event for event in campaign.resolution(phase).events if event["kind"] == "attack")
    page = open_page(reverse("phase", args=[campaign.game.pk, phase.number]))
    page.emulate_media(reduced_motion="reduce" if motion == "reduce" else "no-preference")
    page.get_by_role("button", name="Play the report").click()
    stage = page.locator("dialog.show")
    expect(stage.locator(".show-odds")).to_contain_text("8 to 2")
    if motion == "reduce":
        expect(stage.locator(".show-digit")).to_have_text(str(event["digit"]), timeout=500)
    before, after = stage.locator(".show-map picture").all()
    assert before.bounding_box() == after.bounding_box(), "what is left lies on what was there"
    expect(stage.locator(".one-row.lit mark")).to_be_visible()
    expect(stage.locator(".show-digit")).to_have_text(str(event["digit"]))
    stage.get_by_role("button", name="Next").click()
    expect(stage.locator(".quiet").last).to_be_visible()
    stage.get_by_role("button", name="Skip").click()
    expect(stage).to_be_hidden()


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_void_attack_is_explained_at_once(open_page: OpenPage) -> None:
    """For four seconds there was only its map."""
    campaign = Campaign.begin()
    phase = fought(campaign)
    page = open_page("/rules/")
    page.clock.install(time=0)
    page.goto(reverse("phase", args=[campaign.game.pk, phase.number]))
    page.clock.pause_at(3_600_000)
    page.get_by_role("button", name="Play the report").click()
    page.get_by_role("button", name="Next").click()
    page.clock.run_for(100)
    expect(page.locator("dialog.show .show-result")).to_contain_text("is void")


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_game_is_replayed_to_its_newest_board(open_page: OpenPage) -> None:
    campaign = Campaign.begin()
    played(campaign)
    page = open_page(reverse("board", args=[campaign.game.pk]))
    page.get_by_role("button", name="Play").click()
    expect(page.locator("#here")).to_have_text("The board as the game begins")
    expect(page.locator("#here")).to_have_text("Turn 1, placement")
    expect(page).to_have_url(re.compile(r"\?at=1\.1$"))
    expect(page.get_by_role("button", name="Play")).to_be_visible()
