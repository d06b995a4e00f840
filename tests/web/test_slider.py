"""The slider in a browser: by mouse, keys, links, without JavaScript (issue 6, Must show)."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.support.browser import OpenPage
from tests.support.campaign import Campaign
from tests.support.staging import played

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def board() -> str:
    """Return the address of the board of a game after three phases."""
    campaign = Campaign.begin()
    for _ in range(3):
        played(campaign)
    return reverse("board", args=[campaign.game.pk])


def test_slider_moves_through_the_game(board: str, open_page: OpenPage) -> None:
    page = open_page(board)
    _by_hand(page)
    page.goto(f"{board}?at=1.1")
    _by_key(page)
    page.goto(board)
    _by_links(page)
    _without_script(open_page(board, 390, script=False))


def _by_hand(page: Page) -> None:
    page.evaluate("window.same = true")
    expect(page.locator(".slider button:not(.play)")).to_be_hidden()
    page.locator("#place").fill("1")
    expect(page.locator("#here")).to_have_text("Turn 1, placement")
    assert page.evaluate("window.same"), "the page was loaded anew"
    shown = page.locator("#stop .map img").evaluate("image => image.currentSrc")
    assert "phases/1/board.svg?version=1" in shown
    expect(page.locator("#place")).to_have_attribute("aria-valuetext", "Turn 1, placement")
    expect(page.locator("#said")).to_have_text("Turn 1, placement")
    expect(page).to_have_url(re.compile(r"\?at=1\.1$"))
    expect(page.locator(".stops [aria-current]")).to_have_text("Turn 1, placement")


def _by_key(page: Page) -> None:
    page.locator("#place").press("ArrowRight")
    expect(page.locator("#here")).to_have_text("Turn 1, attacks")
    expect(page.locator("#place")).to_be_focused()


def _by_links(page: Page) -> None:
    back, table = page.locator("#stop a[rel=prev]"), page.locator("#stop details.as-table")
    page.evaluate("window.same = true")
    table.locator("summary").click()
    back.click()
    expect(page.locator("#here")).to_have_text("Turn 1, attacks")
    expect(back).to_be_focused()
    assert page.evaluate("window.same"), "the page was loaded anew"
    expect(page.locator("#place")).to_have_value("2")
    expect(table).to_have_attribute("open", "")  # the table stays open
    back.click()
    expect(page.locator("#here")).to_have_text("Turn 1, placement")
    back.click()
    expect(page.locator("#here")).to_have_text("The board as the game begins")
    # no earlier board exists: focus moves to the slider
    expect(page.locator("#place")).to_be_focused()


def _without_script(page: Page) -> None:
    """The button sends the form, and the links lead to pages."""
    page.locator("#place").fill("2")
    page.locator(".slider button").click()
    expect(page.locator("#here")).to_have_text("Turn 1, attacks")
    expect(page).to_have_url(re.compile(r"\?place=2$"))
    page.locator("#stop a[rel=next]").click()
    expect(page.locator("#here")).to_have_text("Turn 2, placement")
