"""Faults: mail servers that fail in all the ways they can (issue 10, 2; RFC 5321)."""

from __future__ import annotations

import smtplib
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from tests.drills.breaking.league import League
from tests.drills.breaking.post import DRIP, DROP_AFTER, DROP_BEFORE, HANG, Copy, Mood
from tests.drills.breaking.trial import Drill, Row, trial

#: Permanent refusals, of a recipient and of a message: the gamesmaster is notified, and the other
# letters go out.
NO_SUCH, UNWANTED = "550 5.1.1 no such mailbox", "554 5.7.1 this message is not wanted"
LATER, FULL, BUSY = (
    "451 4.7.1 greylisted, try again",
    "452 4.3.1 no room just now",
    "421 4.3.2 too busy",
)


def once(deed: str, share: int = 1) -> Callable[[str, str], str | None]:
    """Return a rule that does `deed` to one in `share` letters, the first time each comes."""
    seen: set[str] = set()

    def did(address: str, message_id: str) -> str | None:
        if message_id in seen or zlib.crc32(message_id.encode()) % share:
            return None
        seen.add(message_id)
        return deed

    return did


def greylisting() -> Callable[[str], str | None]:
    """Return a rule that defers the first letter to each address."""
    tries: Counter[str] = Counter()

    def answer(address: str) -> str | None:
        tries[address] += 1
        return LATER if tries[address] == 1 else None

    return answer


#: Each mood by its name in the table.
MOODS: dict[str, Callable[[], Mood]] = {
    "refuses a person for good (550)": lambda: Mood(
        recipient=lambda address: NO_SUCH if address.startswith("una-0@") else None
    ),
    "refuses a message for good (554)": lambda: Mood(letter=once(UNWANTED, 9)),
    "greylists (451)": lambda: Mood(recipient=greylisting()),
    "defers messages (452)": lambda: Mood(letter=once(FULL, 2)),
    "drops after DATA, nothing kept": lambda: Mood(letter=once(DROP_BEFORE, 2)),
    "drops after DATA, kept and not answered": lambda: Mood(letter=once(DROP_AFTER, 3)),
    "answers by drops": lambda: Mood(letter=once(DRIP, 6)),
    "says nothing any more after DATA": lambda: Mood(letter=once(HANG, 6)),
    "says nothing at all": lambda: Mood(greets=HANG),
    "closes at once": lambda: Mood(greets=""),
    "is too busy (421)": lambda: Mood(greets=BUSY),
}
#: Seconds: enough for some tries, but too short for a retry that is put off for longer.
A_WHILE = 5
SHUT, TLS, BOUNCES = (
    "refuses connections",
    "cannot speak TLS",
    "sends everything back, the notice of it too",
)
ALL = (*MOODS, SHUT, TLS, BOUNCES)


def moody(drill: Drill) -> list[Row]:
    """Run a league for each mood, so that effects of one mood do not hide those of another."""
    return [
        in_turn(replace(drill, folder=drill.folder / f"mood-{at}"), (name,))
        for at, name in enumerate(ALL)
    ]


def in_turn(drill: Drill, moods: Sequence[str]) -> Row:
    """Run one league with one mood after the other, each during a deadline of all games."""
    bounces: dict[str, Any] = {"PATIENCE": "2", "MAIL_BOUNCES": "bounces@games.example.org"}
    with trial(drill, pause=0.2, **({} if drill.shared else bounces)) as it:
        running = it.running
        with it.playing(), _Returning(running, on=BOUNCES in moods):
            for name in moods:
                it.calm()
                _worsen(running, name)
                running.jump_on()
                time.sleep(2 if drill.smallest else A_WHILE)
                _mend(running, name)
                time.sleep(1)
        it.finish()
        if BOUNCES in moods:
            time.sleep(2)
        times = max(1, sum(running.sink.refused.values()))
        row = it.row("mail server " + "; ".join(moods), rounds=times)
        row.remark = _remark(running)
        return row


def _worsen(running: League, name: str) -> None:
    if name == SHUT:
        running.sink.shut()
    elif name == TLS:
        running.sink.mood = Mood(starttls=True)
        # Encryption is a setting.
        address = running.sink.address.replace("smtp:", "smtp+tls:")
        running.exchange(*running.workers, EMAIL_URL=address)
    elif name in MOODS:
        running.sink.mood = MOODS[name]()


def _mend(running: League, name: str) -> None:
    if name == SHUT:
        running.sink.open()
    elif name == TLS:
        running.exchange(*running.workers, EMAIL_URL=running.sink.address)
    running.sink.mood = Mood()


def _remark(running: League) -> str:
    given_up, notified = (
        running.count("games_letter WHERE status = 'failed'"),
        running.count("games_letter WHERE kind = 'undelivered'"),
    )
    bounced = running.count("games_letter WHERE status = 'bounced'")
    notices = running.count("games_letter WHERE kind = 'bouncing'")
    words = [f"{given_up} given up, {notified} told of to the gamesmaster"] if given_up else []
    words += [f"{bounced} came back, {notices} notices of it"] if bounced else []
    return "; ".join(words) or "all out in the end"


class _Returning:
    """A mail server that bounces letters to one player of each game and to the gamesmaster."""

    def __init__(self, running: League, *, on: bool) -> None:
        self.running, self.on, self.over = running, on, threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> None:
        if self.on:
            self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.over.set()
        if self.on:
            self.thread.join(30)

    def _run(self) -> None:
        done = 0
        while not self.over.wait(0.2):
            copies = self.running.sink.copies
            while done < len(copies):
                copy, done = copies[done], done + 1
                if copy.address.startswith(("una-", "ada@")):
                    self._back(copy)

    def _back(self, copy: Copy) -> None:
        report = (
            f"From: MAILER-DAEMON@mx.example.org\r\nTo: {copy.sender}\r\nSubject: Undelivered Mail"
            " Returned to Sender\r\nMessage-ID:"
            f" <back-{zlib.crc32(copy.message_id.encode())}@mx.example.org>\r\nAuto-Submitted:"
            " auto-replied\r\nMIME-Version: 1.0\r\nContent-Type: multipart/report;"
            ' report-type=delivery-status; boundary="x"\r\n\r\n--x\r\nContent-Type:'
            " text/plain\r\n\r\nSorry.\r\n--x\r\nContent-Type:"
            " message/delivery-status\r\n\r\nReporting-MTA: dns;"
            f" mx.example.org\r\n\r\nFinal-Recipient: rfc822; {copy.address}\r\nAction:"
            " failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 no such"
            " mailbox\r\n\r\n--x\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID:"
            f" {copy.message_id}\r\n\r\n--x--\r\n"
        )
        with (
            suppress(OSError, smtplib.SMTPException),
            smtplib.LMTP("127.0.0.1", self.running.lmtp_port, timeout=30) as client,
        ):
            client.sendmail("", [copy.sender], report.encode())
