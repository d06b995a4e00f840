"""Check whether the installation works, with a hint for each problem: `manage.py doctor` and the
operator's page print what these system checks find.

Three tags: `SERVE`, settings without which no process starts (gamesmaster.checks and
orders.inbound.checks); `RUNNING`, database, broker, tick, clock, disk and backup; `NETWORK`, which
sends a letter, waits for it to come in, and asks the market for one stock. Django runs those that
ask the database only for a command that names one (`manage.py check --deploy --database default`).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.checks import (
    ERROR,
    INFO,
    WARNING,
    CheckMessage,
    register,
    run_checks,
)
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, transaction

from games.base import clock
from games.base.starting import SERVE, missing_migrations, wrong_encoding
from games.market.yahoo import Yahoo
from games.models import Game, Pulse, service
from games.operations import metrics
from games.rules.names import count_of
from games.rules.sessions import NoSession, Session, session_on
from games.rules.settling import PUBLISHERS

RUNNING, NETWORK = "running", "network"
BACKUP_MAY_BE_OLD = timedelta(days=2)
#: Free bytes on the disk: bad below the first figure, doubtful below the second.
ROOM_AT_LEAST, ROOM_WISHED = 500_000_000, 3_000_000_000
CLOCKS_MAY_DIFFER = 2.0  # seconds
STOCK = "GE"
#: How long after a session its sales can be read.
SALES_ARE_OUT = timedelta(hours=14)


#: What each check is about, in the order in which they are printed; the position is in its id.
NAMES = (
    "settings",
    "database",
    "restore",
    "tick",
    "clock",
    "backup",
    "redis",
    "disk",
    "mail out",
    "mail in",
    "market",
)
#: How many seconds to wait for the letter to come in (orders.inbound.mail_path).
waiting: ContextVar[float] = ContextVar("waiting", default=60)


def near() -> list[CheckMessage]:
    """Run the checks that ask no server except the database and the broker."""
    found = _run(SERVE)
    if not found:
        file = settings.ENV_FILE
        origin = file if file.exists() else "the environment alone"
        found = [good("settings", f"Safe; read from {origin}.")]
    return found + _run(RUNNING)


def far(wait: float) -> list[CheckMessage]:
    """Send the service a letter, wait `wait` seconds for it to come in, and ask for a stock."""
    before = waiting.set(wait)
    try:
        return _run(NETWORK)
    finally:
        waiting.reset(before)


def _run(tag: str) -> list[CheckMessage]:
    found = run_checks(tags=[tag], include_deployment_checks=True, databases=[DEFAULT_DB_ALIAS])
    # Django keeps the checks in a set.
    return sorted(
        (message for message in found if not message.is_silenced()),
        key=lambda message: str(message.id)[-3:],
    )


def _message(level: int, name: str, words: str, hint: str = "") -> CheckMessage:
    letter = {INFO: "I", WARNING: "W", ERROR: "E"}[level]
    number = 100 + NAMES.index(name)
    return CheckMessage(level, words, hint or None, obj=name, id=f"gamesmaster.{letter}{number}")


def good(name: str, words: str) -> CheckMessage:
    """Return a finding about one of `NAMES`; so do `doubtful` and `bad`, with a hint."""
    return _message(INFO, name, words)


def doubtful(name: str, words: str, hint: str) -> CheckMessage:
    return _message(WARNING, name, words, hint)


def bad(name: str, words: str, hint: str) -> CheckMessage:
    return _message(ERROR, name, words, hint)


@register(RUNNING, deploy=True)
def database_is_well(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """Check the database, and what it says about restore, tick, clock and backup."""
    if not databases:
        return []
    now = clock.now()
    try:
        # In a transaction of its own, so that a failure leaves the caller's transaction usable.
        with transaction.atomic():
            found = [_database()]
            if not found[0].is_serious():
                # While the service is held nothing ticks, and there is nothing to start.
                found += [*(list(_held()) or [_tick(now)]), _clock(now), _backup(now)]
    except DatabaseError as error:
        words = f"It does not answer ({type(error).__name__})."
        found = [bad("database", words, "Check DATABASE_URL.")]
    return found


@register(RUNNING, deploy=True)
def broker_answers(**kwargs: Any) -> list[CheckMessage]:
    return [_broker()]


@register(RUNNING, deploy=True)
def disk_has_room(**kwargs: Any) -> list[CheckMessage]:
    return [_disk()]


@register(NETWORK, deploy=True)
def market_answers(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    return [_market(clock.now())] if databases else []


def _database() -> CheckMessage:
    if words := wrong_encoding():
        fault, hint = words.split(". ", 1)
        return bad("database", f"{fault}.", hint)
    missing = missing_migrations()
    kind = metrics.versions()["database"]
    if missing:
        words = f"{kind} answers, but lacks {count_of(missing, 'migration')}."
        return bad("database", words, "Run manage.py migrate.")
    return good("database", f"{kind} answers and has all tables.")


def _broker() -> CheckMessage:
    if settings.IN_MEMORY:
        return good("redis", "Not used: the worker of manage.py serve ticks by itself.")
    waiting = metrics.queue_length()
    if waiting is None:
        return bad("redis", "It does not answer.", "Start it, and check BROKER_URL.")
    return good("redis", f"It answers; {waiting} messages are waiting.")


def _held() -> Iterator[CheckMessage]:
    restoration = service.current()
    if restoration is not None:
        words = (
            "The service is held since the restore of"
            f" {restoration.restored_at:%Y-%m-%d %H:%M} UTC: nothing falls due, and no letter goes"
            " out."
        )
        hint = "Look at the games, then run manage.py resume --yes."
        yield bad("restore", words, hint)


def _tick(now: datetime) -> CheckMessage:
    age = Pulse.objects.age("tick", now)
    hint = "Start the service (manage.py serve), or worker and beat: no deadline is enforced."
    if age is None:
        return doubtful("tick", "There never was one.", hint)
    words = f"The last was {span(max(age, 0))} ago."
    if age > metrics.TICK_MAY_BE_OLD.total_seconds():
        return bad("tick", words, hint)
    return good("tick", words)


def _clock(now: datetime) -> CheckMessage:
    age = Pulse.objects.age("tick", now)
    if settings.CLOCK_FILE:
        words = f"The file {settings.CLOCK_FILE} sets it."
        return doubtful("clock", words, "That is only for tests.")
    if age is not None and age < -CLOCKS_MAY_DIFFER:
        words = f"The last tick is {span(-age)} ahead of this clock."
        return bad("clock", words, "Set the clock right, and run NTP.")
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            (database_time,) = cursor.fetchone()
        difference = abs((database_time - clock.now()).total_seconds())
        if difference > CLOCKS_MAY_DIFFER:
            words = f"This clock and the database's are {difference:.0f} seconds apart."
            return bad("clock", words, "Run NTP on both machines.")
    return good("clock", f"{now:%Y-%m-%d %H:%M:%S} UTC. Compare it with your watch.")


def _disk() -> CheckMessage:
    try:
        free = shutil.disk_usage(settings.VAR_DIR).free
    except OSError as error:
        words = f"{settings.VAR_DIR} cannot be read ({error.strerror})."
        hint = "Set GAMESMASTER_VAR to a folder that this user may write to."
        return bad("disk", words, hint)
    words = f"{free / 1e9:.1f} GB are free at {settings.VAR_DIR}."
    if free >= ROOM_WISHED:
        return good("disk", words)
    hint = "Free some space: with a full disk no orders can be stored."
    return _message(ERROR if free < ROOM_AT_LEAST else WARNING, "disk", words, hint)


def _backup(now: datetime) -> CheckMessage:
    age = Pulse.objects.age(metrics.BACKUP, now)
    hint = "Run manage.py backup FILE each night (deploy/ has a timer), and keep it elsewhere."
    if age is None:
        played = Game.objects.filter(practice=False).exists()
        level = ERROR if played else WARNING
        return _message(level, "backup", "There never was one.", hint)
    words = f"The last was made {span(age)} ago."
    if age > BACKUP_MAY_BE_OLD.total_seconds():
        return bad("backup", words, hint)
    return good("backup", words)


def _market(now: datetime) -> CheckMessage:
    if settings.DEMONSTRATION:
        return good("market", "Not tried: sales are made up here.")
    session = _newest_session(now)
    publisher = PUBLISHERS[Yahoo.name]
    if session is None:
        hint = "Upgrade, or renew it from a checkout: python -m tools.write_calendars."
        return bad("market", "The calendar has no session.", hint)
    report = Yahoo().read(STOCK, session, now)
    if report.kind != "ok":
        words = f"{publisher} gives no sales of {STOCK} on {session.label}. {report.detail}"
        hint = "Try again later, and check that this machine can reach the internet."
        return bad("market", words, hint)
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


def span(seconds: float) -> str:
    """Return seconds in words, rounded."""
    for size, name in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {name}"
    return count_of(round(seconds), "second")
