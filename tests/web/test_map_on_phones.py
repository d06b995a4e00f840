"""The map on a phone: whole where it is looked at, at the reader's home where it is pointed at.

Issue 24: it used to start at its middle, with both sides cut off and nothing that said so.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any
from xml.etree import ElementTree

import pytest
from django.urls import reverse
from playwright.sync_api import Browser as ChromiumBrowser
from playwright.sync_api import Page, expect

from games.base import clock
from games.boards import board_svg, distance_from_west
from games.rules import cards
from tests.boards.boards import CARD, GAME, LATE
from tests.support.browser import OpenPage, new_page
from tests.support.campaign import PLAYERS, Campaign
from tests.support.pictures import AT
from tests.support.stored import stored
from tests.ww2_multiplayer import staging as refereed

from .conftest import Browser, Watch


@pytest.mark.parametrize(
    ("game", "card", "west", "east"),
    [
        ("origins-ww2", "historical", "USA", "Russia"),
        ("origins-ww1", "standard", "Africa", "Far East"),
    ],
)
def test_areas_are_found_from_west_to_east(game: str, card: str, west: str, east: str) -> None:
    areas = tuple(cards.load(game, card)["areas"])
    left, right = (distance_from_west(game, areas, area) for area in (west, east))
    assert left is not None
    assert right is not None
    assert 0 < left < 0.4 < 0.6 < right < 1
    assert distance_from_west(game, areas, "Atlantis") is None
    assert distance_from_west("no-such-game", areas, west) is None


def test_board_for_phones_has_larger_names_and_the_same_areas() -> None:
    usual, large = (
        ElementTree.fromstring(board_svg(GAME, CARD, LATE, phones=phones))
        for phones in (False, True)
    )
    shown = [
        {element.get("data-area") for element in drawn.iter() if element.get("data-area")}
        for drawn in (usual, large)
    ]
    assert shown[0] == shown[1] != set()
    assert ElementTree.tostring(usual) != ElementTree.tostring(large)


@pytest.mark.django_db
def test_picture_for_phones_needs_permission_to_see_the_game(
    as_: Browser, campaign: Campaign, private: Campaign
) -> None:
    address = reverse("board-svg", args=[campaign.game.pk, 1])
    usual, large = (as_().get(address + end).content for end in ("", "?phone=1"))
    assert usual != large
    hidden = reverse("board-svg", args=[private.game.pk, 1])
    assert as_("charlie").get(f"{hidden}?phone=1").status_code == 404


def _overflows(page: Page) -> bool:
    return bool(
        page.locator(".map .scroll").first.evaluate("box => box.scrollWidth > box.clientWidth")
    )


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("dark", [False, True])
def test_whole_map_is_seen_on_a_phone(open_page: OpenPage, watch: Watch, dark: bool) -> None:
    watch.pass_by(minutes=1)
    campaign = Campaign.begin()
    game = campaign.game
    paths = game.get_absolute_url(), reverse("board", args=[game.pk])
    page, desk = (open_page(paths[0], width, dark=dark) for width in (390, 1440))
    for path in paths:
        page.goto(path)
        image = page.locator(".map img").first
        expect(image).to_have_js_property("complete", True)
        source = image.evaluate("one => one.currentSrc")
        assert "phone=1" in source
        assert ("theme=dark" in source) == dark
        assert not _overflows(page)
        desk.goto(path)
        wide = desk.locator(".map img").first
        assert "phone=1" not in wide.evaluate("one => one.currentSrc")


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("nation", "more"), [("USA", "right"), ("Germany", "both"), ("Russia", "left")]
)
def test_order_page_on_a_phone_starts_at_home_and_shows_where_there_is_more(
    open_page: OpenPage, watch: Watch, nation: str, more: str
) -> None:
    watch.pass_by(minutes=1)
    campaign = Campaign.begin()
    path = reverse("orders", args=[campaign.game.pk, campaign.seat(nation).pk])
    page = open_page(path, 390, who=PLAYERS[nation])
    assert _overflows(page)
    home = page.locator(f'.hits a[data-area="{nation}"]').bounding_box()
    assert home is not None
    assert 0 < home["x"] + home["width"] / 2 < 390
    pan = page.locator(".pan")
    shown = {
        side: pan.evaluate(f"one => getComputedStyle(one, '::{side}').display")
        for side in ("before", "after")
    }
    assert (shown["before"] == "grid") == (more in ("left", "both"))
    assert (shown["after"] == "grid") == (more in ("right", "both"))


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_order_page_on_a_phone_shows_without_javascript_that_the_map_goes_on(
    open_page: OpenPage, watch: Watch
) -> None:
    watch.pass_by(minutes=1)
    campaign = Campaign.begin()
    path = reverse("orders", args=[campaign.game.pk, campaign.seat("Germany").pk])
    page = open_page(path, 390, who=PLAYERS["Germany"], script=False)
    after = page.locator(".pan").evaluate("one => getComputedStyle(one, '::after').display")
    assert after == "grid"


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_slider_marks_where_the_next_map_goes_on(
    chromium: ChromiumBrowser, live_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A map that the slider put in had no arrow on its left, and always one on its right."""
    war = stored("a war on the table", lambda: refereed.on_the_table(AT))
    monkeypatch.setattr(clock, "now", lambda: AT + timedelta(minutes=1))
    with new_page(chromium, live_server.url, 390) as page:
        page.goto(reverse("board", args=[war.game.pk]))
        last = page.locator("#here").inner_text()
        page.locator(".scroll").first.evaluate("box => { box.scrollLeft = 10000 }")
        expect(page.locator(".pan")).to_have_attribute("data-more", re.compile("^left *$"))
        page.locator("#stop a[rel=prev]").click()
        expect(page.locator("#here")).not_to_have_text(last)
        expect(page.locator(".pan")).to_have_attribute("data-more", re.compile("^left *$"))
