"""Pause a game: at the gamesmaster's word, or because nobody is there.

A game by minutes is for people who play at the same time. If they go home and nobody pauses it, it
would play itself to its end. So it pauses by itself once a whole turn has passed without them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Max

from games.models import Act, Call, DeadlineChange, Game, Person, Phase, Ruling
from games.outbox.messages import desk_letters
from games.timing import schedule
from games.turns import deadlines
from orders.models import Submission

NOBODY_THERE = "Nobody sent orders for a whole turn."


def pause(phase: Phase, reason: str, by: Person | None, now: datetime) -> None:
    """Stop the clock of a running game in its current phase, on record, and write to everybody.

    The caller holds the game's row. Raise `deadlines.MovedMeanwhile`.
    """
    game = phase.game
    game.status, game.paused_at = Game.Status.PAUSED, now
    game.save(update_fields=["status", "paused_at"])
    # A phase that waits for a report has no deadline to stop.
    seconds_left = (phase.deadline - now).total_seconds() if phase.is_timed else None
    if phase.is_timed:
        # Recorded as a deadline beyond every calendar: here and in `verify`, it decides whether
        # orders are late.
        deadlines.move(phase, schedule.STANDS, f"The game is paused: {reason}", by, now)
    act = Act.objects.create(
        game=game,
        phase=phase,
        kind="paused",
        words="The game is paused.",
        reason=reason,
        about={"left": seconds_left},
        done_by=by,
        done_at=now,
    )
    desk_letters.announce(desk_letters.PAUSED, act, now, left=seconds_left)


def keep_stopped(phase: Phase, now: datetime) -> None:
    """Stop the clock of a phase that a ruling has opened while its game is paused."""
    if phase.game.status == Game.Status.PAUSED and phase.is_timed:
        deadlines.move(phase, schedule.STANDS, "The game is paused.", None, now)


def stopped_by(phase: Phase) -> DeadlineChange | None:
    """Return the change that stopped the clock of a phase, with the deadline that it had.

    None if its clock is not stopped, or if it waits for a report and has none.
    """
    if phase.status != Phase.Status.OPEN or phase.deadline != schedule.STANDS:
        return None
    return phase.deadline_changes.filter(new=schedule.STANDS).order_by("-pk").first()


def time_left(phase: Phase, paused_at: datetime) -> timedelta:
    """Return the time an open phase had left when its clock stopped: at least an hour, or the
    length with which it was announced.

    One that was held before the pause, and lifted in it, had as much left as at the pause.
    """
    stopped = stopped_by(phase)
    deadline, since = (
        (phase.deadline, paused_at) if stopped is None else (stopped.old, stopped.changed_at)
    )
    # Of the first deadline: a later one counts earlier pauses, too.
    first = phase.deadline_changes.order_by("pk").first()
    length = (deadline if first is None else first.old) - phase.opened_at
    return max(deadline - since, min(timedelta(hours=1), length), timedelta(minutes=1))


def pause_unattended(opened: Sequence[Phase]) -> None:
    """Pause the games by minutes whose people were away for a whole turn.

    `opened`: phases of different games that this transaction has opened; the caller holds the
    games' rows. A turn has passed if the last phase of the same kind began after the newest sign of
    a person. So a phase of attacks in which all rightly send nothing stops no game, nor one in
    which nobody can order. Bots do not play on for people who left, but a game of bots alone goes
    on, and so does a practice game, which has no gamesmaster to resume it.
    """
    phases = {phase.game_id: phase for phase in opened if _pauses_by_itself(phase)}
    if not phases:
        return
    signs = _newest_signs(phases)
    rows = Phase.objects.filter(game__in=phases).not_undone().order_by("number")
    for game, kind, began, holders in rows.values_list("game", "kind", "opened_at", "holders"):
        phase = phases.get(game)
        if phase is None or kind != phase.kind or not holders:
            continue
        if game not in signs or began > signs[game]:
            pause(phases.pop(game), NOBODY_THERE, None, phase.opened_at)


def left_alone(locked: Sequence[Phase]) -> set[int]:
    """Return the games that pause by themselves in whose phase nobody did anything.

    `locked`: phases of different games. If it lasts a whole turn, the pause tells of it.
    """
    phases = {phase.game_id: phase for phase in locked if _pauses_by_itself(phase)}
    signs = _newest_signs(phases) if phases else {}
    return {
        game for game, phase in phases.items() if game not in signs or phase.opened_at > signs[game]
    }


def _pauses_by_itself(phase: Phase) -> bool:
    game = phase.game
    by_minutes = game.schedule["every"] == "minutes" and not game.practice
    return settings.PAUSE_UNATTENDED and by_minutes and phase.has_deadline


def _newest_signs(games: Collection[int]) -> dict[int, datetime]:
    """Return when a person last did something in each of these games: with orders of any kind,
    even late or unreadable ones, or at the desk."""
    orders = Submission.objects.exclude(channel=Submission.Channel.PROGRAM)
    newest: dict[int, datetime] = {}
    for rows, of_game, at in (
        (orders, "game", "received_at"),
        (Act.objects.exclude(done_by=None), "game", "done_at"),
        (Ruling.objects.all(), "game", "made_at"),
        (Call.objects.all(), "phase__game", "made_at"),
    ):
        last_ones = rows.filter(**{f"{of_game}__in": games}).order_by().values(of_game)
        for game, last in last_ones.annotate(last=Max(at)).values_list(of_game, "last"):
            newest[game] = max(last, newest.get(game, last))
    return newest
