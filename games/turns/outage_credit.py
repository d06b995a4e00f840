"""Give time back after an outage, so that no player misses a deadline by it (docs/design.md 5).

If nothing ticked for longer than OUTAGE_MINUTES, every open phase of a running game whose deadline
passed in that time, or comes within the next hour, gets as much time as the outage took, counted
from its end: at most 24 hours and at most the length of the phase, and at least 10 minutes if the
phase was that long. Orders received during the outage count.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from games.models import Game, Phase, Pulse
from games.outbox.messages import game_letters
from games.positions import game_row
from games.turns import deadlines, holds

logger = logging.getLogger(__name__)

SOON = timedelta(hours=1)
AT_MOST = timedelta(hours=24)
AT_LEAST = timedelta(minutes=10)
REASON = "The service was down from {since} to {until} UTC; deadlines move by that time."


def credit_time(now: datetime) -> int:
    """Give time back if nothing ticked for longer than OUTAGE_MINUTES; return to how many phases.

    Once per outage, and never if OUTAGE_MINUTES is 0, for operators who tick rarely on purpose.
    Every tick calls this before it writes its own pulse.
    """
    longest = timedelta(minutes=settings.OUTAGE_MINUTES)
    last = Pulse.objects.filter(name="tick").first()
    if not longest or last is None or now - last.at <= longest:
        return 0
    with transaction.atomic():
        # Only one of two simultaneous ticks finds the old pulse.
        if Pulse.objects.filter(name="tick", at=last.at).update(at=now) != 1:
            return 0
        affected = Phase.objects.filter(
            status=Phase.Status.OPEN,
            game__status=Game.Status.RUNNING,
            deadline__gt=last.at - AT_MOST,
            deadline__lte=now + SOON,
        )
        credited = sum(
            _credit(phase, last.at, now) for phase in affected.select_related("game").order_by("pk")
        )
    logger.warning("nothing ticked from %s to %s: %d phases got time back", last.at, now, credited)
    return credited


def _credit(phase: Phase, since: datetime, now: datetime) -> bool:

    try:
        with transaction.atomic():  # a fault in one game must not stop the credit of the others
            running = game_row.take_row(phase.game)
            phase.refresh_from_db()
            grace = phase.game.grace
            if not running or phase.status != Phase.Status.OPEN or phase.deadline + grace <= since:
                return False
            # All orders are final: nobody needs more time.
            if phase.due_at is not None and phase.due_at < phase.deadline:
                return False
            new = new_deadline(phase, since, now)
            if new <= phase.deadline:
                return False
            reason = REASON.format(since=f"{since:%Y-%m-%d %H:%M}", until=f"{now:%Y-%m-%d %H:%M}")
            now = game_row.now_in_row(phase, now)
            change = deadlines.move(phase, new, reason, None, now)
            game_letters.announce_new_deadline(change, now)
            deadlines.note_move(change, now)
            return True
    except Exception as error:
        logger.exception("phase %s got no time back", phase.pk)
        holds.hold_open(
            phase,
            "The service was down, and the phase could not be given its time back"
            f" ({type(error).__name__}).",
            now,
        )
        return False


def new_deadline(phase: Phase, since: datetime, now: datetime) -> datetime:
    """Return the deadline after the credit, rounded up to the minute."""
    length = phase.deadline - phase.opened_at
    credit = min(now - since, length, AT_MOST)
    new = now + max(credit, min(AT_LEAST, length))
    whole = new.replace(second=0, microsecond=0)
    return whole if whole == new else whole + timedelta(minutes=1)
