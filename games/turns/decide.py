"""Decide the next step of a phase, without reading or writing anything."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.conf import settings

from games import market, positions
from games.models import Game, Phase
from games.rules import RulesError, rulings, time_credit
from games.rules.rulings import JudgedPhase
from games.turns import approvals, figures
from games.turns.lifecycle import Event
from games.turns.load import Due

#: How soon a lock that waits for orders on their way checks again.
LOOK_AGAIN = timedelta(seconds=2)


@dataclass(frozen=True)
class Wait:
    """Do nothing; with `event` the phase is due again at `until`."""

    until: datetime | None = None
    event: Event | None = None


@dataclass(frozen=True)
class Lock:
    """Close the phase to orders."""


@dataclass(frozen=True)
class NeedFigures:
    """Wait until these figures have settled."""

    symbols: tuple[str, ...]


@dataclass(frozen=True)
class Resolve:
    judged: JudgedPhase


@dataclass(frozen=True)
class AwaitApproval:
    """Show the result to the gamesmaster. It goes out at `due`.

    Without `due` it goes out once they have placed the PFs that are `left`, by nation.
    """

    judged: JudgedPhase
    due: datetime | None
    left: Mapping[str, int]


@dataclass(frozen=True)
class Hold:
    """Hold the phase for a person."""

    reason: str


Step = Wait | Lock | NeedFigures | Resolve | AwaitApproval | Hold


def decide(due: Due, now: datetime) -> Step:
    """Return the next step of a phase that is due."""
    phase = due.phase
    if due.game.status != Game.Status.RUNNING:  # paused meanwhile; resuming makes it due again
        return Wait()
    if phase.attempts > settings.PHASE_TRIES:
        return Hold(f"{settings.PHASE_TRIES} tries did not finish: the worker died each time.")
    try:
        if phase.status == Phase.Status.OPEN:
            return _close(due, now)
        if phase.status == Phase.Status.DRAWING:
            return _draw(due, now)
        return _judge(due, now)
    except RulesError as error:
        return undecidable_hold(error)


def undecidable_hold(error: RulesError) -> Hold:
    # The ruling was made before the phase had a result.
    if isinstance(error, rulings.ImpossibleRuling):
        return Hold(
            f"Ruling {error.number} cannot be carried out: {error} Revoke it to continue the phase."
        )
    return Hold(f"The rules cannot decide this phase: {error}")


def _close(due: Due, now: datetime) -> Step:
    if due.phase.due_at is None or due.phase.due_at > now:  # moved, or no longer final
        return Wait()
    if due.phase.has_deadline and now < due.phase.closes_at and _waits_for_orders(due):
        return Wait(due.phase.closes_at, Event.ORDERS_ARRIVED)
    if due.mail_unread:
        return Wait(now + LOOK_AGAIN, Event.MAIL_UNREAD)
    # The next tick gives time back, to all phases that are owed it.
    if due.way_shut or (settings.GIVE_TIME_BACK and is_too_late(due.phase, now, due.closed)):
        return Wait(now + LOOK_AGAIN, Event.WAY_SHUT)
    return Lock()


def _waits_for_orders(due: Due) -> bool:
    """Return whether a phase that was to end early waits for orders after all.

    A player may have sat down since all orders were final (`deadlines.update_due_time`), or a
    ruling may have given a nation something to order.
    """
    taken = {sitting.seat_id for sitting in due.sittings if sitting.until is None}
    waited_for = [
        seat.nation
        for seat, sender in positions.senders(due.phase, due.state, due.seats)
        if sender.bot or sender.pk in taken
        if due.game.rules.could_order(due.state, seat.nation)
    ]
    return not all(nation in due.stands and due.stands[nation].final for nation in waited_for)


def is_too_late(phase: Phase, now: datetime, closed: Collection[date] | None = None) -> bool:
    """Return whether a phase cannot be closed without giving time back (games.rules.time_credit).

    Its deadline is long past, and the session that would decide has opened. `closed`: the days on
    which the exchange does not open, if the caller knows them.
    """
    closes = phase.closes_at
    if not (phase.draws and market.sales_decide(phase.game)):
        return False
    if now - closes <= time_credit.MAY_BE_LATE:
        return False
    try:
        session = market.session_for(phase.game, closes, closed)
    except market.MarketError:  # the lock will say so
        return False
    return time_credit.is_too_late(closes, now, session.opens)


def _judge(due: Due, now: datetime) -> Step:
    """Decide about a phase that waits for no figures: it needs none, or all have settled."""
    if due.way_shut:  # the gamesmaster's hours to approve the result
        return Wait(now + LOOK_AGAIN, Event.WAY_SHUT)
    try:
        judged = due.judge()
    except market.Unsettled as unsettled:
        return Hold(
            f"After a ruling the phase needs the sales of {unsettled.symbol}, which were never"
            " read. Rule on them, or on the attack's result."
        )
    return _publish(due, judged, now)


def _draw(due: Due, now: datetime) -> Step:
    """Wait for all named stocks, and for reserves only when an attack needs them, in order of use.

    A phase with rulings is judged as soon as possible: they may make a figure unnecessary.
    """
    missing = [symbol for symbol in figures.needed_stocks(due.case) if symbol not in due.volumes]
    if missing and not due.case.rulings:
        return NeedFigures(tuple(missing))
    try:
        judged = due.judge()
    except market.Unsettled as unsettled:
        return NeedFigures(tuple(dict.fromkeys([*missing, unsettled.symbol])))
    if due.case.lacks_a_digit(judged):
        return Hold(
            "No usable sales figure is left for an attack or a die: the named stocks and the whole"
            " reserve list have none."
        )
    return _publish(due, judged, now)


def _publish(due: Due, judged: JudgedPhase, now: datetime) -> Step:
    phase, hours = due.phase, due.game.approval_hours
    left = approvals.missing_placements(phase, judged, due.released)
    # What closes without a deadline, by a report, has had its second look.
    waits = hours and phase.status != Phase.Status.APPROVAL and phase.has_deadline
    if left or waits:
        return AwaitApproval(judged, None if left else now + timedelta(hours=hours), left)
    return Resolve(judged)
