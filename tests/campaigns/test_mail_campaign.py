"""Play a campaign of five people who have only a mail program.

Their messages go by SMTP to a mail server, which checks the sender and delivers them by LMTP. No
player opens a page; only Ada, who runs the game, opens it on a page.
"""

from __future__ import annotations

import email.message
import email.policy
import email.utils
import html
import itertools
import json
import re
import smtplib
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
from tests.support.processes import Service, Sink, eventually, free_port, service, text_of

pytestmark = pytest.mark.processes

SERVER = "mx.games.test"
ORDER = re.compile(
    r"^    ((?:PLACE|FROM HOME|ATTACK|UNDERSTANDING|CONTROL|SHARE)\b.*)$", re.MULTILINE
)
SECOND = "rosa@elsewhere.example.net"


class Postman:
    """A mail server that adds the result of its check of the sender, and delivers by LMTP."""

    def __init__(self, lmtp: int) -> None:
        self.lmtp = lmtp
        self.controller = Controller(self, hostname="127.0.0.1", port=free_port())
        self.real: set[str] = set()  # addresses whose domains sign their mail

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
    """A person with a mail program; subclasses format replies as other programs do."""

    def __init__(self, nation: str, sink: Sink, postman: Postman, running: Service) -> None:
        self.nation, self.address = nation, ADDRESSES[nation]
        self.sink, self.postman, self.service = sink, postman, running
        self.numbers = itertools.count(1)
        self.sent: list[str] = []  # Message-IDs of their own messages that must be answered
        postman.real.add(self.address)

    def letter(self, *words: str, kind: str = "", to: str = "") -> EmailMessage:
        """Wait for a letter with all these words, of `kind` if named; return the newest."""

        def newest() -> EmailMessage | None:
            mine = [
                letter
                for letter in reversed(self.sink.to(to or self.address))
                if not kind or self.kind(letter) == kind
            ]
            return next(
                (letter for letter in mine if all(word in flat(letter) for word in words)), None
            )

        return eventually(f"a letter to {self.nation} with {words}", newest, self.service)

    def kind(self, letter: EmailMessage) -> str:
        """Return the kind of a letter, which its headers do not tell."""
        code = line_of(letter, "Message-ID").partition("@")[0].rpartition("-")[2]
        ((kind,),) = self.service.rows("SELECT kind FROM games_letter WHERE code = ?", code)
        return str(kind)

    def body(self, words: str, old: EmailMessage) -> EmailMessage:
        """Return the reply as the program formats it: the quoted letter, then the words."""
        message = EmailMessage(policy=email.policy.SMTP)
        quoted = "\n".join(f"> {line}" for line in text_of(old).splitlines())
        message.set_content(
            f"On Mon, 16 Nov 2026 at 18:00, Gamesmaster wrote:\n{quoted}\n\n{words}\n\n--"
            f" \n{self.nation}\n"
        )
        return message

    def write(self, old: EmailMessage, words: str, address: str = "", **headers: str) -> str:
        """Answer a letter; return the Message-ID of the reply."""
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
        """Answer a letter as `write` does, and expect an answer from the service."""
        number = self.write(old, words, address)
        self.sent.append(number)
        return number

    def answered(self, number: str) -> EmailMessage:
        """Wait for the only answer to one of their messages; it must go to nobody else."""

        def answers() -> list[tuple[str, EmailMessage]]:
            return [
                (to, letter)
                for to, letter in list(self.sink.messages)
                if line_of(letter, "In-Reply-To") == number
            ]

        replies = eventually(f"the answer to {self.nation}", answers, self.service)
        assert len(replies) == 1, f"{len(replies)} answers to one message of {self.nation}"
        assert replies[0][0] in (self.address, SECOND)
        return replies[0][1]

    def answer(self, old: EmailMessage, words: str, address: str = "") -> EmailMessage:
        """Answer a letter; return the service's answer to the reply."""
        return self.answered(self.ask(old, words, address))


class TopPoster(Correspondent):
    """HTML only, with the old letter below without quotation marks, as French Outlook does."""

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
    """A phone: an automatic footer, and the old letter after an attribution line."""

    def body(self, words: str, old: EmailMessage) -> EmailMessage:
        message = EmailMessage(policy=email.policy.SMTP)
        quoted = "\n".join(f"> {line}" for line in text_of(old).splitlines())
        attribution = "On 16 Nov 2026, at 18:00, Gamesmaster <gamesmaster@games.test> wrote:"
        message.set_content(
            f"{words}\n\nSent from my iPhone\n\n> {attribution}\n>\n{quoted}\n", cte="base64"
        )
        return message


