"""Advance phases that are due by one step, however many there are (docs/design.md 5).

A worker exchanges the token of its claim for its own, fetches figures outside any transaction, and
then loads, decides and writes all its phases in one. Received orders, desk actions and rulings come
entirely before or after it. A task may run twice and a worker may die: when the lease ends, the
next tick finds the phase due, as last written.

If a write fails, the batch is split until the phase at fault is alone. It is retried with a growing
delay and then held; the others continue. A retried phase is always processed alone, so that a phase
that kills its worker harms no other.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F

from games import market
from games.base import logs
from games.base.text import storable
from games.evidence import hashes, record_rows
from games.models import Draw, Game, Phase, Resolution, Seat
from games.outbox.messages import game_letters
from games.outbox.outgoing import Outgoing
from games.rules import RulesError
from games.rules.rulings import JudgedPhase
from games.turns import (
    closing,
    in_doubt,
    judging,
    lifecycle,
    load,
    looking,
    opening,
    pauses,
    vacancies,
)
from games.turns.decide import (
    AwaitApproval,
    Hold,
    Lock,
    NeedFigures,
    Resolve,
    Step,
    Wait,
    decide,
    undecidable_hold,
)
from games.turns.lifecycle import Event
from games.turns.load import Due
from games.turns.looking import Look

logger = logging.getLogger(__name__)

#: A worker writes this many in well under a second; orders may wait that long for a game.
AT_ONCE = 200
#: Seconds for which sources are asked, in turn: not at all for phases whose figures are there, then
#: briefly, so that a slow stock delays only the phases that need it. Leases outlast the last value.
PATIENCE = (0.0, market.SLOW, market.SECONDS_TO_ASK)
#: Minutes until a failed phase is retried, by number of failures.
RETRY_MINUTES = (0, 1, 5, 15, 60)


def process(ids: Sequence[int], token: str, now: datetime) -> None:
    """Advance the due phases whose lease this caller holds."""
    active = Phase.objects.filter(status__in=lifecycle.ACTIVE)
    fresh = set(active.filter(pk__in=ids, attempts=0).values_list("pk", flat=True))
    groups = [[pk for pk in ids if pk in fresh], *([pk] for pk in ids if pk not in fresh)]
    for group in groups:
        # A try counts from here: time spent in a long queue does not count.
        own_token, own_ids = active.take_over(group, token, now, attempts=F("attempts") + 1)
        if own_ids:
            _process_batch(own_ids, own_token, now)


def _process_batch(ids: Sequence[int], token: str, now: datetime) -> None:
    """Advance phases under this caller's own token; if a write fails, halve the batch."""
    unread = list(ids)
    try:
        with market.Requests() as requests:
            for seconds in PATIENCE:
                looks = _look(unread, token, now, requests, seconds)
                last = seconds == PATIENCE[-1]
                ready = [
                    pk for pk in unread if last or pk not in looks or not looks[pk].unread(now)
                ]
                if ready:
                    with transaction.atomic():
                        _step(ready, token, looks, now)
                unread = [pk for pk in unread if pk not in ready]
                if not unread:
                    break
    except Exception as error:
        if len(ids) > 1:
            logger.exception("%d phases could not be written together", len(ids))
            half = len(ids) // 2
            _process_batch(ids[:half], token, now)
            _process_batch(ids[half:], token, now)
        else:
            _fail(ids[0], token, error, now)


def _look(
    ids: Sequence[int], token: str, now: datetime, requests: market.Requests, seconds: float
) -> dict[int, Look]:
    """Fetch the figures that phases still need, outside any transaction.

    Each symbol of a session is read once: readings are shared.
    """
    drawing = Phase.objects.filter(pk__in=ids, status=Phase.Status.DRAWING)
    phases = [
        phase
        for phase in load.read(drawing.values_list("pk", flat=True), token)
        if phase.game.status == Game.Status.RUNNING
    ]
    if not phases:
        return {}
    return looking.look(load.load_due(phases), now, requests, seconds)


# --- one transaction ---


@dataclass
class _Change:
    """The changes of one step, not yet saved."""

    due: Due
    look: Look | None
    parts: list[hashes.Part] = field(default_factory=list)
    locked: bool = False
    held: bool = False
    wait: AwaitApproval | None = None
    resolution: Resolution | None = None
    draws: list[Draw] = field(default_factory=list)
    following: Phase | None = None

    @property
    def phase(self) -> Phase:
        return self.due.phase


