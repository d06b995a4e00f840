"""Remind players who have sent nothing, and gamesmasters whose report is due."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.db import transaction

from games import permissions, positions
from games.models import Game, Phase
from games.outbox.messages import game_letters
from games.positions import owed
from games.seats import teams
from games.turns import deadlines

logger = logging.getLogger(__name__)


def remind(now: datetime) -> int:
    """Write the reminders that are due; return for how many phases."""
    count = 0
    due = Phase.objects.filter(
        status=Phase.Status.OPEN, remind_at__lte=now, game__status=Game.Status.RUNNING
    ).select_related("game")
    for phase in due[:200]:
        try:
            count += _remind(phase, now)
        except Exception:  # a fault in one game must not stop the reminders of the others
            logger.exception("the reminder of phase %s failed", phase.pk)
            later = now + timedelta(minutes=10)
            Phase.objects.filter(pk=phase.pk).update(
                remind_at=later if later < phase.deadline else None
            )
    return count


@transaction.atomic
def _remind(phase: Phase, now: datetime) -> bool:
    if (
        Phase.objects.filter(
            pk=phase.pk, status=Phase.Status.OPEN, remind_at=phase.remind_at
        ).update(remind_at=None)
        != 1
    ):
        return False
    if not phase.has_deadline:
        return _remind_of_report(phase, now)
    if phase.deadline > now:  # after an outage a reminder would come too late to help
        write(phase, seats_to_remind(phase), now)
        later = deadlines.later_reminder(now, phase.deadline)
        Phase.objects.filter(pk=phase.pk).update(remind_at=later)
    return True


def seats_to_remind(phase: Phase) -> list[owed.OwingSeat]:
    """Return the seats of people who get letters and still owe orders in an open phase.

    `done`: members of a voting team who need no reminder. If a spokesman is silent, the whole team
    is reminded, including members who proposed orders.
    """
    game = phase.game
    permissions.load_seats(game)
    pairs = positions.senders(phase, positions.state_of(phase), game.seats_read)
    owing = owed.owing_seats(phase, [(seat, sender) for seat, sender in pairs if not sender.bot])
    if not teams.decides_by_vote(game):
        owing = [owed.OwingSeat(one.seat) for one in owing]
    people = {
        seat.pk: [sitting.person for sitting in sender.sitting_now or ()] for seat, sender in pairs
    }
    return [
        one
        for one in owing
        if any(
            person.is_active and not person.by_post and person.pk not in one.done
            for person in people[one.seat.pk]
        )
    ]


def write(
    phase: Phase, seats: list[owed.OwingSeat], now: datetime, *, again: bool = False
) -> list[int]:
    """Write the reminder to the people of these seats, once per deadline unless `again`.

    Return the primary keys of the seats to whose people a letter goes.
    """
    voted = {wanted.seat.pk: wanted.done for wanted in seats}
    return game_letters.reminder(phase, [wanted.seat for wanted in seats], now, voted, again=again)


def _remind_of_report(phase: Phase, now: datetime) -> bool:
    """Remind the gamesmasters, repeatedly, that the game waits for their report.

    Not while a report has arrived and is due.
    """
    Phase.objects.filter(pk=phase.pk).update(remind_at=deadlines.report_reminder(phase.game, now))
    if phase.due_at is None:
        game_letters.report_waits(phase, now)
    return phase.due_at is None
