"""When things happen: deadlines, pauses, the schedule, holding and going on. For everybody alike,
never for one player (rules 0.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.db import transaction
from django.db.models import F

from games import game_row, market, positions
from games.models import DeadlineChange, Game, Person, Phase
from games.outbox.messages import desk as messages_desk
from games.outbox.messages import game as letters
from games.rules.contract import Ruleset
from games.rules.names import all_of
from games.seats import days_off
from games.timing import schedule
from games.turns import deadlines, holds, lifecycle, reminders
from games.turns.lifecycle import Event
from orders import in_force

from . import acts
from .words import DeskError, one_line, refusing

#: No game is played in longer steps; and a slip of the key must not put a deadline into the next
# century.
FURTHEST = timedelta(days=366)
LONGEST_HOLIDAY_DAYS = 120
MOST_HOLIDAYS = 100
LONGEST_APPROVAL_HOURS = 14 * 24


def check_schedule(rule: Mapping[str, Any], zone: str) -> None:
    """Raises `DeskError` unless the rule and the zone say something sensible."""
    with refusing(schedule.ScheduleError):
        schedule.check(rule)
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise DeskError(f"“{zone}” is not a time zone. Choose one from the list.") from error


def current(game: Game) -> Phase:
    """Return the newest phase of a game under way. The caller holds the game's row."""
    phase = game.phases.current()
    if phase is None:
        raise DeskError(f"“{game.title}” has not begun yet.")
    if game.is_over:
        raise DeskError(f"“{game.title}” is over.")
    return phase


def _has_deadline(phase: Phase) -> None:
    if phase.sheeted:
        raise DeskError(f"{phase.title} has no deadline: it closes when you send your report.")


def _move(
    phase: Phase,
    new: datetime,
    reason: str,
    by: Person | None,
    now: datetime,
    *,
    due: datetime | None = None,
) -> DeadlineChange:
    try:
        return deadlines.move(phase, new, reason, by, now, due=due)
    except deadlines.MovedMeanwhile as error:
        raise DeskError(
            "The phase was locked, or its deadline moved, in the meantime. Please check it again."
        ) from error


def _move_and_tell(
    phase: Phase, new: datetime, reason: str, by: Person | None, now: datetime
) -> DeadlineChange:
    change = _move(phase, new, reason, by, now)
    letters.announce_new_deadline(change, now)
    deadlines.note_move(change, now)
    # Where every seat has called its orders final already, that holds as before.
    deadlines.orders_arrived(phase, now)
    return change


@transaction.atomic
def extend(
    phase: Phase, new_deadline: datetime, reason: str, by: Person | None, now: datetime
) -> DeadlineChange:
    """Move the deadline of an open phase for everybody, never into the past, and write to all."""
    reason = one_line(reason, "The reason")
    if not reason:
        raise DeskError("Enter a reason for moving the deadline: it goes to every player.")
    _has_deadline(phase)
    if new_deadline <= now:
        raise DeskError("The new deadline is in the past. Choose a later time.")
    if new_deadline > now + FURTHEST:
        raise DeskError(
            f"A deadline can be at most {FURTHEST.days} days ahead; choose an earlier day."
        )
    # The game's row first, as the lock does: moved wholly before the lock, or not at all.
    game_row.take_row(phase.game)
    if phase.game.status == Game.Status.PAUSED:
        raise DeskError("The game is paused. Resume it first, then move the deadline.")
    now = game_row.now_in_row(phase, now)
    return _move_and_tell(phase, new_deadline, reason, by, now)


@transaction.atomic
def pause(game: Game, reason: str, by: Person, now: datetime) -> None:
    """Stop the clock of a game until `resume`: nothing falls due, orders are still taken."""
    reason = acts.clean_reason(reason)
    game_row.take_row(game)
    phase = current(game)
    if game.status != Game.Status.RUNNING:
        raise DeskError("The game is already paused.")
    now = game_row.now_in_row(phase, now)
    game.status, game.paused_at = Game.Status.PAUSED, now
    game.save(update_fields=["status", "paused_at"])
    # What waits for a sheet has no deadline that could be stopped.
    runs_down = phase.status == Phase.Status.OPEN and not phase.sheeted
    left = (phase.deadline - now).total_seconds() if runs_down else None
    if runs_down:
        # On record as a deadline that lies beyond every calendar: whether orders are late is judged
        # by it, here and in `verify`.
        _move(phase, schedule.STANDS, f"The game is paused: {reason}", by, now)
    act = acts.write(
        game, "paused", "The game is paused.", now, by=by, reason=reason, phase=phase, left=left
    )
    messages_desk.announce_pause(act, now, left)


