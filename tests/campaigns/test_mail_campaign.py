"""A whole campaign of five people who have a mail program and nothing else.

What they write goes by SMTP to a mail server that looks at who sent it and hands it in by LMTP. No
player ever opens a page; Ada, who runs the game, opens it on one."""

from __future__ import annotations

import email.message
import email.policy
import email.utils
import html
import itertools
import json
import re
import smtplib
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import EmailMessage
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from games.rules.registry import ruleset
from tests.campaigns.test_campaign import ADDRESSES, NATIONS, Play, _answers
from tests.support.processes import ROOT, Service, Sink, eventually, free_port, service, text_of

pytestmark = pytest.mark.processes

SERVER = "mx.games.test"
ORDER = re.compile(
    r"^    ((?:PLACE|FROM HOME|ATTACK|UNDERSTANDING|CONTROL|SHARE)\b.*)$", re.MULTILINE
)
SECOND = "rosa@elsewhere.example.net"


class Postman:
    """A mail server that adds what it has found out of the sender, and hands in by LMTP."""

    def __init__(self, lmtp: int) -> None:
        self.lmtp = lmtp
        self.controller = Controller(self, hostname="127.0.0.1", port=free_port())
        self.real: set[str] = set()  # whose domains sign what they send

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 (aiosmtpd calls it so)
        assert isinstance(envelope.content, bytes)
        sender = envelope.mail_from or ""
        result = "pass" if sender in self.real else "fail"
        head = (
            f"Return-Path: <{sender}>\r\nAuthentication-Results: {SERVER}; dmarc={result}"
            f" header.from={sender.rpartition('@')[2]}\r\n"
        )
        with smtplib.LMTP("127.0.0.1", self.lmtp, timeout=30) as handed:
            refused = handed.sendmail(sender, envelope.rcpt_tos, head.encode() + envelope.content)
        return "250 taken" if not refused else "451 later"

    def __enter__(self) -> Postman:
        self.controller.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.controller.stop()


class Correspondent:
    """Somebody with a mail program that answers letters as that program does."""

    def __init__(self, nation: str, sink: Sink, postman: Postman, running: Service) -> None:
        self.nation, self.address = nation, ADDRESSES[nation]
        self.sink, self.postman, self.service = sink, postman, running
        self.numbers = itertools.count(1)
        self.sent: list[str] = []  # the Message-IDs of what he has written himself
        postman.real.add(self.address)

    def letter(self, *words: str, kind: str = "", to: str = "") -> EmailMessage:
        """Waits for the newest letter with all these words, of a kind if one is named."""

        def newest() -> EmailMessage | None:
            mine = [
                letter
                for letter in reversed(self.sink.to(to or self.address))
                if f".{kind}" in line_of(letter, "Message-ID")
            ]
            return next(
                (letter for letter in mine if all(word in flat(letter) for word in words)), None
            )

        return eventually(f"a letter to {self.nation} with {words}", newest, self.service)

    def body(self, words: str, old: EmailMessage) -> EmailMessage:
        """What the program makes of words and the letter answered: the quotation first."""
        message = EmailMessage(policy=email.policy.SMTP)
        quoted = "\n".join(f"> {line}" for line in text_of(old).splitlines())
        message.set_content(
            f"On Mon, 16 Nov 2026 at 18:00, Gamesmaster wrote:\n{quoted}\n\n{words}\n\n--"
            f" \n{self.nation}\n"
        )
        return message

    def write(self, old: EmailMessage, words: str, address: str = "", **headers: str) -> str:
        """Answers a letter, and gives the Message-ID of what he has sent."""
        sender, where = address or self.address, str(old["Reply-To"])
        message = self.body(words, old)
        number = f"<{self.nation.lower()}-{next(self.numbers)}@{sender.rpartition('@')[2]}>"
        message["From"], message["To"] = f"{self.nation} <{sender}>", where
        message["Subject"], message["Message-ID"] = f"Re: {old['Subject']}", number
        message["Date"] = email.utils.localtime()
        message["In-Reply-To"], message["References"] = (
            str(old["Message-ID"]),
            str(old["Message-ID"]),
        )
        for name, value in headers.items():
            message[name.replace("_", "-")] = value
        with smtplib.SMTP("127.0.0.1", self.postman.controller.port, timeout=30) as handed:
            handed.send_message(
                message, from_addr=sender, to_addrs=[email.utils.parseaddr(where)[1]]
            )
        return number

    def ask(self, old: EmailMessage, words: str, address: str = "") -> str:
        """As `write`, for what is his own and must be answered."""
        number = self.write(old, words, address)
        self.sent.append(number)
        return number

    def answered(self, number: str) -> EmailMessage:
        """The letter that answers one of his; it goes to nobody else."""

        def answers() -> list[tuple[str, EmailMessage]]:
            return [
                (to, letter)
                for to, letter in list(self.sink.messages)
                if line_of(letter, "In-Reply-To") == number
            ]

        found = eventually(f"the answer to {self.nation}", answers, self.service)
        assert len(found) == 1, f"{len(found)} answers to one message of {self.nation}"
        assert found[0][0] in (self.address, SECOND)
        return found[0][1]

    def answer(self, old: EmailMessage, words: str, address: str = "") -> EmailMessage:
        """Answers a letter, and gives the letter that answers his."""
        return self.answered(self.ask(old, words, address))