def _step(
    ids: Sequence[int],
    token: str,
    looks: Mapping[int, Look],
    now: datetime,
    *,
    lock_only: bool = False,
) -> None:
    phases = load.take(ids, token)
    out = Outgoing(phase.game for phase in phases)
    known = {pk: look.due for pk, look in looks.items() if look.due is not None}
    changes = [
        _change(due, looks.get(due.phase.pk), now, lock_only=lock_only)
        for due in load.load(phases, out, now, known)
    ]
    _write(changes, out, now)
    transaction.on_commit(lambda: _log(changes))


def _change(due: Due, look: Look | None, now: datetime, *, lock_only: bool) -> _Change:
    """Decide about one phase and change it in memory. A failure affects no other phase."""
    change = _Change(due, look)
    at = hashes.time_after(due.newest_entry, now)
    with logs.log_context(game=due.game.pk, phase=due.phase.pk):
        try:
            if look is not None and look.error is not None:
                raise look.error
            step = decide(due, now)
            if isinstance(step, Lock):
                closing.close(due, at)
                change.locked = True
                change.parts.append(hashes.lock(due.phase, due.head))
                if lock_only or due.phase.status == Phase.Status.DRAWING:
                    return change
                step = decide(due, now)
            if not lock_only:
                _apply(change, step, at)
        except market.SessionChanged:
            logger.info("the session of phase %s was changed meanwhile", due.phase.pk)
            _apply(change, Wait(), now)
        except Exception as error:
            if not isinstance(error, RulesError):
                logger.exception("phase %s failed", due.phase.pk)
            if not change.locked:
                due.phase.refresh_from_db(fields=lifecycle.WRITTEN)
            _apply(change, _retry_or_hold(due.phase, error, now), now)
    return change


def _apply(change: _Change, step: Step | _Retry, now: datetime) -> None:
    phase = change.phase
    match step:
        case Wait(None):
            lifecycle.release(phase)
        case Wait(until, event):
            assert event is not None, "who waits for an instant says why"
            lifecycle.change(phase, event, due_at=until, **lifecycle.DONE)
        case NeedFigures():
            # Unless the desk made it due meanwhile: a person entered a figure while we looked.
            if change.look is not None and phase.due_at == change.look.due_at:
                event_missing, until = Event.FIGURES_MISSING, change.look.seen.next_look
                lifecycle.change(phase, event_missing, due_at=until)
            lifecycle.release(phase)
        case Hold(reason):
            change.held = True
            lifecycle.change(
                phase,
                Event.HELD,
                to=Phase.Status.HELD,
                held_from=phase.status,
                fault=storable(reason)[:2000],
                due_at=None,
                **lifecycle.FREE,
            )
        case AwaitApproval(_, due_at, _):
            change.wait = step
            to = Phase.Status.APPROVAL
            lifecycle.change(phase, Event.JUDGED, to=to, due_at=due_at, **lifecycle.DONE)
        case Resolve(judged):
            _resolve(change, judged, now)
        case _Retry(at, fault):
            lifecycle.change(phase, Event.FAILED, due_at=at, fault=fault, **lifecycle.FREE)
        case Lock():
            raise AssertionError("a phase is closed once")


def _resolve(change: _Change, judged: JudgedPhase, now: datetime) -> None:
    due, phase = change.due, change.phase
    resolution, new_state = judging.resolution_row(due.case, judged, now), judged.resolution.state
    seed = market.seed_of(phase) if phase.seed_hash else ""
    change.draws = judging.draws(phase, resolution.events, due.figures, now)
    lifecycle.change(
        phase,
        Event.JUDGED,
        to=Phase.Status.RESOLVED,
        due_at=None,
        seed=seed,
        **lifecycle.DONE,
    )
    draws = sorted(change.draws, key=lambda draw: (draw.nation, draw.line))
    change.resolution = resolution
    change.parts += hashes.figures(phase, due.figures, due.readings)
    change.parts.append(hashes.result(resolution, [record_rows.draw(draw) for draw in draws]))
    if due.game.rules.phase(new_state) is not None:
        change.following = opening.next_phase(
            due.game, phase, due.number + 1, new_state, now, None, due.blocked, due.closed
        )
        change.parts.append(hashes.opening(change.following))


