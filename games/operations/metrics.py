"""Measure how late the service is, what is held and what waits, for operators.

Metrics are read often, so an index answers each question. `games.web.operator.health` shows
`measures` to Prometheus and on the operator's page. docs/operations.md explains each one and what
to do about it.
"""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.db import connection
from django.db.models import Count, Min, Q, QuerySet
from django.db.models.functions import Coalesce

from games.base import about
from games.models import Channel, Game, Letter, Notice, Phase, Pulse, service
from games.operations import outstanding
from games.outbox.messages import KINDS
from games.turns import lifecycle

#: Replies to messages: players notice how long these take.
ACKNOWLEDGEMENTS = tuple(kind.id for kind in KINDS.values() if kind.awaited)
#: The only queue on the broker.
QUEUE = "celery"
#: The name of the pulse that a backup leaves.
BACKUP = "backup"
#: A letter that is not out so long after it was due is late.
LETTER_MAY_TAKE = timedelta(minutes=15)
#: The letters in which refusals are counted are at most so old.
RECENT = timedelta(hours=1)
#: Without a tick for this long, deadlines are not kept.
TICK_MAY_BE_OLD = timedelta(minutes=3)


@dataclass(frozen=True)
class Measure:
    """A number, named by Prometheus' conventions: it ends in its unit, seconds or bytes."""

    name: str
    help: str
    value: float
    labels: Mapping[str, str] | None = None


def measures(now: datetime) -> list[Measure]:
    """Return all metrics at one instant."""
    return [
        *_clock(now),
        *_phases(now),
        *_letters(now),
        *_mail(now),
        *_channels(now),
        *_broker(),
        *_disk(),
        Measure("gamesmaster_info", "What runs here.", 1.0, versions()),
    ]


def note_backup(now: datetime) -> None:
    """Record that a backup was made."""
    Pulse.objects.update_or_create(name=BACKUP, defaults={"at": now})


def _clock(now: datetime) -> Iterable[Measure]:
    age = Pulse.objects.age("tick", now)
    yield Measure(
        "gamesmaster_tick_age_seconds",
        "Seconds since the tables were last asked what is due; -1: never.",
        -1.0 if age is None else age,
    )
    backup = Pulse.objects.age(BACKUP, now)
    yield Measure(
        "gamesmaster_backup_age_seconds",
        "Seconds since everything was last written to a backup; -1: never.",
        -1.0 if backup is None else backup,
    )
    yield Measure(
        "gamesmaster_held_after_restore",
        "1 while the service is held after a backup was restored.",
        float(service.is_held()),
    )


# --- phases ---


def _phases(now: datetime) -> Iterable[Measure]:
    statuses = _count_by_status(outstanding.unfinished_phases())
    for status in (*lifecycle.ACTIVE, Phase.Status.HELD):
        yield Measure(
            "gamesmaster_phases",
            "Phases of running games, by what becomes of them.",
            statuses.get(status, 0),
            {"status": str(status)},
        )
    due = (
        outstanding.overdue_phases(now)
        .order_by()
        .aggregate(number=Count("pk"), oldest=Min("due_at"))
    )
    yield Measure(
        "gamesmaster_phases_due",
        "Phases with which something should have been done by now.",
        due["number"],
    )
    yield Measure(
        "gamesmaster_deadline_lag_seconds",
        "How late the latest of them is.",
        outstanding.age(now, due["oldest"]),
    )
    yield Measure(
        "gamesmaster_phases_failing",
        "Phases whose last try failed, and that will be tried again.",
        outstanding.unfinished_phases()
        .filter(status__in=lifecycle.ACTIVE)
        .exclude(fault="")
        .count(),
    )
    readings = outstanding.outstanding_readings(now)
    yield Measure(
        "gamesmaster_readings_outstanding",
        "Stocks of phases being drawn that have no figure yet.",
        readings.stocks,
    )
    yield Measure(
        "gamesmaster_reading_lag_seconds",
        "For how long the oldest of them could have been read.",
        readings.age,
    )
    yield Measure(
        "gamesmaster_market_silent_seconds",
        "For how long a source that phases wait for has answered nothing at all.",
        readings.silent,
    )


# --- letters ---


