"""Log lines: what they are about, and that no secret is in them (docs/operations.md, “Logs”)."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.core import mail
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory, TestCase
from django.urls import include, path
from pytest_django import Settings

from games import tasks
from games.accounts import tokens
from games.turns import queue
from gamesmaster import logs, urls
from tests.support.campaign import MONDAY, Campaign, person


class Kept(logging.Handler):
    """Keeps lines as they are written."""

    def __init__(self, formatter: logging.Formatter) -> None:
        super().__init__()
        self.setFormatter(formatter)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture(autouse=True)
def _about_nothing() -> None:
    logs.concerns()


@pytest.fixture
def kept() -> Iterator[Kept]:
    handler = Kept(logs.Json())
    logging.getLogger().addHandler(handler)
    yield handler
    logging.getLogger().removeHandler(handler)


def record(message: str, *values: object) -> logging.LogRecord:
    return logging.LogRecord("games.turns.process", logging.ERROR, "x.py", 1, message, values, None)


@pytest.mark.django_db
def test_each_line_about_a_phase_names_it_and_its_game(kept: Kept) -> None:
    campaign = Campaign.begin()
    phase = campaign.phase
    token, ids = queue.claim(phase.deadline, 10)
    with TestCase.captureOnCommitCallbacks(execute=True):
        tasks.do_job("phases", ids, token)
    lines = [json.loads(line) for line in kept.lines]
    about = [
        (line.get("game"), line.get("phase"))
        for line in lines
        if line["logger"] == "games.turns.process"
    ]
    assert set(about) == {(campaign.game.pk, phase.pk)}
    assert lines[0].keys() >= {"time", "level", "logger", "message", "process"}
    assert (
        logs.Line()
        .format(record("and afterwards of nothing"))
        .endswith("and afterwards of nothing")
    )


def test_a_line_about_a_page_names_its_game(kept: Kept, rf: RequestFactory) -> None:
    def page(request: HttpRequest) -> HttpResponse:
        logging.getLogger("games").warning("something is odd")
        return HttpResponse()

    for address in ("/games/4711/phases/3/", "/games/new/"):
        logs.Pages(page)(rf.get(address))
    assert [json.loads(line).get("game") for line in kept.lines] == [4711, None]


@pytest.mark.django_db
def test_no_key_that_somebody_follows_is_logged(kept: Kept, client: Client) -> None:
    """Django logs the address of a link that opens nothing."""
    key = tokens.login_token(tokens.new_login(person("una"), "/", MONDAY))
    for address in (
        f"/login/{key}/x/",
        f"/invitation/{key}/x",
        f"/calendar/{key}.ics/",
        f"/games/1/mute/{key}/x",
        f"/mail/{key}/y",
    ):
        client.get(address)
    assert len(kept.lines) >= 5
    assert key[:12] not in "".join(kept.lines)
    assert "/login/…" in kept.lines[0]


@pytest.mark.parametrize(
    "secret",
    [
        "postgres://gamesmaster:{}@db.example.org/games",
        "redis://:{}@localhost:6379/0",
        "smtp+tls://user:{}@mail.example.org:587",
        "Authorization: Bearer {}",
        "password={}",
        "{{'SECRET_KEY': '{}'}}",
        "MARKET_TIINGO_TOKEN={}",
        "sessionid={}; path=/",
        "orders+{}@games.example.org is not ours",
    ],
)
def test_what_is_secret_is_left_out_whoever_logs_it(secret: str) -> None:
    line = secret.format("Sw0rdfish-Sw0rdfish")
    for formatter in (logs.Line(), logs.Json()):
        told = formatter.format(record("it failed: %s", line))
        assert "Sw0rdfish" not in told
        assert "…" in told


def test_codes_are_left_out() -> None:
    """A login code and the digits of a second factor; neither words nor exit codes."""
    assert logs.Line().format(record("code=K7QMX-3WDPA, code: 123456")).endswith("code=…, code: …")
    assert (
        logs.Line()
        .format(record("code: unreadable, exit code: 503"))
        .endswith("code: unreadable, exit code: 503")
    )


def test_what_is_public_is_kept() -> None:
    """Digests, Message-IDs, stocks and people's addresses are what lines are about."""
    said = (
        f"phase 3 locked, digest {'ab' * 32}, letter"
        " <game-1.phase-3.board-v1.p7.5f3a09c1@games.test> to una@example.org, exit code: 503"
    )
    assert said in logs.Line().format(record("%s", said))


