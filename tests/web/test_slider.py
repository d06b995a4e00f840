"""The board's slider in a real browser: moved with the hand and with keys, by links, and without
JavaScript (issue 6, Must show)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import reverse

from tests.support.browser import Browser, BrowserMissing, browser, executable
from tests.support.cast import Campaign
from tests.support.staging import played

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TITLE = "document.querySelector('#here').textContent"
SHOWN = "document.querySelector('#stop .map img').currentSrc"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    try:
        executable()
    except BrowserMissing as missing:
        pytest.skip(f"NOT CHECKED: {missing}")
    with browser() as page:
        yield page


def until(page: Browser, script: str, expected: object) -> None:
    """Waits until an expression in the page has come to what it should."""
    last_moment = time.monotonic() + 20
    while (found := page.run(script)) != expected:
        assert time.monotonic() < last_moment, f"{script}: {found!r}, not {expected!r}"
        time.sleep(0.05)


def test_the_slider_moves_through_the_game(chromium: Browser, live_server: Any) -> None:
    campaign = Campaign.begin()
    for _ in range(3):
        played(campaign)
    address = live_server.url + reverse("board", args=[campaign.game.pk])
    chromium.forget()
    _by_hand(chromium, address)
    _by_key(chromium, address)
    _by_links(chromium, address)
    _without_script(chromium, address)


def _by_hand(page: Browser, address: str) -> None:
    page.look(1000)
    page.open(address)
    page.run("window.same = true")
    assert page.run("getComputedStyle(document.querySelector('.slider button')).display") == "none"
    page.run(
        "(() => { const range = document.getElementById('place'); range.value = 1;"
        " range.dispatchEvent(new Event('input')); })()"
    )
    until(page, TITLE, "Turn 1, placement")
    assert page.run("window.same") is True, "the page was loaded anew"
    assert "phases/1/board.svg?version=1" in page.run(SHOWN)
    assert (
        page.run("document.getElementById('place').getAttribute('aria-valuetext')")
        == "Turn 1, placement"
    )
    until(page, "document.getElementById('said').textContent", "Turn 1, placement")
    assert page.run("location.search") == "?at=1.1"
    assert (
        page.run("document.querySelector('.stops [aria-current]').textContent")
        == "Turn 1, placement"
    )


def _by_key(page: Browser, address: str) -> None:
    page.open(address + "?at=1.1")
    page.run("document.getElementById('place').focus()")
    for kind in ("keyDown", "keyUp"):
        page.ask(
            "Input.dispatchKeyEvent",
            type=kind,
            key="ArrowRight",
            code="ArrowRight",
            windowsVirtualKeyCode=39,
        )
    until(page, TITLE, "Turn 1, attacks")
    assert page.run("document.activeElement.id") == "place"


def _by_links(page: Browser, address: str) -> None:
    page.open(address)
    page.run("window.same = true")
    page.run("document.querySelector('#stop details.as-table').open = true")
    page.run("document.querySelector('#stop a[rel=prev]').click()")
    until(page, TITLE, "Turn 1, attacks")
    until(page, "document.activeElement.getAttribute('rel')", "prev")
    assert page.run("window.same") is True
    assert page.run("document.getElementById('place').value") == "2"
    assert page.run("document.querySelector('#stop details.as-table').open") is True, (
        "the table that was open stays open"
    )
    page.run("document.querySelector('#stop a[rel=prev]').click()")
    until(page, TITLE, "Turn 1, placement")
    page.run("document.querySelector('#stop a[rel=prev]').click()")
    until(page, TITLE, "The board as the game begins")
    until(
        page, "document.activeElement.id", "place"
    )  # there is nothing before it: the keyboard goes to the slider


def _without_script(page: Browser, address: str) -> None:
    """The button sends the form, and the links lead to pages."""
    page.look(390, script=False)
    page.open(address)
    page.run("(() => { document.getElementById('place').value = 2; })()")
    page.leave("document.querySelector('.slider button').click()")
    assert page.run(TITLE) == "Turn 1, attacks"
    assert page.run("location.search") == "?place=2"
    page.leave("document.querySelector('#stop a[rel=next]').click()")
    assert page.run(TITLE) == "Turn 2, placement"
    page.look(1000)