@transaction.atomic
def resume(game: Game, reason: str, by: Person, now: datetime) -> None:
    """Resume a game: an open phase gets the time it had left (`_left`)."""
    reason = acts.clean_reason(reason)
    game_row.take_row(game)
    game.refresh_from_db(fields=["paused_at"])
    phase = current(game)
    if game.status != Game.Status.PAUSED:
        raise DeskError("The game is not paused.")
    since = game.paused_at or now
    game.status, game.paused_at = Game.Status.RUNNING, None
    game.save(update_fields=["status", "paused_at"])
    if phase.status == Phase.Status.OPEN:
        if not phase.sheeted:
            until = _whole_minute(now + _left(phase, since))
            _move(phase, until, f"The game goes on: {reason}", by, now)
        deadlines.orders_arrived(phase, now)
    elif phase.status == Phase.Status.APPROVAL:
        waiting = Phase.objects.filter(pk=phase.pk, due_at__isnull=False)
        lifecycle.update(waiting, Event.RESUMED, due_at=F("due_at") + (now - since))
    act = acts.write(game, "resumed", "The game goes on.", now, by=by, reason=reason, phase=phase)
    messages_desk.announce_resumption(act, now)


def _left(phase: Phase, paused_at: datetime) -> timedelta:
    """Return what was left of an open phase at the pause: an hour at least, or the phase's length.

    A phase that a ruling has opened during the pause has all its time still before it.
    """
    stopped = phase.deadline_changes.filter(new=schedule.STANDS).order_by("-pk").first()
    deadline = (
        stopped.old if stopped is not None and phase.deadline == schedule.STANDS else phase.deadline
    )
    length = deadline - phase.opened_at
    return max(
        deadline - max(paused_at, phase.opened_at),
        min(timedelta(hours=1), length),
        timedelta(minutes=1),
    )


def _whole_minute(instant: datetime) -> datetime:
    """A deadline can be told by any clock."""
    whole = instant.replace(second=0, microsecond=0)
    return whole if whole == instant else whole + timedelta(minutes=1)


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
    """Change the rule of the deadlines, and with `move_open` the open phase's deadline too."""
    reason = acts.clean_reason(reason)
    check_schedule(rule, zone)
    game_row.take_row(game)
    phase = game.phases.current()
    if game.is_over:
        raise DeskError(f"“{game.title}” is over.")
    if move_open and game.status == Game.Status.PAUSED:
        raise DeskError(
            "The game is paused. Resume it first, or leave the open deadline unchanged."
        )
    before = {"schedule": dict(game.schedule), "zone": game.zone}
    game.schedule, game.zone = dict(rule), zone
    game.save(update_fields=["schedule", "zone"])
    if move_open and phase is not None and phase.status == Phase.Status.OPEN and not phase.sheeted:
        lasts = deadlines.length(game, phase.id_in_rules, phase.previous)
        new = deadlines.deadline_after(game, phase.draws, phase.opened_at, lasts=lasts)
        if new <= now:
            new = deadlines.deadline_after(game, phase.draws, now)
        if new != phase.deadline:
            _move(phase, new, f"New deadlines: {reason}", by, now)
            deadlines.orders_arrived(phase, now)
    words = f"Deadlines come {schedule.in_words(rule, zone)} from now on."
    after = {"schedule": dict(rule), "zone": zone}
    about: dict[str, Any] = {"reason": reason, "before": before, "after": after}
    act = acts.write(game, "rescheduled", words, now, by=by, phase=phase, **about)
    if game.status != Game.Status.FORMING:
        messages_desk.announce_schedule(act, now)


@transaction.atomic
def process_now(phase: Phase, reason: str, by: Person, now: datetime) -> None:
    """Do at once what is due later. Orders close only where every nation that may order has."""
    reason = acts.clean_reason(reason)
    running = game_row.take_row(phase.game)
    phase.refresh_from_db()
    if not running:
        raise DeskError("The game is not running. Resume it first.")
    match phase.status:
        case Phase.Status.OPEN:
            if phase.sheeted:
                _carry_out_now(phase, reason, by, now)
                return
            if owing := owes(phase):
                have = "has" if len(owing) == 1 else "have"
                raise DeskError(
                    f"{all_of(owing)} can still send orders and {have} sent none, so the deadline"
                    f" stays as announced."
                )
            now = game_row.now_in_row(phase, now)
            grace = phase.game.grace
            # The grace hours are over as well: the lock comes when a deadline so much earlier would
            # have brought it.
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
    """Write to everybody who owes orders, at most once an hour. Return their nations."""
    running = game_row.take_row(phase.game)
    phase.refresh_from_db()
    if not running or phase.status != Phase.Status.OPEN or phase.sheeted or now > phase.closes_at:
        raise DeskError("No orders are open now: there is nobody to remind.")
    seats = reminders.seats_to_remind(phase)
    if not seats:
        raise DeskError(f"Nobody owes orders: all of {phase.title} have arrived.")
    reminders.write(phase, seats, now, again=True)
    words = "Everybody who owes orders was reminded."
    acts.write(phase.game, "reminded", words, now, by=by, phase=phase, private=True)
    return [one.seat.nation for one in seats]


