"""Compute when a phase is due: deadline by the schedule, reminder, and early close."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, datetime, timedelta

from games import market, positions
from games.evidence import hashes
from games.models import Act, DeadlineChange, Game, Person, Phase
from games.positions import final_marks, in_force
from games.rules import PhaseId
from games.seats import days_off
from games.timing import schedule
from games.timing.local_time import in_words
from games.turns import lifecycle
from games.turns.lifecycle import Event

#: No game is played in longer steps, and a typing error must not put a deadline into the next
#: century.
FURTHEST = timedelta(days=366)
#: Hours before a deadline at which a player can ask for a second reminder (the first: two days).
LATER_REMINDERS = (24, 6)


def deadline_after(
    game: Game,
    draws: bool,
    now: datetime,
    blocked: schedule.IsBlocked | None = None,
    lasts: int | None = None,
    closed: Collection[date] | None = None,
) -> datetime:
    """Return the first deadline after `now` by the game's schedule.

    Skips the game's holidays and its players' absences. `lasts`: the shortest time that the phase
    may last, in the unit of `length`. `blocked`: the days without deadlines; `closed`: the days on
    which the exchange is closed. Both are read if the caller does not pass them.
    """
    exchange = market.exchange_of(game)
    on_exchange = exchange != market.DEMO and market.sales_decide(game)
    trading = (
        (lambda day: market.is_session_day(exchange, day, closed)) if on_exchange else _every_day
    )
    rule, start = (
        (game.schedule, now)
        if not lasts
        else schedule.for_length(game.schedule, game.zone, now, lasts)
    )
    return schedule.next_deadline(
        rule,
        game.zone,
        start,
        trading=trading,
        on_trading_day=draws and on_exchange,
        blocked=blocked or days_off.day_blocker(game),
    )


def length(game: Game, phase: PhaseId, previous: Phase | None) -> int | None:
    """Return how many days a phase lasts by the rules, else by the game's schedule.

    A schedule in minutes gives minutes. None where neither gives a length. A phase counts as the
    game's first if nobody acted before it.
    """
    first = previous is None or (previous.idle and previous.previous_id is None)
    scheduled = schedule.own_length(game.schedule, phase.kind, first=first)
    if game.schedule["every"] == "minutes":
        return scheduled
    return game.rules.facts(phase, game.options).days or scheduled


def _every_day(day: date) -> bool:
    return True


def report_reminder(game: Game, now: datetime) -> datetime | None:
    """Return when to remind the gamesmaster of a due report, or None."""
    return now + timedelta(days=game.report_days) if game.report_days else None


def reminder(opened: datetime, deadline: datetime) -> datetime | None:
    """Return when to remind players: two days before the deadline.

    In a shorter phase, after three quarters of it; in a phase of minutes, never. A moved deadline
    gets a new reminder, counted from the move.
    """
    length = deadline - opened
    return (
        deadline - min(timedelta(days=2), length / 4) if length >= timedelta(minutes=10) else None
    )


def later_reminder(now: datetime, deadline: datetime) -> datetime | None:
    """Return when to send the next later reminder, or None if all of them are past."""
    times = (deadline - timedelta(hours=hours) for hours in LATER_REMINDERS)
    return next((at for at in times if at > now), None)


def update_due_time(phase: Phase, now: datetime) -> None:
    """End a phase early, or revert that, if the game allows it and all orders are final."""
    game = phase.game
    if not phase.has_deadline:
        _update_due_time_of_report(phase, now)
        return
    if not game.may_lock_early:
        return
    sent = in_force.in_force(phase)
    seats = final_marks.seats_waited_for(phase, positions.state_of(phase))
    all_final = bool(seats) and all(
        seat.nation in sent and sent[seat.nation].final for seat in seats
    )
    # Never due before `now`, even in the hours of grace: no order that counts may be newer than
    # the lock.
    due = now if all_final else phase.closes_at
    lifecycle.update(Phase.objects.filter(pk=phase.pk), Event.ORDERS_ARRIVED, due_at=due)


def _update_due_time_of_report(phase: Phase, now: datetime) -> None:
    """Let a phase close once its report has been in for the hours of correction.

    A final report closes it at once, a correction restarts the hours, and a withdrawn report makes
    the phase wait again.
    """
    report = in_force.referee_report(phase)
    due = None
    if report is not None:
        due = (
            now
            if report.final
            else max(now, report.received_at + timedelta(hours=phase.game.report_hours))
        )
    lifecycle.update(Phase.objects.filter(pk=phase.pk), Event.ORDERS_ARRIVED, due_at=due)
    phase.refresh_from_db(fields=["due_at"])


class MovedMeanwhile(Exception):
    """Raised if the phase was locked, or its deadline moved, since it was read; writes nothing."""

    def __init__(self) -> None:
        super().__init__(
            "The phase was locked, or its deadline moved, in the meantime. Please check it again."
        )


def move(
    phase: Phase,
    new: datetime,
    reason: str,
    by: Person | None,
    now: datetime,
    *,
    due: datetime | None = None,
    outage: tuple[datetime | None, datetime | None] = (None, None),
) -> DeadlineChange:
    """Move the deadline of an open phase and record the move.

    The caller holds the game's row and writes the letters. `due`: when to lock the phase, if not at
    the deadline with grace. `outage`: since when and until when no orders could come in, if time is
    given back for that. Raise `MovedMeanwhile` if the phase has changed.
    """
    old = phase.deadline
    moved = lifecycle.update(
        Phase.objects.filter(pk=phase.pk, deadline=old),
        Event.DEADLINE_MOVED,
        deadline=new,
        due_at=due or new + phase.game.grace,
        remind_at=reminder(now, new) if now < new < schedule.STANDS else None,
    )
    if moved != 1:
        raise MovedMeanwhile
    phase.refresh_from_db(fields=["deadline", "due_at", "remind_at", "status"])
    change = DeadlineChange.objects.create(
        phase=phase,
        old=old,
        new=new,
        reason=reason[:300],
        changed_by=by,
        changed_at=now,
        outage_from=outage[0],
        outage_until=outage[1],
    )
    hashes.append(phase.game, [hashes.deadline(change)], now)
    return change


def note_move(change: DeadlineChange, now: datetime) -> Act:
    """Write the act of a moved deadline, with the old and the new one in the game's zone."""
    phase, zone = change.phase, change.phase.game.zone
    return Act.objects.create(
        game=phase.game,
        phase=phase,
        kind="moved",
        words=(
            f"The deadline of {phase.short_title} moved from {in_words(change.old, zone)} to"
            f" {in_words(change.new, zone)}."
        ),
        reason=change.reason,
        about={"before": change.old.isoformat(), "after": change.new.isoformat()},
        done_by=change.changed_by,
        done_at=now,
    )
