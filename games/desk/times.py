"""Change deadlines: pauses, the schedule, holds and their end.

Always for everybody alike, never for one player (rules 0.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.db import transaction
from django.db.models import F, prefetch_related_objects

from games import market, positions
from games.evidence import hashes
from games.models import Act, DeadlineChange, Game, Motion, Person, Phase, Seat
from games.outbox.messages import desk_letters, game_letters
from games.positions import game_row, in_force, owed
from games.rules import wording
from games.rules.names import all_of
from games.rules.time_credit import whole_minute
from games.seats import days_off
from games.timing import local_time, schedule
from games.turns import deadlines, holds, lifecycle, load, pauses, reminders
from games.turns.deadlines import FURTHEST
from games.turns.lifecycle import Event

from . import acts
from .words import DeskError, one_line, refusing

LONGEST_HOLIDAY_DAYS = 120
MOST_HOLIDAYS = 100


def check_schedule(rule: Mapping[str, Any], zone: str) -> None:
    """Raise `DeskError` unless the rule and the zone are valid."""
    with refusing(schedule.ScheduleError):
        schedule.check(rule)
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise DeskError(f"“{zone}” is not a time zone. Write one such as Europe/Berlin.") from error


def current_phase(game: Game) -> Phase:
    """Return the newest phase of a game in progress. The caller holds the game's row.

    Raise `DeskError` if the game has not begun or is over.
    """
    phase = game.phases.current()
    if phase is None:
        raise DeskError(f"“{game.title}” has not begun yet.")
    check_going_on(game)
    return phase


def check_going_on(game: Game) -> None:
    """Raise `DeskError` if a game is over: its last phase may still be open or held."""
    if game.is_over:
        raise DeskError(f"“{game.title}” is over.")


def _move(
    phase: Phase,
    new: datetime,
    reason: str,
    by: Person | None,
    now: datetime,
    *,
    due: datetime | None = None,
) -> DeadlineChange:
    with refusing(deadlines.MovedMeanwhile):
        return deadlines.move(phase, new, reason, by, now, due=due)


def _move_on_record(
    phase: Phase, new: datetime, reason: str, by: Person | None, now: datetime
) -> tuple[DeadlineChange, Act]:
    change = _move(phase, new, reason, by, now)
    act = deadlines.note_move(change, now)
    # If all orders are final already, the phase still ends early.
    deadlines.update_due_time(phase, now)
    return change, act


@transaction.atomic
def extend(
    phase: Phase, new_deadline: datetime, reason: str, by: Person | None, now: datetime
) -> DeadlineChange:
    """Move the deadline of an open phase for everybody, never into the past, and write to all."""
    acts.take_row(phase.game, by)
    change, _ = extend_without_letter(phase, new_deadline, reason, by, now)
    game_letters.announce_new_deadline(change, change.changed_at)
    return change


def extend_without_letter(
    phase: Phase, new_deadline: datetime, reason: str, by: Person | None, now: datetime
) -> tuple[DeadlineChange, Act]:
    """Move a deadline as `extend` does, and return the move and its act: the caller tells of them,
    in one letter with what caused the move."""
    reason = one_line(reason, "The reason")
    if not reason:
        raise DeskError("Enter a reason for moving the deadline: it goes to every player.")
    if not phase.has_deadline:
        raise DeskError(f"{phase.title} has no deadline: it closes when you send your report.")
    if new_deadline <= now:
        raise DeskError("The new deadline is in the past. Choose a later time.")
    if new_deadline > now + FURTHEST:
        raise DeskError(
            f"A deadline can be at most {FURTHEST.days} days ahead; choose an earlier day."
        )
    game_row.take_row(phase.game)  # so the move comes entirely before the lock, or fails
    check_going_on(phase.game)
    if phase.game.status == Game.Status.PAUSED:
        raise DeskError("The game is paused. Resume it first, then move the deadline.")
    now = game_row.now_in_row(phase, now)
    return _move_on_record(phase, new_deadline, reason, by, now)


@transaction.atomic
def pause(game: Game, reason: str, by: Person, now: datetime) -> None:
    """Stop the clock of a game until `resume`: nothing falls due, orders are still accepted."""
    reason = acts.clean_reason(reason)
    acts.take_row(game, by)
    phase = current_phase(game)
    if game.status != Game.Status.RUNNING:
        raise DeskError("The game is already paused.")
    now = game_row.now_in_row(phase, now)
    with refusing(deadlines.MovedMeanwhile):
        pauses.pause(phase, reason, by, now)


@transaction.atomic
def resume(game: Game, reason: str, by: Person, now: datetime) -> None:
    """Resume a game: an open phase gets `pauses.time_left`, and a veto the time it had left."""
    reason = acts.clean_reason(reason)
    acts.take_row(game, by)
    game.refresh_from_db(fields=["paused_at"])
    phase = current_phase(game)
    if game.status != Game.Status.PAUSED:
        raise DeskError("The game is not paused.")
    since = game.paused_at or now
    game.status, game.paused_at = Game.Status.RUNNING, None
    game.save(update_fields=["status", "paused_at"])
    if phase.status == Phase.Status.OPEN:
        if phase.has_deadline:
            until = off_blocked_days(phase, whole_minute(now + pauses.time_left(phase, since)))
            _move(phase, until, f"The game goes on: {reason}", by, now)
        deadlines.update_due_time(phase, now)
    elif phase.status == Phase.Status.APPROVAL:
        waiting = Phase.objects.filter(pk=phase.pk, due_at__isnull=False)
        lifecycle.update(waiting, Event.RESUMED, due_at=F("due_at") + (now - since))
    for motion in Motion.objects.filter(game=game, closed_at=None, due_at__isnull=False):
        assert motion.passed_at is not None
        assert motion.due_at is not None
        motion.due_at += now - max(since, motion.passed_at)
        motion.save(update_fields=["due_at"])
    act = acts.write(game, "resumed", "The game goes on.", now, by=by, reason=reason, phase=phase)
    desk_letters.announce(desk_letters.RESUMED, act, now)


@transaction.atomic
def reschedule(
    game: Game,
    rule: Mapping[str, Any],
    zone: str,
    reason: str,
    by: Person,
    now: datetime,
    *,
    move_open: bool,
) -> None:
    """Change the schedule of deadlines, and with `move_open` the open phase's deadline too."""
    reason = acts.clean_reason(reason)
    check_schedule(rule, zone)
    acts.take_row(game, by)
    phase = game.phases.current()
    check_going_on(game)
    if move_open and game.status == Game.Status.PAUSED:
        raise DeskError(
            "The game is paused. Resume it first, or leave the open deadline unchanged."
        )
    before = {"schedule": dict(game.schedule), "zone": game.zone}
    game.schedule, game.zone = dict(rule), zone
    game.save(update_fields=["schedule", "zone"])
    if move_open and phase is not None and phase.is_timed:
        lasts = deadlines.length(game, phase.id_in_rules, phase.previous)
        new = deadlines.deadline_after(game, phase.draws, phase.opened_at, lasts=lasts)
        if new <= now:
            new = deadlines.deadline_after(game, phase.draws, now)
        if new != phase.deadline:
            _move(phase, new, f"New deadlines: {reason}", by, now)
            deadlines.update_due_time(phase, now)
    words = f"Deadlines come {schedule.in_words(rule, zone)} from now on."
    after = {"schedule": dict(rule), "zone": zone}
    about: dict[str, Any] = {"reason": reason, "before": before, "after": after}
    act = acts.write(game, "rescheduled", words, now, by=by, phase=phase, **about)
    if game.status != Game.Status.FORMING:
        desk_letters.announce(desk_letters.RESCHEDULED, act, now)


