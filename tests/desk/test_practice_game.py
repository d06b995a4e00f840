"""A practice game in a browser, against the whole service (issue 6, Must show)."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import new_page
from tests.support.processes import Service, eventually, service

# Each day test_first_visit.py plays one to its end, test_first_turn_in_a_browser.py a first turn.
pytestmark = [pytest.mark.processes, pytest.mark.soak]

#: How long “within a few seconds” may take on a busy machine.
SOON = 20.0


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Service]:
    with service(tmp_path, EMAIL_URL="smtp://127.0.0.1:1") as running:
        running.start_all()
        eventually("the web server", lambda: _answers(running), running)
        yield running


def _answers(running: Service) -> bool:
    import urllib.error
    import urllib.request

    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{running.port}/rules/", timeout=5) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False


def _phases(running: Service) -> list[tuple[int, str, str]]:
    rows = running.rows("select turn, kind, status from games_phase order by number")
    return [(turn, kind, status) for turn, kind, status in rows]


def _resolved(running: Service, number: int) -> bool:
    return _phases(running)[number][2] == "resolved"


def test_practice_game_from_the_first_click_to_the_last_report(
    served: Service, chromium: Browser
) -> None:
    with new_page(chromium, f"http://127.0.0.1:{served.port}", 390) as page:
        # Without news, pages do not move on to the next report by themselves.
        page.route(re.compile(r"/state\.json"), lambda route: route.abort())
        _play(page, served)


def _play(page: Page, served: Service) -> None:
    page.goto("/")
    expect(page.locator("body")).to_contain_text("Play now")
    page.locator("form button", has_text="Play now").click()
    expect(page).to_have_title(re.compile("Orders of Germany"))
    orders = page.url
    slowest = 0.0
    for number in range(12):
        # Bots play the others: they send orders at the next tick.
        assert len(_phases(served)) == number + 1
        kind = _phases(served)[-1][1]
        page.goto(orders)
        expect(page.locator("body")).to_contain_text("Practice game.")
        page.locator("html.scripted").wait_for()
        text = "PLACE 99 Italy" if kind == "placement" else "PASS"
        page.locator("#id_text").fill(text)
        page.locator("input[name=final]").check()
        page.locator('.send button[value="send"]').click()
        expect(page).to_have_title(re.compile(r"Receipt No\."))
        began = time.monotonic()
        awaited, resolved = f"the result of phase {number + 1}", partial(_resolved, served, number)
        eventually(awaited, resolved, served, within=SOON)
        slowest = max(slowest, time.monotonic() - began)
    [(game, status)] = served.rows("select id, status from games_game")
    assert status == "finished"
    page.goto(f"/games/{game}/")
    expect(page.locator("body")).to_contain_text(re.compile(r"\w+ wins|share the win"))
    expect(page.locator("body")).to_contain_text("Begin another")
    assert served.rows("select count(*) from games_letter") == [(0,)]
    print(f"the slowest result came after {slowest:.1f} s")
