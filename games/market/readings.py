"""Readings taken, and the figures that phases settle on: the only code that writes `Reading` and `Figure` rows."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from games.models import Figure, Person, Phase, Reading

from .errors import MarketError, Unsettled
from .policy import NEWSPAPER, Policy, first_reading_time, policy_of
from .sessions import Session
from .settle import Settled, Waiting, settle
from .sources import Report, Source, source_for

log = logging.getLogger(__name__)

#: After so many seconds no further stock is asked for in one operation: the phase's lease must outlast the slowest answer.
SECONDS_TO_ASK = 45.0
#: More than was ever sold of one stock in a day: a slip of the key, or the price of the whole company.
MOST_SHARES = 10**12


@dataclass(frozen=True)
class Observation:
    """How far the figures of a phase are.

    `settled`: symbol to shares, None for no usable report. `waiting`: the others, in the order asked for; `reasons` says why, and
    `overdue` names those of them whose give-up time has passed without an answer, so that a person should be told. `next_look`: when
    to observe again (now or earlier: at once, there was no time to ask for all); None where nothing waits.
    """

    settled: dict[str, int | None]
    waiting: tuple[str, ...]
    next_look: datetime | None
    reasons: dict[str, str] = field(default_factory=dict)
    overdue: tuple[str, ...] = ()


class Figures:
    """The settled figures as the rules take them (`games.rules.Volumes`)."""

    def __init__(self, settled: Mapping[str, int | None]) -> None:
        self._settled = dict(settled)

    def get(self, symbol: str, /) -> int | None:
        """Shares sold, None for no usable report. Raises `Unsettled` for a stock that is not known yet."""
        if symbol not in self._settled:
            raise Unsettled(symbol)
        return self._settled[symbol]


def observe(phase: Phase, symbols: Iterable[str], now: datetime) -> Observation:
    """Takes the readings that are due for these stocks, and settles what can be settled.

    1. A `Figure` of the phase is final. 2. For the rest, the readings in the record (those of other games with the same source too, so
    that nobody is asked twice within the retry time) are judged by `settle`. 3. Where a reading is due, the source is asked, the stock
    that has waited longest first, and the answer is kept as a `Reading`. 4. What settled is written as a `Figure`, once.

    Asks slow servers: call it outside of any transaction. Raises `MarketError` for a phase that has no session yet.
    """
    session = session_of(phase)
    policy = policy_of(phase.game)
    source = source_for(phase.game)
    wanted = tuple(dict.fromkeys(symbols))
    settled: dict[str, int | None] = dict(Figure.objects.filter(phase=phase, symbol__in=wanted).values_list("symbol", "volume"))
    open_ones = [symbol for symbol in wanted if symbol not in settled]
    readings = _readings(phase, session, open_ones)
    verdicts = {symbol: settle(readings[symbol], session, policy) for symbol in open_ones}

    put_off = now + policy.retry  # for stocks that could not be asked for now
    if source:
        started = time.monotonic()  # a length of time, not the time of day: the clock's one `now` holds for everything here
        for symbol in _due(verdicts, now):
            if time.monotonic() - started > SECONDS_TO_ASK:
                put_off = now
                break
            report = source.read(symbol, session, now)
            readings[symbol].append(_keep(source, session, symbol, report, now))
            verdicts[symbol] = settle(readings[symbol], session, policy)
            if report.down:
                break

    for symbol, verdict in verdicts.items():
        if isinstance(verdict, Settled):
            settled[symbol] = _freeze(phase, symbol, verdict, now)
    waiting = {symbol: verdict for symbol, verdict in verdicts.items() if isinstance(verdict, Waiting)}
    looks = [verdict.next_look if verdict.next_look > now else put_off for verdict in waiting.values()]
    return Observation(
        settled={symbol: settled[symbol] for symbol in wanted if symbol in settled},
        waiting=tuple(waiting),
        next_look=min(looks, default=None),
        reasons={symbol: verdict.reason for symbol, verdict in waiting.items()},
        overdue=tuple(waiting) if _given_up(session, policy, now) else (),
    )


def session_of(phase: Phase) -> Session:
    """The session that was fixed for the phase at its lock. Raises `MarketError` where there is none."""
    if not phase.session or phase.session_opens is None or phase.session_closes is None:
        raise MarketError(f"{phase} has no trading session yet: it gets one when its orders lock.")
    return Session(phase.exchange, phase.session, phase.session_opens, phase.session_closes)


def enter_figure(phase: Phase, symbol: str, volume: int, by: Person, now: datetime, note: str = "") -> Reading:
    """The gamesmaster's own figure for a stock, in shares, from his newspaper: it settles the stock at the next look.

    Raises `MarketError` for anything but a whole number above zero, for a session that is not over, and for a stock that has settled.
    """
    if not isinstance(volume, int) or isinstance(volume, bool) or volume <= 0:
        raise MarketError(f"Sales are a whole number of shares above zero, not {volume!r}; a stock without a figure has no usable report.")
    if volume > MOST_SHARES:
        raise MarketError(f"{volume:,} shares are more than were ever sold in a day; please look again.")
    return _enter(phase, symbol, Reading.Kind.OK, volume, by, now, note)


def enter_no_report(phase: Phase, symbol: str, by: Person, now: datetime, note: str = "") -> Reading:
    """The gamesmaster's word that his newspaper has no usable figure for a stock; the rules then go on to the next stock.

    A game by newspaper could not go on without it, for it never gives up by itself. Raises `MarketError` as `enter_figure` does.
    """
    return _enter(phase, symbol, Reading.Kind.NO_BAR, None, by, now, note)


def _enter(phase: Phase, symbol: str, kind: str, volume: int | None, by: Person, now: datetime, note: str) -> Reading:
    symbol = symbol.strip().upper()
    session = session_of(phase)
    if not symbol or len(symbol) > 8:
        raise MarketError(f"“{symbol}” is no symbol of a stock.")
    if now < session.closes:
        raise MarketError(f"The session {session.label} is not over: nobody can know its sales before {session.closes:%Y-%m-%d %H:%M} UTC.")
    if figure := Figure.objects.filter(phase=phase, symbol=symbol).first():
        raise MarketError(f"{figure} has settled already ({figure.reason}); what is settled only a ruling can put aside.")
    raw = {"note": note} if note else {}
    return Reading.objects.create(
        game=phase.game,
        source=NEWSPAPER,
        exchange=session.exchange,
        session=session.label,
        symbol=symbol,
        kind=kind,
        volume=volume,
        read_at=now,
        detail=note,
        raw=raw,
        entered_by=by,
    )


def _readings(phase: Phase, session: Session, symbols: list[str]) -> dict[str, list[Reading]]:
    """The record's readings by symbol: those of the game's source, shared by all games, and those typed in for this game."""
    whose = Q(source=phase.game.market, game=None) | Q(source=NEWSPAPER, game=phase.game)
    rows = Reading.objects.filter(whose, exchange=session.exchange, session=session.label, symbol__in=symbols).order_by("read_at", "pk")
    found: dict[str, list[Reading]] = {symbol: [] for symbol in symbols}
    for row in rows:
        found[row.symbol].append(row)
    return found


def _due(verdicts: Mapping[str, Settled | Waiting], now: datetime) -> list[str]:
    """Stocks to ask for, the longest due first: one that always fails must not keep the others from being asked for."""
    due = [(v.next_look, symbol) for symbol, v in verdicts.items() if isinstance(v, Waiting) and v.next_look <= now]
    return [symbol for _, symbol in sorted(due)]


def _keep(source: Source, session: Session, symbol: str, report: Report, now: datetime) -> Reading:
    log.info("reading %s %s %s: %s %s", source.name, session.label, symbol, report.kind, report.detail or report.volume)
    return Reading.objects.create(
        source=source.name,
        exchange=session.exchange,
        session=session.label,
        symbol=symbol,
        kind=report.kind,
        volume=report.volume,
        read_at=now,
        detail=report.detail,
        raw=report.raw,
    )


def _freeze(phase: Phase, symbol: str, verdict: Settled, now: datetime) -> int | None:
    """Writes the figure; where another worker was first, his row holds. `get_or_create` sets its own savepoint for the clash."""
    with transaction.atomic():
        figure, made = Figure.objects.get_or_create(
            phase=phase, symbol=symbol, defaults={"volume": verdict.volume, "reason": verdict.reason[:200], "settled_at": now}
        )
        if made:
            figure.readings.set([reading for reading in verdict.readings if isinstance(reading, Reading)])
    volume: int | None = figure.volume
    return volume


def _given_up(session: Session, policy: Policy, now: datetime) -> bool:
    return policy.give_up_after is not None and now >= first_reading_time(policy, session) + policy.give_up_after
