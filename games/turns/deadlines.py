"""Say when a phase is due: its deadline by the schedule, its reminder, and when it closes early."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, datetime, timedelta

from games import market, positions
from games.evidence import hashes
from games.models import Act, DeadlineChange, Game, Person, Phase
from games.rules import PhaseId
from games.seats import days_off
from games.timing import schedule
from games.timing.local_time import in_words
from games.turns import lifecycle
from games.turns.lifecycle import Event
from orders import in_force


def deadline_after(
    game: Game,
    draws: bool,
    now: datetime,
    blocked: schedule.IsBlocked | None = None,
    lasts: int | None = None,
    closed: Collection[date] | None = None,
) -> datetime:
    """The first deadline after an instant by the game's schedule, off its holidays and its players'
    absences.

    `lasts`: how long the phase is to last at least, at the schedule's hour (`length`). `blocked`,
    `closed`: which days take no deadline, and when the exchange is closed, where the caller knows.
    """
    exchange = market.exchange_of(game)
    on_exchange = exchange != market.DEMO and market.by_sales(game)
    trading = (
        (lambda day: market.is_session_day(exchange, day, closed)) if on_exchange else _every_day
    )
    rule, after = (
        (game.schedule, now)
        if not lasts
        else schedule.for_length(game.schedule, game.zone, now, lasts)
    )
    return schedule.next_deadline(
        rule,
        game.zone,
        after,
        trading=trading,
        on_trading_day=draws and on_exchange,
        blocked=blocked or days_off.blocked(game),
    )


def length(game: Game, phase: PhaseId, previous: Phase | None) -> int | None:
    """Return how many days a phase lasts by the rules, else by the game's schedule (there in
    minutes where the schedule is); None where neither says so.

    The first phase is the one that nobody acted before.
    """
    first = previous is None or (previous.idle and previous.previous_id is None)
    own = schedule.own_length(game.schedule, phase.kind, first=first)
    if game.schedule["every"] == "minutes":
        return own
    return game.rules.facts(phase, game.options).days or own


def _every_day(day: date) -> bool:
    return True


def sheet_reminder(game: Game, now: datetime) -> datetime | None:
    """When the gamesmaster is reminded of a sheet that is due; None where he is not."""
    return now + timedelta(days=game.sheet_days) if game.sheet_days else None


def reminder(opened: datetime, deadline: datetime) -> datetime | None:
    """Two days before the deadline, or when three quarters of a shorter phase are over; none in a
    phase of minutes.

    A deadline that moves gets one of its own, counted from the moment at which it is moved.
    """
    length = deadline - opened
    return (
        deadline - min(timedelta(days=2), length / 4) if length >= timedelta(minutes=10) else None
    )


def orders_arrived(phase: Phase, now: datetime) -> None:
    """Ends a phase early, or takes that back, where the game allows it and every seat has said that
    its orders are final."""
    game = phase.game
    if phase.sheeted:
        _sheet_arrived(phase, now)
        return
    if not game.may_lock_early:
        return
    sent = in_force.in_force(phase)
    waited_for = positions.senders(phase, positions.state_of(phase))
    seats = [
        seat for seat, sender in waited_for if sender.bot or sender.sittings.current().exists()
    ]
    all_final = bool(seats) and all(
        seat.nation in sent and sent[seat.nation].final for seat in seats
    )
    # Due at this instant and never before it, in the hours of grace neither: nothing that counts
    # may be newer than the lock.
    due = now if all_final else phase.closes_at
    lifecycle.update(Phase.objects.filter(pk=phase.pk), Event.ORDERS_ARRIVED, due_at=due)


def _sheet_arrived(phase: Phase, now: datetime) -> None:
    """Lets a phase close once its sheet has stood for the hours in which it may be corrected; at
    once where it was sent as final.

    A correction begins these hours anew; where the sheet is taken back the phase waits again.
    """
    sheet = in_force.newest_sheet(phase)
    due = None
    if sheet is not None:
        due = (
            now
            if sheet.final
            else max(now, sheet.received_at + timedelta(hours=phase.game.sheet_hours))
        )
    lifecycle.update(Phase.objects.filter(pk=phase.pk), Event.ORDERS_ARRIVED, due_at=due)
    phase.refresh_from_db(fields=["due_at"])


class MovedMeanwhile(Exception):
    """The phase has been locked, or its deadline moved, since it was read: nothing was written."""


def move(
    phase: Phase,
    new: datetime,
    reason: str,
    by: Person | None,
    now: datetime,
    *,
    due: datetime | None = None,
) -> DeadlineChange:
    """Moves the deadline of an open phase and writes it down. The caller has taken the game's row,
    and writes the letters.

    `due` is when the phase is to be locked, where that is not the deadline with the hours of grace.
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
        raise MovedMeanwhile(phase)
    phase.refresh_from_db(fields=["deadline", "due_at", "remind_at", "status"])
    change = DeadlineChange.objects.create(
        phase=phase, old=old, new=new, reason=reason[:300], changed_by=by, changed_at=now
    )
    hashes.append(phase.game, [hashes.deadline(change)], now)
    return change


def note_move(change: DeadlineChange, now: datetime) -> None:
    """Write the act of a deadline that moved, from when to when in the game's zone."""
    phase, zone = change.phase, change.phase.game.zone
    Act.objects.create(
        game=phase.game,
        phase=phase,
        kind="moved",
        words=(
            f"The deadline of {phase.title} moved from {in_words(change.old, zone)} to"
            f" {in_words(change.new, zone)}."
        ),
        reason=change.reason,
        about={"before": change.old.isoformat(), "after": change.new.isoformat()},
        done_by=change.changed_by,
        done_at=now,
    )
