"""After the machine's clock was ahead and has been set right: nobody waits for an instant that was
never meant (docs/design.md 5).

A clock that jumps forward looks like an outage: open phases get the time back
(games.turns.outage_credit), by deadlines far off; letters and mail of those minutes are due at that
far instant. Once the clock goes back, and a tick finds the last pulse ahead of it, all of that is
brought back:

- What waits in a queue is tried at once. An early try harms nobody.
- A deadline that the service itself moved while the clock was ahead is what it was before, if that
  is still to come; else, and for a phase that was opened meanwhile, it is set anew by the game's
  schedule. Everybody is told, and it is on record with the reason.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.db import transaction

from games import game_row
from games.evidence import hashes
from games.models import DeadlineChange, Game, Phase, Pulse
from games.models.leased import leased_models
from games.outbox.messages import game
from games.rules.verification import record
from games.turns import deadlines, holds, lifecycle, outage_credit
from games.turns.lifecycle import Event

logger = logging.getLogger(__name__)

#: Machines differ a little, and clocks are corrected by moments all the time.
SLACK = timedelta(minutes=1)
#: What waits in a queue to be tried, in the words of each of them. Mail that waits for its
# sender's word has days for it and keeps them.
WAITING = ("queued", "deferred", "sending", "waiting")
REASON = record.CLOCK_WAS_AHEAD + "{now} UTC; the deadline is set right."


def bring_back(now: datetime) -> int:
    """Looks whether the last pulse is ahead of the clock. Returns how many deadlines were set
    right; done once for each setting back."""
    last = Pulse.objects.filter(name="tick").first()
    if last is None or last.at <= now + SLACK:
        return 0
    with transaction.atomic():
        # Of two ticks that find it so, one finds the pulse as it was.
        if Pulse.objects.filter(name="tick", at=last.at).update(at=now) != 1:
            return 0
        for model in leased_models():
            if model is Phase:  # its turn comes below
                continue
            held = (
                {"status__in": WAITING}
                if any(field.name == "status" for field in model._meta.fields)
                else {}
            )
            model.objects.filter(due_at__gt=now, **held).update(due_at=now)
        closed = Phase.objects.filter(due_at__gt=now)
        # What waits for a reading looks, and waits on.
        running = closed.filter(game__status=Game.Status.RUNNING)
        lifecycle.update(running, Event.CLOCK_SET_RIGHT, due_at=now)
        open_still = Phase.objects.filter(
            status=Phase.Status.OPEN, game__status=Game.Status.RUNNING
        )
        found = [
            phase
            for phase in open_still.select_related("game").order_by("pk")
            if _misled(phase, now)
        ]
        moved = sum(_set_right(phase, now) for phase in found)
    logger.error(
        "the clock was set back from %s to %s: %d deadlines are set right", last.at, now, moved
    )
    return moved


def _newest_change(phase: Phase) -> DeadlineChange | None:
    return DeadlineChange.objects.filter(phase=phase).order_by("-pk").first()


def _misled(phase: Phase, now: datetime) -> bool:
    """Whether an open phase was opened, or moved by the service itself, at an instant that has not
    come yet."""
    change = _newest_change(phase)
    by_itself = (
        change is not None
        and change.changed_by_id is None
        and change.changed_at > now + SLACK
        and change.new == phase.deadline
    )
    return by_itself or phase.opened_at > now + SLACK


def _set_right(phase: Phase, now: datetime) -> bool:

    try:
        with transaction.atomic():  # one bad game must not keep the others from their time
            running = game_row.take_row(phase.game)
            phase.refresh_from_db()
            if not running or phase.status != Phase.Status.OPEN:
                return False
            new = phase.deadline if phase.sheeted else _deadline(phase, now)
            if phase.opened_at > now + SLACK:
                before = hashes.renewable(phase)
                phase.opened_at = now
                phase.save(update_fields=["opened_at"])
                hashes.append(phase.game, [hashes.renewed(phase, before)], now)
            if new == phase.deadline:
                return False
            change = deadlines.move(
                phase, new, REASON.format(now=f"{now:%Y-%m-%d %H:%M}"), None, now
            )
            game.moved(change, now)
            deadlines.note_move(change, now)
            return True
    except Exception:
        logger.exception("the deadline of phase %s could not be set right", phase.pk)
        holds.hold_open(
            phase, "The service's clock was ahead, and the deadline could not be set right.", now
        )
        return False


def _deadline(phase: Phase, now: datetime) -> datetime:
    """What it was before the service moved it at instants to come, if there is time for it still;
    else the next by the game's schedule."""
    changes = DeadlineChange.objects.filter(
        phase=phase, changed_by=None, changed_at__gt=now + SLACK
    ).order_by("pk")
    first: DeadlineChange | None = changes.first()
    if (
        first is not None
        and phase.opened_at <= now + SLACK
        and first.old > now + outage_credit.AT_LEAST
    ):
        before: datetime = first.old
        return before
    lasts = deadlines.length(phase.game, phase.id_in_rules, phase.previous)
    return deadlines.deadline_after(phase.game, phase.draws, now, lasts=lasts)
