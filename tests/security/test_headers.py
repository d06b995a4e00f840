"""Headers of every answer (ASVS 14.4), cookies and tokens of forms.

test_every_address.py checks headers for every route of the URL configuration.
"""

from __future__ import annotations

import re
import socket
from html.parser import HTMLParser
from runpy import run_path
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings
from gunicorn.config import Config
from gunicorn.http import wsgi
from gunicorn.http.message import Request
from gunicorn.http.unreader import IterUnreader

from gamesmaster import settings as real
from tests.support.browsing import Visitor
from tests.support.campaign import Campaign
from tests.support.processes import ROOT

from .addresses import routes, staged
from .conftest import Browser, Watch

pytestmark = pytest.mark.django_db
#: Pages of public games that any site may show in a frame: pictures without controls
#: (docs/design.md).
FRAMED = "games/<int:pk>/board/embedded/"


class Markup(HTMLParser):
    """The tags of a page, each with its attributes: a third of the work of a tree."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(content.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def headers_hold(answer: Any, pattern: str, *, logged_in: bool) -> None:
    """Check the headers of a route's answer: a policy without anything inline, no frame, except for
    the embedded board of a public game."""
    policy = answer.headers["Content-Security-Policy"]
    assert "unsafe" not in policy, pattern
    # Django's own script of the admin's words is no page.
    if "jsi18n" not in pattern:
        assert "default-src 'self'" in policy or "default-src 'none'" in policy, pattern
    assert answer.headers["X-Content-Type-Options"] == "nosniff", pattern
    if pattern == FRAMED and answer.status_code == 200:
        assert "frame-ancestors *" in policy
    else:
        assert answer.headers["X-Frame-Options"] == "DENY", pattern
        assert "frame-ancestors 'none'" in policy, pattern
    assert answer.headers["Referrer-Policy"] == "same-origin", pattern
    assert "camera=()" in answer.headers["Permissions-Policy"], pattern
    drawn = pattern.endswith((".xml", ".png", ".svg"))
    if logged_in and answer.status_code == 200 and not drawn:
        assert "Cache-Control" in answer.headers, pattern


def nothing_inline(content: bytes, where: str) -> None:
    """Check that a page has no inline script or style, nothing from other sites, and no form to
    other sites."""
    for tag, attributes in Markup(content).tags:
        here = (where, tag, str(attributes)[:200])
        assert tag != "style", here
        assert not [name for name in attributes if re.match(r"on[a-z]+$|style$", name)], here
        if tag == "script":
            inert = ("application/json", "importmap")
            assert attributes.get("src") or attributes.get("type") in inert, here
        if tag == "link" and "canonical" in (attributes.get("rel") or "").split():
            continue
        if tag in ("script", "link", "img", "iframe", "form", "source"):
            for name in ("src", "href", "action", "srcset"):
                value = attributes.get(name) or ""
                elsewhere = re.match(r"(?!http://games\.test)(https?:)?//|javascript:", value)
                assert not elsewhere, here


def test_cookies_are_http_only_and_secure_with_tls(campaign: Campaign, as_: Browser) -> None:
    """ASVS 3.4: no script reads the session; another site's form does not send it."""
    answer = as_().post("/login/", {"email": "una@example.org"})
    cookie = answer.cookies["sessionid"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert as_().get("/login/").cookies["csrftoken"]["samesite"] == "Lax"
    by_tls = settings.SITE_URL.startswith("https://")
    assert real.SESSION_COOKIE_SECURE == real.CSRF_COOKIE_SECURE == by_tls
    with override_settings(
        SESSION_COOKIE_SECURE=True, CSRF_COOKIE_SECURE=True, SECURE_HSTS_SECONDS=3600
    ):
        secure = Visitor().post("/login/", {"email": "una@example.org"}, secure=True)
        assert secure.cookies["sessionid"]["secure"]
        assert secure.headers["Strict-Transport-Security"] == "max-age=3600"


def test_forms_are_refused_without_a_csrf_token(campaign: Campaign, watch: Watch) -> None:
    """ASVS 4.2.2: every route, also for staff; only unsubscribing works by key (RFC 8058), and the
    API ignores sessions."""
    campaign.ada.is_staff = campaign.ada.is_superuser = True
    campaign.ada.save()
    browser = Visitor(enforce_csrf_checks=True)
    browser.force_login(campaign.ada, backend="django.contrib.auth.backends.ModelBackend")
    for route in routes(staged(campaign)):
        if "mute/" in route.pattern:
            continue
        answer = browser.post(route.path(), {"text": "PASS", "wish": "end"})
        expected = {403, 404, 405}
        if route.pattern.startswith("admin/"):
            expected.add(302)
        elif route.pattern.startswith("api/v1/"):
            expected.add(401)
        assert answer.status_code in expected, route.pattern


def test_forged_host_is_refused_and_next_stays_on_this_site(campaign: Campaign) -> None:
    """ASVS 5.1.5, 14.5: a forged Host gets no page and no link."""
    assert Visitor().get("/", HTTP_HOST="evil.example").status_code == 400
    for target in (
        "//evil.example/",
        "https://evil.example/",
        "/\\evil.example",
        "javascript:alert(1)",
        "/ok\r\nSet-Cookie: a=1",
    ):
        page = Visitor().read("/login/", {"next": target})
        assert '<input type="hidden" name="next" value="">' in page, target


def test_pages_with_a_key_in_their_address_are_not_stored(campaign: Campaign, watch: Watch) -> None:
    """ASVS 8.2: that of an invitation was, and of other letters' links that log a visitor in."""
    opened = set()
    for route in routes(staged(campaign)):
        if "<str:token>" not in route.pattern:
            continue
        answer = Visitor().get(route.path())
        if answer.status_code == 200:
            opened.add(route.pattern)
            assert "no-store" in answer.headers.get("Cache-Control", ""), route.pattern
            assert answer.headers["X-Robots-Tag"] == "noindex", route.pattern
    assert {"login/<str:token>/", "invitation/<str:token>/"} < opened


def test_web_server_believes_no_header_from_this_machine() -> None:
    """gunicorn lets what comes from 127.0.0.1, so all that a proxy on the machine forwards, say
    which part of the path is no path: /x/readyz was /readyz, which proxies hide."""
    config = Config()
    config.set(
        "forwarded_allow_ips", run_path(str(ROOT / "gunicorn.conf.py"))["forwarded_allow_ips"]
    )
    lines = [
        "GET /x/readyz HTTP/1.1",
        "Host: localhost",
        "SCRIPT_NAME: /x",
        "X-Forwarded-Proto: https",
    ]
    here = ("127.0.0.1", 8000)
    request = Request(config, IterUnreader(["\r\n".join([*lines, "", ""]).encode()]), here)
    with socket.socket() as client:
        _, environ = wsgi.create(request, client, here, here, config)
    assert (environ["PATH_INFO"], environ["wsgi.url_scheme"]) == ("/x/readyz", "http")