def _carry_out_now(phase: Phase, reason: str, by: Person, now: datetime) -> None:
    """Carry out a sheet without its hours of correction. The caller holds the game's row."""
    if in_force.newest_sheet(phase) is None:
        raise DeskError(f"{phase.title} has not come yet. Send it first.")
    lifecycle.update(Phase.objects.filter(pk=phase.pk), Event.ORDERS_ARRIVED, due_at=now)
    words = f"{phase.title} took effect early."
    acts.write(phase.game, "at-once", words, now, by=by, reason=reason, phase=phase)


def change(game: Game, **columns: Any) -> dict[str, Any] | None:
    """Write changed columns of a game; return the old, or None. Raises `DeskError` if over."""
    game_row.take_row(game)
    game.refresh_from_db(fields=[*columns])
    if game.is_over:
        raise DeskError(f"“{game.title}” is over.")
    before = {name: getattr(game, name) for name in columns}
    if before == columns:
        return None
    for name, value in columns.items():
        setattr(game, name, value)
    game.save(update_fields=[*columns])
    return before


def owes(phase: Phase) -> list[str]:
    """Return nations, programs too, that may order in an open phase and have sent nothing."""
    if phase.sheeted:  # everybody waits for the gamesmaster, and no nation owes anything
        return []
    sent = in_force.salted_texts(phase)
    acting = phase.game.rules.acting(positions.state_of(phase))
    return [nation for nation in acting if nation not in sent]


@transaction.atomic
def hold(phase: Phase, reason: str, by: Person, now: datetime) -> None:
    """Set a locked phase aside until the hold is lifted. Open orders need a pause instead."""
    reason = acts.clean_reason(reason)
    game_row.take_row(phase.game)
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
    acts.write(
        phase.game, "held", f"{phase.title} is held.", now, by=by, reason=reason, phase=phase
    )


@transaction.atomic
def lift_hold(phase: Phase, by: Person, now: datetime) -> None:
    """Lets a held phase go on from where it was set aside."""
    game_row.take_row(phase.game)
    phase.refresh_from_db()
    if not holds.lift(phase, now):
        raise DeskError("The phase is no longer on hold.")
    acts.write(phase.game, "lifted", f"{phase.title} goes on.", now, by=by, phase=phase)


@transaction.atomic
def abandon(game: Game, reason: str, by: Person | None, now: datetime, *, ending: str = "") -> None:
    """End a game for good: nothing falls due, no orders are taken, everybody is told.

    `ending` says how, where it is not simply given up.
    """
    reason = acts.clean_reason(reason)
    game_row.take_row(game)
    if game.is_over:
        raise DeskError(f"“{game.title}” is already over.")
    phase = game.phases.current()
    game.status, game.finished_at, game.paused_at = Game.Status.ABANDONED, now, None
    game.ending = ending[:300]
    game.save(update_fields=["status", "finished_at", "paused_at", "ending"])
    words = game.ending or "The game was abandoned."
    act = acts.write(game, "abandoned", words, now, by=by, reason=reason, phase=phase)
    messages_desk.announce_abandonment(act, now)


@transaction.atomic
def set_holidays(
    game: Game, days: Sequence[tuple[date, date, str]], by: Person, now: datetime
) -> DeadlineChange | None:
    """Replace the game's holidays. Move an open deadline off them, and return that change."""
    after = check_holidays(days)
    game_row.take_row(game)
    if game.is_over:
        raise DeskError(f"“{game.title}” is over.")
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
    return off_blocked(game, f"The deadline fell on a day without deadlines ({names}).", by, now)


def check_holidays(days: Sequence[tuple[date, date, str]]) -> list[list[str]]:
    """Return days without deadlines as a game keeps them. Raises `DeskError`."""
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
        raise DeskError(f"Say what {first} is, such as “New Year”: every player may read it.")
    if last < first:
        raise DeskError(
            f"“{name}” ends on {last}, before it begins on {first}; change the one or the other."
        )
    if (last - first).days >= LONGEST_HOLIDAY_DAYS:
        raise DeskError(
            f"“{name}” lasts {(last - first).days + 1} days; the limit is {LONGEST_HOLIDAY_DAYS}."
            f" Pause the game instead."
        )
    return first, last, name


