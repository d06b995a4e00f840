"""Enter and remove days without trading that the calendar does not know.

The operator enters them, for all games on that exchange. A closure entered before the session opens
counts at once. One entered later counts only when `games.desk.closure_evidence` has confirmed it:
nobody can move a session that has begun.

A phase keeps the session fixed at its lock unless that session is closed. Then, and only if none of
its figures has settled, the session is fixed again by the rule that fixed the first one
(`games.market.session_basis`).
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

#: How long after the day a closure may still be entered. By then every phase has its figures or has
#: given up on the day.
LATEST = timedelta(days=14)
FURTHEST = timedelta(days=366)
#: How many future sessions may be closed on one exchange at once: unforeseen closures last days,
#: never months.
MOST_TO_COME = 10
LONGEST_REASON = 200


def market_at(exchange: str) -> Market:
    """Return the market of an exchange. Raise `DeskError` for an unknown one."""
    place = markets.market_of_exchange(exchange)
    if place is None:
        raise DeskError(
            f"“{exchange}” is not an exchange of this service; choose one of"
            f" {', '.join(each.exchange for each in MARKETS.values())}."
        )
    return place


def markets_in_use() -> list[Market]:
    """Return the markets of running games, and New York in any case, which comes first."""
    running = Game.objects.filter(status=Game.Status.RUNNING).exclude(market=Game.Market.DEMO)
    used = set(running.order_by().values_list(f"options__{markets.OPTION}", flat=True).distinct())
    return [place for place in MARKETS.values() if place.id == markets.DEFAULT or place.id in used]


def enter(
    exchange: str, day: date, reason: str, by: Person, now: datetime
) -> tuple[MarketClosure, list[SessionChange]]:
    """Enter a day without trading. Return it and the sessions it changes, none until confirmed.

    Raise `DeskError` if the day is no session anyway, is entered already or was traded on, and if
    too many future days are entered.
    """
    reason = one_line(reason, "The reason")[:LONGEST_REASON]
    if not reason:
        raise DeskError("Enter a reason: it goes to every player whose game waits for that day.")
    place = market_at(exchange)
    session = _session_to_close(place, day, now)
    begun = session.opens <= now
    if begun and (traded := closure_evidence.find_trading(exchange, day)):
        raise DeskError(
            f"{traded}: the exchange was open on {day}. Phases that wait for it will resolve by"
            " themselves."
        )
    if not begun and _count_future_closures(exchange, now) >= MOST_TO_COME:
        raise DeskError(
            f"{MOST_TO_COME} future days are entered for {place.exchange}, which is the maximum."
            f" Remove one, or enter {day} after one of them has passed."
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
            raise DeskError(
                f"A closure on {day} has already been entered. Remove it first."
            ) from None
        return closure, [] if begun else session_changes.fix_again(closure, reason, by, now)


def _session_to_close(place: Market, day: date, now: datetime) -> Session:
    today = now.astimezone(ZoneInfo(place.zone)).date()
    if not today - LATEST <= day <= today + FURTHEST:
        raise DeskError(
            f"{day} is too far away: enter a day from {today - LATEST} to {today + FURTHEST}."
        )
    try:
        session = session_on(place.exchange, day)
    except NoSession as error:
        raise DeskError(str(error)) from None
    if session is None:
        raise DeskError(
            f"{place.exchange} does not open on {day} anyway, so you need not enter it."
        )
    return session


def _count_future_closures(exchange: str, now: datetime) -> int:
    """Return how many closures in effect on an exchange have a session that has not begun."""
    in_effect = MarketClosure.objects.in_effect().filter(
        exchange=exchange, day__gte=(now - timedelta(days=1)).date()
    )
    return sum(not has_begun(closure, now) for closure in in_effect)


def has_begun(closure: MarketClosure, now: datetime) -> bool:
    """Return whether the regular session of the closed day has begun."""
    session = session_on(closure.exchange, closure.day)
    return session is not None and session.opens <= now


def may_remove(closure: MarketClosure, now: datetime) -> bool:
    """Return whether a closure can be removed: its session has not begun, or it does not count."""
    return closure.removed_at is None and not (closure.counts and has_begun(closure, now))


@transaction.atomic
def remove(closure: MarketClosure, reason: str, by: Person, now: datetime) -> list[SessionChange]:
    """Remove a closure, keeping its row; one that counts stays once its session has begun."""
    reason = one_line(reason, "The reason")[:LONGEST_REASON]
    if not reason:
        raise DeskError(
            "Enter a reason: it is shown with the closure and goes to every player whose game it"
            " affects."
        )
    if closure.removed_at is None and not may_remove(closure, now):
        raise DeskError(
            f"The session of {closure.day} would have opened by now. A confirmed closure can only"
            " be removed before that."
        )
    counted = closure.counts
    unchanged = MarketClosure.objects.filter(
        pk=closure.pk, removed_at=None, confirmed_at=closure.confirmed_at
    )
    lease_ended = {"due_at": None, "claim": "", "claimed_until": None}
    if unchanged.update(removed_at=now, removed_by=by, removed_because=reason, **lease_ended) != 1:
        raise DeskError("This closure has already been removed or confirmed.")
    closure.refresh_from_db()
    return session_changes.fix_again(closure, reason, by, now) if counted else []


def all_closures() -> list[MarketClosure]:
    """Return all closures, removed ones included, the newest day first."""
    rows = MarketClosure.objects.select_related("entered_by", "removed_by").prefetch_related(
        "readings"
    )
    return list(rows.order_by("-day", "exchange", "pk"))
