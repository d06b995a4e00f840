"""Request stocks from sources, several at once where allowed, and store the answers."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import datetime
from typing import Self, TypeAlias

from games.base.text import storable
from games.market.report import Report
from games.models import Phase, Reading
from games.rules.sessions import Session
from games.rules.settling import LATER, UNKNOWN

from . import listings, sources, witnesses
from .policy import session_of
from .sources import Source

log = logging.getLogger(__name__)

#: Seconds after which an operation requests no more stocks, because the phase's lease must outlast
#: the slowest answer.
SECONDS_TO_ASK = 45.0
#: Seconds after which an answer is slow: phases that can be judged do not wait for it.
SLOW = 1.0

#: A request: the source's name, the exchange, the session, the symbol.
Key: TypeAlias = tuple[str, str, str, str]


class Requests:
    """Pending requests to sources that allow several at once, each in a thread. A context manager:
    on exit it cancels requests that have not started and waits for the others."""

    def __init__(self) -> None:
        self._threads: dict[str, ThreadPoolExecutor] = {}
        self._running: dict[Key, Future[Report]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for threads in self._threads.values():
            threads.shutdown(cancel_futures=True)

    def answers(
        self, source: Source, stocks: Mapping[Key, Session], now: datetime, until: float
    ) -> Iterator[tuple[Key, Report]]:
        """Request these stocks in order and yield the answers as they arrive, until all have
        arrived or `time.monotonic()` reaches `until`.

        If the source turns out to be down, requests that have not started are dropped.
        """
        threads = self._threads.setdefault(source.name, ThreadPoolExecutor(source.at_once))
        for key, session in stocks.items():
            if key not in self._running:
                self._running[key] = threads.submit(source.read, key[-1], session, now)
        waiting = {self._running[key]: key for key in stocks}
        while waiting:
            seconds_left = max(0.0, until - time.monotonic())
            done, _ = wait(waiting, timeout=seconds_left, return_when=FIRST_COMPLETED)
            if not done:
                return
            for future in done:
                key = waiting.pop(future)
                del self._running[key]
                report = future.result()
                yield key, report
                if report.down:
                    for other in [
                        waiting_future for waiting_future in waiting if waiting_future.cancel()
                    ]:
                        del self._running[waiting.pop(other)]


def one_by_one(
    source: Source, stocks: Mapping[Key, Session], now: datetime, until: float
) -> Iterator[tuple[Key, Report]]:
    """Request one stock after the other, until one is slow, the source is down, or
    `time.monotonic()` reaches `until`."""
    for key, session in stocks.items():
        began = time.monotonic()
        if began > until:
            return
        report = source.read(key[-1], session, now)
        yield key, report
        if report.down or time.monotonic() - began > SLOW:
            return


def take(source: Source, session: Session, symbol: str, now: datetime) -> tuple[Reading, bool]:
    """Request one stock from a source and store the answer. Return the reading and whether the
    source is down."""
    report = source.read(symbol, session, now)
    return keep(source, session, symbol, report, now), report.down


def keep(source: Source, session: Session, symbol: str, report: Report, now: datetime) -> Reading:
    """Store an answer. With "unknown" goes where the service itself had found the symbol before.

    A publisher may send anything: what cannot be stored is replaced.
    """
    facts, detail = storable(report.facts), storable(report.detail)
    if report.kind == UNKNOWN and (listed := listings.listed_before(symbol, session)):
        facts["listed"] = listed
    log.info(
        "reading %s %s %s: %s %s",
        source.name,
        session.label,
        symbol,
        report.kind,
        detail or report.volume,
    )
    return Reading.objects.create(
        source=source.name,
        exchange=session.exchange,
        session=session.label,
        symbol=symbol,
        kind=report.kind,
        volume=report.volume,
        read_at=now,
        detail=detail,
        raw=storable(report.raw),
        flag=report.flag,
        facts=facts,
    )


def witness(phase: Phase, now: datetime, give_up: float) -> bool:
    """Take the witness readings of a phase that are due. They decide nothing. Return whether the
    source has answered for all stocks.

    Readings taken for other games since the due time also count. A stock without an answer is
    requested again after an hour. `give_up`: the `time.monotonic()` after which no more stocks are
    requested. This calls slow servers: use it outside of any transaction.
    """
    source, session = sources.source_for(phase.game), session_of(phase)
    since = witnesses.latest(session, phase.first_reading_at, now)
    if source is None or since is None:
        return True
    rows = Reading.objects.filter(
        source=source.name, game=None, exchange=session.exchange, session=session.label
    )
    complete = True
    for symbol in witnesses.stocks(phase, since):
        read = rows.filter(symbol=symbol, read_at__gte=since)
        if read.exclude(kind=LATER).exists():
            continue
        if read.filter(read_at__gt=now - witnesses.EVERY).exists() or time.monotonic() > give_up:
            complete = False
            continue
        reading, down = take(source, session, symbol, now)
        if reading.kind == LATER:
            complete = False
        if down:
            break
    return complete
