"""A whole practice game in a browser, from the click to the last report, through the service as it
really runs (issue 6, Must show)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.support.browser import Browser, BrowserMissing, browser, executable
from tests.support.processes import Service, eventually, service

pytestmark = pytest.mark.processes

#: What “within a few seconds” may come to on a busy machine.
SOON = 20.0
TEXT = "document.body.innerText"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Service]:
    with service(tmp_path, EMAIL_URL="smtp://127.0.0.1:1") as running:
        running.start_all()
        eventually("the web server", lambda: _answers(running), running)
        yield running


@pytest.fixture
def chromium() -> Iterator[Browser]:
    try:
        executable()
    except BrowserMissing as missing:
        pytest.skip(f"NOT CHECKED: {missing}")
    with browser() as page:
        yield page


def _answers(running: Service) -> bool:
    import urllib.error
    import urllib.request

    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{running.port}/rules/", timeout=5) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False


def _phases(running: Service) -> list[tuple[int, str, str]]:
    return [
        (turn, kind, status)
        for turn, kind, status in running.rows(
            "select turn, kind, status from games_phase order by number"
        )
    ]


def _resolved(running: Service, number: int) -> bool:
    return _phases(running)[number][2] == "resolved"


def test_a_practice_game_from_the_click_to_the_last_report(
    served: Service, chromium: Browser
) -> None:
    base = f"http://127.0.0.1:{served.port}"
    chromium.look(390)
    chromium.open(base)
    assert "For a first visit" in chromium.run(TEXT)
    chromium.follow("form.practice button")
    assert "Orders of Germany" in chromium.run("document.title")
    orders = chromium.run("location.pathname")
    slowest = 0.0
    for number in range(12):
        # The others are played by the service: their orders are there at the next tick.
        assert len(_phases(served)) == number + 1
        kind = _phases(served)[-1][1]
        chromium.open(f"{base}{orders}")
        assert "Practice game." in chromium.run(TEXT)
        chromium.wait_for(
            "document.documentElement.classList.contains('scripted')", "the page's script"
        )
        chromium.run("document.getElementById('id_text').value = ''")
        chromium.type("PLACE 5 Italy" if kind == "placement" else "UNDERSTANDING Italy", "#id_text")
        chromium.run("document.querySelector('input[name=final]').checked = true")
        chromium.follow('.send button[value="send"]')
        assert "Receipt No." in chromium.run("document.title")
        began = time.monotonic()
        eventually(
            f"the result of phase {number + 1}",
            partial(_resolved, served, number),
            served,
            within=SOON,
        )
        slowest = max(slowest, time.monotonic() - began)
    [(game, status)] = served.rows("select id, status from games_game")
    assert status == "finished"
    chromium.open(f"{base}/games/{game}/")
    said = chromium.run(TEXT)
    assert "has won" in said or "share the win" in said
    assert "Begin another" in said
    assert served.rows("select count(*) from games_letter") == [(0,)]
    print(f"the slowest result came after {slowest:.1f} s")