class TopPoster(Correspondent):
    """HTML alone, the old letter below without quotation marks, as Outlook in French."""

    def body(self, words: str, old: EmailMessage) -> EmailMessage:
        def plain(line: str) -> str:
            return html.escape(line).encode("ascii", "xmlcharrefreplace").decode()

        def set_in(line: str) -> str:
            return f"<p class=MsoNormal>{plain(line) or '&nbsp;'}<o:p></o:p></p>"

        message = EmailMessage(policy=email.policy.SMTP)
        head = (
            "<b>De&nbsp;:</b> Gamesmaster"
            " &lt;gamesmaster@games.test&gt;<br><b>Envoy\u00e9&nbsp;:</b> lundi 16 novembre 2026"
            " 18:00<br><b>\u00c0&nbsp;:</b> Felix<br><b>Objet&nbsp;:</b>"
            f" {plain(str(old['Subject']))}"
        )
        message.set_content(
            "<html><body lang=FR><div"
            f" class=WordSection1>{''.join(map(set_in, words.splitlines()))}"
            '<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm">'
            f"<p class=MsoNormal>{head}</p></div>{''.join(map(set_in, text_of(old).splitlines()))}"
            "</div></body></html>",
            subtype="html",
            charset="windows-1252",
            cte="quoted-printable",
        )
        return message


class Telephone(Correspondent):
    """A telephone: a footer that nobody wrote, and the old letter after a line of attribution."""

    def body(self, words: str, old: EmailMessage) -> EmailMessage:
        message = EmailMessage(policy=email.policy.SMTP)
        quoted = "\n".join(f"> {line}" for line in text_of(old).splitlines())
        attribution = "On 16 Nov 2026, at 18:00, Gamesmaster <gamesmaster@games.test> wrote:"
        message.set_content(
            f"{words}\n\nSent from my iPhone\n\n> {attribution}\n>\n{quoted}\n", cte="base64"
        )
        return message


class Terse(Correspondent):
    """Nothing but his words, in lower case and with full stops."""

    def body(self, words: str, old: EmailMessage) -> EmailMessage:
        message = EmailMessage(policy=email.policy.SMTP)
        message.set_content("\n".join(f"{line.lower()}." for line in words.splitlines()))
        return message


@cache
def line_of(letter: EmailMessage, name: str) -> str:
    """A header of a letter. Parsed once: what a test waits for is looked at often."""
    return str(letter[name])


@cache
def flat(letter: EmailMessage) -> str:
    """The text of a letter with its lines put together."""
    return " ".join(text_of(letter).split())


def examples(letter: EmailMessage) -> list[str]:
    """The lines that a letter offers to copy."""
    return [
        line.strip() for line in ORDER.findall(text_of(letter).partition("If you send nothing")[0])
    ]


def board_in(letter: EmailMessage) -> list[str]:
    """The board of a letter, line by line."""
    lines = text_of(letter).splitlines()
    first = next(at for at, line in enumerate(lines) if line.split() == list(NATIONS))
    return lines[first : first + 14]


class MailPlay(Play):
    """The campaign as it goes on, with Ada at a page and five people at their mail."""

    def open_demo(self) -> None:
        """Ada opens a game on the DEMO exchange that begins when the fifth seat is taken."""
        self.open_game(
            every="minutes",
            minutes="60",
            market="demo",
            starts_when_full="on",
            may_lock_early="on",
        )

    def finished(self) -> bool:
        return bool(
            self.service.rows("SELECT status FROM games_game WHERE id = ?", self.game)[0][0]
            == "finished"
        )

    def position(self) -> dict[str, Any] | None:
        """The newest position; None before the first is left."""
        rows = self.service.rows(
            "SELECT after FROM games_resolution JOIN games_phase ON games_phase.id = phase_id ORDER"
            " BY number DESC LIMIT 1"
        )
        return json.loads(rows[0][0]) if rows else None

    def let_it_be_judged(self, phase: int) -> None:
        """Moves time on, from one thing that is due to the next, until a phase has been judged."""
        while (now := self.phase())["id"] == phase and now["status"] != "resolved":
            if now["due_at"] is not None:
                self.come_to(now["due_at"])
            eventually("what is due", lambda now=now: self._moved(now), self.service)  # type: ignore[misc]

    def _moved(self, before: dict[str, Any]) -> bool:
        now = self.phase()
        return any(now[name] != before[name] for name in ("id", "status", "due_at"))


