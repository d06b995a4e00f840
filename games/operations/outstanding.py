"""Find what waits: phases, figures, letters and mail that are outstanding, for operators.

Metrics are read often, so an index answers each question.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from games.models import Figure, Game, Letter, Phase, Reading
from games.turns import lifecycle
from orders.models import Handling

#: How many of the newest letters are counted for delivery times and failures.
NEWEST = 1000
#: Phases with something left to do. The condition repeats that of the index on them word for word;
#: SQLite does not use a partial index for another wording, or for a list of states.
NOT_OVER = "NOT (\"games_phase\".\"status\" IN ('resolved', 'undone'))"


def age(now: datetime, since: datetime | None) -> float:
    return 0.0 if since is None else max(0.0, (now - since).total_seconds())


# --- phases and figures ---


def unfinished_phases() -> QuerySet[Phase]:
    """Return the phases of running games with something to do, one per game, by an index."""
    return Phase.objects.extra(where=[NOT_OVER]).filter(game__status=Game.Status.RUNNING)


def overdue_phases(now: datetime) -> QuerySet[Phase]:
    """Return the phases whose next step is overdue."""
    return _phases_of_running_games().filter(due_at__lte=now, status__in=lifecycle.ACTIVE)


def coming_phases(now: datetime) -> QuerySet[Phase]:
    """Return the phases whose next step is still to come."""
    return _phases_of_running_games().filter(due_at__gt=now)


def _phases_of_running_games() -> QuerySet[Phase]:
    """Return the phases of running games, in the order of what is due if it is asked for.

    Joined with games, SQLite would look through all running ones with their past.
    """
    running = Game.objects.filter(pk=OuterRef("game"), status=Game.Status.RUNNING)
    return Phase.objects.filter(Exists(running))


@dataclass(frozen=True)
class OutstandingReadings:
    """What phases wait for: `stocks` without a figure, for how many seconds the oldest of them
    could have been read (`age`), and for how many their source has given no answer (`silent`)."""

    stocks: int
    age: float
    silent: float


def outstanding_readings(now: datetime) -> OutstandingReadings:
    drawing = list(
        unfinished_phases()
        .filter(status=Phase.Status.DRAWING)
        .only("stocks", "first_reading_at", "exchange", "session")
    )
    settled = dict(
        Figure.objects.filter(phase__in=drawing)
        .values_list("phase")
        .annotate(number=Count("pk"))
        .values_list("phase", "number")
    )
    missing = {phase: max(0, len(phase.stocks) - settled.get(phase.pk, 0)) for phase in drawing}
    since = {
        phase: phase.first_reading_at
        for phase, stocks in missing.items()
        if stocks and phase.first_reading_at is not None and phase.first_reading_at <= now
    }
    sessions = {(phase.exchange, phase.session) for phase in since}
    return OutstandingReadings(
        sum(missing.values()),
        age(now, min(since.values(), default=None)),
        age(now, min(_silent_since(sessions), default=None)),
    )


def _silent_since(sessions: Iterable[tuple[str, str]]) -> list[datetime]:
    """Return, for each source that answers nothing about these sessions, its first try since it
    last did. That it has no figure, or does not know a stock, is an answer."""
    asked = Q(pk__in=())
    for exchange, session in sessions:
        asked |= Q(exchange=exchange, session=session)
    readings = Reading.objects.filter(asked).order_by("read_at")
    unanswered = Q(kind=Reading.Kind.LATER)
    answered = dict(
        readings.exclude(unanswered)
        .order_by()
        .values_list("source")
        .annotate(last=Max("read_at"))
        .values_list("source", "last")
    )
    tries: dict[str, datetime] = {}
    for source, at in readings.filter(unanswered).values_list("source", "read_at"):
        if source not in answered or at > answered[source]:
            tries.setdefault(source, at)
    return list(tries.values())


# --- letters and mail ---


def unsent_letters() -> QuerySet[Letter]:
    """Return the letters that were neither sent nor given up."""
    return Letter.objects.filter(due_at__isnull=False)


def newest_letters() -> QuerySet[Letter]:
    """Return the newest letters, by number, so that the size of the archive does not matter."""
    last = Letter.objects.aggregate(last=Max("pk"))["last"] or 0
    return Letter.objects.filter(pk__gt=last - NEWEST)


def unread_mail(now: datetime) -> QuerySet[Handling]:
    """Return the messages that wait for workers: not those that wait for their senders, or that a
    limit has postponed."""
    due = Q(due_at__lte=now) | Q(due_at__isnull=False, attempts__gt=0)
    return Handling.objects.filter(due, status=Handling.Status.WAITING).order_by()


def held_mail() -> QuerySet[Handling]:
    return Handling.objects.filter(status=Handling.Status.HELD, game__status=Game.Status.RUNNING)