def _write(changes: Sequence[_Change], out: Outgoing, now: datetime) -> None:
    """Write all changes of these phases, referenced rows first.

    Letters come last, because they show the record hash.
    """
    lifecycle.save_all([change.phase for change in changes])
    in_doubt.save([change.due for change in changes])
    resolved = [change for change in changes if change.resolution is not None]
    Resolution.objects.bulk_create(change.resolution for change in resolved if change.resolution)
    Draw.objects.bulk_create(draw for change in resolved for draw in change.draws)
    lifecycle.create_all([change.following for change in resolved if change.following is not None])
    over = [change.phase.game for change in resolved if change.following is None]
    for game in over:
        game.status, game.finished_at = Game.Status.FINISHED, now
    if over:
        ids = [game.pk for game in over]
        Game.objects.filter(pk__in=ids).update(status=Game.Status.FINISHED, finished_at=now)
        Seat.objects.filter(game__in=ids).end_offers()
    hashes.write_all(
        [
            hashes.next_entry(change.due.game, change.parts, change.due.newest_entry, now)
            for change in changes
            if change.parts
        ]
    )
    vacancies.report([change.phase for change in changes if change.locked], now, out)
    for change in changes:
        _tell(change, out, now)
    out.write()
    pauses.pause_unattended([change.following for change in resolved if change.following])


def _tell(change: _Change, out: Outgoing, now: datetime) -> None:
    phase, resolution = change.phase, change.resolution
    if change.locked and phase.status == Phase.Status.DRAWING:
        game_letters.announce_lock(phase, now, out)
    if change.look is not None and phase.status == Phase.Status.DRAWING:
        looking.tell(phase, change.look, now, out)
    if change.wait is not None:
        game_letters.approval(
            phase, change.wait.judged, change.wait.due, now, out, change.wait.left
        )
    if change.held:
        game_letters.report_hold(phase, now, out)
    if resolution is not None:
        game_letters.board(resolution, change.following, now, out)


def _log(changes: Sequence[_Change]) -> None:
    for change in changes:
        phase = change.phase
        with logs.log_context(game=phase.game_id, phase=phase.pk):
            if change.locked:
                sets, digest = len(phase.leaves), phase.digest
                logger.info("phase %s locked, %d order sets, digest %s", phase.pk, sets, digest)
            if change.resolution is not None:
                next_step = (
                    opening.describe_next(change.following) if change.following else "game over"
                )
                logger.info("phase %s resolved; %s", phase.pk, next_step)
            if change.held:
                logger.error("phase %s held: %s", phase.pk, phase.fault)


# --- failures ---


@dataclass(frozen=True)
class _Retry:
    """Retry later."""

    at: datetime
    fault: str


def _retry_or_hold(phase: Phase, error: Exception, now: datetime) -> _Retry | Hold:
    """Decide about a failed phase: retry it later, or hold it after a few tries.

    A phase that the rules cannot decide is held at once. A hold notifies the gamesmaster.
    """
    if isinstance(error, RulesError):
        return undecidable_hold(error)
    fault = storable(f"{type(error).__name__}: {error}")
    # This try was counted when it began; a lock during it restarted the count.
    phase.attempts = max(1, phase.attempts)
    if phase.attempts >= settings.PHASE_TRIES:
        return Hold(f"{phase.attempts} tries failed, the last with {fault}")
    minutes = RETRY_MINUTES[min(phase.attempts, len(RETRY_MINUTES) - 1)]
    return _Retry(now + timedelta(minutes=minutes), fault[:2000])


def _fail(phase_id: int, token: str, error: Exception, now: datetime) -> None:
    """Defer a single phase that could not be written.

    If its orders were to be closed, the lock is written without the result.
    """
    logger.exception("phase %s failed", phase_id)
    try:
        with transaction.atomic():
            _step([phase_id], token, {}, now, lock_only=True)
    except Exception:
        logger.exception("phase %s could not be locked", phase_id)
    with transaction.atomic():
        phases = load.take([phase_id], token)
        out = Outgoing(phase.game for phase in phases)
        for phase in phases:
            change = _Change(Due.bare(phase), None)
            _apply(change, _retry_or_hold(phase, error, now), now)
            _write([change], out, now)
