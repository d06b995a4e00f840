"""People who order all the time, by page and by mail, and record what was accepted.

Every try has a mark in a comment of its orders. A page is accepted if it redirects to a receipt, a
message if the answer is 250; otherwise the same message is delivered again, as a mail server would.
"""

from __future__ import annotations

import contextlib
import http.client
import random
import re
import smtplib
import threading
import time
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from tests.support.processes import TookTooLongError

if TYPE_CHECKING:
    from tests.drills.breaking.league import League

KEY = "k" * 32
ORDERS = "PLACE 1 Poland # {mark}\nATTACK Poland: {rival} STOCK GE # {mark}\n"
#: The nations of the two people, who attack each other: programs may have made peace.
RIVALS = {"web": "Germany", "mail": "USA"}
#: A letter to the other player, in one message of `PRESS_EVERY`.
PRESS, PRESS_EVERY = "PRESS TO USA\nThis is {mark}.\nEND\n", 4
TRIES_BY_MAIL = 400
#: Seconds to wait for the answer to the last orders.
STOPPING = 180.0
MARK = re.compile(r"mark-\d{6}")
_marks = count(1)


@dataclass(frozen=True)
class Game:
    """A game, and the credentials of the two people who order: one by page, one by mail."""

    number: int
    seat: int
    session: str
    writes_to: str
    writes_from: str


@dataclass
class Sent:
    """What was sent, and how the service answered."""

    accepted_pages: dict[str, int] = field(default_factory=dict)  # mark: number of the game
    accepted_mail: dict[str, int] = field(default_factory=dict)
    press: set[str] = field(default_factory=set)  # marks of accepted letters to the other player
    written: dict[str, int] = field(default_factory=dict)  # all marks, also of tries in vain
    unanswered: int = 0
    refused: list[str] = field(default_factory=list)  # answers with a sentence, or a 4xx code
    spoiled: list[str] = field(default_factory=list)  # error pages without a sentence
    waited: float = 0.0  # longest wait in seconds for an acknowledgment, retries included

    @property
    def accepted(self) -> int:
        return len(self.accepted_pages) + len(self.accepted_mail)


def mark() -> str:
    return f"mark-{next(_marks):06d}"


def sign_in(text: str | None) -> str:
    """Return the mark in a text; "" without one."""
    found = MARK.search(text or "")
    return found[0] if found else ""


def orders_by(channel: str, sign: str) -> str:
    """Return the orders of the person who orders by page or by mail."""
    return ORDERS.format(mark=sign, rival=RIVALS[channel])