@dataclass
class Campaign:
    """What the five write in a phase, and what they have asked and been told so far."""

    play: MailPlay
    people: dict[str, Correspondent]
    card: dict[str, Any]
    options: dict[str, Any]
    start: dict[str, Any]
    questions: list[str] = field(
        default_factory=lambda: ["BOARD", "STATUS", "ORDERS", "DEADLINE", "HELP", "HISTORY 1"]
    )
    copied: int = 0
    attacked: int = 0

    def orders(self, nation: str, opened: EmailMessage, turn: int, kind: str) -> list[str]:
        """Lines copied out of the letter, or the nation's own, as the service's player's."""
        rules = ruleset("origins-ww2")
        state = rules.load(self.card, self.options, self.play.position() or self.start)
        own = rules.bot.orders(state, nation, f"mail {turn}").splitlines()
        if nation == "USA" and (turn, kind) == (3, "attacks"):
            return ["PASS"]
        offered = examples(opened)
        if offered and (kind == "placement" and turn % 2 == 1):
            self.copied += 1
            return offered
        self.attacked += sum(line.startswith("ATTACK") for line in own)
        return own or ["PASS"]

    def send(self, phase: dict[str, Any]) -> None:
        """The orders of all five and what else they say; every line of it is understood."""
        written = {nation: self.write(phase, nation) for nation in self.people}
        for nation, (opened, words, number) in written.items():
            answer = self.people[nation].answered(number)
            said = text_of(answer)
            assert "REJECTED" not in said, f"{words}\n{said}"
            assert "NOT DONE" not in said, f"{words}\n{said}"
            assert f"FOR {nation.upper()}" in said, said
            assert "They are in force" in flat(answer), said
            if "BOARD" in words.splitlines():
                assert board_in(answer) == board_in(opened)

    def write(self, phase: dict[str, Any], nation: str) -> tuple[EmailMessage, str, str]:
        """The letter that one nation answers, its words, and their Message-ID."""
        turn, kind = phase["turn"], phase["kind"]
        somebody = self.people[nation]
        opened = somebody.letter(f"YOUR ORDERS FOR TURN {turn} {kind.upper()}")
        lines = [*self.orders(nation, opened, turn, kind), *self.also(nation, turn, kind)]
        words = "\n".join([*lines, "FINAL"] if turn == 6 else lines)
        if nation == "Russia" and (turn, kind) == (2, "placement"):
            return opened, words, self.from_elsewhere(opened, words)
        return (
            opened,
            words,
            somebody.ask(opened, words, SECOND if nation == "Russia" and turn > 2 else ""),
        )

    def also(self, nation: str, turn: int, kind: str) -> list[str]:
        """Questions, and a letter to another nation with its reply."""
        if nation == "Germany" and self.questions:
            return [self.questions.pop(0)]
        if kind == "placement" and turn == 2 and nation == "France":
            return ["PRESS TO Germany", "Shall we leave Alsace alone?", "PLACE 5 Poland", "END"]
        return []

    def from_elsewhere(self, opened: EmailMessage, words: str) -> str:
        """Rosa at another machine is obeyed once she says so from the address on file."""
        rosa = self.people["Russia"]
        question = rosa.answer(opened, words, SECOND)
        assert SECOND in flat(question)
        assert self.received("Russia") == 2
        done = rosa.ask(question, "CONFIRM ALWAYS")
        assert "FOR RUSSIA" in text_of(rosa.answered(done))
        assert self.received("Russia") == 3
        rosa.answer(rosa.letter("CONFIRM", kind="", to=SECOND), "CONFIRM", SECOND)
        return done

    def received(self, nation: str) -> int:
        """How many order sets of a nation have come."""
        mine = (
            "SELECT count(*) FROM orders_submission JOIN games_seat ON games_seat.id = seat_id"
            " WHERE nation = ?"
        )
        return int(self.play.service.rows(mine, nation)[0][0])