def test_a_fault_that_comes_a_thousand_times_is_told_once() -> None:
    handler = logs.ErrorsByMail(["root@example.org"])
    for number in range(1000):
        handler.emit(record("phase %s failed", number))
    handler.emit(record("something else, password=hunter2"))
    assert [letter.to for letter in mail.outbox] == [["root@example.org"]] * 2
    assert mail.outbox[0].subject.endswith("games.turns.process phase 0 failed")
    assert "hunter2" not in f"{mail.outbox[1].body} {mail.outbox[1].subject}"


def forbidden(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied("Not yours.")


def suspicious(request: HttpRequest) -> HttpResponse:
    raise SuspiciousOperation("Made by hand.")


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("It fell over.")


urlpatterns = [
    *urls.urlpatterns,
    path("forbidden/", forbidden),
    path("suspicious/", suspicious),
    path("broken/", broken),
    path("anymail/", include("anymail.urls")),
]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "status", "line"),
    [
        ("/forbidden/", 403, "WARNING django.request Forbidden (Permission denied): /forbidden/"),
        (
            "/anymail/postmark/inbound/",
            400,
            "WARNING django.security.AnymailWebhookValidationFailure Missing or invalid basic auth",
        ),
        ("/suspicious/", 400, "WARNING django.security.SuspiciousOperation Made by hand."),
    ],
)
def test_a_refused_request_is_one_line_and_no_traceback(
    settings: Settings, address: str, status: int, line: str
) -> None:
    """Issue 19, 13; ways-in.md F8: anybody could fill the log, and write to `ADMINS`."""
    settings.ROOT_URLCONF = __name__
    settings.ANYMAIL = {"WEBHOOK_SECRET": "name:secret"}
    with configured_log() as written:
        assert Client().post(address, "{}", content_type="application/json").status_code == status
    assert len(written.getvalue().splitlines()) == 1, written.getvalue()
    assert line in written.getvalue()
    assert mail.outbox == []


@pytest.mark.django_db
def test_a_form_without_its_token_is_one_line(settings: Settings) -> None:
    settings.ROOT_URLCONF = __name__
    with configured_log() as written:
        assert Client(enforce_csrf_checks=True).post("/forbidden/").status_code == 403
    assert written.getvalue().count("\n") == 1
    assert (
        "WARNING django.security.csrf Forbidden (CSRF cookie not set.): /forbidden/"
        in written.getvalue()
    )


@pytest.mark.django_db
def test_a_page_that_fails_keeps_its_traceback(settings: Settings) -> None:
    settings.ROOT_URLCONF = __name__
    with configured_log() as written:
        Client(raise_request_exception=False).get("/broken/")
    assert "Traceback" in written.getvalue()
    assert "RuntimeError: It fell over." in written.getvalue()
    assert len(mail.outbox) == 1


@contextmanager
def configured_log() -> Iterator[io.StringIO]:
    """What the log has, as the settings configure it, with letters to an administrator first."""
    (handler,) = (
        one for one in logging.getLogger().handlers if isinstance(one.formatter, logs.Line)
    )
    assert isinstance(handler, logging.StreamHandler)
    by_mail = logs.ErrorsByMail(["root@example.org"])
    by_mail.addFilter(logs.ClientErrors())
    written = io.StringIO()
    stream = handler.setStream(written)
    logging.getLogger().handlers.insert(0, by_mail)
    try:
        yield written
    finally:
        logging.getLogger().removeHandler(by_mail)
        handler.setStream(stream)


def test_addresses_of_those_who_are_told() -> None:
    assert logs.addresses(["Root <root@example.org>", "ada@example.org", "nobody"]) == [
        "Root <root@example.org>",
        "ada@example.org",
    ]
