"""Check closures against the market: were an exchange's leading stocks traded on that day?

A job of the tick. A publisher that has nothing for a day may only be late, for hours and with every
stock, while the sales stand in every newspaper. Closed is a day that is missing between others: the
leading stocks have sales of the session after it, and no entry for the day itself, twice and
`agreement_hours` apart. So nobody can choose a session by entering a closure.

The publisher is asked from the morning after the day, when figures are first read: one figure
refuses a closure that was entered after the opening. From the morning after the next session it can
be confirmed. Without a clear answer within `give_up_hours` from then on it is refused too. A
closure that counts already is checked in the same way; no session moves, but the operator and the
gamesmasters concerned are notified if the stocks were traded.

The publisher is asked outside any transaction, under a lease. Its answers are stored as they
arrive, so that a restart continues.
"""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from games import market
from games.desk import session_changes
from games.market import asking, bank
from games.market.sources import Source
from games.market.yahoo import Yahoo
from games.models import MarketClosure, Phase, Reading
from games.outbox.messages import closure_letters
from games.rules.markets import market_of_exchange
from games.rules.sessions import LOOK_AHEAD_DAYS, Session, session_after, session_on
from games.rules.settling import PUBLISHERS
from games.rules.verification.closures import LEADING, NEXT_MORNING

logger = logging.getLogger(__name__)

#: How many of the leading stocks are asked for: some may have been delisted, or halted on both
#: days.
MOST_ASKED = 10
#: The list used in New York, where several lists are suggested.
FIRST_LIST = "large-and-liquid"


def leading_stocks(exchange: str) -> tuple[str, ...]:
    """Return an exchange's leading stocks, from a suggested list, in the order to ask for them."""
    place = market_of_exchange(exchange)
    lists = [
        stocks for stocks in bank.suggested_lists().values() if place and stocks.market == place.id
    ]
    return min(lists, key=lambda stocks: stocks.name != FIRST_LIST).symbols if lists else ()


def first_look(session: Session) -> datetime:
    """Return when the leading stocks are first asked for: in the morning, like all figures.

    Never earlier than the checker accepts.
    """
    return session.closes + max(_hours("first_reading_hours"), NEXT_MORNING)


def session_after_day(closure: MarketClosure) -> Session:
    """Return the session whose sales show that the publisher is not late: the next that counts."""
    place, session = market_of_exchange(closure.exchange), session_on(closure.exchange, closure.day)
    assert place is not None, "closures are entered for known exchanges"
    assert session is not None, "closures are entered for days of the calendar"
    last = closure.day + timedelta(days=LOOK_AHEAD_DAYS)
    closed = market.closed_days(closure.exchange, closure.day, last)
    return session_after(place, session.opens, closed=closed)


def describe_wait(closure: MarketClosure) -> str:
    """Return why a closure is not confirmed yet and when it can be; "" if it waits for nothing."""
    if closure.counts or closure.removed_at is not None or closure.closes_at is not None:
        return ""
    if session_on(closure.exchange, closure.day) is None:
        return ""
    after = session_after_day(closure)
    return (
        f"It does not count yet: the publisher may only be late. It can be confirmed from"
        f" {_in_words(first_look(after))} on, once the leading stocks have sales of"
        f" {after.day} and none of {closure.day}."
    )


def find_trading(exchange: str, day: date) -> str:
    """Return which leading stock was traded by the record: "KO traded 5,412,700 shares …"."""
    reading = _sales(exchange, day).first()
    return _describe_trade(reading) if reading else ""


def _sales(exchange: str, day: date) -> QuerySet[Reading]:
    readings: QuerySet[Reading] = Reading.objects.filter(
        exchange=exchange, session=day.isoformat(), kind=Reading.Kind.OK, game=None
    )
    return readings.filter(source__in=PUBLISHERS, symbol__in=leading_stocks(exchange)).order_by(
        "read_at", "pk"
    )


def _describe_trade(reading: Reading) -> str:
    return f"{reading.symbol} traded {reading.volume:,} shares that day"


def publisher() -> Source:
    """Return the publisher to ask: the one that has all exchanges."""
    return Yahoo()


# --- the job ---


def claim(now: datetime) -> tuple[str, list[int]]:
    """Lease a closure that is due: one at a time, because asking is slow."""
    return MarketClosure.objects.claim(now, 1, Q(removed_at=None))


def check(ids: Collection[int], token: str, now: datetime) -> None:
    """Ask for the leading stocks of closures leased under this token; confirm or refuse them."""
    token, ids = MarketClosure.objects.filter(removed_at=None).take_over(ids, token, now)
    for closure in MarketClosure.objects.filter(pk__in=ids):
        session = session_on(closure.exchange, closure.day)
        if session is None:  # the calendar has been updated meanwhile
            _finish(closure, token)
        elif now < first_look(session):
            _finish(closure, token, due_at=first_look(session))
        else:
            after = session_after_day(closure)
            if not _sales(closure.exchange, closure.day).exists():
                _ask(closure, session, after, now)
            _decide(closure, session, after, token, now)