@pytest.fixture
def post(tmp_path: Path) -> Iterator[tuple[MailPlay, Postman]]:
    lmtp = free_port()
    ways: Any = {
        "LMTP_LISTEN": f"127.0.0.1:{lmtp}",
        "MAIL_DOMAIN": "games.test",
        "MAIL_AUTHSERV_ID": SERVER,
        "MAIL_TRUST": "results",
    }
    with (
        Sink() as sink,
        Postman(lmtp) as postman,
        service(tmp_path, EMAIL_URL=sink.address, **ways) as running,
    ):
        running.start_all()
        running.start("lmtp", [sys.executable, "manage.py", "lmtp"])
        going = MailPlay(running, sink)
        eventually("the pages", lambda: _answers(going.base), running)
        eventually("the way in for mail", lambda: _listens(lmtp), running)
        yield going, postman


def _listens(port: int) -> bool:
    try:
        with smtplib.LMTP("127.0.0.1", port, timeout=5):
            return True
    except OSError:
        return False


def test_five_people_play_a_campaign_with_nothing_but_mail(post: tuple[MailPlay, Postman]) -> None:
    """Issue 4: seats, orders, questions, press and the winner by mail; the record follows."""
    play, postman = post
    sink, running = play.sink, play.service
    programs = {
        "USA": Correspondent,
        "France": TopPoster,
        "Britain": Telephone,
        "Russia": Terse,
        "Germany": Correspondent,
    }
    people = {
        nation: program(nation, sink, postman, running) for nation, program in programs.items()
    }
    postman.real.add(SECOND)
    play.open_demo()
    accepted = {
        nation: one.ask(one.letter("invites you to play", kind="invitation"), "ACCEPT")
        for nation, one in people.items()
    }
    for nation, somebody in people.items():
        assert f"You play {nation}" in flat(somebody.answered(accepted[nation]))
    assert "orders are due by" in flat(
        people["Germany"].answered(accepted["Germany"])
    )  # the fifth has begun the game

    record = running.record(play.game)
    campaign = Campaign(play, people, record["card"], record["options"], record["start"])
    for number in range(1, 13):
        phase = play.phase()
        assert phase["number"] == number
        campaign.send(phase)
        if number == 3:
            _a_letter_is_answered(people)
        if number == 5:
            _programs_are_not_answered(people["USA"], postman)
        if phase["turn"] < 6:
            play.let_it_be_judged(phase["id"])
        else:  # all five have said FINAL, and it ends by itself
            eventually(
                "the early end",
                lambda phase=phase: play.has_left(phase["id"], "open"),  # type: ignore[misc]
                running,
            )
            assert datetime_of(running, phase["id"]) < phase["deadline"]
            play.let_it_be_judged(phase["id"])
        if number == 4:
            _too_late(people["Britain"], campaign)
    assert play.finished()
    assert campaign.questions == []
    assert campaign.copied >= 10
    assert campaign.attacked >= 4, "they attacked too little for this test to say much"
    eventually(
        "the last letters",
        lambda: (
            running.rows("SELECT count(*) FROM games_letter WHERE due_at IS NOT NULL")[0][0] == 0
        ),
        running,
    )

    record = running.record(play.game)
    check_the_record(record, play)
    check_the_letters(people, play)


def datetime_of(running: Service, phase: int) -> Any:
    return Play._instant(
        running.rows("SELECT locked_at FROM games_phase WHERE id = ?", phase)[0][0]
    )


def _a_letter_is_answered(people: dict[str, Correspondent]) -> None:
    """Orders that a letter to Germany quotes are nobody's; the reply finds its way back."""
    letter = people["Germany"].letter("Shall we leave Alsace alone?")
    assert "PLACE 5 Poland" in text_of(letter)
    people["Germany"].answer(letter, "REPLY\nAlsace, yes. Poland is mine.\nEND")
    people["France"].letter("Poland is mine.")


def _programs_are_not_answered(somebody: Correspondent, postman: Postman) -> None:
    """An out-of-office reply and a letter that comes back (RFC 3834)."""
    opened = somebody.letter("YOUR ORDERS FOR")
    somebody.write(
        opened, "I am away until Monday.\nPASS", Auto_Submitted="auto-replied", Precedence="bulk"
    )
    bounce = EmailMessage(policy=email.policy.SMTP)
    bounce["From"], bounce["To"] = (
        "Mail Delivery System <MAILER-DAEMON@example.org>",
        str(opened["Reply-To"]),
    )
    bounce["Subject"], bounce["Message-ID"] = (
        "Undelivered Mail Returned to Sender",
        "<usa-bounce@example.org>",
    )
    bounce.set_content(
        f"The address <{somebody.address}> is not known here.\n\nPASS\n\nMessage-ID:"
        f" {opened['Message-ID']}\n"
    )
    with smtplib.SMTP("127.0.0.1", postman.controller.port, timeout=30) as handed:
        handed.send_message(
            bounce, from_addr="", to_addrs=[email.utils.parseaddr(str(opened["Reply-To"]))[1]]
        )


