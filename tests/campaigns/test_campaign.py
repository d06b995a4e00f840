"""Play a campaign by page with real processes, SMTP, the real yfinance and a moved clock."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from email.message import EmailMessage
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
import requests

from games.rules.registry import ruleset
from tests.support.loopback_yahoo import LoopbackYahoo, volume
from tests.support.processes import Service, Sink, eventually, service, text_of

pytestmark = pytest.mark.processes

NATIONS = ("USA", "France", "Britain", "Russia", "Germany")
ADDRESSES = {nation: f"{nation.lower()}@example.org" for nation in NATIONS}
ADA = "ada@example.org"
TITLE = "The lights go out"


class Browser:
    """What a person does with pages: open one, send its form, follow a link in a letter."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.session = requests.Session()
        self.session.trust_env = False

    def get(self, path: str) -> str:
        answer = self.session.get(urljoin(self.base, path), timeout=60)
        assert answer.status_code == 200, f"{path}: {answer.status_code}\n{answer.text[:600]}"
        self.address = answer.url
        return answer.text

    def post(self, path: str, page: str, **fields: str) -> str:
        """Send the form of `page`, which was loaded before, with its hidden CSRF token."""
        key = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert key is not None, f"no form on the page for {path}"
        data = {"csrfmiddlewaretoken": key[1], **fields}
        answer = self.session.post(
            urljoin(self.base, path), data=data, headers={"Referer": self.base}, timeout=60
        )
        assert answer.status_code == 200, f"{path}: {answer.status_code}\n{answer.text[:600]}"
        self.address = answer.url
        return answer.text

    def follow(self, letter: EmailMessage, what: str) -> str:
        """Open the link in a letter with `what` in its path, and press the button there."""
        link = re.search(rf"{re.escape(self.base)}\S*/{what}/\S+", text_of(letter))
        assert link is not None, f"no link to {what} in:\n{text_of(letter)}"
        return self.post(link[0], self.get(link[0]))