def off_blocked(game: Game, reason: str, by: Person | None, now: datetime) -> DeadlineChange | None:
    """Move the open deadline off a blocked day, with letters. The caller holds the game's row."""
    phase = game.phases.current()
    if (
        phase is None
        or phase.status != Phase.Status.OPEN
        or game.status != Game.Status.RUNNING
        or game.schedule["every"] == "minutes"
        or phase.sheeted
    ):
        return None
    exchange = market.exchange_of(game)
    on_sessions = (
        exchange != market.DEMO
        and market.by_sales(game)
        and (phase.draws or game.schedule["every"] == "trading_morning")
    )
    is_session: schedule.IsTradingDay | None = (
        (lambda day: market.is_session_day(exchange, day)) if on_sessions else None
    )
    if is_session is None and game.schedule.get("on") == "weekdays":
        is_session = schedule.is_weekday
    new = schedule.off_blocked(phase.deadline, game.zone, days_off.day_blocker(game), is_session)
    if new == phase.deadline or phase.deadline <= now:
        return None
    return _move_and_tell(phase, new, reason, by, now)


@transaction.atomic
def set_early(game: Game, early: bool, by: Person, now: datetime) -> None:
    """Set whether phases end once all orders are final, the open one too. Everybody is told."""
    if change(game, may_lock_early=early) is None:
        return
    words = (
        "From now on a phase ends early once every seat is final."
        if early
        else "From now on every phase lasts until its deadline, even where all orders are final."
    )
    phase = game.phases.current()
    act = acts.write(game, "early", words, now, by=by, phase=phase, before=not early, after=early)
    if phase is not None and phase.status == Phase.Status.OPEN:
        if early:
            deadlines.orders_arrived(phase, now)
        elif not phase.sheeted:
            row = Phase.objects.filter(pk=phase.pk)
            lifecycle.update(row, Event.ORDERS_ARRIVED, due_at=phase.closes_at)
        messages_desk.announce_act(act, now)


@transaction.atomic
def set_approval(game: Game, hours: int, by: Person, now: datetime) -> None:
    """Set how many hours results wait for the gamesmaster before they go out; 0: not at all."""
    if not 0 <= hours <= LONGEST_APPROVAL_HOURS:
        raise DeskError(
            f"“{hours}” hours is not possible: results can wait 0 to {LONGEST_APPROVAL_HOURS}"
            f" hours."
        )
    if (before := change(game, approval_hours=hours)) is None:
        return
    words = (
        f"Results wait up to {hours} hours for the gamesmaster."
        if hours
        else "Results are published at once."
    )
    acts.write(game, "approval", words, now, by=by, before=before["approval_hours"], after=hours)


@transaction.atomic
def set_absence_days(game: Game, allowance: int, by: Person, now: datetime) -> None:
    """How many days of absence of each player move deadlines; 0: absences are only told."""
    if not 0 <= allowance <= FURTHEST.days:
        raise DeskError(f"“{allowance}” days is not possible: enter 0 to {FURTHEST.days}.")
    if (before := change(game, absence_days=allowance)) is None:
        return
    words = (
        f"Up to {allowance} days of absence of each player move deadlines."
        if allowance
        else "Absences move no deadlines."
    )
    was = before["absence_days"]
    acts.write(game, "absence-days", words, now, by=by, before=was, after=allowance)


@transaction.atomic
def set_sheets(game: Game, hours: int, days: int, by: Person, now: datetime) -> None:
    """Set for how many hours a report may be corrected (0: not), and after how many days to remind.

    0 days: never. A report in force, and a phase that waits, follow at once.
    """
    check_sheets(game.rules, hours, days)
    if (before := change(game, sheet_hours=hours, sheet_days=days)) is None:
        return
    words = (
        f"A report may be corrected for {hours} hours."
        if hours
        else "A report takes effect as soon as you send it."
    )
    phase = game.phases.current()
    was = list(before.values())
    acts.write(game, "sheets", words, now, by=by, phase=phase, before=was, after=[hours, days])
    if phase is not None and phase.status == Phase.Status.OPEN and phase.sheeted:
        Phase.objects.filter(pk=phase.pk).update(remind_at=deadlines.sheet_reminder(game, now))
        deadlines.orders_arrived(phase, now)


def check_sheets(rules: Ruleset, hours: int, days: int) -> None:
    """Raises `DeskError` for bad hours of grace or days of patience, or a game without reports."""
    if not rules.referee:
        raise DeskError("This game has no referee reports.")
    if not 0 <= hours <= LONGEST_APPROVAL_HOURS:
        raise DeskError(
            f"“{hours}” hours is not possible: a report can be corrected for 0 to"
            f" {LONGEST_APPROVAL_HOURS} hours."
        )
    if not 0 <= days <= LONGEST_HOLIDAY_DAYS:
        raise DeskError(
            f"“{days}” days is not possible: reminders come every 1 to {LONGEST_HOLIDAY_DAYS} days,"
            " or never (0)."
        )