@transaction.atomic
def process_now(phase: Phase, reason: str, by: Person, now: datetime) -> None:
    """Do the next step of a phase early. Orders close only if every nation that may order has."""
    reason = acts.clean_reason(reason)
    running = acts.take_row(phase.game, by)
    check_going_on(phase.game)
    phase.refresh_from_db()
    if not running:
        raise DeskError("The game is paused. Resume it first.")
    match phase.status:
        case Phase.Status.OPEN:
            if not phase.has_deadline:
                _carry_out_now(phase, reason, by, now)
                return
            if missing := owing_nations([phase])[phase.pk]:
                verb = "has" if len(missing) == 1 else "have"
                raise DeskError(
                    f"{all_of(missing)} can still send orders and {verb} sent none, so the deadline"
                    f" stays as announced."
                )
            now = game_row.now_in_row(phase, now)
            grace = phase.game.grace
            # The grace hours are over as well: the lock comes at once, as with a deadline that was
            # earlier by them.
            _move(phase, now - grace, reason, by, now, due=now)
            words = f"Orders of {phase.title} closed early because every nation had sent orders."
        case Phase.Status.DRAWING:
            lifecycle.update(Phase.objects.filter(pk=phase.pk), Event.FIGURES_ENTERED, due_at=now)
            words = f"The figures of {phase.title} were fetched early."
        case Phase.Status.HELD:
            lift_hold(phase, by, now)
            return
        case _:
            raise DeskError(f"{phase.title} has nothing to do early.")
    acts.write(phase.game, "at-once", words, now, by=by, reason=reason, phase=phase)


