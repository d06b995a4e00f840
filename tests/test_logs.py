"""Log lines: what they are about, and that no secret is in them (docs/operations.md, “Logs”)."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
from django.core import mail
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from games import keys, tasks, turns
from gamesmaster import logs
from tests.cast import MONDAY, Campaign, person


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
    return logging.LogRecord("games.turns", logging.ERROR, "x.py", 1, message, values, None)


@pytest.mark.django_db
def test_each_line_about_a_phase_names_it_and_its_game(kept: Kept) -> None:
    campaign = Campaign.begin()
    phase = campaign.phase
    token, ids = turns.claim(phase.deadline, 10)
    tasks.advance(ids[0], token)
    lines = [json.loads(line) for line in kept.lines]
    about = [(line.get("game"), line.get("phase")) for line in lines if line["logger"] == "games.turns"]
    assert set(about) == {(campaign.game.pk, phase.pk)}
    assert lines[0].keys() >= {"time", "level", "logger", "message", "process"}
    assert logs.Line().format(record("and afterwards of nothing")).endswith("and afterwards of nothing")


def test_a_line_about_a_page_names_its_game(kept: Kept, rf: RequestFactory) -> None:
    def page(request: HttpRequest) -> HttpResponse:
        logging.getLogger("games").warning("something is odd")
        return HttpResponse()

    for address in ("/games/4711/phases/3/", "/games/new/"):
        logs.Pages(page)(rf.get(address))
    assert [json.loads(line).get("game") for line in kept.lines] == [4711, None]


@pytest.mark.django_db
def test_no_key_that_somebody_follows_is_logged(kept: Kept, client: Client) -> None:
    """A link that opens nothing is logged by Django with its address; whoever reads logs must not read keys there."""
    key = keys.login_token(keys.new_login(person("una"), "/", MONDAY))
    for address in (f"/login/{key}/x/", f"/invitation/{key}/x", f"/calendar/{key}.ics/", f"/games/1/mute/{key}/x", f"/mail/{key}/y"):
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


def test_what_is_public_is_kept() -> None:
    """Digests, Message-IDs, stocks and people's addresses are what lines are about."""
    said = f"phase 3 locked, digest {'ab' * 32}, letter <game-1.phase-3.board-v1.p7.5f3a09c1@games.test> to una@example.org, exit code: 503"
    assert said in logs.Line().format(record("%s", said))


def test_a_fault_that_comes_a_thousand_times_is_told_once() -> None:
    handler = logs.ErrorsByMail(["root@example.org"])
    for number in range(1000):
        handler.emit(record("phase %s failed", number))
    handler.emit(record("something else, password=hunter2"))
    assert [letter.to for letter in mail.outbox] == [["root@example.org"]] * 2
    assert mail.outbox[0].subject.endswith("games.turns phase 0 failed")
    assert "hunter2" not in f"{mail.outbox[1].body} {mail.outbox[1].subject}"


def test_addresses_of_those_who_are_told() -> None:
    assert logs.addresses(["Root <root@example.org>", "ada@example.org", "nobody"]) == ["Root <root@example.org>", "ada@example.org"]
