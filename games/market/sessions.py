"""Trading sessions of a game's market: which one decides a phase (rules.md 0.1,
`rng.quote_session`).

The hours are those of the table that ships with the rules (games.rules.sessions), which the checker
reads too. Days on which an exchange did not open although the table says so are in `MarketClosure`.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db.models import Max

from games.models import Game, MarketClosure, Phase
from games.rules import sessions
from games.rules.markets import Market, market_of
from games.rules.sessions import LOOK_AHEAD_DAYS, NoSession, Session

from .errors import MarketError

NEW_YORK = ZoneInfo("America/New_York")
XNYS = "XNYS"
DEMO = "DEMO"

#: A demonstration keeps nobody waiting: it has a session of two seconds every six.
DEMO_EVERY = 6
DEMO_LASTS = timedelta(seconds=2)
_DEMO_LABEL = "%Y-%m-%dT%H:%M:%SZ"


def exchange_of(game: Game) -> str:
    """Return a game's exchange: DEMO for the demonstration, else its market's (`rng.market`)."""
    return DEMO if game.market == Game.Market.DEMO else market_of(game.options).exchange


def zone_of(market: Market) -> ZoneInfo:
    """The time zone of a market."""
    return ZoneInfo(market.zone)


def session_for(game: Game, basis: datetime, closed: Collection[date] | None = None) -> Session:
    """The session whose sales decide a phase of this game: the first that opens strictly after
    `basis`.

    `basis` is that of `session_basis`, or of a phase that is still open the announced lock. With
    `Game.strict_evening` the session's overnight trading must begin after it, too. `deadline_day`
    of `rng.quote_session` comes to the same session: the difference is which deadlines a game may
    be given (`games.desk.opening`). `closed`: the closed days of its exchange, where the caller
    knows them. Raises `MarketError` where no session is found.
    """
    if exchange_of(game) == DEMO:
        return _demo_session(
            datetime.fromtimestamp((int(basis.timestamp()) // DEMO_EVERY + 1) * DEMO_EVERY, UTC)
        )
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
    """`basis` of a locked phase."""
    newest = phase.submissions.filter(late=False).aggregate(newest=Max("received_at"))["newest"]
    return basis(phase, newest)


def basis(phase: Phase, newest: datetime | None) -> datetime:
    """The instant after which the session of a locked phase opens.

    It is the announced deadline, hours of grace included, even where the lock came later; the lock,
    where the phase ended early; and in any case no earlier than the newest order that counts, whose
    sender must not know the sales. Clocks can be set back, so that an order in time may have come
    after either. `newest`: when the newest of these came, if any did.
    """
    assert phase.locked_at is not None, "an open phase has no session yet"
    closes = phase.closes_at
    lock = min(phase.locked_at, closes)
    return max(lock, newest) if newest else lock


def closures(first: date) -> dict[str, set[date]]:
    """The closed days of every exchange from a day on."""
    found: dict[str, set[date]] = {}
    rows = MarketClosure.objects.in_effect().filter(day__gte=first)
    for exchange, day in rows.values_list("exchange", "day"):
        found.setdefault(exchange, set()).add(day)
    return found


def closed_days(exchange: str, first: date, last: date) -> frozenset[date]:
    """Return the days from `first` to `last` that the exchange stays shut against its calendar."""
    closures = MarketClosure.objects.in_effect().filter(exchange=exchange, day__range=(first, last))
    return frozenset(closures.values_list("day", flat=True))


def session_from_label(exchange: str, label: str) -> Session:
    """Return the session with this label, by today's closures. Raises `MarketError` without one."""
    if exchange == DEMO:
        try:
            opens = datetime.strptime(label, _DEMO_LABEL).replace(tzinfo=UTC)
        except ValueError:
            raise MarketError(
                f"“{label}” is no session of {DEMO}: its sessions are called by their opening, like"
                " 2026-11-24T10:05:30Z."
            ) from None
        if int(opens.timestamp()) % DEMO_EVERY:
            raise MarketError(
                f"{DEMO} has no session at {label}: it opens every six seconds, at :00, :06 and"
                " so on."
            )
        return _demo_session(opens)
    try:
        day = date.fromisoformat(label)
    except ValueError:
        raise MarketError(
            f"“{label}” is no session of {exchange}: its sessions are called by their day, like"
            " 2026-11-24."
        ) from None
    if session := _session_on(exchange, day):
        return session
    raise MarketError(f"{exchange} has no session on {label}.")


def is_session_day(exchange: str, day: date, closed: Collection[date] | None = None) -> bool:
    """Whether the exchange trades on that day of its own zone. The demonstration exchange never
    rests. `closed`: its closed days, where the caller knows them."""
    return exchange == DEMO or _session_on(exchange, day, closed) is not None


def _session_on(exchange: str, day: date, closed: Collection[date] | None = None) -> Session | None:
    try:
        session = sessions.session_on(exchange, day)
    except NoSession as error:
        raise MarketError(str(error)) from error
    if session is None:
        return None
    return (
        None if day in (closed_days(exchange, day, day) if closed is None else closed) else session
    )


def _demo_session(opens: datetime) -> Session:
    return Session(DEMO, opens.strftime(_DEMO_LABEL), opens, opens + DEMO_LASTS)
