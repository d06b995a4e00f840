"""Repair times after the machine's clock was ahead and was set back (docs/design.md 5).

A clock that jumps forward looks like an outage: open phases get time back
(`games.turns.outage_credit`), so their deadlines are far in the future, and so is `due_at` of
letters and mail of those minutes. When a tick finds the last pulse ahead of the clock:

- Rows that wait in a queue are tried at once. An early try does no harm.

- A deadline that the service moved while the clock was ahead gets its old value if that is still in
the future. Otherwise, and for a phase opened meanwhile, the game's schedule gives a new one.
Players are notified, and the record states the reason.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.db import transaction

from games.evidence import hashes
from games.models import DeadlineChange, Game, Phase, Pulse
from games.models.leased import Leased, leased_models
from games.outbox.messages import game_letters
from games.positions import game_row
from games.rules import time_credit
from games.rules.verification import record
from games.turns import deadlines, holds, lifecycle
from games.turns.lifecycle import Event
from orders.models import Handling

logger = logging.getLogger(__name__)

#: Clocks differ a little, and small corrections are normal.
SLACK = timedelta(minutes=1)
#: Statuses of rows that wait in a queue. Mail that waits for its sender's confirmation is not among
#: them: it has days and keeps them.
WAITING = ("queued", "deferred", "sending", "waiting")
REASON = record.CLOCK_WAS_AHEAD + "{now} UTC; the deadline is set right."


def undo_clock_jump(now: datetime) -> int:
    """Repair times if the last pulse is ahead of the clock; return how many deadlines moved.

    Each setback of the clock is repaired once.
    """
    last = Pulse.objects.filter(name="tick").first()
    if last is None or last.at <= now + SLACK:
        return 0
    with transaction.atomic():
        # Only one of two ticks finds the old pulse, so that only one repairs.
        if Pulse.objects.filter(name="tick", at=last.at).update(at=now) != 1:
            return 0
        # Messages, then games in the order of their ids, then phases: in the order of all who lock
        # more than one of them (game_row.take_row).
        _make_due_now(Handling, now)
        games = Game.objects.select_for_update(no_key=True).filter(status=Game.Status.RUNNING)
        list(games.order_by("pk").values_list("pk"))
        for model in leased_models():
            if model not in (Handling, Phase):  # phases are repaired below
                _make_due_now(model, now)
        future = Phase.objects.filter(due_at__gt=now)
        # A phase that waits for figures looks for them early, and waits again.
        running = future.filter(game__status=Game.Status.RUNNING)
        lifecycle.update(running, Event.CLOCK_SET_RIGHT, due_at=now)
        open_phases = Phase.objects.filter(
            status=Phase.Status.OPEN, game__status=Game.Status.RUNNING
        )
        affected = [
            phase
            for phase in open_phases.select_related("game").order_by("pk")
            if _was_moved_by_wrong_clock(phase, now)
        ]
        moved = sum(_correct_deadline(phase, now) for phase in affected)
    logger.error(
        "the clock was set back from %s to %s: %d deadlines are set right", last.at, now, moved
    )
    return moved


def _make_due_now(model: type[Leased], now: datetime) -> None:
    still_waiting = (
        {"status__in": WAITING}
        if any(field.name == "status" for field in model._meta.fields)
        else {}
    )
    model.objects.filter(due_at__gt=now, **still_waiting).update(due_at=now)


def _newest_change(phase: Phase) -> DeadlineChange | None:
    return DeadlineChange.objects.filter(phase=phase).order_by("-pk").first()


def _was_moved_by_wrong_clock(phase: Phase, now: datetime) -> bool:
    """Return whether the service opened or moved this open phase at a time still in the future."""
    change = _newest_change(phase)
    by_itself = (
        change is not None
        and change.changed_by_id is None
        and change.changed_at > now + SLACK
        and change.new == phase.deadline
    )
    return by_itself or phase.opened_at > now + SLACK


def _correct_deadline(phase: Phase, now: datetime) -> bool:
    try:
        with transaction.atomic():  # a fault in one game must not stop the repair of the others
            running = game_row.take_row(phase.game)
            phase.refresh_from_db()
            if not running or phase.status != Phase.Status.OPEN:
                return False
            new = _right_deadline(phase, now) if phase.has_deadline else phase.deadline
            if phase.opened_at > now + SLACK:
                old_parts = hashes.renewable_parts(phase)
                phase.opened_at = now
                phase.save(update_fields=["opened_at"])
                hashes.append(phase.game, [hashes.renewal(phase, old_parts)], now)
            if new == phase.deadline:
                return False
            change = deadlines.move(
                phase, new, REASON.format(now=f"{now:%Y-%m-%d %H:%M}"), None, now
            )
            game_letters.announce_new_deadline(change, now)
            deadlines.note_move(change, now)
            return True
    except Exception:
        logger.exception("the deadline of phase %s could not be set right", phase.pk)
        holds.hold_open(
            phase, "The service's clock was ahead, and the deadline could not be corrected.", now
        )
        return False


def _right_deadline(phase: Phase, now: datetime) -> datetime:
    """Return the deadline that the service moved at a time still in the future.

    If too little time is left until then, return the next deadline by the game's schedule.
    """
    changes = DeadlineChange.objects.filter(
        phase=phase, changed_by=None, changed_at__gt=now + SLACK
    ).order_by("pk")
    first: DeadlineChange | None = changes.first()
    if (
        first is not None
        and phase.opened_at <= now + SLACK
        and first.old > now + time_credit.AT_LEAST
    ):
        before: datetime = first.old
        return before
    lasts = deadlines.length(phase.game, phase.id_in_rules, phase.previous)
    return deadlines.deadline_after(phase.game, phase.draws, now, lasts=lasts)
