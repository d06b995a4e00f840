"""Give more time with one click or by vote, and take it back."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from games.models import DeadlineChange, Game, Letter, Person, Phase
from games.rules.names import count_of

from . import acts, times
from .words import DeskError


def once_more(game: Game) -> timedelta:
    """Return how much more time a click or a vote gives: a day; by minutes, the phase once more."""
    minutes = game.schedule.get("minutes")
    return timedelta(minutes=minutes) if minutes else timedelta(days=1)


def once_more_in_words(game: Game) -> str:
    """Return “24 hours”, or in a game by minutes “30 minutes”."""
    minutes = int(once_more(game).total_seconds() // 60)
    hours, rest = divmod(minutes, 60)
    if hours > 1 and not rest:
        return f"{hours} hours"
    return count_of(minutes, "minute")


def give_more_time(phase: Phase, by: Person, now: datetime) -> DeadlineChange:
    """Move the deadline once by `once_more`. `take_back_time` undoes it."""
    later = phase.deadline + once_more(phase.game)
    return times.extend(phase, later, _more_time_reason(phase.game), by, now)


def _more_time_reason(game: Game) -> str:
    return f"{once_more_in_words(game)} more."


def more_time_given(phase: Phase, now: datetime) -> DeadlineChange | None:
    """Return the last move by `give_more_time`, if it can still be taken back, or None.

    It can until the next letter about the game is written: from then on a player may rely on it.
    """
    if not phase.is_timed:
        return None
    change: DeadlineChange | None = phase.deadline_changes.order_by("-pk").first()
    if (
        change is None
        or change.changed_by_id is None
        or change.reason != _more_time_reason(phase.game)
        or change.old <= now
    ):
        return None
    later = Letter.objects.filter(game=phase.game, written_at__gt=change.changed_at)
    return None if later.exclude(kind="moved", about__change=change.pk).exists() else change


@transaction.atomic
def take_back_time(phase: Phase, by: Person, now: datetime) -> DeadlineChange:
    """Undo `give_more_time`: the earlier deadline stands again, and everybody is told."""
    acts.take_row(phase.game, by)
    phase.refresh_from_db()
    change = more_time_given(phase, now)
    if change is None:
        raise DeskError(
            "The deadline can no longer be set back: it has passed, or a letter has gone out since."
        )
    return times.extend(phase, change.old, "The time given last is taken back.", by, now)
