"""A person's track record: how reliably they order, and how their games ended.

It covers the last two years, without practice games. A phase is due if the nation could order, and
on time if orders were in force at the lock. A seat taken over in a running game counts only in its
player's favor: phases missed there, and leaving it, do not count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import OuterRef, Q, Subquery

from games.models import Game, Person, Phase, Resolution, Sitting
from games.rules.names import count_of

WINDOW = timedelta(days=730)
#: How many phases must have been due before a share is shown.
ENOUGH = 10


@dataclass
class TrackRecord:
    """Phases due and on time, seats taken over and left, and games by nation: played and won."""

    due: int = 0
    on_time: int = 0
    taken_over: int = 0
    left: int = 0
    games: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def percent(self) -> int | None:
        """The share on time in percent, rounded down; None if too few phases were due."""
        return self.on_time * 100 // self.due if self.due >= ENOUGH else None

    @property
    def summary(self) -> str:
        """“on time in 34 of 36 phases, left 1 seat”; “new here” if no phase was due."""
        if not self.due:
            return "new here"
        words = f"on time in {self.on_time} of {count_of(self.due, 'phase')}"
        left = f", left {count_of(self.left, 'seat')}" if self.left else ""
        return words + left


def track_record_of(person: Person, now: datetime) -> TrackRecord:
    """Return the record of one person."""
    return track_records_of([person.pk], now)[person.pk]


def track_records_of(people: Iterable[int], now: datetime) -> dict[int, TrackRecord]:
    """Return the records of people by their primary keys, with two queries for all."""
    since = now - WINDOW
    track_records = {pk: TrackRecord() for pk in people}
    is_recent = Q(until=None) | Q(until__gt=since)
    sittings = Sitting.objects.filter(
        is_recent, person__in=track_records, seat__game__practice=False
    )
    sittings = sittings.exclude(seat__game__started_at=None).select_related("seat__game")
    # A number that grows with each deadline of an anonymous game would show who plays in it.
    going_on = Game.Status.going_on()
    sittings = sittings.exclude(seat__game__anonymous=True, seat__game__status__in=going_on)
    sitting_rows = list(
        sittings.annotate(winners=Subquery(_last_resolution().values("winners")[:1]))
    )
    phases = _phases({sitting.seat.game_id for sitting in sitting_rows}, since)
    for sitting in sitting_rows:
        _count(track_records[sitting.person_id], sitting, phases[sitting.seat.game_id], since)
    return track_records


def _last_resolution() -> Any:
    resolved = Resolution.objects.filter(
        phase__game=OuterRef("seat__game"), phase__status=Phase.Status.RESOLVED
    )
    return resolved.order_by("-phase__number", "-version")


def _phases(games: Iterable[int], since: datetime) -> dict[int, list[tuple[datetime, Any, Any]]]:
    """Return for the phases of each game: the time of the lock, the leaves, and who missed it."""
    by_game: dict[int, list[tuple[datetime, Any, Any]]] = defaultdict(list)
    locked = Phase.objects.filter(game__in=games, locked_at__gte=since)
    rows = locked.exclude(status=Phase.Status.UNDONE)
    for game, at, leaves, missed in rows.values_list("game", "locked_at", "leaves", "missed"):
        if at is not None:
            by_game[game].append((at, leaves, missed))
    return by_game


def _count(
    record: TrackRecord,
    sitting: Sitting,
    phases: Iterable[tuple[datetime, Any, Any]],
    since: datetime,
) -> None:
    seat, game = sitting.seat, sitting.seat.game
    taken_over = game.started_at is not None and sitting.since > game.started_at
    record.taken_over += taken_over
    for at, leaves, missed in phases:
        if at <= sitting.since or (sitting.until is not None and at > sitting.until):
            continue
        if seat.nation in missed:
            record.due += not taken_over
        elif seat.nation in leaves:
            record.due += 1
            record.on_time += 1
    if sitting.until is not None and (game.finished_at is None or sitting.until < game.finished_at):
        after_start = game.started_at is not None and sitting.until > game.started_at
        record.left += after_start and not taken_over
    elif game.status == Game.Status.FINISHED and game.finished_at and game.finished_at >= since:
        won = seat.nation in (sitting.winners or ())  # type: ignore[attr-defined]
        if won or not taken_over:
            games, wins = record.games.get(seat.nation, (0, 0))
            record.games[seat.nation] = (games + 1, wins + won)
