"""Log lines name their game and phase and contain no secrets (docs/operations.md, “Logs”)."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import pytest
from django.core import mail
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory, TestCase
from django.urls import include, path
from gunicorn.config import Config
from gunicorn.glogging import Logger
from pytest_django import Settings

from games import tasks
from games import urls as game_urls
from games.accounts import tokens
from games.base import logs, signing, starting
from games.base.signing import Salt
from games.models.coded import draw_code
from games.turns import queue
from gamesmaster import urls
from tests.support.campaign import MONDAY, Campaign, person
from tests.support.processes import ROOT

pytestmark = pytest.mark.letters


class Kept(logging.Handler):
    """Store lines as they are written."""

    def __init__(self, formatter: logging.Formatter) -> None:
        super().__init__()
        self.setFormatter(formatter)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture(autouse=True)
def _about_nothing() -> None:
    logs.set_log_context()


@pytest.fixture
def log_lines() -> Iterator[Kept]:
    handler = Kept(logs.Json())
    logging.getLogger().addHandler(handler)
    yield handler
    logging.getLogger().removeHandler(handler)


def record(message: str, *values: object) -> logging.LogRecord:
    return logging.LogRecord("games.turns.process", logging.ERROR, "x.py", 1, message, values, None)


@pytest.mark.django_db
def test_log_lines_name_the_phase_and_its_game(log_lines: Kept) -> None:
    campaign = Campaign.begin()
    phase = campaign.phase
    token, ids = queue.claim(phase.deadline, 10)
    with TestCase.captureOnCommitCallbacks(execute=True):
        tasks.do_job("phases", ids, token)
    lines = [json.loads(line) for line in log_lines.lines]
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


def test_log_line_of_a_page_names_its_game(log_lines: Kept, rf: RequestFactory) -> None:
    def page(request: HttpRequest) -> HttpResponse:
        logging.getLogger("games").warning("something is odd")
        return HttpResponse()

    for address in ("/games/4711/phases/3/", "/games/new/"):
        logs.Pages(page)(rf.get(address))
    assert [json.loads(line).get("game") for line in log_lines.lines] == [4711, None]


@pytest.mark.django_db
def test_token_in_a_refused_link_is_not_logged(log_lines: Kept, client: Client) -> None:
    """Django logs the address of a link that is not found."""
    key = tokens.login_token(tokens.new_login(person("una"), "/", MONDAY))
    for address in (
        f"/login/{key}/x/",
        f"/invitation/{key}/x",
        f"/calendar/{key}.ics/",
        f"/games/1/mute/{key}/x",
        f"/mail/{key}/y",
    ):
        client.get(address)
    assert len(log_lines.lines) >= 5
    assert key[:12] not in "".join(log_lines.lines)
    assert "/login/…" in log_lines.lines[0]


def test_no_link_with_a_key_is_logged_whole() -> None:
    """docs/operations.md, “Logs”: the link to run a game stood in the line of a refused request."""
    proof = signing.sign(Salt.REQUEST, "a request")
    keys = {"join": proof, "run-game": f"{draw_code()}-{proof}"}
    a_key = re.compile(r"<str:(?:token|key)>")
    patterns = [each for each in game_urls.urlpatterns if a_key.search(str(each.pattern))]
    assert {*keys, "login-link", "invitation", "mute"} <= {each.name for each in patterns}
    for each in patterns:
        key = keys.get(str(each.name), "0123456789abcdef" * 3)
        path = a_key.sub(key, str(each.pattern)).replace("<int:pk>", "1")
        assert key[:12] not in logs.scrub(f"Forbidden (CSRF token missing.): /{path}")
    file = "/srv/gamesmaster/gamesmaster/settings.py, /var/lib/gamesmaster/gamesmaster.sqlite3"
    assert logs.scrub(file) == file


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
def test_log_lines_contain_no_secrets(secret: str) -> None:
    line = secret.format("Sw0rdfish-Sw0rdfish")
    for formatter in (logs.Line(), logs.Json()):
        text = formatter.format(record("it failed: %s", line))
        assert "Sw0rdfish" not in text
        assert "…" in text


def test_login_codes_are_removed_from_log_lines() -> None:
    """A login code and the digits of a second factor, but neither words nor exit codes."""
    assert logs.Line().format(record("code=K7QMX-3WDPA, code: 123456")).endswith("code=…, code: …")
    assert (
        logs.Line()
        .format(record("code: unreadable, exit code: 503"))
        .endswith("code: unreadable, exit code: 503")
    )


def test_public_values_stay_in_log_lines() -> None:
    """Digests, our own Message-IDs and addresses of servers are what log lines are about."""
    text = (
        f"phase 3 locked, digest {'ab' * 32}, letter"
        " <game-1.phase-3.board-v1.p7.5f3a09c1@games.test> by smtp://user@mx.example.org, exit"
        " code: 503"
    )
    assert text in logs.Line().format(record("%s", text))


def test_repeated_error_is_mailed_once() -> None:
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
def test_refused_request_is_one_line_without_a_traceback(
    settings: Settings, address: str, status: int, line: str
) -> None:
    """Issue 19, 13; ways-in.md F8: anybody could fill the log and cause letters to `ADMINS`."""
    settings.ROOT_URLCONF = __name__
    settings.ANYMAIL = {"WEBHOOK_SECRET": "name:secret"}
    with configured_log() as written:
        assert Client().post(address, "{}", content_type="application/json").status_code == status
    assert len(written.getvalue().splitlines()) == 1, written.getvalue()
    assert line in written.getvalue()
    assert mail.outbox == []


@pytest.mark.django_db
def test_form_without_a_csrf_token_is_one_line(settings: Settings) -> None:
    settings.ROOT_URLCONF = __name__
    with configured_log() as written:
        assert Client(enforce_csrf_checks=True).post("/forbidden/").status_code == 403
    assert written.getvalue().count("\n") == 1
    assert (
        "WARNING django.security.csrf Forbidden (CSRF cookie not set.): /forbidden/"
        in written.getvalue()
    )


@pytest.mark.django_db
def test_failed_page_keeps_its_traceback(settings: Settings) -> None:
    settings.ROOT_URLCONF = __name__
    with configured_log() as written:
        Client(raise_request_exception=False).get("/broken/")
    assert "Traceback" in written.getvalue()
    assert "RuntimeError: It fell over." in written.getvalue()
    assert len(mail.outbox) == 1


@contextmanager
def configured_log() -> Iterator[io.StringIO]:
    """Yield the log as the settings configure it, with mail to an administrator as the first
    handler."""
    (handler,) = (
        candidate
        for candidate in logging.getLogger().handlers
        if isinstance(candidate.formatter, logs.Line)
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


def test_admin_addresses_are_parsed() -> None:
    assert logs.addresses(["Root <root@example.org>", "ada@example.org"]) == [
        "Root <root@example.org>",
        "ada@example.org",
    ]


def test_lines_of_the_web_server_leave_out_keys(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path
) -> None:
    """Of a request that it cannot read it quotes the first line."""
    monkeypatch.setattr(starting, "require_ready", lambda: None)
    settings.STATIC_ROOT = tmp_path
    (tmp_path / "staticfiles.json").touch()
    server = SimpleNamespace(log=Logger(Config()))
    run_path(str(ROOT / "gunicorn.conf.py"))["on_starting"](server)
    words = "Invalid HTTP request line: 'GET /login/abcdefghijklmnop'"
    record = logging.LogRecord("gunicorn.error", logging.WARNING, "", 0, words, (), None)
    lines = [handler.format(record) for handler in server.log.error_log.handlers]
    assert [line.partition("gunicorn.error ")[2] for line in lines] == [
        words.replace("abcdefghijklmnop", "…")
    ]
