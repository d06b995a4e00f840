"""Trading sessions: which one decides a phase, when it opens, and when it closes (rules.md 0.1, `rng.quote_session`).

The calendar library is loaded where a New York session is first asked for: it brings pandas, which no page should wait for. What it
does not know (a day of mourning, a storm) is in the table `MarketClosure`, which overrides it.
"""

from __future__ import annotations

import functools
import warnings
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock_time
from typing import Any
from zoneinfo import ZoneInfo

from games.models import Game, MarketClosure
from games.rules.sessions import Session

from .errors import MarketError

NEW_YORK = ZoneInfo("America/New_York")
XNYS = "XNYS"
DEMO = "DEMO"

#: Longer than the market was ever shut (four and a half months in 1914), so that a mistyped closure cannot make us look for ever.
LOOK_AHEAD_DAYS = 200
#: A demonstration should not keep anybody waiting, and whoever practises sees his result within seconds: a session every six, of two.
DEMO_EVERY = 6
DEMO_LASTS = timedelta(seconds=2)
#: When overnight trading for the next day begins, New York time (foundations.md 1.3).
OVERNIGHT_FROM = clock_time(20)
_DEMO_LABEL = "%Y-%m-%dT%H:%M:%SZ"

FIRST_SESSION_AFTER_LOCK = "first_session_after_lock"
DEADLINE_DAY = "deadline_day"


def exchange_of(market: str) -> str:
    """The exchange behind a game's market policy (`Game.Market`): DEMO for the demonstration, New York for all others."""
    return DEMO if market == "demo" else XNYS


def session_for(game: Game, lock: datetime) -> Session:
    """The session whose sales decide a phase of this game that is locked at `lock`, by all that the game has fixed about it."""
    return session_after(game.market, lock, game.options["rng.quote_session"], strict_evening=game.strict_evening)


def session_after(market: str, lock: datetime, quote_session: str = FIRST_SESSION_AFTER_LOCK, *, strict_evening: bool = False) -> Session:
    """The session whose sales decide a phase that was locked at `lock`; it always opens strictly after the lock.

    `strict_evening`: sales made overnight count for the day that follows (foundations.md 1.3), so that the session must not even
    have begun to trade then: the lock comes before 20:00 New York of the evening before its day.

    `deadline_day` asks for the lock's own New York day. That is fair only while the lock comes before that day's bell, and then it
    is the first session after the lock; a lock at or after the bell, or on a day without trading, draws on the next session, never
    on the one that is running (rules.md 0.1). So both options come to the same session here: the difference is which deadlines a
    game may be given, and is checked where deadlines are made. Raises `MarketError` for another option, or where no session is found.
    """
    if quote_session not in (FIRST_SESSION_AFTER_LOCK, DEADLINE_DAY):
        raise MarketError(f"“{quote_session}” is no way to choose a session; known are {FIRST_SESSION_AFTER_LOCK} and {DEADLINE_DAY}.")
    exchange = exchange_of(market)
    if exchange == DEMO:
        return _demo_session(datetime.fromtimestamp((int(lock.timestamp()) // DEMO_EVERY + 1) * DEMO_EVERY, UTC))
    first = lock.astimezone(NEW_YORK).date()
    last = first + timedelta(days=LOOK_AHEAD_DAYS)
    closures = {c.day: c for c in MarketClosure.objects.in_effect().filter(exchange=exchange, day__range=(first, last))}
    for ahead in range(LOOK_AHEAD_DAYS + 1):
        day = first + timedelta(days=ahead)
        session = _with_closure(_by_calendar(day), closures.get(day))
        if session and session.opens > lock and not (strict_evening and overnight_begins(session) <= lock):
            return session
    raise MarketError(f"No session of {exchange} opens in the {LOOK_AHEAD_DAYS} days after {lock:%Y-%m-%d %H:%M} UTC.")


def overnight_begins(session: Session) -> datetime:
    """When the first sale that counts for a session can be made: 20:00 New York of the evening before its day."""
    day = date.fromisoformat(session.label)
    return datetime.combine(day - timedelta(days=1), OVERNIGHT_FROM, NEW_YORK).astimezone(UTC)


def session_from_label(exchange: str, label: str) -> Session:
    """The session with this label, with today's closures. Raises `MarketError` where there is none."""
    if exchange == DEMO:
        try:
            opens = datetime.strptime(label, _DEMO_LABEL).replace(tzinfo=UTC)
        except ValueError:
            raise MarketError(
                f"“{label}” is no session of {DEMO}: its sessions are called by their opening, like 2026-11-24T10:05:30Z."
            ) from None
        if int(opens.timestamp()) % DEMO_EVERY:
            raise MarketError(f"{DEMO} has no session at {label}: it opens every six seconds, at :00, :06 and so on.")
        return _demo_session(opens)
    _known(exchange)
    try:
        day = date.fromisoformat(label)
    except ValueError:
        raise MarketError(f"“{label}” is no session of {exchange}: its sessions are called by their day, like 2026-11-24.") from None
    if session := _on_day(exchange, day):
        return session
    raise MarketError(f"{exchange} has no session on {label}.")


def is_session_day(exchange: str, day: date) -> bool:
    """Whether the exchange trades on that day of its own zone. The demonstration exchange never rests."""
    return exchange == DEMO or _on_day(exchange, day) is not None


def _on_day(exchange: str, day: date) -> Session | None:
    _known(exchange)
    return _with_closure(_by_calendar(day), MarketClosure.objects.in_effect().filter(exchange=exchange, day=day).first())


def _known(exchange: str) -> None:
    if exchange != XNYS:
        raise MarketError(f"“{exchange}” is no exchange that this service knows; known are {XNYS} and {DEMO}.")


def _with_closure(session: Session | None, closure: MarketClosure | None) -> Session | None:
    """The session as a closure leaves it. A close at or before the opening bell leaves nothing of it."""
    if session is None or closure is None:
        return session
    if closure.closes_at is None or closure.closes_at <= session.opens:
        return None
    return replace(session, closes=closure.closes_at)


def _demo_session(opens: datetime) -> Session:
    return Session(DEMO, opens.strftime(_DEMO_LABEL), opens, opens + DEMO_LASTS)


@functools.lru_cache(maxsize=512)
def _by_calendar(day: date) -> Session | None:
    """The New York session of that day as the library knows it."""
    calendar = _calendar(day.year)
    label = day.isoformat()
    if not calendar.is_session(label):
        return None
    opens, closes = (instant.to_pydatetime().astimezone(UTC) for instant in (calendar.session_open(label), calendar.session_close(label)))
    return Session(XNYS, label, opens, closes)


@functools.lru_cache(maxsize=8)
def _calendar(year: int) -> Any:
    """One year of the New York exchange. The dates are given because the library's own range ends a year from today (foundations.md 3)."""
    with warnings.catch_warnings():
        # The library lags behind what pandas deprecates; DeprecationWarning covers pandas' own class for that.
        warnings.simplefilter("ignore", DeprecationWarning)
        import exchange_calendars

        # A week on either side: the library wants a session at both ends, and the turn of the year has none.
        return exchange_calendars.get_calendar(XNYS, start=date(year - 1, 12, 25).isoformat(), end=date(year + 1, 1, 7).isoformat())
