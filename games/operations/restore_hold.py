"""Hold the service after it was restored from a backup, and resume it when a person says so.

A backup lacks everything after it: orders received, results published, letters sent. So that nobody
is harmed by that, and no result changes unannounced (docs/operations.md, “Backup and restore”):

- While the service is held nothing falls due, no letter goes out, no mail is accepted (its sender's
  server keeps it) and no page accepts anything.
- When it resumes, every open phase gets back the time since the backup, as after an outage; a seed
  that may have been published is chosen again; everybody is told what is lost, what stands and
  until when to order; letters that waited to be sent go out after that.
- Letters about phases that may have been announced before say so: `Game.retold_through`.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from games import market
from games.evidence import hashes
from games.models import (
    DeadlineChange,
    Game,
    Letter,
    Notice,
    Outage,
    Person,
    Phase,
    Pulse,
    Restoration,
    service,
)
from games.models.leased import leased_models
from games.operations import metrics
from games.outbox.messages import restoration_letters
from games.positions import game_row
from games.rules import time_credit
from games.turns import deadlines, holds

logger = logging.getLogger(__name__)

REASON = "The service was restored from a backup of {taken} UTC; the time since then is given back."
#: How long letters that waited when the backup was made wait after those that announce the restore.
AFTER_THE_NEWS = timedelta(minutes=2)
#: Bounds of the estimated number of lost phases; no game has as many as the second.
SHORTEST_IN_EARNEST, MOST_LOST = timedelta(minutes=10), 200


@dataclass
class ReleaseEffects:
    """The effects of resuming the service."""

    games: int = 0
    moved: list[DeadlineChange] = field(default_factory=list)
    failed: list[int] = field(
        default_factory=list
    )  # games of which a phase had to be held, by number


# --- beginning ---


def begin(taken_at: datetime, now: datetime) -> None:
    """Hold a database just restored, and end the leases of workers that no longer exist."""
    with transaction.atomic():
        Restoration.objects.create(taken_at=taken_at, restored_at=now)
        for model in leased_models():
            model.objects.exclude(claim="").update(claim="", claimed_until=None)
        Letter.objects.filter(status=Letter.Status.SENDING).update(status=Letter.Status.QUEUED)
    service.forget()


# --- going on ---


def release(by: Person | None, now: datetime) -> ReleaseEffects:
    """Resume the service, in one transaction; a game that fails has its phase held.

    The later of two simultaneous calls finds nothing to do.
    """
    released = ReleaseEffects()
    with transaction.atomic():
        restoration = service.current()
        if restoration is None or not Restoration.objects.filter(
            pk=restoration.pk, released_at=None
        ).update(released_at=now, released_by=by):
            return released
        earlier = Letter.objects.filter(due_at__isnull=False)
        for game in Game.objects.filter(status__in=Game.Status.going_on()).order_by("pk"):
            released.games += 1
            try:
                with transaction.atomic():
                    if (change := _go_on(game, restoration, now)) is not None:
                        released.moved.append(change)
            except Exception:
                logger.exception(
                    "game %s could not be given its time back after the restoration", game.pk
                )
                released.failed.append(game.pk)
                _hold_open_phase(game, now)
        earlier.filter(due_at__lt=now + AFTER_THE_NEWS).exclude(
            kind=restoration_letters.RESTORED.id
        ).update(due_at=now + AFTER_THE_NEWS)
        Notice.objects.filter(status=Notice.Status.QUEUED, due_at__lt=now + AFTER_THE_NEWS).update(
            due_at=now + AFTER_THE_NEWS
        )
        # The gap must not count as an outage too: its time has just been given back.
        Pulse.objects.update_or_create(name="tick", defaults={"at": now})
        Pulse.objects.exclude(name=metrics.BACKUP).update(at=now)
        Outage.objects.filter(credited_at=None).update(credited_at=now)
    service.forget()
    logger.warning(
        "the service goes on after its restoration: %d games told, %d deadlines moved",
        released.games,
        len(released.moved),
    )
    return released


def _go_on(game: Game, restoration: Restoration, now: datetime) -> DeadlineChange | None:
    """Resume a game, with time to order, and notify everybody. Return the deadline's change."""
    running = game_row.take_row(game)
    phase = game.phases.current()
    change = None
    if phase is not None:
        game.retold_through = phase.number + _count_lost_phases(game, restoration)
        game.save(update_fields=["retold_through"])
    if phase is not None and phase.status == Phase.Status.OPEN:
        # Its seed may have been published with a result that is lost: then everybody would know the
        # digits.
        if phase.seed_hash:
            old_parts = hashes.renewable_parts(phase)
            market.choose_seed(phase)
            phase.save(update_fields=["seed_nonce", "seed_hash"])
            hashes.append(game, [hashes.renewal(phase, old_parts)], now)
            restoration_letters.replace_opening_letters(phase, now)
        new = time_credit.new_deadline(phase.opened_at, phase.deadline, restoration.taken_at, now)
        if running and not phase.idle and phase.deadline < new:
            change = deadlines.move(
                phase,
                new,
                REASON.format(taken=f"{restoration.taken_at:%Y-%m-%d %H:%M}"),
                None,
                now,
                outage=(restoration.taken_at, now),
            )
            deadlines.note_move(change, now)
    restoration_letters.announce_restoration(game, phase, restoration, change, now)
    return change


def _count_lost_phases(game: Game, restoration: Restoration) -> int:
    """Return how many phases of a game can have been opened since the backup, at most.

    One for each deadline by its schedule, and the next. If everybody may call orders final, or
    reports close phases, a phase is taken to last ten minutes.
    """
    lost, at = 1, restoration.taken_at
    while (
        at := deadlines.deadline_after(game, False, at)
    ) < restoration.restored_at and lost < MOST_LOST:
        lost += 1
    if game.may_lock_early or game.rules.referee.seats:
        lost = max(
            lost, int((restoration.restored_at - restoration.taken_at) / SHORTEST_IN_EARNEST) + 1
        )
    return min(lost, MOST_LOST)


def _hold_open_phase(game: Game, now: datetime) -> None:
    """Hold the open phase of a game that could not get its time back; its gamesmaster decides."""
    open_phases = Phase.objects.filter(
        Q(game=game, game__status=Game.Status.RUNNING), status=Phase.Status.OPEN
    )
    for phase in open_phases:
        holds.hold_open(
            phase,
            "The service was restored from a backup, and the phase could not be given its time"
            " back.",
            now,
        )
