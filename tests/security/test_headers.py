"""Headers of every answer (ASVS 14.4), for every route of the URL configuration."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest
from bs4 import BeautifulSoup
from django.conf import settings
from django.test import override_settings

from gamesmaster import settings as real
from tests.support.browsing import Visitor
from tests.support.campaign import Campaign

from .addresses import routes, staged
from .conftest import Browser, Watch

pytestmark = pytest.mark.django_db
#: Pages of public games that any site may show in a frame: pictures without controls
#: (docs/design.md).
FRAMED = "games/<int:pk>/board/embedded/"


def test_every_response_has_a_content_security_policy(
    campaign: Campaign, watch: Watch, as_: Browser
) -> None:
    """No inline script or style, nothing from other sites, no form to other sites; no frame, except
    for the embedded board of a public game."""
    campaign.ada.is_staff = campaign.ada.is_superuser = True
    campaign.ada.save()
    pages = 0
    for name in ("ada", None):
        browser = as_(name)
        for route in routes(staged(campaign)) if name else routes(staged_again(campaign)):
            if route.pattern.startswith("admin/") and (name is None or "jsi18n" in route.pattern):
                continue
            answer = browser.get(route.path())
            policy = answer.headers["Content-Security-Policy"]
            assert "unsafe" not in policy, route.pattern
            assert "default-src 'self'" in policy or "default-src 'none'" in policy, route.pattern
            assert answer.headers["X-Content-Type-Options"] == "nosniff", route.pattern
            if route.pattern == FRAMED and answer.status_code == 200:
                assert "frame-ancestors *" in policy
            else:
                assert answer.headers["X-Frame-Options"] == "DENY", route.pattern
                assert "frame-ancestors 'none'" in policy, route.pattern
            assert answer.headers["Referrer-Policy"] == "same-origin", route.pattern
            assert "camera=()" in answer.headers["Permissions-Policy"], route.pattern
            drawn = route.pattern.endswith((".xml", ".png", ".svg"))
            if name and answer.status_code == 200 and not drawn:
                assert "Cache-Control" in answer.headers, route.pattern
            if "html" in answer.headers.get("Content-Type", "") and answer.status_code == 200:
                pages += 1
                _nothing_inline(answer.content, route.pattern)
    assert pages > 100


def staged_again(campaign: Campaign) -> dict[str, str]:
    """Return values for strangers, who may not see any row: any number will do."""
    return defaultdict(lambda: "1", pk=str(campaign.game.pk), game="origins-ww2", name="historical")


def _nothing_inline(content: bytes, where: str) -> None:
    page = BeautifulSoup(content, "html.parser")
    assert not page.find_all("style"), where
    for tag in page.find_all(True):
        here = (where, str(tag)[:200])
        assert not [name for name in tag.attrs if re.match(r"on[a-z]+$|style$", name)], here
        if tag.name == "script":
            assert tag.get("src") or tag.get("type") in ("application/json", "importmap"), here
        if tag.name == "link" and "canonical" in (tag.get("rel") or []):
            continue
        if tag.name in ("script", "link", "img", "iframe", "form", "source"):
            for name in ("src", "href", "action", "srcset"):
                value = str(tag.get(name) or "")
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
