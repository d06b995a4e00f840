"""Days without trading that the calendar does not know of: entered, removed, and what that means
for phases that wait for such a day.

The operator enters them, for all games on that exchange. A closure entered before the session opens
counts at once. One entered later counts only when `games.desk.closure_evidence` has confirmed it:
nobody moves a session that has begun.

A phase keeps the session fixed at its lock unless that session is closed. Then, and only while not
one of its figures has settled, the session is fixed anew by the rule that fixed the first one
(`market.session_basis`).
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db import IntegrityError, transaction

from games.desk import DeskError, closure_evidence, one_line, session_changes
from games.models import Game, MarketClosure, Person, SessionChange
from games.rules import markets
from games.rules.markets import MARKETS, Market
from games.rules.sessions import NoSession, Session, session_on

#: How long after the day a closure may still be entered. By then every phase has given up on the
# day, or has its figures.
LATEST = timedelta(days=14)
FURTHEST = timedelta(days=366)
#: How many sessions to come may be closed on one exchange at once: an exchange is shut for days,
# and never for months unforeseen.
MOST_TO_COME = 10
LONGEST_REASON = 200


def market_at(exchange: str) -> Market:
    """Return the market of an exchange. Raises `DeskError` for an unknown one."""
    found = markets.by_exchange(exchange)
    if found is None:
        raise DeskError(
            f"“{exchange}” is not an exchange of this service; choose one of"
            f" {', '.join(one.exchange for one in MARKETS.values())}."
        )
    return found


def markets_in_use() -> list[Market]:
    """Return the markets of running games, New York first: it is always among them."""
    running = Game.objects.filter(status=Game.Status.RUNNING).exclude(market=Game.Market.DEMO)
    used = set(running.order_by().values_list(f"options__{markets.OPTION}", flat=True).distinct())
    return [one for one in MARKETS.values() if one.id == markets.DEFAULT or one.id in used]


def enter(
    exchange: str, day: date, reason: str, by: Person, now: datetime
) -> tuple[MarketClosure, list[SessionChange]]:
    """Enter a day without trading. Return it and the sessions it changes, none until confirmed.

    Raises `DeskError` for a day that is no session anyway, is entered already or was traded on, and
    for too many days to come.
    """
    reason = one_line(reason, "The reason")[:LONGEST_REASON]
    if not reason:
        raise DeskError("Enter a reason: it goes to every player whose game waits for that day.")
    place = market_at(exchange)
    session = _session_to_close(place, day, now)
    begun = session.opens <= now
    if begun and (traded := closure_evidence.find_trading(exchange, day)):
        raise DeskError(
            f"{traded}: the exchange was open on {day}, and the phases that wait for it settle by"
            " themselves."
        )
    if not begun and _to_come(exchange, now) >= MOST_TO_COME:
        raise DeskError(
            f"{MOST_TO_COME} days to come are entered for {place.exchange}, and no more than"
            f" {MOST_TO_COME} can be at once. Remove one, or enter {day} once one of them has"
            " passed."
        )
    with transaction.atomic():
        try:
            with transaction.atomic():
                closure = MarketClosure.objects.create(
                    exchange=exchange,
                    day=day,
                    reason=reason,
                    entered_by=by,
                    entered_at=now,
                    needs_evidence=begun,
                    due_at=max(now, closure_evidence.first_look(session)),
                )
        except IntegrityError:
            raise DeskError(f"A closure of {day} is entered already; remove it first.") from None
        return closure, [] if begun else session_changes.fix_anew(closure, reason, by, now)


def _session_to_close(place: Market, day: date, now: datetime) -> Session:
    today = now.astimezone(ZoneInfo(place.zone)).date()
    if not today - LATEST <= day <= today + FURTHEST:
        raise DeskError(
            f"{day} is too far away: a closure is entered from {today - LATEST} to"
            f" {today + FURTHEST}."
        )
    try:
        session = session_on(place.exchange, day)
    except NoSession as error:
        raise DeskError(str(error)) from None
    if session is None:
        raise DeskError(
            f"{place.exchange} does not open on {day} anyway; nothing needs to be entered."
        )
    return session


def _to_come(exchange: str, now: datetime) -> int:
    """Return how many closures of an exchange stand whose session has not begun."""
    standing = MarketClosure.objects.in_effect().filter(
        exchange=exchange, day__gte=(now - timedelta(days=1)).date()
    )
    return sum(not has_begun(closure, now) for closure in standing)


def has_begun(closure: MarketClosure, now: datetime) -> bool:
    """Return whether the regular session of the closed day has begun."""
    session = session_on(closure.exchange, closure.day)
    return session is not None and session.opens <= now


def may_remove(closure: MarketClosure, now: datetime) -> bool:
    """Return whether a closure can be removed: its session is to come, or it does not count."""
    return closure.removed_at is None and not (closure.counts and has_begun(closure, now))


@transaction.atomic
def remove(closure: MarketClosure, reason: str, by: Person, now: datetime) -> list[SessionChange]:
    """Remove a closure, keeping its row; one counts on once its session would have opened."""
    reason = one_line(reason, "The reason")[:LONGEST_REASON]
    if not reason:
        raise DeskError(
            "Enter a reason: it is shown with the closure and goes to every player whose game it"
            " affects."
        )
    if closure.removed_at is None and not may_remove(closure, now):
        raise DeskError(
            f"The session of {closure.day} would have opened: a closure that counts can be removed"
            " only before that."
        )
    counted = closure.counts
    same = MarketClosure.objects.filter(
        pk=closure.pk, removed_at=None, confirmed_at=closure.confirmed_at
    )
    ended = {"due_at": None, "claim": "", "claimed_until": None}
    if same.update(removed_at=now, removed_by=by, removed_because=reason, **ended) != 1:
        raise DeskError("This closure is already removed or confirmed.")
    closure.refresh_from_db()
    return session_changes.fix_anew(closure, reason, by, now) if counted else []


def all_closures() -> list[MarketClosure]:
    """Return all closures, the newest day first; those removed stand below the day's own."""
    rows = MarketClosure.objects.select_related("entered_by", "removed_by").prefetch_related(
        "readings"
    )
    return list(rows.order_by("-day", "exchange", "pk"))
