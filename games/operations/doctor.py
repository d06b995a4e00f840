"""Find problems that keep the service from working: `manage.py doctor` and the operator's page.

Each check yields findings of one line. `quick_checks` covers settings, database, broker, tick,
clock, disk and backup. `far_checks` sends a letter, waits for it to come in, and asks the market
for one stock.
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

from games.base import clock
from games.base.starting import SERVE
from games.market.sources import PUBLISHERS
from games.market.yahoo import Yahoo
from games.models import Game, service
from games.operations import metrics
from games.rules.sessions import NoSession, Session, session_on
from orders.models import Mail

BACKUP_MAY_BE_OLD = timedelta(days=2)
#: Free bytes on the disk: bad below the first figure, doubtful below the second.
ROOM_AT_LEAST, ROOM_WISHED = 500_000_000, 3_000_000_000
CLOCKS_MAY_DIFFER = 2.0  # seconds
STOCK = "GE"
#: How long after a session its sales can be read (foundations.md 1.3).
SALES_ARE_OUT = timedelta(hours=14)


class State(StrEnum):
    GOOD = "good"
    DOUBTFUL = "doubtful"
    BAD = "bad"


@dataclass(frozen=True)
class Finding:
    """The result of one check: a sentence, and a hint if something is wrong."""

    name: str
    state: State
    words: str
    hint: str = ""


def good_finding(name: str, words: str) -> Finding:
    return Finding(name, State.GOOD, words)


def quick_checks(now: datetime) -> Iterator[Finding]:
    """Run the local checks. They ask no server except the database and the broker."""
    yield from _settings()
    try:
        # In a transaction of its own, so that a failure leaves the caller's transaction usable.
        with transaction.atomic():
            findings = [_database()]
            if findings[0].state is State.GOOD:
                findings += [*_held(), _tick(now), _clock(now), _backup(now)]
    except DatabaseError as error:
        findings = [
            Finding(
                "database",
                State.BAD,
                f"It does not answer ({type(error).__name__}).",
                "Check DATABASE_URL.",
            )
        ]
    yield from findings
    yield _broker()
    yield _disk()


def far_checks(now: datetime, wait: float) -> Iterator[Finding]:
    """Send the service a letter, wait `wait` seconds for it to come in, and ask for a stock."""
    key = uuid.uuid4().hex
    sent = _mail_out(key)
    yield sent
    yield (
        _mail_in(key, wait)
        if sent.state is State.GOOD
        else Finding(
            "mail in",
            State.DOUBTFUL,
            "Not tried, because no letter went out.",
            "Fix outgoing mail first.",
        )
    )
    yield _market(now)


def _settings() -> Iterator[Finding]:
    findings = [
        message
        for message in run_checks(tags=[SERVE], include_deployment_checks=True)
        if not message.is_silenced()
    ]
    for message in findings:
        state = State.BAD if message.is_serious() else State.DOUBTFUL
        yield Finding("settings", state, message.msg, message.hint or "")
    if not findings:
        file = settings.ENV_FILE
        yield good_finding(
            "settings", f"Safe; read from {file if file.exists() else 'the environment alone'}."
        )


def _database() -> Finding:
    executor = MigrationExecutor(connection)
    missing = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    kind = metrics.versions()["database"]
    if missing:
        words = f"{kind} answers, but lacks {missing} migration{'' if missing == 1 else 's'}."
        return Finding("database", State.BAD, words, "Run manage.py migrate.")
    return good_finding("database", f"{kind} answers and has all tables.")


def _broker() -> Finding:
    if settings.IN_MEMORY:
        return good_finding("redis", "Not used: the worker of manage.py serve ticks by itself.")
    waiting = metrics.queue_length()
    if waiting is None:
        return Finding("redis", State.BAD, "It does not answer.", "Start it, and check BROKER_URL.")
    return good_finding("redis", f"It answers; {waiting} messages are waiting.")


def _held() -> Iterator[Finding]:
    restoration = service.current()
    if restoration is not None:
        words = (
            "The service is held since the restore of"
            f" {restoration.restored_at:%Y-%m-%d %H:%M} UTC: nothing falls due, and no letter goes"
            " out."
        )
        hint = "Look at the games, then run manage.py resume --yes."
        yield Finding("restore", State.BAD, words, hint)


def _tick(now: datetime) -> Finding:
    age = metrics.tick_age(now)
    if age is None or age > metrics.TICK_MAY_BE_OLD.total_seconds():
        sentence = "There never was one." if age is None else f"The last was {_span(age)} ago."
        hint = "Start the service (manage.py serve), or worker and beat: no deadline is enforced."
        return Finding("tick", State.DOUBTFUL, sentence, hint)
    return good_finding("tick", f"The last was {_span(max(age, 0))} ago.")


def _clock(now: datetime) -> Finding:
    age = metrics.tick_age(now)
    if settings.CLOCK_FILE:
        words = f"The file {settings.CLOCK_FILE} sets it."
        return Finding("clock", State.DOUBTFUL, words, "That is only for tests.")
    if age is not None and age < -CLOCKS_MAY_DIFFER:
        words = f"The last tick is {_span(-age)} ahead of this clock."
        return Finding("clock", State.BAD, words, "Set the clock right, and run NTP.")
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            (database_time,) = cursor.fetchone()
        difference = abs((database_time - clock.now()).total_seconds())
        if difference > CLOCKS_MAY_DIFFER:
            words = f"This clock and the database's are {difference:.0f} seconds apart."
            return Finding("clock", State.BAD, words, "Run NTP on both machines.")
    return good_finding("clock", f"{now:%Y-%m-%d %H:%M:%S} UTC. Compare it with your watch.")


def _disk() -> Finding:
    try:
        free = shutil.disk_usage(settings.VAR_DIR).free
    except OSError as error:
        words = f"{settings.VAR_DIR} cannot be read ({error.strerror})."
        hint = "Set GAMESMASTER_VAR to a folder that this user may write to."
        return Finding("disk", State.BAD, words, hint)
    words = f"{free / 1e9:.1f} GB are free at {settings.VAR_DIR}."
    if free >= ROOM_WISHED:
        return good_finding("disk", words)
    state = State.BAD if free < ROOM_AT_LEAST else State.DOUBTFUL
    return Finding(
        "disk", state, words, "Free some space: with a full disk no orders can be stored."
    )


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
    return good_finding("backup", words)


def _mail_out(key: str) -> Finding:
    address = settings.MAIL_REPLY if settings.MAIL_IN else settings.DEFAULT_FROM_EMAIL
    letter = EmailMessage(
        subject="A letter of manage.py doctor to the service itself",
        body="It tests that letters go out and come in. You need not answer.",
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
        detail = " ".join(str(error).split())[:200]
        words = f"{where} accepted no letter to {address} ({type(error).__name__}: {detail})."
        hint = "Check EMAIL_URL: server, port, user, password, smtp+tls or smtp+ssl."
        return Finding("mail out", State.BAD, words, hint)
    return good_finding("mail out", f"A letter to {address} was accepted.")


def _mail_in(key: str, wait: float) -> Finding:
    if not settings.MAIL_IN:
        words = "Not set: players can order only on web pages."
        return Finding(
            "mail in", State.DOUBTFUL, words, "docs/mail.md shows four ways to receive mail."
        )
    end = time.monotonic() + wait
    while not _has_come(key):
        if time.monotonic() >= end:
            words = f"The letter did not come back within {wait:.0f} seconds."
            hint = (
                f"Check that lmtp or imap runs, and that mail for {settings.MAIL_REPLY} reaches it"
                " (docs/mail.md)."
            )
            return Finding("mail in", State.BAD, words, hint)
        time.sleep(0.5)
    return good_finding("mail in", "The letter came back.")


def _has_come(key: str) -> bool:
    try:
        return Mail.objects.filter(message_id__contains=key).exists()
    except DatabaseError:
        return False


def _market(now: datetime) -> Finding:
    if settings.DEMONSTRATION:
        return good_finding("market", "Not tried: sales are made up here.")
    session = _newest_session(now)
    publisher = PUBLISHERS[Yahoo.name]
    if session is None:
        hint = "Upgrade, or renew it from a checkout: python -m tools.write_calendars."
        return Finding("market", State.BAD, "The calendar has no session.", hint)
    report = Yahoo().read(STOCK, session, now)
    if report.kind != "ok":
        words = f"{publisher} gives no sales of {STOCK} on {session.label}. {report.detail}"
        hint = "Try again later, and check that this machine can reach the internet."
        return Finding("market", State.BAD, words, hint)
    return good_finding(
        "market", f"{publisher}: {STOCK} sold {report.volume:,} on {session.label}."
    )


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
