"""A fuzzer over every address of the service: no request of any reader by any method is answered
with a 500 (issue 10, “Must show”), and every answer has the headers of ASVS 14.4.

The addresses come from the URL configuration, so that a new page is tested at once. `make soak`
makes twice as many requests, `FUZZ=20` 20 times as many; a seed that found an error becomes a case
of its own at the end. Each request runs in a savepoint that is rolled back, so that it cannot
affect the next. Addresses and forms are tried each day on PostgreSQL too, which refuses NUL,
numbers out of range, and some statements that SQLite takes; unusual methods there only in a soak.
"""

from __future__ import annotations

import logging
import os
import traceback
from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from bs4 import BeautifulSoup
from bs4.filter import SoupStrainer
from django.core.signals import got_request_exception
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from games.base import clock
from tests.support.campaign import Campaign, person
from tests.support.examples import WHOLE, chosen

from .addresses import Route, routes, second_phase
from .test_headers import headers_hold, nothing_inline

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"
#: How many times the requests of an ordinary run are made.
LONGER = int(os.environ.get("FUZZ", "2" if WHOLE else "1"))
ROLES = ("", "rosa", "ada", "root")  # nobody, a player, the gamesmaster, an administrator
METHODS = ("HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "BREW")

#: Values that nobody types: broken UTF-8, NUL, half a surrogate pair, numbers out of range, markup,
#: line breaks, dates that do not exist.
NASTY = [
    b"",
    b"\x00",
    b"a\x00b",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"0",
    b"-1",
    b"1",
    b"1e999",
    b"NaN",
    b"9" * 30,
    b"9" * 5000,
    "٣".encode(),
    "²".encode(),
    b"2026-02-30",
    b"0001-01-01",
    b"9999-12-31T23:59",
    b"99:99",
    b"<script>alert(1)</script>",
    b"x\r\nBcc: all@example.org",
    b"../../etc/passwd",
    b"[" * 3000,
    b'{"a":' * 200,
    b"x" * 20_000,
    "\u202e\u2066\U0001f3b2".encode(),
    b"on",
    b"add",
    b"yes",
]
VALUE = st.one_of(
    st.sampled_from(NASTY),
    st.binary(max_size=30),
    st.text(max_size=30).map(lambda text: text.encode("utf-8", "surrogatepass")),
)
HEADERS = st.fixed_dictionaries(
    {},
    optional={
        "HTTP_HOST": st.sampled_from(["evil.example", "", "games.test:99999", "[::1", "a" * 300]),
        "HTTP_COOKIE": st.sampled_from(
            [
                "sessionid=" + "x" * 40,
                "sessionid=\x00",
                "csrftoken=1; messages=!!",
                ";;;=",
                "a" * 5000,
            ]
        ),
        "HTTP_ACCEPT": st.sampled_from(["*/*;q=x", "text/event-stream", "application/json", ""]),
        "HTTP_ACCEPT_LANGUAGE": st.sampled_from(["x" * 5000, "de-\x00", "*"]),
        "HTTP_IF_MODIFIED_SINCE": st.sampled_from(
            ["Thu, 99 Foo 20000", "0", "Mon, 01 Jan 0001 00:00:00 GMT"]
        ),
        "HTTP_IF_NONE_MATCH": st.sampled_from(['"', "*", 'W/"x', "\x00"]),
        "HTTP_RANGE": st.sampled_from(["bytes=9-1", "bytes=" + "9" * 400 + "-"]),
        "HTTP_REFERER": st.sampled_from(["http://[", "javascript:alert(1)", "\x00"]),
        "HTTP_X_FORWARDED_FOR": st.sampled_from(["1.2.3.4, evil", "\x00", "a" * 5000]),
        "HTTP_HX_REQUEST": st.sampled_from(["true", "\x00"]),
        "REMOTE_ADDR": st.sampled_from(["", "unix:", "::1", "999.1.1.1"]),
        "QUERY_STRING": st.sampled_from(
            [
                "next=%00",
                "page=" + "9" * 40,
                "a=%ff",
                "next=//evil.example",
                "&&&===",
                "turn=-1&phase=x&circle=%00&answer=" + "9" * 30,
            ]
        ),
    },
)
KINDS = [
    "application/x-www-form-urlencoded",
    "application/x-www-form-urlencoded; charset=utf-16",
    "application/x-www-form-urlencoded; charset=no-such",
    "multipart/form-data; boundary=x",
    "multipart/form-data",
    "multipart/form-data; boundary=" + "b" * 300,
    "application/json",
    "text/plain; charset=\x7f",  # not NUL: no web server hands that on in a header
    "",
]


class Service:
    """The service with one game, browsers of several roles, and the requests answered with a
    500."""

    def __init__(self, campaign: Campaign, routes: list[Route]) -> None:
        self.campaign, self.routes = campaign, routes
        self.browsers = {name: self._browser(name) for name in ROLES}
        self.faults: dict[str, str] = {}
        self.asked = 0
        #: Fields of each form by path, with values.
        self.fields: dict[str, dict[str, list[bytes]]] = defaultdict(dict)
        self._raised = ""
        got_request_exception.connect(self._note)

    @staticmethod
    def _browser(name: str) -> Client:
        browser = Client(raise_request_exception=False)
        if name:
            browser.force_login(person(name), backend=BACKEND)
        return browser

    def _note(self, **kwargs: Any) -> None:
        self._raised = "".join(traceback.format_exc().splitlines(keepends=True)[-40:])

    def ask(
        self, name: str, method: str, path: str, body: bytes = b"", kind: str = "", **headers: Any
    ) -> Any:
        """Make a request and roll it back. A 500, or an exception outside Django, is stored as a
        fault."""
        self.asked += 1
        self._raised = ""
        query = headers.pop("QUERY_STRING", None)
        try:
            with transaction.atomic():
                answer = self.browsers[name].generic(
                    method, f"{path}?{query}" if query else path, body, kind, **headers
                )
                getattr(answer, "rendered_content", None)
                transaction.set_rollback(True)
        except Exception:
            self._raised = self._raised or traceback.format_exc()
            answer = None
        if answer is None or answer.status_code >= 500:
            code = answer.status_code if answer is not None else "nothing"
            key = self._raised.strip().splitlines()[-1] if self._raised else f"{code}"
            lines = [line.strip() for line in self._raised.splitlines()]
            where = [line for line in lines if "/main/" in line or "File" in line]
            self.faults.setdefault(
                f"{where[-1] if where else ''} {key}"[:300],
                f"{name or 'nobody'}: {method} {path[:200]} {headers} {kind}"
                f" {body[:300]!r}\n{self._raised}",
            )
        return answer

    def learn(self, path: str, answer: Any) -> None:
        """Collect the forms of a page: where they go, and their fields with values."""
        if answer is None or answer.status_code != 200:
            return
        if "html" not in answer.headers.get("Content-Type", ""):
            return
        forms = BeautifulSoup(answer.content, "html.parser", parse_only=SoupStrainer("form"))
        for form in forms.find_all("form"):
            if str(form.get("method", "get")).lower() != "post":
                continue
            there = self.fields[urlsplit(str(form.get("action") or path)).path or path]
            for field in form.find_all(["input", "select", "textarea", "button"]):
                if name := str(field.get("name") or ""):
                    values = [
                        str(option.get("value") or "") for option in field.find_all("option")
                    ] or [str(field.get("value") or field.text)]
                    there.setdefault(name, []).extend(value.encode() for value in values[:6])

    def report(self) -> str:
        return "\n\n".join(self.faults.values())


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """Yield a public game in its second phase, with a row for every address; its gamesmaster is
    staff."""
    security = ("security", "security.DisallowedHost", "security.SuspiciousSession")
    for name in ("request", *security):  # each refused page would be logged
        monkeypatch.setattr(logging.getLogger(f"django.{name}"), "disabled", True)
    campaign, values = second_phase()
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    tried = Service(campaign, routes(values))
    yield tried
    got_request_exception.disconnect(tried._note)


def wanted(route: Route, name: str) -> bool:
    """Return whether to request a page: of the admin only as staff, and outside a soak half of
    those that are alike; refusals are tested in tests/admin."""
    if not route.pattern.startswith("admin/") or LONGER > 1:
        return name in ("ada", "root") or not route.pattern.startswith("admin/")
    return name == "root" and (not route.is_alike or chosen(route.pattern))


def walk(service: Service) -> Iterator[tuple[Route, str, Any]]:
    """Open each route as each role; yield the answers, and learn the forms.

    Outside a soak a role opens what no role before it could, nor was told that it takes forms only;
    a player and the gamesmaster also every second of the others.
    """
    for route in service.routes:
        opened = False
        for name in ROLES:
            if not wanted(route, name):
                continue
            again = name != "root" and chosen(f"{name} {route.pattern}")
            if opened and not again and LONGER == 1:
                continue
            answer = service.ask(name, "GET", route.path())
            if answer is None:
                continue
            opened |= answer.status_code in (200, 405)
            if not route.pattern.endswith(("history/", "delete/")):
                service.learn(route.path(), answer)
            yield route, name, answer


@pytest.mark.both_databases
def test_hostile_addresses_cause_no_server_error(service: Service) -> None:
    """Numbers out of range, NUL, broken UTF-8, path traversal, line breaks: not found."""
    for number, route in enumerate(service.routes):
        paths = list(route.hostile())
        # Admin pages are of three kinds that behave alike: one or two values for each suffice. Of
        # the others every second one is tried, and all of them in a soak.
        some = 1 if LONGER > 1 else 6 if route.pattern.startswith("admin/") else 2
        for path in paths[number % some :: some]:
            service.ask("root" if route.pattern.startswith("admin/") else "ada", "GET", path)
    assert not service.faults, service.report()
    assert service.asked > 250


def test_unusual_methods_cause_no_server_error(service: Service) -> None:
    """A page that does not allow a method answers 405. Each route by one method, in a soak by
    all."""
    for route in service.routes:
        for number, method in list(enumerate(METHODS))[
            len(route.pattern) % 7 :: 1 if LONGER > 1 else 7
        ]:
            name = ROLES[(number + len(route.pattern)) % len(ROLES)]
            if wanted(route, name):
                body = b'{"a": 1}' if method in ("PUT", "PATCH") else b""
                service.ask(name, method, route.path(), body, "application/json")
    assert not service.faults, service.report()


@pytest.mark.both_databases
def test_no_address_or_form_causes_a_server_error(service: Service) -> None:
    """issue 10: every route, as nobody, player, gamesmaster and administrator; then every form, and
    every route without one, with values by hypothesis; charsets, headers and cookies vary too."""
    shown, pages = 0, set()
    for route, name, answer in walk(service):
        headers_hold(answer, route.pattern, logged_in=name != "")
        if answer.status_code == 200:
            shown += 1
            if "html" in answer.headers.get("Content-Type", ""):
                pages.add(route.pattern)
                nothing_inline(answer.content, route.pattern)
    assert not service.faults, service.report()
    assert shown > 250, "the values that fit lead nowhere: this test asks for nothing"
    assert len(pages) > 100
    outside = [route for route in service.routes if not route.pattern.startswith("admin/")]
    paths = {*service.fields, *(route.path() for route in outside)}
    assert len(service.fields) > 40, "no forms were found: this test sends nothing"

    @settings(
        max_examples=150 * LONGER,
        derandomize=LONGER == 1,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def fill_in(data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(sorted(paths)))
        known = service.fields.get(path, {})
        name = data.draw(st.sampled_from(ROLES[1:] if known else ROLES))
        if path.startswith("/admin"):
            name = "root"
        spoilt = set()
        if known:
            spoilt = data.draw(st.sets(st.sampled_from(sorted(known)), min_size=1, max_size=3))
        pairs = []
        for field, own in known.items():
            value = data.draw(VALUE) if field in spoilt else data.draw(st.sampled_from(own))
            pairs += [(field, value)] * (data.draw(st.integers(0, 2)) if field in spoilt else 1)
        if data.draw(st.integers(0, 5)) == 0:
            pairs.append(("text", data.draw(VALUE)))
        kind, headers = KINDS[0], {}
        if data.draw(st.integers(0, 3)) == 0:
            kind, headers = data.draw(st.sampled_from(KINDS)), data.draw(HEADERS)
        body = urlencode(pairs).encode() if "urlencoded" in kind else parts(pairs)
        service.ask(name, "POST", path, body, kind, **headers)

    fill_in()
    assert not service.faults, service.report()


def parts(pairs: list[tuple[str, bytes]]) -> bytes:
    """Return the body of a form as multipart, with unchanged values."""
    return (
        b"".join(
            b'--x\r\nContent-Disposition: form-data; name="%b"\r\n\r\n%b\r\n'
            % (name.encode(), value)
            for name, value in pairs
        )
        + b"--x--\r\n"
    )
