"""Find the trading session that decides a phase (`rng.quote_session`).

The hours come from the table that ships with the rules (games.rules.sessions), which the checker
uses too. Days on which an exchange did not open against the table are in `MarketClosure`.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db.models import Max

from games.models import Game, MarketClosure, Phase
from games.rules import sessions
from games.rules.markets import Market, market_of
from games.rules.sessions import (
    DEMO,
    LOOK_AHEAD_DAYS,
    NoSession,
    Session,
    demo_session_after,
)

from .errors import MarketError

NEW_YORK = ZoneInfo("America/New_York")


def exchange_of(game: Game) -> str:
    """Return a game's exchange: DEMO for demonstration games, else its market's (`rng.market`)."""
    return DEMO if game.market == Game.Market.DEMO else market_of(game.options).exchange


def zone_of(market: Market) -> ZoneInfo:
    """Return the time zone of a market."""
    return ZoneInfo(market.zone)


def session_for(game: Game, basis: datetime, closed: Collection[date] | None = None) -> Session:
    """Return the session whose sales decide a phase of this game: the first that opens strictly
    after `basis`.

    `basis` comes from `session_basis`; for a phase that is still open it is the announced lock.
    With `Game.strict_evening` the session's overnight trading must begin after it, too. The value
    `deadline_day` of `rng.quote_session` gives the same session; it only restricts the deadlines a
    game may have (`games.desk.opening`). `closed`: the closed days of the exchange, if the caller
    knows them. Raise `MarketError` where no session is found.
    """
    if exchange_of(game) == DEMO:
        return demo_session_after(basis)
    market, first = market_of(game.options), basis.astimezone(UTC).date() - timedelta(days=1)
    if closed is None:
        closed = closed_days(market.exchange, first, first + timedelta(days=LOOK_AHEAD_DAYS))
    try:
        return sessions.session_after(
            market, basis, strict_evening=game.strict_evening, closed=frozenset(closed)
        )
    except NoSession as error:
        raise MarketError(str(error)) from error


def session_basis(phase: Phase) -> datetime:
    """Return `basis` of a locked phase, from its submissions in the database."""
    newest = phase.submissions.filter(late=False).aggregate(newest=Max("received_at"))["newest"]
    return basis(phase, newest)


def basis(phase: Phase, newest: datetime | None) -> datetime:
    """Return the instant after which the session of a locked phase opens.

    This is the announced deadline, including hours of grace, even if the lock came later; or the
    lock, if the phase ended early. It is never before the newest order that counts, whose sender
    must not know the sales: clocks can be set back, so that an order in time may have arrived after
    deadline and lock. `newest`: when the newest order in time arrived, if any.
    """
    assert phase.locked_at is not None, "an open phase has no session yet"
    closes = phase.closes_at
    lock = min(phase.locked_at, closes)
    return max(lock, newest) if newest else lock


def closures(first: date) -> dict[str, set[date]]:
    """Return the closed days from `first` on, by exchange."""
    days_by_exchange: dict[str, set[date]] = {}
    rows = MarketClosure.objects.in_effect().filter(day__gte=first)
    for exchange, day in rows.values_list("exchange", "day"):
        days_by_exchange.setdefault(exchange, set()).add(day)
    return days_by_exchange


def closed_days(exchange: str, first: date, last: date) -> frozenset[date]:
    """Return the days from `first` to `last` when the exchange is closed against its calendar."""
    closures = MarketClosure.objects.in_effect().filter(exchange=exchange, day__range=(first, last))
    return frozenset(closures.values_list("day", flat=True))


def is_session_day(exchange: str, day: date, closed: Collection[date] | None = None) -> bool:
    """Return whether the exchange trades on a day of its own time zone. The demonstration exchange
    never closes. `closed`: its closed days, if the caller knows them."""
    if exchange == DEMO:
        return True
    try:
        session = sessions.session_on(exchange, day)
    except NoSession as error:
        raise MarketError(str(error)) from error
    return session is not None and day not in (
        closed_days(exchange, day, day) if closed is None else closed
    )