def _too_late(somebody: Correspondent, campaign: Campaign) -> None:
    """Orders to a phase that has been judged: kept, and said not to be used."""
    opened = somebody.letter("YOUR ORDERS FOR TURN 2 ATTACKS")
    before = campaign.received("Britain")
    said = flat(somebody.answer(opened, "PASS"))
    assert "Recorded, not used" in said
    assert campaign.received("Britain") == before + 1


def check_the_record(record: dict[str, Any], play: MailPlay) -> None:
    """Everything came by mail, agrees with `adjudicate`, and the record proves itself."""
    assert record["status"] == "finished"
    submissions = [row for phase in record["phases"] for row in phase["submissions"]]
    assert {row["channel"] for row in submissions} == {"mail"}
    assert {row["nation"] for row in submissions} == set(NATIONS)
    assert [row["late"] for row in submissions].count(True) == 1
    assert len(submissions) == 61
    situations, resolutions = [], [phase["resolutions"][-1] for phase in record["phases"]]
    for phase, resolution in zip(record["phases"], resolutions, strict=True):
        volumes = {figure["symbol"]: figure["volume"] for figure in phase["figures"]}
        same = {name: record[name] for name in ("game", "card", "options", "reserves")}
        own = {
            "id": phase["number"],
            "turn": phase["turn"],
            "phase": phase["kind"],
            "volumes": volumes,
        }
        situations.append(
            same | own | {"board": resolution["before"]["board"], "orders": resolution["orders"]}
        )
    lines = "\n".join(json.dumps(situation) for situation in situations)
    words = [sys.executable, "manage.py", "adjudicate", "--lines"]
    done = subprocess.run(words, cwd=ROOT, input=lines, capture_output=True, text=True, check=True)
    for answer, resolution in zip(
        map(json.loads, done.stdout.splitlines()), resolutions, strict=True
    ):
        assert "error" not in answer, answer
        for name in ("events", "scores", "winners"):
            assert answer[name] == resolution[name]
        assert answer["board"] == resolution["after"]["board"]
    assert resolutions[-1]["winners"]
    kept = play.service.folder / "record.json"
    kept.write_text(json.dumps(record))
    play.service.manage("verify", str(kept))


def check_the_letters(people: dict[str, Correspondent], play: MailPlay) -> None:
    """One answer to each message, each letter once, nobody else's address shown."""
    winners = json.loads(
        play.service.rows("SELECT winners FROM games_resolution ORDER BY id DESC LIMIT 1")[0][0]
    )
    answers = Counter(line_of(letter, "In-Reply-To") for _, letter in play.sink.messages)
    for nation, somebody in people.items():
        assert all(answers[number] == 1 for number in somebody.sent)
        letters = play.sink.to(somebody.address) + (
            play.sink.to(SECOND) if nation == "Russia" else []
        )
        assert len({letter["Message-ID"] for letter in letters}) == len(letters), (
            f"{nation} got a letter twice"
        )
        kinds = Counter(
            kind
            for (kind,) in play.service.rows(
                "SELECT kind FROM games_letter WHERE address = ?", somebody.address
            )
        )
        assert {
            kind: kinds[kind] for kind in ("invitation", "begins", "opened", "board", "over")
        } == {
            "invitation": 1,
            "begins": 1,
            "opened": 1,
            "board": 11,
            "over": 1,
        }
        assert "receipt" not in kinds
        assert all(
            winner in flat(somebody.letter("The last phase was", kind="over")) for winner in winners
        )
        for letter in letters:
            shown = [
                address
                for other, address in ADDRESSES.items()
                if other != nation and address in str(letter)
            ]
            assert not shown, f"{nation} was shown {shown}"
            assert nation == "Russia" or SECOND not in str(letter)
    known = {number for somebody in people.values() for number in somebody.sent}
    for number in (
        "<usa-bounce@example.org>",
        *(number for number in answers if number.startswith("<usa-") and number not in known),
    ):
        assert answers[number] == 0, "a program was answered"
    ignored = play.service.rows(
        "SELECT status FROM orders_handling WHERE kind IN ('automatic', 'bounce')"
    )
    assert ignored == [("ignored",), ("ignored",)]
    assert play.service.rows(
        "SELECT count(*) FROM orders_handling WHERE status NOT IN ('done', 'ignored')"
    ) == [(0,)]
    assert play.service.rows("SELECT count(*) FROM orders_mail")[0][0] == len(known) + 2