class Terse(Correspondent):
    """Only their words, in lower case and with periods."""

    def body(self, words: str, old: EmailMessage) -> EmailMessage:
        message = EmailMessage(policy=email.policy.SMTP)
        message.set_content("\n".join(f"{line.lower()}." for line in words.splitlines()))
        return message


@cache
def line_of(letter: EmailMessage, name: str) -> str:
    """Return a header of a letter. Cached, because waiting tests look at letters often."""
    return str(letter[name])


@cache
def flat(letter: EmailMessage) -> str:
    """Return the text of a letter as a single line."""
    return " ".join(text_of(letter).split())


def examples(letter: EmailMessage) -> list[str]:
    """Return the example orders of a letter, which a player can copy."""
    offered = text_of(letter).partition("for example:")[2].partition("If you send nothing")[0]
    return [line.strip() for line in ORDER.findall(offered)]


def board_in(letter: EmailMessage) -> list[str]:
    """Return the lines of the board in a letter, or nothing if the board is empty.

    Letters announce an empty board with a sentence; the answer to BOARD names the empty areas.
    """
    if "The board is empty." in flat(letter):
        return []
    lines = text_of(letter).splitlines()
    first = next((at for at, line in enumerate(lines) if line.split() == list(NATIONS)), None)
    if first is None:  # only occupied areas have a row
        assert "Empty: " in flat(letter)
        return []
    return list(itertools.takewhile(str.strip, lines[first:]))


class MailPlay(Play):
    """A campaign in progress, with Ada using pages and five people using mail."""

    def open_demo(self) -> None:
        """Let Ada open a game on the DEMO exchange that begins when the fifth seat is taken."""
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
        """Return the newest position, or None before the first result."""
        rows = self.service.rows(
            "SELECT after FROM games_resolution JOIN games_phase ON games_phase.id = phase_id ORDER"
            " BY number DESC LIMIT 1"
        )
        return json.loads(rows[0][0]) if rows else None

    def let_it_be_judged(self, phase: int) -> None:
        """Move the clock from one due time to the next until a phase has been judged."""
        while (now := self.phase())["id"] == phase and now["status"] != "resolved":
            if now["due_at"] is not None:
                self.come_to(now["due_at"])
            eventually("what is due", lambda now=now: self._moved(now), self.service)  # type: ignore[misc]

    def _moved(self, before: dict[str, Any]) -> bool:
        now = self.phase()
        return any(now[name] != before[name] for name in ("id", "status", "due_at"))


@dataclass
class Campaign:
    """What the five people write in each phase: orders, and the questions still to ask."""

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
        """Return orders: examples copied from the letter, or those of a bot."""
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
        """Send the messages of all five, and assert that every line was understood."""
        written = {nation: self.write(phase, nation) for nation in self.people}
        for nation, (opened, words, number) in written.items():
            answer = self.people[nation].answered(number)
            text = text_of(answer)
            assert "REJECTED" not in text, f"{words}\n{text}"
            assert "NOT DONE" not in text, f"{words}\n{text}"
            assert f"FOR {nation.upper()}" in text, text
            assert "They are in force" in flat(answer), text
            if "BOARD" in words.splitlines():
                assert board_in(answer) == board_in(opened)

    def write(self, phase: dict[str, Any], nation: str) -> tuple[EmailMessage, str, str]:
        """Write for one nation. Return the letter it answers, its words and the Message-ID."""
        turn, kind = phase["turn"], phase["kind"]
        correspondent = self.people[nation]
        # “Next:” above a phase in which they can order nothing, else “Your orders for”.
        opened = correspondent.letter(f"TURN {turn} {kind.upper()} Orders are due by")
        lines = [*self.orders(nation, opened, turn, kind), *self.also(nation, turn, kind)]
        words = "\n".join([*lines, "FINAL"] if turn == 6 else lines)
        if nation == "Russia" and (turn, kind) == (2, "placement"):
            return opened, words, self.from_elsewhere(opened, words)
        return (
            opened,
            words,
            correspondent.ask(opened, words, SECOND if nation == "Russia" and turn > 2 else ""),
        )

    def also(self, nation: str, turn: int, kind: str) -> list[str]:
        """Return further lines: a question of Germany, or a letter of France to Germany."""
        if nation == "Germany" and self.questions:
            return [self.questions.pop(0)]
        if kind == "placement" and turn == 2 and nation == "France":
            return ["PRESS TO Germany", "Shall we leave Alsace alone?", "PLACE 5 Poland", "END"]
        return []

    def from_elsewhere(self, opened: EmailMessage, words: str) -> str:
        """Orders from Rosa's second address count once she confirms them from her first one."""
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
        """Return how many submissions of a nation have arrived."""
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


