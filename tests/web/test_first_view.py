"""The first view of a page is at most 100 kB in 8 requests, and later views fetch nothing again
(issue 45); besides the map it is at most 60 kB (issue 24, Show)."""

from __future__ import annotations

import gzip
import re
import threading
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from django.contrib.staticfiles import finders
from django.core.wsgi import get_wsgi_application
from django.urls import reverse
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page, Response
from pytest_django import Settings

import gamesmaster.settings
from games.base import clock
from tests.support.browser import new_page
from tests.support.browsing import log_in
from tests.support.campaign import Campaign, person
from tests.support.examples import WHOLE
from tests.support.pictures import AT, QuietServer, one_of_each_kind, pages
from tests.support.processes import collected_static_files
from tests.support.staging import Stage
from tests.support.stored import stored
from tests.support.walk import BACKEND

from .conftest import Browser

pytestmark = pytest.mark.django_db
MOST = 60_000
DRAWN_BY_LIBRARIES = ("api", "admin")
#: Forms that a gamesmaster opens from another page: of a game, a scenario, orders by telephone.
OF_GAMESMASTERS = {
    *("new", "new-filled", "new-refused", "scenario-edit", "telephone-seat", "telephone-table"),
}
#: Those of letters with accents are fetched only where a page has some.
FONTS = re.compile(r'url\("(fonts/[^"]+(?<!-more)\.woff2)"\)')
SENT = re.compile(r'(?:href|src)="/static/([^"]+\.(?:css|js|woff2|svg))"')


def sent_size(packed: bytes) -> int:
    """Return how many bytes a compressed page and its files are, without the map's."""
    page = gzip.decompress(packed).decode()
    fonts = set(FONTS.findall(_file("gamesmaster.css").decode()))
    assert len(fonts) == 2
    files = {*SENT.findall(page), *fonts}
    maps = "".join(re.findall(r"(?s)<svg.*?</svg>", page))
    return len(packed) - len(gzip.compress(maps.encode())) + sum(map(_size_sent, files))


@cache
def _size_sent(name: str) -> int:
    data = _file(name)
    return min(len(data), len(gzip.compress(data)))


@cache
def _file(name: str) -> bytes:
    return Path(str(finders.find(name))).read_bytes()


@pytest.mark.parametrize("attacks", [False, True])
def test_first_view_is_small(as_: Browser, campaign: Campaign, attacks: bool) -> None:
    """Text is sent compressed: pages by the service, files by the server of static files."""
    if attacks:
        for nation in ("Germany", "Russia", "France"):
            campaign.order(nation, "PLACE 4 Poland\nPLACE 2 Austria")
        campaign.pass_deadline()
    sent = campaign.order("Germany", "PASS")
    client = as_("gustav")
    game = campaign.game
    of_game = ("board", "standing", "game-summary", "what-if", "notebook", "press")
    for address in (
        *(reverse(name) for name in ("home", "practice", "rules", "archive", "standby", "me")),
        reverse("rules-of", args=[game.ruleset_id]),
        reverse("orders", args=[game.pk, campaign.seat("Germany").pk]),
        reverse("phase", args=[game.pk, 1]),
        game.get_absolute_url(),
        sent.get_absolute_url(),
        *(reverse(name, args=[game.pk]) for name in of_game),
    ):
        answer = client.get(address, headers={"accept-encoding": "gzip"})
        assert sent_size(answer.content) <= MOST, address


def test_no_page_of_a_visitor_or_player_is_large_to_send(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 24, Show: one page of each kind of tests/support/pictures.py; in a soak every page of
    every game, from the first phase to the end."""
    stage = stored("a game at every stage", lambda: Stage.set_up(AT))
    monkeypatch.setattr(clock, "now", lambda: AT + timedelta(minutes=1))
    sizes = {}
    for shown in one_of_each_kind(pages(stage)):
        if shown.name.startswith(DRAWN_BY_LIBRARIES):
            continue
        browser = log_in(None)
        if shown.who is not None:
            who = person(shown.who) if isinstance(shown.who, str) else shown.who
            browser.force_login(who, backend=BACKEND)
        answer = browser.get(shown.path, headers={"accept-encoding": "gzip"})
        if answer.status_code == 200:
            sizes[shown.name] = sent_size(answer.content)
    assert len(sizes) > (130 if WHOLE else 60)
    large = {name for name, size in sizes.items() if size > MOST}
    assert large <= OF_GAMESMASTERS, {name: sizes[name] for name in large}
    assert max(sizes.values()) <= 70_000


@pytest.fixture
def asked() -> list[tuple[str, int]]:
    """Collect the paths that a browser asks the `site` for, with the bytes of each answer's body.

    Chromium is not asked for them: it never tells the size of some answers from its memory.
    """
    return []


@pytest.fixture
def site(settings: Settings, asked: list[tuple[str, int]], transactional_db: None) -> Iterator[str]:
    """Serve pages and collected static files as gunicorn does; yield the address."""
    settings.STORAGES = gamesmaster.settings.STORAGES
    settings.STATIC_ROOT = collected_static_files()
    settings.ALLOWED_HOSTS = ["127.0.0.1"]

    class Handler(WSGIRequestHandler):
        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            asked.append((self.path, int(size)))

    with make_server(
        "127.0.0.1", 0, get_wsgi_application(), server_class=QuietServer, handler_class=Handler
    ) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def responses_to(page: Page) -> list[Response]:
    """Return a list that gets every response to the page."""
    found: list[Response] = []

    def keep(response: Response) -> None:
        found.append(response)

    page.on("response", keep)
    return found


@pytest.mark.browser
def test_first_view_is_a_few_requests_and_later_ones_need_no_files(
    site: str, asked: list[tuple[str, int]], whole_chromium: Chromium
) -> None:
    """Issue 45: at most 100 kB in 8 requests on a phone, with the map; afterwards no request for a
    static file, because its name changes with its content."""
    campaign = Campaign.begin()
    campaign.pass_deadline()
    game = campaign.game
    for path in (
        reverse("home"),
        reverse("rules"),
        reverse("rules-of", args=[game.ruleset_id]),
        game.get_absolute_url(),
        reverse("phase", args=[game.pk, 1]),
        reverse("orders", args=[game.pk, campaign.seat("Germany").pk]),
        reverse("press", args=[game.pk]),
        reverse("me"),
    ):
        asked.clear()
        with new_page(whole_chromium, site, 390, who="gustav") as page:
            answers = responses_to(page)
            page.goto(path, wait_until="networkidle")
            sent = sum(size for _, size in asked)
            sent += sum(len(str(answer.headers)) for answer in answers)
            assert 1 <= len(asked) <= 8, (path, asked)
            assert sent <= 100_000, (path, asked)
            for answer in answers:
                headers = answer.headers
                if "/static/" in answer.url:
                    assert "immutable" in headers["cache-control"], answer.url
                    packed = answer.url.endswith(".woff2") or headers.get("content-encoding")
                    assert packed, answer.url
            asked.clear()
            page.goto(path, wait_until="networkidle")
            assert not [file for file, _ in asked if file.startswith("/static/")], path