def _letters(now: datetime) -> Iterable[Measure]:
    counts = _count_by_status(outstanding.unsent_letters())
    for status in (Letter.Status.QUEUED, Letter.Status.SENDING, Letter.Status.DEFERRED):
        yield Measure(
            "gamesmaster_letters_unsent",
            "Letters not out yet, by state.",
            counts.get(status, 0),
            {"status": str(status)},
        )
    # A letter that waits for the next try is late too; one that is meant for later is not.
    due = ~Q(status=Letter.Status.QUEUED, due_at__gt=now)
    oldest = (
        outstanding.unsent_letters()
        .order_by()
        .annotate(first_due=Coalesce("first_due_at", "written_at"))
        .aggregate(
            written=Min("written_at"),
            due=Min("first_due", filter=due),
            late=Count(
                "address",
                filter=due & Q(first_due__lt=now - LETTER_MAY_TAKE),
                distinct=True,
            ),
            answer=Min(
                "first_due",
                filter=Q(kind__in=ACKNOWLEDGEMENTS)
                & ~Q(status=Letter.Status.DEFERRED, attempts__gt=0),
            ),
        )
    )
    yield Measure(
        "gamesmaster_oldest_unsent_letter_seconds",
        "How long ago the oldest unsent letter was written.",
        outstanding.age(now, oldest["written"]),
    )
    yield Measure(
        "gamesmaster_letter_lag_seconds",
        "For how long the letter that was due first has not gone out.",
        outstanding.age(now, oldest["due"]),
    )
    yield Measure(
        "gamesmaster_late_addresses",
        "Addresses that wait for a letter for more than"
        f" {LETTER_MAY_TAKE.total_seconds() / 60:.0f} minutes.",
        oldest["late"],
    )
    yield Measure(
        "gamesmaster_acknowledgement_lag_seconds",
        "Age in seconds of the oldest answer that the mail server has neither taken nor deferred.",
        outstanding.age(now, oldest["answer"]),
    )
    took: dict[str, list[float]] = {"acknowledgement": [], "letter": []}
    failed = refused = delivered = 0
    for kind, state, written, sent in outstanding.newest_letters().values_list(
        "kind", "status", "written_at", "sent_at"
    ):
        if state == Letter.Status.SENT and sent is not None:
            took["acknowledgement" if kind in ACKNOWLEDGEMENTS else "letter"].append(
                (sent - written).total_seconds()
            )
        lost = state in (Letter.Status.FAILED, Letter.Status.BOUNCED)
        failed += lost
        if written > now - RECENT:
            refused += lost
            delivered += state == Letter.Status.SENT
    for group, seconds in took.items():
        for part in (0.5, 0.95, 1.0):
            sentence = (
                "Seconds from a letter's being written to its being sent, of the newest"
                f" {outstanding.NEWEST}."
            )
            labels = {"kind": group, "percentile": f"{part * 100:.0f}"}
            yield Measure("gamesmaster_letter_seconds", sentence, _quantile(seconds, part), labels)
    yield Measure(
        "gamesmaster_letters_refused",
        "Letters of the last hour that could not be delivered.",
        refused,
    )
    yield Measure(
        "gamesmaster_letters_delivered", "Letters of the last hour that went out.", delivered
    )
    yield Measure(
        "gamesmaster_letters_undelivered",
        f"Of the newest {outstanding.NEWEST} letters those that could not be delivered.",
        failed,
    )


def _count_by_status(rows: QuerySet[Any]) -> dict[str, int]:
    return dict(rows.order_by().values_list("status").annotate(number=Count("pk")))


def _quantile(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


# --- mail, channels, the broker ---


def _mail(now: datetime) -> Iterable[Measure]:
    waiting = outstanding.unread_mail(now).aggregate(
        number=Count("pk"), oldest=Min("mail__received_at")
    )
    yield Measure(
        "gamesmaster_mail_waiting",
        "Messages that arrived and wait to be read.",
        waiting["number"],
    )
    yield Measure(
        "gamesmaster_mail_lag_seconds",
        "How long the oldest of them has waited.",
        outstanding.age(now, waiting["oldest"]),
    )
    yield Measure(
        "gamesmaster_mail_held",
        "Messages of running games that wait for their gamesmaster.",
        outstanding.held_mail().count(),
    )


def _channels(now: datetime) -> Iterable[Measure]:
    waiting = Notice.objects.filter(due_at__isnull=False).order_by()
    counts = waiting.aggregate(
        number=Count("pk"), failing=Count("pk", filter=Q(attempts__gt=0)), oldest=Min("due_at")
    )
    yield Measure(
        "gamesmaster_notices_waiting",
        "Notices to channels of chat programs that are not out yet.",
        counts["number"],
    )
    yield Measure(
        "gamesmaster_notices_failing", "Those of them that have failed before.", counts["failing"]
    )
    lost = (
        Channel.objects.filter(game__status=Game.Status.RUNNING)
        .exclude(removed_at=None)
        .exclude(removed_because="")
    )
    yield Measure(
        "gamesmaster_channels_given_up",
        "Channels of running games that were given up because they failed.",
        lost.count(),
    )


def queue_length() -> int | None:
    """Return how many messages wait on the broker (many: too few workers); None if it is down."""
    url = str(settings.CELERY_BROKER_URL)
    if url.startswith("memory:"):
        return 0  # calls stay within the worker
    try:
        import redis

        address = _redis_url(url)
        with redis.Redis.from_url(address, socket_timeout=2, socket_connect_timeout=2) as broker:
            return int(broker.llen(QUEUE))
    except Exception:  # whatever a broker's client raises, the broker is down
        return None


def _redis_url(url: str) -> str:
    """Return a broker's URL as redis-py writes it: Celery has another form for a Unix socket."""
    scheme, _, rest = url.partition("://")
    if scheme != "redis+socket":
        return url
    return f"unix://{rest.replace('virtual_host=', 'db=')}"


def _broker() -> Iterable[Measure]:
    length = queue_length()
    yield Measure("gamesmaster_broker_up", "Whether the broker answers.", float(length is not None))
    if length is not None:
        yield Measure("gamesmaster_queue_length", "Messages that wait on the broker.", length)


def disk_free(folder: Path) -> int | None:
    """Return the bytes that are free where a folder is; None if it cannot be read."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def _disk() -> Iterable[Measure]:
    folders = {"data": Path(settings.VAR_DIR)}
    if connection.vendor == "sqlite":
        folders["database"] = Path(connection.settings_dict["NAME"]).parent
    for name, folder in folders.items():
        free = disk_free(folder)
        yield Measure(
            "gamesmaster_disk_free_bytes",
            "Bytes that are free where the data and a SQLite database are; -1: cannot be read.",
            -1.0 if free is None else free,
            {"folder": name},
        )


def versions() -> dict[str, str]:
    """Return the versions of the running software."""
    return {
        "version": about.version(),
        "python": platform.python_version(),
        "django": django.get_version(),
        "database": (
            f"{connection.vendor}"
            f" {'.'.join(str(part) for part in connection.get_database_version())}"
        ),
    }