class Players:
    """Two threads that order, by page and by mail. The context waits for their last orders.

    `sent` is what people have sent to the same games before.
    """

    def __init__(
        self, running: League, seed: int, pause: float = 0.05, sent: Sent | None = None
    ) -> None:
        self.running, self.sent, self.pause = running, sent or Sent(), pause
        self.chance, self.over = random.Random(seed), threading.Event()
        self.threads = [
            threading.Thread(target=work, daemon=True) for work in (self._by_page, self._by_mail)
        ]
        self.going, self.busy = threading.Event(), [threading.Lock(), threading.Lock()]
        self.going.set()
        self.messages = count()

    def __enter__(self) -> Players:
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        for thread in self.threads:
            thread.join(STOPPING)
        if any(thread.is_alive() for thread in self.threads):
            raise TookTooLongError(f"waited {STOPPING:.0f} s for the answer to the last orders")

    @contextlib.contextmanager
    def at_rest(self) -> Iterator[None]:
        """Pause sending within the context, after requests in progress have ended."""
        self.going.clear()
        with self.busy[0], self.busy[1]:
            yield
        self.going.set()

    def _by_page(self) -> None:
        chance = random.Random(self.chance.random())
        while not self.over.wait(self.pause * chance.uniform(0.5, 1.5)):
            self.going.wait(1)
            with self.busy[0]:
                game, began = chance.choice(self.running.games), time.monotonic()
                while not self.over.is_set() and not self.one_page(game):
                    time.sleep(0.2)
                self.sent.waited = max(self.sent.waited, time.monotonic() - began)

    def one_page(self, game: Game) -> bool:
        sign = mark()
        self.sent.written[sign] = game.number
        try:
            status, answer = self.post(game, orders_by("web", sign))
        except (OSError, http.client.HTTPException):
            self.sent.unanswered += 1
            return False
        if status == 302 and "/submissions/" in answer:
            self.sent.accepted_pages[sign] = game.number
            return True
        if status == 200:  # the page again with a sentence, for instance that the game is over
            return True
        if status == 503 and "Everything with a receipt is safe" in answer:
            self.sent.refused.append(f"{status} {sign}")
        else:
            self.sent.spoiled.append(f"{status} {answer[:300]}")
        return False

    def post(self, game: Game, text: str) -> tuple[int, str]:
        """Return the status, and the redirect's address or the text.

        Raise `OSError` or `HTTPException` if there is no answer.
        """
        web = http.client.HTTPConnection("127.0.0.1", self.running.web_port, timeout=30)
        body = urllib.parse.urlencode(
            {"csrfmiddlewaretoken": KEY, "text": text, "do": "send-anyway"}
        )
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Cookie": f"sessionid={game.session}; csrftoken={KEY}",
        }
        try:
            web.request("POST", f"/games/{game.number}/orders/{game.seat}/", body, headers)
            answer = web.getresponse()
            content = answer.read().decode(errors="replace")
            return answer.status, answer.headers.get("Location", "") or content
        finally:
            web.close()

    def _by_mail(self) -> None:
        chance = random.Random(self.chance.random())
        while not self.over.wait(self.pause * chance.uniform(0.5, 1.5)):
            self.going.wait(1)
            with self.busy[1]:
                began = time.monotonic()
                self.one_message(chance.choice(self.running.games))
                self.sent.waited = max(self.sent.waited, time.monotonic() - began)

    def one_message(self, game: Game) -> None:
        """Send orders by mail, some with a letter to the other player, until they are accepted."""
        sign, with_press = mark(), next(self.messages) % PRESS_EVERY == 0
        self.sent.written[sign] = game.number
        raw = message(game, text_of(sign, with_press=with_press), sign)
        # Even after the end of the context: no mail server gives up so soon.
        for _ in range(TRIES_BY_MAIL):
            if self._is_accepted(game, raw):
                self.sent.accepted_mail[sign] = game.number
                self.sent.press |= {sign} if with_press else set()
                break
            time.sleep(0.2)

    def deliver(self, game: Game, raw: bytes) -> None:
        """Hand a message over to the service. Raise an error of `smtplib`, or `OSError`."""
        with smtplib.LMTP("127.0.0.1", self.running.lmtp_port, timeout=30) as client:
            client.sendmail(game.writes_from, [game.writes_to], raw)

    def _is_accepted(self, game: Game, raw: bytes) -> bool:
        try:
            self.deliver(game, raw)
        except smtplib.SMTPResponseException as error:
            reply = (
                error.smtp_error.decode(errors="replace")
                if isinstance(error.smtp_error, bytes)
                else error.smtp_error
            )
            self.sent.refused.append(f"{error.smtp_code} {reply}")
            return False
        except (OSError, smtplib.SMTPException):
            self.sent.unanswered += 1
            return False
        return True


def text_of(sign: str, *, with_press: bool) -> str:
    """Return the orders of a message, and a letter to the other player above them."""
    return (PRESS.format(mark=sign) if with_press else "") + orders_by("mail", sign)


def message(game: Game, text: str, sign: str) -> bytes:
    return (
        f"From: {game.writes_from}\r\nTo: {game.writes_to}\r\nSubject: Orders\r\nMessage-ID:"
        f" <{sign}@mail.example.org>\r\nDate: Mon, 16 Nov 2026 17:00:00 +0000\r\nContent-Type:"
        " text/plain; charset=utf-8\r\n\r\n" + text.replace("\n", "\r\n")
    ).encode()
