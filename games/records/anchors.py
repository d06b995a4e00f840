"""The newest record hash of every public game by day (UTC), and each day's root.

With them people can prove later what was known on a day.

The root of a day is SHA-256 over lines "GAME HASH", each ended by a newline, sorted as text
(`LC_ALL=C sort`): one line for each public game whose record hash changed on that day, with its
number and the newest hash of that day. Anybody can compute it from the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from hashlib import sha256

from django.db.models import Max, QuerySet
from django.db.models.functions import TruncDate

from games.models import RecordEntry


@dataclass(frozen=True)
class Anchor:
    """The newest record hash of a game on a day."""

    game: int
    title: str
    hash: str
    made: datetime


@dataclass(frozen=True)
class Day:
    """A day's anchors by number of the game, and the day's root."""

    day: date
    anchors: tuple[Anchor, ...]

    @property
    def lines(self) -> str:
        return "".join(sorted(f"{anchor.game} {anchor.hash}\n" for anchor in self.anchors))

    @property
    def root(self) -> str:
        return sha256(self.lines.encode()).hexdigest()


def anchors_of_day(day: date) -> Day:
    """Return the anchors of a day in UTC.

    Those of today may still change; so do those of a game that becomes public, or private.
    """
    return next(iter(_read(day, day)), Day(day, ()))


def previous_day(day: date) -> date | None:
    """Return the last day before this one on which a public game changed."""
    made = (
        _public_entries()
        .filter(made_at__lt=_midnight(day))
        .order_by("-made_at")
        .values_list("made_at", flat=True)
        .first()
    )
    return made.astimezone(UTC).date() if made is not None else None


def next_day(day: date) -> date | None:
    """Return the first day after this one on which a public game changed."""
    rows = (
        _public_entries()
        .filter(made_at__gte=_midnight(day + timedelta(days=1)))
        .order_by("made_at")
    )
    made = rows.values_list("made_at", flat=True).first()
    return made.astimezone(UTC).date() if made is not None else None


def newest_days(number: int) -> list[Day]:
    """Return the newest days on which a public game changed, the latest first."""
    days: list[date] = []
    day = previous_day(date.max)
    while day is not None and len(days) < number:
        days.append(day)
        day = previous_day(day)
    return _read(days[-1], days[0]) if days else []


def _read(first: date, last: date) -> list[Day]:
    """Return the days from the first to the last on which a game changed, the latest first."""
    entries = _public_entries().filter(
        made_at__gte=_midnight(first), made_at__lt=_midnight(last + timedelta(days=1))
    )
    of_games = entries.order_by().values("game", day=TruncDate("made_at", tzinfo=UTC))
    newest = of_games.annotate(newest=Max("pk")).values("newest")
    rows = RecordEntry.objects.filter(pk__in=newest).order_by("game")
    anchors: dict[date, list[Anchor]] = {}
    for row in rows.values_list("game", "game__title", "hash", "made_at"):
        anchor = Anchor(*row)
        anchors.setdefault(anchor.made.astimezone(UTC).date(), []).append(anchor)
    return [Day(day, tuple(anchors[day])) for day in sorted(anchors, reverse=True)]


def _public_entries() -> QuerySet[RecordEntry]:
    return RecordEntry.objects.filter(game__public=True, game__practice=False)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