@transaction.atomic
def remind(phase: Phase, by: Person, now: datetime) -> list[str]:
    """Write to everybody who owes orders and got no reminder in the last hour.

    Return the nations to whose people a letter goes. Raise `DeskError` if there are none.
    """
    running = acts.take_row(phase.game, by)
    phase.refresh_from_db()
    if not running or not phase.is_timed or now > phase.closes_at:
        raise DeskError("No orders are open now: there is nobody to remind.")
    seats = reminders.seats_to_remind(phase)
    written = reminders.write(phase, seats, now, again=True)
    nations = [wanted.seat.nation for wanted in seats if wanted.seat.pk in written]
    if not nations:
        reminded = game_letters.reminded_since(phase, now - game_letters.REMINDED_EVERY)
        if not seats or not reminded:
            raise DeskError(f"Nobody who gets letters owes orders for {phase.title}.")
        first = min(reminded.values())
        last, again = (
            local_time.time_of_day(at, by.zone)
            for at in (first, first + game_letters.REMINDED_EVERY)
        )
        raise DeskError(f"Everybody was reminded at {last}; you can remind again at {again}.")
    words = f"{all_of(nations)} {'was' if len(nations) == 1 else 'were'} reminded."
    acts.write(phase.game, "reminded", words, now, by=by, phase=phase, private=True)
    return nations


def nations_to_remind(phase: Phase) -> list[str]:
    """Return the nations whose people owe orders and get letters, as `remind` writes them."""
    if not phase.is_timed or phase.game.status != Game.Status.RUNNING:
        return []
    return [wanted.seat.nation for wanted in reminders.seats_to_remind(phase)]


def _carry_out_now(phase: Phase, reason: str, by: Person, now: datetime) -> None:
    """Let a report take effect without its hours of correction. The caller holds the game's row."""
    if in_force.referee_report(phase) is None:
        raise DeskError(f"The report for {phase.title} has not come yet. Send it first.")
    lifecycle.update(Phase.objects.filter(pk=phase.pk), Event.ORDERS_ARRIVED, due_at=now)
    words = f"The report for {phase.title} took effect early."
    acts.write(phase.game, "at-once", words, now, by=by, reason=reason, phase=phase)


def change(game: Game, by: Person, **columns: Any) -> dict[str, Any] | None:
    """Write changed columns of a game; return the old values, or None if nothing changed.

    Raise `DeskError` if the game is over.
    """
    acts.take_row(game, by)
    game.refresh_from_db(fields=[*columns])
    check_going_on(game)
    before = {name: getattr(game, name) for name in columns}
    if before == columns:
        return None
    for name, value in columns.items():
        setattr(game, name, value)
    game.save(update_fields=[*columns])
    return before


def owing_nations(phases: Iterable[Phase]) -> dict[int, list[str]]:
    """Return by open phase the nations, bots included, that are asked for orders and sent nothing.

    The number of queries does not grow with the phases.
    """
    # Without a deadline everybody waits for the gamesmaster; no nation owes anything.
    timed = [phase for phase in phases if phase.has_deadline]
    prefetch_related_objects([phase.game for phase in timed], "seats__sittings")
    sittings = {
        phase.game_id: [
            sitting for seat in phase.game.seats.all() for sitting in seat.sittings.all()
        ]
        for phase in timed
    }
    return {
        due.phase.pk: [
            nation for nation in owed.asked_nations(due.game, due.state) if nation not in due.stands
        ]
        for due in load.load_due(timed, sittings, ruled={})
    }


@transaction.atomic
def hold(phase: Phase, reason: str, by: Person, now: datetime) -> None:
    """Hold a locked phase until the hold is lifted, and write to everybody.

    A phase open for orders needs a pause.
    """
    reason = acts.clean_reason(reason)
    acts.take_row(phase.game, by)
    check_going_on(phase.game)
    phase.refresh_from_db()
    if phase.status == Phase.Status.OPEN:
        raise DeskError(
            "Orders are still open. Pause the game or move the deadline; you can hold a phase"
            " only after its orders are locked."
        )
    closed = phase.status in (Phase.Status.LOCKED, Phase.Status.DRAWING)
    if not closed or not holds.hold_without_letter(
        Phase.objects.filter(pk=phase.pk), phase.status, reason
    ):
        raise DeskError(f"{phase.title} cannot be held: it is already held or resolved.")
    phase.refresh_from_db()
    words = f"{phase.title} is held."
    act = acts.write(phase.game, "held", words, now, by=by, reason=reason, phase=phase)
    desk_letters.announce_act(act, now)


@transaction.atomic
def lift_hold(phase: Phase, by: Person, now: datetime) -> None:
    """Let a held phase continue from where it was held."""
    acts.take_row(phase.game, by)
    check_going_on(phase.game)
    phase.refresh_from_db()
    if not holds.lift(phase, now):
        raise DeskError("The phase is no longer on hold.")
    acts.write(phase.game, "lifted", f"{phase.title} continues.", now, by=by, phase=phase)


