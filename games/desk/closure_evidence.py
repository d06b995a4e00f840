"""Check closures against the market: were an exchange's leading stocks traded on that day?

A job of the tick. From the morning after, when figures are first read, the publisher is asked for
the leading stocks. One figure refuses a closure that was entered after the opening. The closure is
confirmed once the publisher has no entry for any of them, twice and `agreement_hours` apart: the
whole day may only be late. Without a clear answer within `give_up_hours` it is refused too. A
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
from datetime import date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from games import market
from games.desk import session_changes
from games.market import asking, bank
from games.market.sources import PUBLISHERS, Source
from games.market.yahoo import Yahoo
from games.models import MarketClosure, Phase, Reading
from games.outbox.messages import closure_letters
from games.rules.markets import market_of_exchange
from games.rules.sessions import LOOK_AHEAD_DAYS, Session, session_after, session_on

logger = logging.getLogger(__name__)

#: How many of the leading stocks must be without an entry.
LEADING = 5
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
    """Return when the leading stocks are first asked for: in the morning, like all figures."""
    return session.closes + _hours("first_reading_hours")


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
            if not _sales(closure.exchange, closure.day).exists():
                _ask(closure, session, now)
            _decide(closure, session, token, now)


def _hours(name: str) -> timedelta:
    return timedelta(hours=settings.MARKET[name])


def _ask(closure: MarketClosure, session: Session, now: datetime) -> None:
    """Ask for stocks in order until one was traded or five answered; unknown ones do not count."""
    source, started, answered = publisher(), time.monotonic(), 0
    for symbol in leading_stocks(closure.exchange):
        if answered == LEADING or time.monotonic() - started > asking.SECONDS_TO_ASK:
            return
        reading, down = asking.take(source, session, symbol, now)
        closure.readings.add(reading)
        if down or reading.kind == Reading.Kind.OK:
            return
        answered += reading.kind != Reading.Kind.UNKNOWN


def _quiet_rounds(closure: MarketClosure) -> list[datetime]:
    """Return when five leading stocks had no entry; readings of one round share their instant."""
    rounds: dict[datetime, list[str]] = defaultdict(list)
    for at, kind in closure.readings.order_by("read_at", "pk").values_list("read_at", "kind"):
        if kind != Reading.Kind.UNKNOWN:
            rounds[at].append(kind)
    return [at for at, kinds in rounds.items() if kinds == [Reading.Kind.NO_BAR] * LEADING]


def _decide(closure: MarketClosure, session: Session, token: str, now: datetime) -> None:
    sales, quiet = _sales(closure.exchange, closure.day).first(), _quiet_rounds(closure)
    with transaction.atomic():
        if sales is not None:
            closure.readings.add(sales)
            _report_trading(closure, session, _describe_trade(sales), token, now)
        elif quiet and quiet[-1] - quiet[0] >= _hours("agreement_hours"):
            if _finish(closure, token, confirmed_at=now) and closure.needs_evidence:
                changes = session_changes.fix_again(
                    closure, closure.reason, closure.entered_by, now
                )
                closure_letters.report_closure(closure, len(changes), now)
        elif now >= max(closure.entered_at, first_look(session)) + _hours("give_up_hours"):
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
