"""Days without trading that the calendar does not know of: entered, removed, and what that means for phases that wait for such a day.

A phase that has locked keeps its session unless the exchange itself keeps it from opening or closing as announced. Then, and only while
not one of its figures has settled, the session is fixed anew by the rule that fixed the first one: the first that opens after the lock.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Q

from games import market, record_hash, turns
from games.desk import DeskError, one_line
from games.models import Figure, MarketClosure, Person, Phase, Reading, SessionChange
from games.post import letters

NEW_YORK = market.NEW_YORK
#: How long after the day a closure may still be entered. By then every phase has given up on the day, or has its figures.
LATEST = timedelta(days=14)
FURTHEST = timedelta(days=366)
LONGEST_REASON = 200


def enter(day: date, closes: time | None, reason: str, by: Person, now: datetime) -> tuple[MarketClosure, list[SessionChange]]:
    """Enters a day without trading in New York, or with `closes` (New York time) an early close. Returns it with what it changed.

    Raises `DeskError` for a day that is no session anyway, or whose sales have been read, and for one that is entered already.
    """
    reason = one_line(reason, "The reason")[:LONGEST_REASON]
    if not reason:
        raise DeskError("Say why: the reason goes to every player whose game waits for that day.")
    today = now.astimezone(NEW_YORK).date()
    if not today - LATEST <= day <= today + FURTHEST:
        raise DeskError(f"{day} is too far away: a closure is entered from {today - LATEST} to {today + FURTHEST}.")
    try:
        session = market.session_from_label(market.XNYS, day.isoformat())
    except market.MarketError:
        raise DeskError(f"The exchange does not open on {day} anyway; nothing needs to be entered.") from None
    closes_at = None
    if closes is not None:
        closes_at = datetime.combine(day, closes, NEW_YORK)
        if not session.opens < closes_at < session.closes:
            opens, ends = (moment.astimezone(NEW_YORK).strftime("%H:%M") for moment in (session.opens, session.closes))
            raise DeskError(f"“{closes:%H:%M}” is no early close: the session of {day} runs from {opens} to {ends} New York time.")
    if Reading.objects.filter(exchange=market.XNYS, session=day.isoformat(), kind=Reading.Kind.OK, entered_by=None).exists():
        raise DeskError(f"Sales of {day} have been read: the exchange was open, and the phases that wait for it settle by themselves.")
    with transaction.atomic():
        try:
            with transaction.atomic():
                closure = MarketClosure.objects.create(
                    exchange=market.XNYS, day=day, closes_at=closes_at, reason=reason, entered_by=by, entered_at=now
                )
        except IntegrityError:
            raise DeskError(f"A closure of {day} is entered already; remove it first.") from None
        return closure, _fix_anew(closure, reason, by, now)


@transaction.atomic
def remove(closure: MarketClosure, reason: str, by: Person, now: datetime) -> list[SessionChange]:
    """Takes a closure back whose day has not come yet: from then on it is history. Kept with who took it back, and why."""
    reason = one_line(reason, "The reason")[:LONGEST_REASON]
    if not reason:
        raise DeskError("Say why: the reason stands beside the closure, and goes to every player whose game it touches.")
    if closure.day <= now.astimezone(NEW_YORK).date():
        raise DeskError(f"{closure.day} has come: a closure can be removed only before its day.")
    removed = MarketClosure.objects.filter(pk=closure.pk, removed_at=None)
    if removed.update(removed_at=now, removed_by=by, removed_because=reason) != 1:
        raise DeskError("This closure has been removed already.")
    closure.refresh_from_db()
    return _fix_anew(closure, reason, by, now)


def _fix_anew(closure: MarketClosure, reason: str, by: Person, now: datetime) -> list[SessionChange]:
    """Fixes the session of every phase that waits for its figures, has none yet, and would get another one now."""
    waiting = Q(status=Phase.Status.DRAWING) | Q(status=Phase.Status.HELD, held_from=Phase.Status.DRAWING)
    phases = Phase.objects.filter(waiting, exchange=closure.exchange, locked_at__isnull=False).exclude(session="")
    changes = [_change(phase, closure, reason, by, now) for phase in phases.select_related("game").order_by("game")]
    return [change for change in changes if change]


def _change(phase: Phase, closure: MarketClosure, reason: str, by: Person, now: datetime) -> SessionChange | None:
    assert phase.locked_at is not None
    turns.take_row(phase.game)
    old, new = market.session_of(phase), market.session_for(phase.game, phase.locked_at)
    if new == old or closure.day.isoformat() not in (old.label, new.label):
        return None
    if new.label != old.label and new.opens <= now and closure.removed_at is not None:
        return None  # it has opened: nobody could show that its sales were not known when it was chosen
    same = Phase.objects.filter(pk=phase.pk, status=phase.status, session=old.label, session_closes=old.closes)
    market.fix_session(phase, new)
    fixed = {
        "session": phase.session,
        "session_opens": phase.session_opens,
        "session_closes": phase.session_closes,
        "first_reading_at": phase.first_reading_at,
    }
    # A held phase is due again when the hold is lifted; a worker that reads the old session loses its lease.
    due = {"due_at": phase.due_at, "claim": "", "claimed_until": None} if phase.status == Phase.Status.DRAWING else {}
    with transaction.atomic():
        # The phase's row first: a worker that settles a figure just now takes it too, so that one of us sees the other.
        if same.update(**fixed, **due) != 1:
            return None
        if Figure.objects.filter(phase=phase).exists():
            transaction.set_rollback(True)
            return None
        change = SessionChange.objects.create(
            phase=phase,
            old=old.label,
            old_opens=old.opens,
            old_closes=old.closes,
            new=new.label,
            new_opens=new.opens,
            new_closes=new.closes,
            reason=reason,
            changed_by=by,
            changed_at=now,
        )
        record_hash.append(phase.game, [record_hash.session(change)], now)
        letters.session_changed(change, now)
    return change


def entered() -> list[MarketClosure]:
    """All closures, the newest day first; those removed stand below the day's own."""
    rows = MarketClosure.objects.filter(exchange=market.XNYS).select_related("entered_by", "removed_by")
    return list(rows.order_by("-day", "pk"))
