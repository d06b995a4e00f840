"""Undo phases by a rollback, and restore them when it is revoked (games.turns.rulings)."""

from __future__ import annotations

from datetime import datetime, timedelta

from games import positions
from games.models import Act, DeadlineChange, Game, Motion, Person, Phase, Ruling, Seat
from games.turns import deadlines, lifecycle, opening, pauses
from games.turns.lifecycle import Event
from games.turns.ruling_plan import Plan


def undo(plan: Plan, row: Ruling, now: datetime) -> None:
    """Undo the phases of a plan, and end the votes that began in them.

    The caller holds the game's row. A rollback undoes what a phase decided: results, orders and
    votes, also those that have passed and wait for a veto. The players voted with a board before
    them that no longer counts. What people told each other (letters, deals), what they keep for
    themselves (orders ahead, drafts, notebooks), absences and who sits where stay.
    """
    for phase in plan.undone:
        lifecycle.update(
            Phase.objects.filter(pk=phase.pk),
            Event.ROLLED_BACK,
            to=Phase.Status.UNDONE,
            undone_from=phase.status,
            undone_by=row,
            due_at=None,
            remind_at=None,
            **lifecycle.FREE,
        )
    titles = {phase.pk: phase.title for phase in plan.undone}
    for motion in plan.lapsed:
        motion.outcome, motion.closed_at = Motion.Outcome.LAPSED, now
        motion.save(update_fields=["outcome", "closed_at"])
        Act.objects.create(
            game=row.game,
            phase_id=motion.phase_id,
            kind="vote",
            words=f"The vote for {motion.title} lapsed: {titles[motion.phase_id]} was undone.",
            about={"motion": motion.pk},
            done_at=now,
        )


def restore(
    phase: Phase, row: Ruling, by: Person | None, now: datetime, deadline: datetime | None
) -> DeadlineChange | None:
    """Restore a phase that had been undone. Return the change of its deadline, if any.

    An open phase gets a new deadline; one that was being judged continues at once.
    """
    game, change = phase.game, None
    due = {
        Phase.Status.LOCKED: now,
        Phase.Status.DRAWING: now,
        # In a paused game the hours begin when it is resumed, which adds the length of the pause.
        Phase.Status.APPROVAL: (game.paused_at or now) + timedelta(hours=game.approval_hours),
    }
    lifecycle.change(
        phase,
        Event.BROUGHT_BACK,
        to=phase.undone_from,
        due_at=due.get(Phase.Status(phase.undone_from)),
        undone_from="",
        undone_by=None,
        attempts=0,
    )
    if phase.status == Phase.Status.OPEN:
        change = _open_again(phase, row, by, now, deadline)
    lifecycle.save(phase)
    if phase.status == Phase.Status.OPEN and not phase.has_deadline:
        deadlines.update_due_time(phase, now)  # the earlier report counts again
    return change


def _open_again(
    phase: Phase, row: Ruling, by: Person | None, now: datetime, deadline: datetime | None
) -> DeadlineChange | None:
    """Set the times of a reopened phase to those of one that opens now, in which perhaps nobody can
    order anything. A phase that waits for a report has no deadline."""
    game, old = phase.game, phase.deadline
    state = game.load(positions.position_before(phase))
    now_open = opening.next_phase(game, phase.previous, phase.number, state, now, deadline)
    if not phase.has_deadline:
        phase.remind_at = now_open.remind_at
        return None
    lifecycle.change(
        phase,
        Event.DEADLINE_MOVED,
        deadline=now_open.deadline,
        due_at=now_open.due_at,
        remind_at=now_open.remind_at,
    )
    reason = f"Ruling {row.number}: {row.words}"[:300]
    return DeadlineChange.objects.create(
        phase=phase,
        old=old,
        new=phase.deadline,
        reason=reason,
        changed_by=by,
        changed_at=now,
    )


def set_status(game: Game, plan: Plan, opened: Phase | None, now: datetime) -> None:
    """Reopen a finished game that was rolled back, or finish it if it is over again.

    A paused game stays paused, and with it the clock of the phase that takes orders again
    (`opened`).
    """
    if plan.new.kind != "rollback" and game.rules.phase(game.load(plan.position)) is None:
        game.status, game.finished_at, game.paused_at = Game.Status.FINISHED, now, None
        Seat.objects.filter(game=game).end_offers()
    elif game.status != Game.Status.PAUSED:
        game.status, game.finished_at = Game.Status.RUNNING, None
    elif opened is not None:
        pauses.keep_stopped(opened, now)
    game.save(update_fields=["status", "finished_at", "paused_at"])
