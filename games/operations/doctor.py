"""Look for what keeps the service from working: `manage.py doctor` and the operator's page.

Each check gives findings of one line. `quick_checks` asks only what is near: settings, database,
broker, tick, clock, disk, backup. `far_checks` sends a letter, waits for it to come in, and asks
the market for one stock.
"""

from __future__ import annotations

import shutil
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from django.conf import settings
from django.core.checks import run_checks
from django.core.mail import EmailMessage
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from games.market.sources import PUBLISHERS
from games.market.yahoo import Yahoo
from games.models import Game
from games.operations import metrics
from games.rules.sessions import NoSession, Session, session_on
from gamesmaster import clock
from gamesmaster.starting import SERVE
from orders.models import Mail

BACKUP_MAY_BE_OLD = timedelta(days=2)
#: Free room on the disk, in bytes, below which it is bad, and below which somebody should look.
ROOM_AT_LEAST, ROOM_WISHED = 500_000_000, 3_000_000_000
CLOCKS_MAY_DIFFER = 2.0  # seconds
STOCK = "GE"
#: After this time a session's sales can be read (foundations.md 1.3).
SALES_ARE_OUT = timedelta(hours=14)


class State(StrEnum):
    GOOD = "good"
    DOUBTFUL = "doubtful"
    BAD = "bad"


@dataclass(frozen=True)
class Finding:
    """What one check found: a sentence, and what to do where something is wrong."""

    name: str
    state: State
    words: str
    hint: str = ""


def good(name: str, words: str) -> Finding:
    return Finding(name, State.GOOD, words)


def quick_checks(now: datetime) -> Iterator[Finding]:
    """Check what is near. Ask no server but the database and the broker."""
    yield from _settings()
    try:
        # Of their own, so that a failure leaves the transaction of whoever asks as it was.
        with transaction.atomic():
            near = [_database()]
            if near[0].state is State.GOOD:
                near += [_tick(now), _clock(now), _backup(now)]
    except DatabaseError as error:
        near = [
            Finding(
                "database",
                State.BAD,
                f"It does not answer ({type(error).__name__}).",
                "Look at DATABASE_URL.",
            )
        ]
    yield from near
    yield _broker()
    yield _disk()


def far_checks(now: datetime, wait: float) -> Iterator[Finding]:
    """Send the service a letter, wait so many seconds for it to come in, and ask for a stock."""
    key = uuid.uuid4().hex
    sent = _mail_out(key)
    yield sent
    yield (
        _mail_in(key, wait)
        if sent.state is State.GOOD
        else Finding(
            "mail in", State.DOUBTFUL, "Not tried: no letter went out.", "Mend mail out first."
        )
    )
    yield _market(now)


def _settings() -> Iterator[Finding]:
    found = [
        one
        for one in run_checks(tags=[SERVE], include_deployment_checks=True)
        if not one.is_silenced()
    ]
    for one in found:
        state = State.BAD if one.is_serious() else State.DOUBTFUL
        yield Finding("settings", state, one.msg, one.hint or "")
    if not found:
        file = settings.ENV_FILE
        yield good(
            "settings", f"Safe; read from {file if file.exists() else 'the environment alone'}."
        )


def _database() -> Finding:
    executor = MigrationExecutor(connection)
    missing = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    kind = metrics.versions()["database"]
    if missing:
        words = f"{kind} answers and lacks {missing} migration{'' if missing == 1 else 's'}."
        return Finding("database", State.BAD, words, "Run manage.py migrate.")
    return good("database", f"{kind} answers and has all tables.")


def _broker() -> Finding:
    if settings.IN_MEMORY:
        return good("redis", "Not used: the worker of manage.py serve ticks by itself.")
    waiting = metrics.queue_length()
    if waiting is None:
        return Finding("redis", State.BAD, "It does not answer.", "Start it; look at BROKER_URL.")
    return good("redis", f"It answers; {waiting} messages wait.")


def _tick(now: datetime) -> Finding:
    age = metrics.tick_age(now)
    if age is None or age > metrics.TICK_MAY_BE_OLD.total_seconds():
        said = "There never was one." if age is None else f"The last was {_span(age)} ago."
        hint = "Start the service (manage.py serve), or worker and beat: no deadline is kept now."
        return Finding("tick", State.DOUBTFUL, said, hint)
    return good("tick", f"The last was {_span(max(age, 0))} ago.")