def test_five_people_play_a_campaign_by_mail(post: tuple[MailPlay, Postman]) -> None:
    """Issue 4: seats, orders, questions, press and the winner by mail; the record verifies."""
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
        nation: player.ask(player.letter("invites you to play", kind="invitation"), "ACCEPT")
        for nation, player in people.items()
    }
    for nation, correspondent in people.items():
        assert f"You play {nation}" in flat(correspondent.answered(accepted[nation]))
    # The fifth player to accept starts the game.
    assert "you can send orders until" in flat(people["Germany"].answered(accepted["Germany"]))

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
        else:  # all five have sent FINAL, so the phase closes by itself
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
    """Orders quoted in a letter to Germany do not count; Germany's reply reaches France."""
    letter = people["Germany"].letter("Shall we leave Alsace alone?")
    assert "PLACE 5 Poland" in text_of(letter)
    people["Germany"].answer(letter, "REPLY\nAlsace, yes. Poland is mine.\nEND")
    people["France"].letter("Poland is mine.")


def _programs_are_not_answered(correspondent: Correspondent, postman: Postman) -> None:
    """Send an out-of-office reply and a bounce, which must not be answered (RFC 3834)."""
    opened = correspondent.letter("YOUR ORDERS FOR")
    correspondent.write(
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
        f"The address <{correspondent.address}> is not known here.\n\nPASS\n\nMessage-ID:"
        f" {opened['Message-ID']}\n"
    )
    with smtplib.SMTP("127.0.0.1", postman.controller.port, timeout=30) as handed:
        handed.send_message(
            bounce, from_addr="", to_addrs=[email.utils.parseaddr(str(opened["Reply-To"]))[1]]
        )


def _too_late(correspondent: Correspondent, campaign: Campaign) -> None:
    """Orders for a judged phase are recorded, and the answer says that they are not used."""
    opened = correspondent.letter("YOUR ORDERS FOR TURN 2 ATTACKS")
    before = campaign.received("Britain")
    text = flat(correspondent.answer(opened, "PASS"))
    assert "Recorded, not used" in text
    assert campaign.received("Britain") == before + 1


def check_the_record(record: dict[str, Any], play: MailPlay) -> None:
    """Assert that all orders came by mail, agree with `adjudicate`, and the record verifies."""
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
    for answer, resolution in zip(play.adjudicate(situations), resolutions, strict=True):
        assert "error" not in answer, answer
        for name in ("events", "scores", "winners"):
            assert answer[name] == resolution[name]
        assert answer["board"] == resolution["after"]["board"]
    assert resolutions[-1]["winners"]
    record_file = play.service.folder / "record.json"
    record_file.write_text(json.dumps(record))
    play.service.manage("verify", str(record_file))


def check_the_letters(people: dict[str, Correspondent], play: MailPlay) -> None:
    """Assert that each message has one answer, each letter came once and shows no other address."""
    winners = json.loads(
        play.service.rows("SELECT winners FROM games_resolution ORDER BY id DESC LIMIT 1")[0][0]
    )
    answers = Counter(line_of(letter, "In-Reply-To") for _, letter in play.sink.messages)
    for nation, correspondent in people.items():
        assert all(answers[number] == 1 for number in correspondent.sent)
        letters = play.sink.to(correspondent.address) + (
            play.sink.to(SECOND) if nation == "Russia" else []
        )
        assert len({letter["Message-ID"] for letter in letters}) == len(letters), (
            f"{nation} got a letter twice"
        )
        kinds = Counter(
            kind
            for (kind,) in play.service.rows(
                "SELECT kind FROM games_letter WHERE address = ?", correspondent.address
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
            winner in flat(correspondent.letter("Thank you for playing.", kind="over"))
            for winner in winners
        )
        for letter in letters:
            shown = [
                address
                for other, address in ADDRESSES.items()
                if other != nation and address in str(letter)
            ]
            assert not shown, f"{nation} was shown {shown}"
            assert nation == "Russia" or SECOND not in str(letter)
    known = {number for correspondent in people.values() for number in correspondent.sent}
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
