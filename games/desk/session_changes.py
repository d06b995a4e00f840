"""Move phases that wait for figures to another session of their exchange."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from games import market
from games.evidence import hashes
from games.models import Figure, Game, MarketClosure, Person, Phase, SessionChange
from games.outbox.messages import game_letters
from games.positions import game_row
from games.turns import lifecycle
from games.turns.lifecycle import Event


def fix_again(
    closure: MarketClosure, reason: str, by: Person | None, now: datetime
) -> list[SessionChange]:
    """Fix the session again for phases that wait for figures, have none, and would get another."""
    waiting = Q(status=Phase.Status.DRAWING) | Q(
        status=Phase.Status.HELD, held_from=Phase.Status.DRAWING
    )
    phases = Phase.objects.filter(
        waiting,
        exchange=closure.exchange,
        locked_at__isnull=False,
        game__status__in=Game.Status.going_on(),
    ).exclude(session="")
    changes = [
        _change(phase, closure, reason, by, now)
        for phase in phases.select_related("game").order_by("game")
    ]
    return [change for change in changes if change]


def _change(
    phase: Phase, closure: MarketClosure, reason: str, by: Person | None, now: datetime
) -> SessionChange | None:
    game_row.take_row(phase.game)
    old, new = market.session_of(phase), market.session_for(phase.game, market.session_basis(phase))
    if new == old or closure.day.isoformat() not in (old.label, new.label):
        return None
    if new.label != old.label and new.opens <= now and closure.removed_at is not None:
        # The session has opened: nobody could prove that its sales were unknown when it was chosen.
        return None
    unchanged = Phase.objects.filter(
        pk=phase.pk, status=phase.status, session=old.label, session_closes=old.closes
    )
    market.fix_session(phase, new)
    columns = {
        "session": phase.session,
        "session_opens": phase.session_opens,
        "session_closes": phase.session_closes,
        "first_reading_at": phase.first_reading_at,
        "policy": phase.policy,
        "witness_at": phase.witness_at,
    }
    # A held phase is due again when the hold is lifted; a worker that reads the old session loses
    # its lease.
    with transaction.atomic():
        # The phase's row first: a worker that is settling a figure takes it too, so that the later
        # one sees the other's change.
        if unchanged.update(**columns) != 1:
            return None
        lifecycle.update(
            Phase.objects.filter(pk=phase.pk),
            Event.SESSION_CHANGED,
            due_at=phase.first_reading_at,
            **lifecycle.FREE,
        )
        if Figure.objects.filter(phase=phase).exists():
            transaction.set_rollback(True)
            return None
        change = SessionChange.objects.create(
            phase=phase,
            old=old.label,
            old_opens=old.opens,
            old_closes=old.closes,
            new=new.label,
            new_opens=new.opens,
            new_closes=new.closes,
            reason=reason,
            changed_by=by,
            changed_at=now,
        )
        hashes.append(phase.game, [hashes.session(change)], now)
        game_letters.announce_session_change(change, now)
    return change