@transaction.atomic
def abandon(game: Game, reason: str, by: Person | None, now: datetime, *, ending: str = "") -> None:
    """End a game for good: nothing falls due, no orders are accepted; notify everybody.

    Its record opens as a finished game's does, with the reason.
    `ending` says how it ended, if it was not simply abandoned.
    """
    reason = acts.clean_reason(reason)
    acts.take_row(game, by)
    if game.is_over:
        raise DeskError(f"“{game.title}” is already over.")
    phase = game.phases.current()
    game.status, game.finished_at, game.paused_at = Game.Status.ABANDONED, now, None
    game.ending = ending[:300]
    game.save(update_fields=["status", "finished_at", "paused_at", "ending"])
    Seat.objects.filter(game=game).end_offers()
    words = game.ending or "The game was abandoned."
    act = acts.write(game, "abandoned", words, now, by=by, reason=reason, phase=phase)
    hashes.append(game, [hashes.abandonment(act)], now)
    desk_letters.announce(desk_letters.ABANDONED, act, now)


@transaction.atomic
def end_with_scores(game: Game, ending: str, reason: str, by: Person | None, now: datetime) -> None:
    """End a game for good, with the scores as they stand. `ending` says who ends it.

    Scores that were hidden are among them: the record opens with the end.
    """
    acts.take_row(game, by)
    current_phase(game)
    scores = wording.rank(positions.standing(game).scores)
    if listed := ", ".join(f"{nation} {score}" for nation, score in scores):
        ending += f" Final scores: {listed}."
    abandon(game, reason, by, now, ending=ending)


@transaction.atomic
def set_holidays(
    game: Game, days: Sequence[tuple[date, date, str]], by: Person, now: datetime
) -> DeadlineChange | None:
    """Replace the game's holidays. Move an open deadline off them, and return that change."""
    after = check_holidays(days)
    acts.take_row(game, by)
    check_going_on(game)
    before = list(game.holidays)
    game.holidays = after
    game.save(update_fields=["holidays"])
    words = (
        "The days without deadlines changed."
        if after
        else "There are no more days without deadlines."
    )
    acts.write(game, "holidays", words, now, by=by, before=before, after=after)
    names = " and ".join(name for first, last, name in days) or "a holiday"
    return move_off_blocked_day(
        game, f"The deadline fell on a day without deadlines ({names}).", by, now
    )


def check_holidays(days: Sequence[tuple[date, date, str]]) -> list[list[str]]:
    """Return days without deadlines as a game stores them. Raise `DeskError`."""
    if len(days) > MOST_HOLIDAYS:
        raise DeskError(
            f"These are {len(days)} holidays; the limit is {MOST_HOLIDAYS}. Remove those that are"
            f" past."
        )
    rows = sorted(_holiday(first, last, name) for first, last, name in days)
    return [[first.isoformat(), last.isoformat(), name] for first, last, name in rows]


def _holiday(first: date, last: date, name: str) -> tuple[date, date, str]:
    name = one_line(name, "The name of a holiday")[:60]
    if not name:
        raise DeskError(f"Enter a name for {first}, such as “New Year”. Every player can read it.")
    if last < first:
        raise DeskError(
            f"“{name}” ends on {last}, before it begins on {first}; change one of the two dates."
        )
    if (last - first).days >= LONGEST_HOLIDAY_DAYS:
        raise DeskError(
            f"“{name}” lasts {(last - first).days + 1} days; the limit is {LONGEST_HOLIDAY_DAYS}."
            f" Pause the game instead."
        )
    return first, last, name


def off_blocked_days(phase: Phase, deadline: datetime) -> datetime:
    """Return a deadline of a phase moved off holidays and absences, at the same time of day.

    In a game by minutes it stays.
    """
    game = phase.game
    if game.schedule["every"] == "minutes":
        return deadline
    exchange = market.exchange_of(game)
    on_sessions = (
        exchange != market.DEMO
        and market.sales_decide(game)
        and (phase.draws or game.schedule["every"] == "trading_morning")
    )
    is_session: schedule.IsTradingDay | None = (
        (lambda day: market.is_session_day(exchange, day)) if on_sessions else None
    )
    if is_session is None and game.schedule.get("on") == "weekdays":
        is_session = schedule.is_weekday
    return schedule.off_blocked(deadline, game.zone, days_off.day_blocker(game), is_session)


def move_off_blocked_day(
    game: Game, reason: str, by: Person | None, now: datetime
) -> DeadlineChange | None:
    """Move the open deadline off a blocked day, with letters. The caller holds the game's row."""
    phase = game.phases.current()
    if phase is None or not phase.is_timed or game.status != Game.Status.RUNNING:
        return None
    new = off_blocked_days(phase, phase.deadline)
    if new == phase.deadline or phase.deadline <= now:
        return None
    change, _ = _move_on_record(phase, new, reason, by, now)
    game_letters.announce_new_deadline(change, now)
    return change