def _clock(now: datetime) -> Finding:
    age = metrics.tick_age(now)
    if settings.CLOCK_FILE:
        words = f"It is moved by {settings.CLOCK_FILE}."
        return Finding("clock", State.DOUBTFUL, words, "That is for rehearsals alone.")
    if age is not None and age < -CLOCKS_MAY_DIFFER:
        words = f"The last tick is {_span(-age)} ahead of this clock."
        return Finding("clock", State.BAD, words, "Set the clock right, and run NTP.")
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            (there,) = cursor.fetchone()
        apart = abs((there - clock.now()).total_seconds())
        if apart > CLOCKS_MAY_DIFFER:
            words = f"This clock and the database's are {apart:.0f} seconds apart."
            return Finding("clock", State.BAD, words, "Keep both by NTP.")
    return good("clock", f"{now:%Y-%m-%d %H:%M:%S} UTC. Compare it with your watch.")


def _disk() -> Finding:
    free = shutil.disk_usage(settings.VAR_DIR).free
    words = f"{free / 1e9:.1f} GB are free at {settings.VAR_DIR}."
    if free >= ROOM_WISHED:
        return good("disk", words)
    state = State.BAD if free < ROOM_AT_LEAST else State.DOUBTFUL
    return Finding("disk", state, words, "Make room: a full disk takes no orders.")


def _backup(now: datetime) -> Finding:
    age = metrics.backup_age(now)
    hint = "Run manage.py backup FILE each night (deploy/ has a timer), and keep it elsewhere."
    if age is None:
        played = Game.objects.filter(practice=False).exists()
        state = State.BAD if played else State.DOUBTFUL
        return Finding("backup", state, "There never was one.", hint)
    words = f"The last was made {_span(age)} ago."
    if age > BACKUP_MAY_BE_OLD.total_seconds():
        return Finding("backup", State.BAD, words, hint)
    return good("backup", words)


def _mail_out(key: str) -> Finding:
    address = settings.MAIL_REPLY if settings.MAIL_IN else settings.DEFAULT_FROM_EMAIL
    letter = EmailMessage(
        subject="A letter of manage.py doctor to the service itself",
        body="It shows that letters go out and come in. Nobody needs to answer.",
        to=[address],
        headers={
            "Message-ID": f"<doctor.{key}@{settings.MAIL_DOMAIN}>",
            "Auto-Submitted": "auto-generated",
        },
    )
    try:
        letter.send()
    except OSError as error:  # smtplib's errors are among them
        where = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
        said = " ".join(str(error).split())[:200]
        words = f"{where} took no letter to {address} ({type(error).__name__}: {said})."
        hint = "Look at EMAIL_URL: server, port, user, password, smtp+tls or smtp+ssl."
        return Finding("mail out", State.BAD, words, hint)
    return good("mail out", f"A letter to {address} was taken.")


def _mail_in(key: str, wait: float) -> Finding:
    if not settings.MAIL_IN:
        words = "Not set: players order on the pages alone."
        return Finding("mail in", State.DOUBTFUL, words, "docs/mail.md has four ways in.")
    end = time.monotonic() + wait
    while not _has_come(key):
        if time.monotonic() >= end:
            words = f"The letter did not come back within {wait:.0f} seconds."
            hint = (
                "Look whether lmtp or imap runs, and whether mail for"
                f" {settings.MAIL_REPLY} reaches it (docs/mail.md)."
            )
            return Finding("mail in", State.BAD, words, hint)
        time.sleep(0.5)
    return good("mail in", "The letter came back.")


def _has_come(key: str) -> bool:
    try:
        return Mail.objects.filter(message_id__contains=key).exists()
    except DatabaseError:
        return False


def _market(now: datetime) -> Finding:
    if settings.DEMONSTRATION:
        return good("market", "Not asked: sales are made up here.")
    session = _newest_session(now)
    publisher = PUBLISHERS[Yahoo.name]
    if session is None:
        hint = "Renew it with manage.py writecalendars."
        return Finding("market", State.BAD, "The calendar has no session.", hint)
    report = Yahoo().read(STOCK, session, now)
    if report.kind != "ok":
        words = f"{publisher} gives no sales of {STOCK} on {session.label}. {report.detail}"
        hint = "Wait and ask again; look whether this machine may reach the Internet."
        return Finding("market", State.BAD, words, hint)
    return good("market", f"{publisher}: {STOCK} sold {report.volume:,} on {session.label}.")


def _newest_session(now: datetime) -> Session | None:
    """Return the newest session in New York whose sales can be read."""
    for days in range(12):
        day = (now.astimezone(UTC) - timedelta(days=days)).date()
        try:
            session = session_on("XNYS", day)
        except NoSession:
            continue
        if session is not None and session.closes + SALES_ARE_OUT <= now:
            return session
    return None


def _span(seconds: float) -> str:
    for size, name in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds:.0f} seconds"