def _in_words(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _hours(name: str) -> timedelta:
    return timedelta(hours=settings.MARKET[name])


def _ask(closure: MarketClosure, session: Session, after: Session, now: datetime) -> None:
    """Ask for stocks in order until one was traded that day, or five have shown what they can.

    A stock without sales of the session `after` shows nothing, once these can be read.
    """
    source, started, shown = publisher(), time.monotonic(), 0
    for symbol in leading_stocks(closure.exchange)[:MOST_ASKED]:
        if shown == LEADING or time.monotonic() - started > asking.SECONDS_TO_ASK:
            return
        reading, down = asking.take(source, session, symbol, now)
        closure.readings.add(reading)
        if down or reading.kind == Reading.Kind.OK:
            return
        if reading.kind == Reading.Kind.NO_BAR and now >= first_look(after):
            later, down = asking.take(source, after, symbol, now)
            closure.readings.add(later)
            if down:
                return
            shown += later.kind == Reading.Kind.OK
        else:
            shown += reading.kind != Reading.Kind.UNKNOWN


def _quiet_rounds(closure: MarketClosure) -> list[datetime]:
    """Return when five leading stocks had sales of a later session, and none an entry for the day.

    Readings of one round share their instant.
    """
    day, kind = closure.day.isoformat(), Reading.Kind
    rounds: dict[datetime, list[Reading]] = defaultdict(list)
    for row in closure.readings.order_by("read_at", "pk"):
        rounds[row.read_at].append(row)
    quiet = []
    for at, rows in rounds.items():
        of_day = {row.symbol: row.kind for row in rows if row.session == day}
        later = {row.symbol for row in rows if row.session > day and row.kind == kind.OK}
        missing = {symbol for symbol in later if of_day.get(symbol) == kind.NO_BAR}
        clear = set(of_day.values()) <= {kind.NO_BAR, kind.UNKNOWN}
        if clear and len(missing) >= LEADING:
            quiet.append(at)
    return quiet


def _decide(
    closure: MarketClosure, session: Session, after: Session, token: str, now: datetime
) -> None:
    sales, quiet = _sales(closure.exchange, closure.day).first(), _quiet_rounds(closure)
    with transaction.atomic():
        if sales is not None:
            closure.readings.add(sales)
            _report_trading(closure, session, _describe_trade(sales), token, now)
        elif quiet and quiet[-1] - quiet[0] >= _hours("agreement_hours"):
            if _finish(closure, token, confirmed_at=now):
                # A lock may have missed even a closure that counted from the start.
                changes = session_changes.fix_again(
                    closure, closure.reason, closure.entered_by, now
                )
                if closure.needs_evidence:
                    closure_letters.report_closure(closure, len(changes), now)
        elif now < first_look(after):
            _finish(closure, token, due_at=first_look(after))
        elif now >= max(closure.entered_at, first_look(after)) + _hours("give_up_hours"):
            sentence = (
                f"within {settings.MARKET['give_up_hours']:g} hours there was no clear answer about"
                " the leading stocks"
            )
            (
                _refuse(closure, sentence, token, now)
                if closure.needs_evidence
                else _finish(closure, token)
            )
        else:
            delay = (
                _hours("agreement_hours")
                if quiet and quiet[-1] == now
                else timedelta(minutes=settings.MARKET["retry_minutes"])
            )
            _finish(closure, token, due_at=now + delay)


def _report_trading(
    closure: MarketClosure, session: Session, evidence: str, token: str, now: datetime
) -> None:
    if closure.needs_evidence:
        _refuse(closure, evidence, token, now)
    elif _finish(closure, token):
        logger.warning(
            "%s was entered as closed on %s, but %s", closure.exchange, closure.day, evidence
        )
        closure_letters.report_trading(closure, evidence, _phases_moved_by(closure, session), now)


def _refuse(closure: MarketClosure, evidence: str, token: str, now: datetime) -> None:
    if _finish(closure, token, removed_at=now, removed_because=evidence):
        logger.warning(
            "the closure of %s on %s is refused: %s", closure.exchange, closure.day, evidence
        )
        closure_letters.report_refused_closure(closure, evidence, now)


def _finish(
    closure: MarketClosure, token: str, due_at: datetime | None = None, **changes: Any
) -> bool:
    """Write the decision and end the lease. Return False if the row has changed meanwhile."""
    active = MarketClosure.objects.filter(removed_at=None)
    if active.release([closure.pk], token, due_at=due_at, **changes) != 1:
        return False
    closure.refresh_from_db()
    return True


def _phases_moved_by(closure: MarketClosure, session: Session) -> list[Phase]:
    """Return the phases that use a later session because this day was entered as closed."""
    place = market_of_exchange(closure.exchange)
    soon = session.opens + timedelta(days=LOOK_AHEAD_DAYS)
    later = Phase.objects.filter(
        exchange=closure.exchange, session_opens__gt=session.opens, session_opens__lt=soon
    )
    return [
        phase
        for phase in later.not_undone().select_related("game").order_by("pk")
        if place and phase.locked_at
        if session_after(
            place, market.session_basis(phase), strict_evening=phase.game.strict_evening
        ).day
        <= closure.day
    ]
