"""Evidence for closures: whether an exchange's leading stocks were traded on a day that is entered
as closed. A job of the tick.

From the morning after, when figures are first read, the publisher is asked for the leading stocks.
One figure refuses a closure that was entered after the opening. It is confirmed once the publisher
has no entry of any of them, twice and `agreement_hours` apart: the whole day may only be late.
Without an answer in `give_up_hours` it is refused too. A closure that counts already is looked at
in the same way; nothing moves by it, but the operator and the gamesmasters concerned are told if
the stocks were traded.

The publisher is asked outside of any transaction, by a lease. Its answers are kept as they come, so
that a restart continues.
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
from games.market import bank, readings
from games.market.sources import PUBLISHERS, Source
from games.market.yahoo import Yahoo
from games.models import MarketClosure, Phase, Reading
from games.outbox.messages import closures as messages_closures
from games.rules.markets import by_exchange
from games.rules.sessions import LOOK_AHEAD_DAYS, Session, session_after, session_on

logger = logging.getLogger(__name__)

#: How many of the leading stocks must be without an entry.
LEADING = 5
#: In New York, where several lists are suggested.
FIRST_LIST = "large-and-liquid"


def leading(exchange: str) -> tuple[str, ...]:
    """Return an exchange's leading stocks in the order to ask for them: a suggested list."""
    place = by_exchange(exchange)
    lists = [one for one in bank.suggested_lists().values() if place and one.market == place.id]
    return min(lists, key=lambda one: one.name != FIRST_LIST).symbols if lists else ()


def first_look(session: Session) -> datetime:
    """Return when the leading stocks are first asked for: in the morning, as all figures are."""
    return session.closes + _hours("first_reading_hours")


def find_trading(exchange: str, day: date) -> str:
    """Return which leading stock was traded by the record: "KO traded 5,412,700 shares …"."""
    reading = _sales(exchange, day).first()
    return _in_words(reading) if reading else ""


def _sales(exchange: str, day: date) -> QuerySet[Reading]:
    known: QuerySet[Reading] = Reading.objects.filter(
        exchange=exchange, session=day.isoformat(), kind=Reading.Kind.OK, game=None
    )
    return known.filter(source__in=PUBLISHERS, symbol__in=leading(exchange)).order_by(
        "read_at", "pk"
    )


def _in_words(reading: Reading) -> str:
    return f"{reading.symbol} traded {reading.volume:,} shares that day"


def publisher() -> Source:
    """Return the publisher that is asked: the one that knows all exchanges."""
    return Yahoo()


# --- the job ---


def claim(now: datetime) -> tuple[str, list[int]]:
    """Take a closure that is due, by a lease: one at a time, for asking takes long."""
    return MarketClosure.objects.claim(now, 1, Q(removed_at=None))


def check(ids: Collection[int], token: str, now: datetime) -> None:
    """Ask for the leading stocks of closures leased under this token, and decide what can be."""
    token, ids = MarketClosure.objects.filter(removed_at=None).take_over(ids, token, now)
    for closure in MarketClosure.objects.filter(pk__in=ids):
        session = session_on(closure.exchange, closure.day)
        if session is None:  # the calendar has learned of it meanwhile
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
    for symbol in leading(closure.exchange):
        if answered == LEADING or time.monotonic() - started > readings.SECONDS_TO_ASK:
            return
        reading, down = readings.take(source, session, symbol, now)
        closure.readings.add(reading)
        if down or reading.kind == Reading.Kind.OK:
            return
        answered += reading.kind != Reading.Kind.UNKNOWN


def _quiet_rounds(closure: MarketClosure) -> list[datetime]:
    """Return when five leading stocks had no entry; the readings of a round share their instant."""
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
            _report_trading(closure, session, _in_words(sales), token, now)
        elif quiet and quiet[-1] - quiet[0] >= _hours("agreement_hours"):
            if _finish(closure, token, confirmed_at=now) and closure.needs_evidence:
                changes = session_changes.fix_anew(closure, closure.reason, closure.entered_by, now)
                messages_closures.report_closure(closure, len(changes), now)
        elif now >= max(closure.entered_at, first_look(session)) + _hours("give_up_hours"):
            said = (
                f"within {settings.MARKET['give_up_hours']:g} hours there was no clear answer about"
                " the leading stocks"
            )
            (
                _refuse(closure, said, token, now)
                if closure.needs_evidence
                else _finish(closure, token)
            )
        else:
            again = (
                _hours("agreement_hours")
                if quiet and quiet[-1] == now
                else timedelta(minutes=settings.MARKET["retry_minutes"])
            )
            _finish(closure, token, due_at=now + again)


def _report_trading(
    closure: MarketClosure, session: Session, said: str, token: str, now: datetime
) -> None:
    if closure.needs_evidence:
        _refuse(closure, said, token, now)
    elif _finish(closure, token):
        logger.warning(
            "%s was entered as closed on %s, but %s", closure.exchange, closure.day, said
        )
        messages_closures.report_trading(closure, said, _phases_moved_by(closure, session), now)


def _refuse(closure: MarketClosure, said: str, token: str, now: datetime) -> None:
    if _finish(closure, token, removed_at=now, removed_because=said):
        logger.warning(
            "the closure of %s on %s is refused: %s", closure.exchange, closure.day, said
        )
        messages_closures.report_refused_closure(closure, said, now)


def _finish(
    closure: MarketClosure, token: str, due_at: datetime | None = None, **changes: Any
) -> bool:
    """Write what was decided and end the lease. Return False where somebody else was first."""
    standing = MarketClosure.objects.filter(removed_at=None)
    if standing.release([closure.pk], token, due_at=due_at, **changes) != 1:
        return False
    closure.refresh_from_db()
    return True


def _phases_moved_by(closure: MarketClosure, session: Session) -> list[Phase]:
    """Return the phases that draw on a later session because this day was entered as closed."""
    place = by_exchange(closure.exchange)
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
