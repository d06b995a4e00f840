"""Give time back when orders could not come in, so that nobody misses a deadline by it.

The rule is part of every game (games.rules.time_credit; docs/design.md 5), and no setting changes
it. It is the same for the hours of a gamesmaster (games.turns.running_times), and each person gets
one letter about all that moved in a game. Two things lead to it: an outage of a way in over such an
instant, however short (games.turns.ways_in), and a lock that comes so late that its session has
opened, for whatever reason.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction

from games.models import DeadlineChange, Game, Outage, Phase, Pulse
from games.outbox.messages import desk_letters, game_letters
from games.positions import game_row
from games.rules import time_credit
from games.turns import deadlines, holds, running_times, ways_in
from games.turns.decide import is_too_late

logger = logging.getLogger(__name__)

#: The name of the ticks among the ways in: without them players get no letters.
TICKS = "ticks"
#: From so long without a tick on the letters of a phase may have come too late.
SILENT = timedelta(minutes=5)
#: How long outages that have ended wait for those that have not, to be given back as one.
TOGETHER = timedelta(minutes=5)
REASON_LATE = "Orders could not be closed at {since} UTC, and their session has opened."


def credit_time(now: datetime) -> int:
    """Give time back after outages, and where locks are too late; return to how many games.

    Once for each outage. Every tick calls this before it writes its own pulse.
    """
    if not settings.GIVE_TIME_BACK:
        return 0
    _note_missing_ticks(now)
    credited = 0
    with transaction.atomic():
        outages = _take_ended(now)
        if outages is None:  # nor for a late lock: its deadline would move twice
            return 0
        if outages:
            since = min(outage.since for outage in outages)
            until = max(outage.until for outage in outages)

            def is_affected(phase: Phase) -> bool:
                return time_credit.is_affected(phase.closes_at, since, until)

            affected = {
                phase.game_id: phase
                for phase in _open_phases(
                    deadline__gt=since - time_credit.AT_MOST,  # hours of grace
                    deadline__lte=until + time_credit.SOON,
                )
            }
            for pk in sorted({*affected, *running_times.games_with_hours(since, until)}):
                phase = affected.get(pk)
                game = phase.game if phase is not None else Game.objects.get(pk=pk)
                words = running_times.REASON
                credited += _credit(game, phase, since, until, words, now, is_affected)
            logger.warning(
                "no orders could come in from %s to %s: %d games got time back",
                since,
                until,
                credited,
            )
    credited += _credit_late(now)
    return credited


def _credit_late(now: datetime) -> int:
    """Give time back to phases whose orders cannot be closed; return to how many.

    Their session has opened; or a way in is still shut, and the lock waits no longer.
    """
    phases = list(_open_phases(deadline__lt=now - time_credit.MAY_BE_LATE, due_at__isnull=False))
    ways = ways_in.look(now) if phases else ways_in.WaysIn()
    credited = 0
    for late in phases:
        since = ways.shut_too_long(late.closes_at, now)
        told = DeadlineChange.objects.filter(phase=late, outage_from=since)
        if since is not None and not told.exists():

            def is_shut(phase: Phase, since: datetime = since) -> bool:
                return ways.shut_too_long(phase.closes_at, now) == since

            credited += _credit(late.game, late, since, now, running_times.REASON, now, is_shut)
        elif is_too_late(late, now):
            closes, reason = late.closes_at, REASON_LATE
            credited += _credit(
                late.game, late, closes, now, reason, now, lambda phase: is_too_late(phase, now)
            )
    return credited


def _note_missing_ticks(now: datetime) -> None:
    last = Pulse.objects.filter(name="tick").first()
    if last is None or now - last.at <= SILENT:
        return
    with transaction.atomic():
        # Only one of two simultaneous ticks finds the old pulse.
        if Pulse.objects.filter(name="tick", at=last.at).update(at=now):
            Outage.objects.create(way=TICKS, since=last.at, until=now)


def _take_ended(now: datetime) -> Sequence[Outage] | None:
    """Return the outages to give time back for now; another tick does not find them again.

    None: they wait for others, to be given back as one.
    """
    # A pulse may be newer than this tick's clock: time is given back once its outage is over.
    ended = Outage.objects.filter(credited_at=None, until__lte=now)
    outages = list(ended.select_for_update())
    if not outages:
        return []
    oldest = min(outage.since for outage in outages)
    newest = max(outage.until for outage in outages)
    if now < newest + TOGETHER and ways_in.any_shut(now, oldest):
        return None
    taken = Outage.objects.filter(pk__in=[outage.pk for outage in outages], credited_at=None)
    return outages if taken.update(credited_at=now) == len(outages) else []


def _open_phases(**conditions: Any) -> Iterable[Phase]:
    phases = Phase.objects.filter(
        status=Phase.Status.OPEN, game__status=Game.Status.RUNNING, **conditions
    )
    return phases.select_related("game").order_by("pk")


def _credit(
    game: Game,
    phase: Phase | None,
    since: datetime,
    until: datetime,
    words: str,
    now: datetime,
    is_owed: Callable[[Phase], bool],
) -> bool:
    """Move the times of one game that are owed; return whether there were any.

    `phase`: its open phase, if the deadline may be among them.
    """
    try:
        with transaction.atomic():  # a fault in one game must not stop the credit of the others
            running = game_row.take_row(game)
            change = (
                _move_deadline(phase, since, until, words, now, is_owed)
                if phase is not None and running
                else None
            )
            # A late lock is no outage: people could veto, approve and answer.
            acts = running_times.give_back(game, since, until, now) if words != REASON_LATE else []
            if change is not None:
                game_letters.announce_new_deadline(change, change.changed_at, acts)
                deadlines.note_move(change, change.changed_at)
            elif acts:
                desk_letters.announce_act(acts[0], now, acts[1:])
            return change is not None or bool(acts)
    except Exception as error:
        logger.exception("game %s got no time back", game.pk)
        if phase is not None:
            holds.hold_open(
                phase,
                "Orders could not come in for a while, and the phase could not be given its time"
                f" back ({type(error).__name__}).",
                now,
            )
        return False


def _move_deadline(
    phase: Phase,
    since: datetime,
    until: datetime,
    words: str,
    now: datetime,
    is_owed: Callable[[Phase], bool],
) -> DeadlineChange | None:
    """Move a deadline if it is owed time. The caller holds the game's row."""
    phase.refresh_from_db()
    if phase.status != Phase.Status.OPEN or not is_owed(phase):
        return None
    # All orders are final: nobody needs more time.
    if phase.due_at is not None and phase.due_at < phase.deadline:
        return None
    new = time_credit.new_deadline(phase.opened_at, phase.deadline, since, until)
    if new <= phase.deadline:
        return None
    reason = running_times.reason(words, phase.opened_at, phase.deadline, since, until)
    now = game_row.now_in_row(phase, now)
    return deadlines.move(phase, new, reason, None, now, outage=(since, until))
