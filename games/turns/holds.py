"""Hold a phase for a person, and let it continue."""

from __future__ import annotations

import logging
import secrets
from datetime import datetime

from django.db import transaction

from games.base.text import storable
from games.models import Game, Phase
from games.outbox.messages import game_letters
from games.outbox.outgoing import Outgoing
from games.turns import deadlines, lifecycle
from games.turns.lifecycle import Event

logger = logging.getLogger(__name__)


def hold(phase_id: int, token: str, why: str, now: datetime) -> None:
    """Hold a phase for the gamesmaster, with the reason, and notify them.

    Does nothing unless `token` holds the phase's lease.
    """
    with transaction.atomic():
        phase = Phase.objects.filter(pk=phase_id, claim=token).first()
        if phase is None or not lifecycle.allows(Event.HELD, phase.status, Phase.Status.HELD):
            return
        claimed = Phase.objects.filter(pk=phase_id, claim=token)
        if hold_without_letter(claimed, phase.status, storable(why)) == 1:
            phase.refresh_from_db()
            with Outgoing([phase.game]) as out:
                game_letters.report_hold(phase, now, out)
    logger.error("phase %s held: %s", phase_id, why)


def hold_without_letter(phases: lifecycle.Phases, held_from: str, why: str) -> int:
    """Hold those of these phases whose status is `held_from`, without a letter; return how many.

    Ends their leases too, so that a worker that is reading figures writes nothing more.
    """
    return lifecycle.update(
        phases.filter(status=held_from),
        Event.HELD,
        to=Phase.Status.HELD,
        held_from=held_from,
        fault=why[:2000],
        due_at=None,
        **lifecycle.FREE,
    )


def hold_open(phase: Phase, why: str, now: datetime) -> None:
    """Hold an open phase whose deadline could not be corrected, rather than close it.

    The gamesmaster is notified and decides.
    """
    token = secrets.token_hex(16)
    open_phase = Phase.objects.filter(
        pk=phase.pk, status=Phase.Status.OPEN, game__status=Game.Status.RUNNING
    )
    claimable = Phase.objects.filter(pk__in=open_phase.values("pk"))
    if claimable.update(claim=token, claimed_until=now) == 1:
        hold(phase.pk, token, why, now)


def lift(phase: Phase, now: datetime) -> bool:
    """Let a held phase continue from where it was held; an open one never before its deadline.

    Return whether it was still held. The caller holds the game's row.
    """
    status = phase.held_from or (Phase.Status.LOCKED if phase.locked_at else Phase.Status.OPEN)
    reopened = status == Phase.Status.OPEN and phase.has_deadline
    lifted = lifecycle.update(
        Phase.objects.filter(pk=phase.pk),
        Event.LIFTED,
        to=status,
        held_from="",
        fault="",
        attempts=0,
        due_at=max(now, phase.closes_at) if reopened else now,
    )
    if lifted != 1:
        return False
    phase.refresh_from_db()
    if phase.status == Phase.Status.OPEN and phase.deadline > now:
        deadlines.update_due_time(phase, now)
    return True
