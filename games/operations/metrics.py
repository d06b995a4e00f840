"""Measure how late the service is, what is held and what waits, for operators.

Metrics are read often, so an index answers each question. `games.web.operator.health` shows
`measures` to Prometheus and on the operator's page. docs/operations.md explains each one and what
to do about it.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import django
from django.conf import settings
from django.db import connection
from django.db.models import Count, Max, Min, Q, QuerySet, Sum

from games.base import about
from games.models import Channel, Figure, Game, Letter, Notice, Phase, Pulse, service
from games.outbox.messages import KINDS
from games.turns import lifecycle
from orders.models import Handling

#: Replies to messages: players notice how long these take.
ACKNOWLEDGEMENTS = tuple(kind.id for kind in KINDS.values() if kind.awaited)
#: How many of the newest letters are counted for delivery times and failures.
NEWEST = 1000
#: Phases with something left to do. The condition repeats that of the index on them word for word;
#: SQLite does not use a partial index for another wording, or for a list of states.
NOT_OVER = "NOT (\"games_phase\".\"status\" IN ('resolved', 'undone'))"
#: The only queue on the broker.
QUEUE = "celery"
#: The name of the pulse that a backup leaves.
BACKUP = "backup"
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
        Measure("gamesmaster_info", "What runs here.", 1.0, versions()),
    ]


def tick_age(now: datetime) -> float | None:
    """Return the seconds since the last tick; None if there never was one."""
    last = Pulse.objects.filter(name="tick").values_list("at", flat=True).first()
    return None if last is None else (now - last).total_seconds()


def backup_age(now: datetime) -> float | None:
    """Return the seconds since the last backup; None if there never was one."""
    last = Pulse.objects.filter(name=BACKUP).values_list("at", flat=True).first()
    return None if last is None else (now - last).total_seconds()


def note_backup(now: datetime) -> None:
    """Record that a backup was made."""
    Pulse.objects.update_or_create(name=BACKUP, defaults={"at": now})


def _age(now: datetime, since: datetime | None) -> float:
    return 0.0 if since is None else max(0.0, (now - since).total_seconds())


def _clock(now: datetime) -> Iterable[Measure]:
    age = tick_age(now)
    yield Measure(
        "gamesmaster_tick_age_seconds",
        "Seconds since the tables were last asked what is due; -1: never.",
        -1.0 if age is None else age,
    )
    backup = backup_age(now)
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


def unfinished_phases() -> QuerySet[Phase]:
    """Return the phases of running games with something to do, one per game, by an index."""
    return Phase.objects.extra(where=[NOT_OVER]).filter(game__status=Game.Status.RUNNING)


def overdue_phases(now: datetime) -> QuerySet[Phase]:
    """Return the phases whose next step is overdue."""
    return Phase.objects.filter(
        due_at__lte=now, status__in=lifecycle.ACTIVE, game__status=Game.Status.RUNNING
    )


def outstanding_readings(now: datetime) -> tuple[int, float]:
    """Return how many named stocks lack a figure, and the seconds the oldest could have had one."""
    drawing = list(
        unfinished_phases()
        .filter(status=Phase.Status.DRAWING)
        .values_list("pk", "stocks", "first_reading_at")
    )
    settled = dict(
        Figure.objects.filter(phase__in=[pk for pk, _, _ in drawing])
        .values_list("phase")
        .annotate(number=Count("pk"))
        .values_list("phase", "number")
    )
    missing = {pk: max(0, len(stocks) - settled.get(pk, 0)) for pk, stocks, _ in drawing}
    since = [at for pk, _, at in drawing if missing[pk] and at is not None and at <= now]
    return sum(missing.values()), _age(now, min(since, default=None))


def _phases(now: datetime) -> Iterable[Measure]:
    statuses = dict(
        unfinished_phases()
        .order_by()
        .values_list("status")
        .annotate(number=Count("pk"))
        .values_list("status", "number")
    )
    for status in (*lifecycle.ACTIVE, Phase.Status.HELD):
        yield Measure(
            "gamesmaster_phases",
            "Phases of running games, by what becomes of them.",
            statuses.get(status, 0),
            {"status": str(status)},
        )
    due = overdue_phases(now).order_by().aggregate(number=Count("pk"), oldest=Min("due_at"))
    yield Measure(
        "gamesmaster_phases_due",
        "Phases with which something should have been done by now.",
        due["number"],
    )
    yield Measure(
        "gamesmaster_deadline_lag_seconds",
        "How late the latest of them is.",
        _age(now, due["oldest"]),
    )
    number, age = outstanding_readings(now)
    yield Measure(
        "gamesmaster_readings_outstanding",
        "Stocks of phases being drawn that have no figure yet.",
        number,
    )
    yield Measure(
        "gamesmaster_reading_lag_seconds",
        "For how long the oldest of them could have been read.",
        age,
    )


# --- letters ---


def unsent_letters() -> QuerySet[Letter]:
    """Return the letters that were neither sent nor given up."""
    return Letter.objects.filter(due_at__isnull=False)


def newest_letters() -> QuerySet[Letter]:
    """Return the newest letters, by number, so that the size of the archive does not matter."""
    last = Letter.objects.aggregate(last=Max("pk"))["last"] or 0
    return Letter.objects.filter(pk__gt=last - NEWEST)


def _letters(now: datetime) -> Iterable[Measure]:
    waiting = (
        unsent_letters()
        .order_by()
        .values_list("status")
        .annotate(number=Count("pk"), tries=Sum("attempts"))
        .values_list("status", "number")
    )
    counts = dict(waiting)
    for status in (Letter.Status.QUEUED, Letter.Status.SENDING, Letter.Status.DEFERRED):
        yield Measure(
            "gamesmaster_letters_unsent",
            "Letters not out yet, by state.",
            counts.get(status, 0),
            {"status": str(status)},
        )
    oldest = (
        unsent_letters()
        .order_by()
        .aggregate(
            written=Min("written_at"),
            due=Min("due_at"),
            answer=Min("written_at", filter=Q(kind__in=ACKNOWLEDGEMENTS)),
        )
    )
    yield Measure(
        "gamesmaster_oldest_unsent_letter_seconds",
        "How long ago the oldest unsent letter was written.",
        _age(now, oldest["written"]),
    )
    yield Measure(
        "gamesmaster_letter_lag_seconds",
        "How long the letter that is due longest is overdue.",
        _age(now, oldest["due"]),
    )
    yield Measure(
        "gamesmaster_acknowledgement_lag_seconds",
        "Age of the oldest unsent answer in seconds.",
        _age(now, oldest["answer"]),
    )
    took: dict[str, list[float]] = {"acknowledgement": [], "letter": []}
    failed = 0
    for kind, state, written, sent in newest_letters().values_list(
        "kind", "status", "written_at", "sent_at"
    ):
        if state == Letter.Status.SENT and sent is not None:
            took["acknowledgement" if kind in ACKNOWLEDGEMENTS else "letter"].append(
                (sent - written).total_seconds()
            )
        failed += state in (Letter.Status.FAILED, Letter.Status.BOUNCED)
    for group, seconds in took.items():
        for part in (0.5, 0.95, 1.0):
            sentence = (
                f"Seconds from a letter's being written to its being sent, of the newest {NEWEST}."
            )
            labels = {"kind": group, "quantile": f"{part:g}"}
            yield Measure("gamesmaster_letter_seconds", sentence, _quantile(seconds, part), labels)
    yield Measure(
        "gamesmaster_letters_undelivered",
        f"Of the newest {NEWEST} letters those that could not be delivered.",
        failed,
    )


def _quantile(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


# --- mail, channels, the broker ---


def _mail(now: datetime) -> Iterable[Measure]:
    waiting = (
        Handling.objects.filter(due_at__isnull=False)
        .order_by()
        .aggregate(number=Count("pk"), oldest=Min("mail__received_at"))
    )
    yield Measure(
        "gamesmaster_mail_waiting",
        "Messages that arrived and wait to be read.",
        waiting["number"],
    )
    yield Measure(
        "gamesmaster_mail_lag_seconds",
        "How long the oldest of them has waited.",
        _age(now, waiting["oldest"]),
    )
    yield Measure(
        "gamesmaster_mail_held",
        "Messages of running games that wait for their gamesmaster.",
        held_mail().count(),
    )


def held_mail() -> QuerySet[Any]:
    return Handling.objects.filter(status=Handling.Status.HELD, game__status=Game.Status.RUNNING)


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