class Play:
    """A campaign in progress: service, letters, browsers, and the game's number."""

    def __init__(self, running: Service, sink: Sink) -> None:
        self.service, self.sink = running, sink
        self.base = running.environment["SITE_URL"]
        self.ada = Browser(self.base)
        self.people = {nation: Browser(self.base) for nation in NATIONS}
        self.game = 0

    def letter(self, address: str, what: str) -> EmailMessage:
        """Wait for a letter to an address with these words in its text; return the newest."""

        def newest() -> EmailMessage | None:
            return next(
                (letter for letter in reversed(self.sink.to(address)) if what in text_of(letter)),
                None,
            )

        return eventually(f"a letter to {address} with “{what}”", newest, self.service)

    def open_game(self, **form: str) -> None:
        """Let Ada log in by letter and open a game for the five players with this form."""
        page = self.ada.get("/login/")
        self.ada.post("/login/", page, email=ADA)
        self.ada.follow(self.letter(ADA, "/login/"), "login")
        page = self.ada.get("/games/new/")
        seats = {f"who_{place}": "address" for place in range(5)} | {
            f"email_{place}": ADDRESSES[n] for place, n in enumerate(NATIONS)
        }
        usual = {
            "title": TITLE,
            "your_name": "Ada",
            "card": "historical",
            "weeks": "2",
            "weekday": "friday",
            "time": "09:00",
            "public": "on",
            "zone": "America/New_York",
        }
        self.ada.post("/games/new/", page, **usual, **seats, **form)
        match = re.search(r"/games/(\d+)/", self.ada.address)
        assert match is not None, f"the game was not opened: {self.ada.address}"
        self.game = int(match[1])

    def phase(self) -> dict[str, Any]:
        columns = (
            "id, number, turn, kind, status, deadline, due_at, remind_at, locked_at,"
            " first_reading_at"
        )
        rows = self.service.rows(
            f"SELECT {columns} FROM games_phase WHERE game_id = ? ORDER BY number DESC LIMIT 1",
            self.game,
        )
        names = columns.split(", ")
        return {
            name: self._instant(value) if name.endswith(("_at", "deadline")) else value
            for name, value in zip(names, rows[0], strict=True)
        }

    def status(self, phase: int) -> str:
        return str(self.service.rows("SELECT status FROM games_phase WHERE id = ?", phase)[0][0])

    def has_left(self, phase: int, status: str) -> bool:
        return self.status(phase) != status

    def is_resolved(self, phase: int) -> bool:
        return self.status(phase) == "resolved"

    def adjudicate(self, situations: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return what `manage.py adjudicate` answers to each situation."""
        file = self.service.folder / "situations"
        file.write_text("\n".join(map(json.dumps, situations)))
        told = self.service.manage("adjudicate", "--lines", str(file))
        return [json.loads(line) for line in told.splitlines()]

    @staticmethod
    def _instant(text: str | None) -> datetime | None:
        return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None

    def come_to(self, instant: datetime, seconds_before: float = 0) -> None:
        """Move the clock of every process to an instant, or to some seconds before it."""
        self.service.set_clock((instant - datetime.now(UTC)).total_seconds() - seconds_before)


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    with (
        Sink() as sink,
        LoopbackYahoo() as yahoo,
        service(tmp_path, EMAIL_URL=sink.address, YAHOO_BASE_URL=yahoo.url) as running,
    ):
        running.start_all()
        going = Play(running, sink)
        eventually("the pages", lambda: _answers(going.base), running)
        yield going


def _answers(base: str) -> bool:
    try:
        return requests.get(f"{base}/", timeout=30).status_code == 200
    except (requests.ConnectionError, requests.Timeout):  # a first page may take long
        return False


def begin_game(play: Play) -> None:
    """Let Ada open the game, five people accept by link, and Ada start it."""
    play.open_game(every="weekday", market="yahoo")
    for nation, browser in play.people.items():
        browser.follow(play.letter(ADDRESSES[nation], "/invitation/"), "invitation")
    page = play.ada.get(f"/games/{play.game}/")
    play.ada.post(f"/games/{play.game}/start/", page)


def send_orders(play: Play, nation: str, text: str) -> None:
    seat = play.service.rows(
        "SELECT id FROM games_seat WHERE game_id = ? AND nation = ?", play.game, nation
    )[0][0]
    browser = play.people[nation]
    address = f"/games/{play.game}/orders/{seat}/"
    receipt = browser.post(address, browser.get(address), text=text, do="send-anyway")
    assert f"/games/{play.game}/submissions/" in browser.address, unescape(
        re.sub(r"<[^>]+>", " ", receipt)
    )[-1500:]


def test_five_people_play_a_campaign_by_page(play: Play) -> None:
    """rules C.1, STEP 1 to 4: twelve deadlines, six boards, winners; the five promises."""
    begin_game(play)
    rules = ruleset("origins-ww2")
    receipts: Counter[str] = Counter()
    lateness = []
    drawn = 0
    for number in range(1, 13):
        phase = play.phase()
        assert phase["number"] == number
        record = play.service.record(play.game)
        position = (
            record["phases"][number - 2]["resolutions"][-1]["after"]
            if number > 1
            else record["start"]
        )
        state = rules.load(record["card"], record["options"], position)
        for nation in NATIONS:
            if number == 1 and nation == "USA":
                continue  # reminded first
            send_orders(play, nation, rules.bot.orders(state, nation, f"campaign {number}"))
            receipts[nation] += 1
        if number == 1:
            play.come_to(phase["remind_at"])
            eventually(
                "the reminder",
                lambda: play.service.rows("SELECT 1 FROM games_letter WHERE kind = 'reminder'"),
                play.service,
            )
            send_orders(play, "USA", rules.bot.orders(state, "USA", "campaign 1"))
            receipts["USA"] += 1
        play.come_to(phase["deadline"], seconds_before=1.5)
        eventually(
            f"the lock of phase {number}", partial(play.has_left, phase["id"], "open"), play.service
        )
        if play.status(phase["id"]) == "drawing":
            drawn += 1
            locked = play.phase()
            assert locked["first_reading_at"] is not None
            while (now := play.phase())["id"] == phase["id"] and now["status"] == "drawing":
                play.come_to(now["due_at"])
                eventually(
                    "the next look at the market",
                    partial(_moved_on, play, phase["id"], now["due_at"]),
                    play.service,
                )
        eventually(
            f"the result of phase {number}", partial(play.is_resolved, phase["id"]), play.service
        )
        (locked_at,) = play.service.rows(
            "SELECT locked_at FROM games_phase WHERE id = ?", phase["id"]
        )[0]
        moment = play._instant(locked_at)
        assert moment is not None
        lateness.append((moment - phase["deadline"]).total_seconds())
    assert drawn >= 4, "the players attacked in too few turns for this test to say much"
    assert all(0 <= late <= 2 for late in lateness), f"seconds from deadline to lock: {lateness}"
    eventually(
        "the last letters",
        lambda: (
            play.service.rows("SELECT count(*) FROM games_letter WHERE status != 'sent'")[0][0] == 0
        ),
    )

    record = play.service.record(play.game)
    check_every_board(play, record)
    check_every_letter(play, receipts, drawn)
    record_file = play.service.folder / "record.json"
    record_file.write_text(json.dumps(record))
    play.service.manage("verify", str(record_file))
    final = play.people["Germany"].get(f"/games/{play.game}/")
    assert all(winner in final for winner in record["phases"][-1]["resolutions"][-1]["winners"])


def _moved_on(play: Play, phase: int, due: datetime | None) -> bool:
    now = play.phase()
    return bool(now["id"] != phase or now["status"] != "drawing" or now["due_at"] != due)


def check_every_board(play: Play, record: dict[str, Any]) -> None:
    """Assert that boards, scores and winners agree with `adjudicate` on the loopback's figures."""
    situations = []
    for phase in record["phases"]:
        resolution = phase["resolutions"][-1]
        session = phase["session"]
        named = {draw["stock"] for draw in phase["draws"]} | set(phase["stocks"])
        volumes = (
            {stock: volume(stock, date.fromisoformat(session["label"])) for stock in named}
            if session
            else {}
        )
        situations.append(
            {
                "id": phase["number"],
                "game": record["game"],
                "card": record["card"],
                "options": record["options"],
                "turn": phase["turn"],
                "phase": phase["kind"],
                "board": resolution["before"]["board"],
                "orders": resolution["orders"],
                "volumes": volumes,
                "reserves": record["reserves"],
            }
        )
    answers = play.adjudicate(situations)
    assert len(answers) == 12
    for answer, phase in zip(answers, record["phases"], strict=True):
        resolution = phase["resolutions"][-1]
        assert "error" not in answer, answer
        assert answer["board"] == resolution["after"]["board"]
        assert answer["events"] == resolution["events"]
        assert answer["scores"] == resolution["scores"]
        assert answer["winners"] == resolution["winners"]
    assert answers[-1]["next"] is None
    assert answers[-1]["winners"]


def check_every_letter(play: Play, receipts: Counter[str], drawn: int) -> None:
    """Promise 4: each of the five got each letter once, and no letter of another player."""
    for nation, address in ADDRESSES.items():
        letters = play.sink.to(address)
        ids = [letter["Message-ID"] for letter in letters]
        for twice in [each for each, times in Counter(ids).items() if times > 1]:
            columns = "kind, attempts, status, fault, written_at, sent_at"
            tried = play.service.rows(
                f"SELECT {columns} FROM games_letter WHERE code = ?",
                twice.partition("@")[0].rpartition("-")[2],
            )
            pytest.fail(f"{address} got {twice} twice: {tried}")
        kinds = Counter(
            kind
            for (kind,) in play.service.rows(
                "SELECT kind FROM games_letter WHERE address = ?", address
            )
        )
        expected = {
            "invitation": 1,
            "begins": 1,
            "opened": 1,
            "board": 11,
            "over": 1,
            "locked": drawn,
            "receipt": receipts[nation],
        }
        if nation == "USA":
            expected["reminder"] = 1
        assert dict(kinds) == expected
        assert len(letters) == sum(expected.values())
        for letter in letters:
            assert letter["Subject"].startswith(f"[{TITLE}]"), letter["Subject"]
            for other in NATIONS:
                assert ADDRESSES[other] == address or ADDRESSES[other] not in str(letter), (
                    f"{address} was shown {other}'s address"
                )
