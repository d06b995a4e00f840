"""Readings taken, and the figures that phases settle on: the only code that writes `Reading` and
`Figure` rows."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Self, TypeAlias

from django.db import transaction
from django.db.models import Q

from games.market.report import MOST_SHARES, Report
from games.models import Figure, Person, Phase, Reading
from games.rules.digits import beacon_number
from games.rules.sessions import Session
from games.rules.settling import (
    LATER,
    NEWSPAPER,
    NO_BAR,
    OK,
    Policy,
    Settled,
    Waiting,
    compare,
    first_reading_time,
    is_listed,
    settle,
)

from . import rolls, witnesses
from .errors import MarketError, SessionChanged, Unsettled
from .policy import policy_for
from .sessions import DEMO
from .sources import PUBLISHERS, Source, second_source_for, source_for

log = logging.getLogger(__name__)

#: After so many seconds no further stock is asked for in one operation: the phase's lease must
# outlast the slowest answer.
SECONDS_TO_ASK = 45.0
#: Seconds after which an answer is slow: phases that can be judged do not wait for it.
SLOW = 1.0
#: Of how many stocks of the reserve list it is asked whether the exchange opened at all.
PROBES = 2


@dataclass(frozen=True)
class Observation:
    """How far the figures of a phase are.

    `settled`: symbol to shares, None for no usable report. `waiting`: the others, in the order
    asked for; `reasons` says why, and `overdue` names those of them whose give-up time has passed
    without an answer, so that a person should be told; `needs` those that only the gamesmaster can
    settle, each with the reason. `next_look`: when to observe again (now or earlier: at once, there
    was no time to ask for all); None where nothing waits.
    """

    settled: dict[str, int | None]
    waiting: tuple[str, ...]
    next_look: datetime | None
    reasons: dict[str, str] = field(default_factory=dict)
    overdue: tuple[str, ...] = ()
    needs: dict[str, str] = field(default_factory=dict)


class Figures:
    """The settled figures as the rules take them (`games.rules.Volumes`)."""

    def __init__(self, settled: Mapping[str, int | None]) -> None:
        self._settled = dict(settled)

    def get(self, symbol: str, /) -> int | None:
        """Shares sold, None for no usable report. Raises `Unsettled` for a stock that is not known
        yet."""
        if symbol not in self._settled:
            raise Unsettled(symbol)
        return self._settled[symbol]


def observe(
    phase: Phase, symbols: Iterable[str], now: datetime, until: float | None = None
) -> Observation:
    """Observe the stocks of one phase as `observe_all` does. Raise `MarketError` for a phase that
    has no session yet, and `SessionChanged` where another was fixed meanwhile."""
    seen = observe_all([(phase, symbols)], now, until)[phase.pk]
    if not isinstance(seen, Observation):
        raise seen
    return seen


def observe_all(
    asked: Sequence[tuple[Phase, Iterable[str]]],
    now: datetime,
    until: float | None = None,
    requests: Requests | None = None,
) -> dict[int, Observation | MarketError | SessionChanged]:
    """Take the readings that are due for these stocks of phases, and settle what can be settled.

    1. A `Figure` of a phase is final. 2. For the rest, the readings in the record (those of other
       games with the same source too, so that nobody is asked twice within the retry time) are
       judged by `settle`, those of a second source by themselves, and both by `compare`. 3. Where a
       reading is due, the source is asked, the stock that has waited longest first, and the answer
       is kept as a `Reading`: one for all phases. 4. What settled is written as a `Figure`, once.

    Asks slow servers: call it outside of any transaction. `until`: the instant of
    `time.monotonic()` after which nothing more is asked for, and no answer waited for that a later
    look with the same `requests` may bring. Return by the number of the phase's row what was seen,
    or why nothing could be: it has no session yet, or another was fixed meanwhile
    (`SessionChanged`). However many phases by sales there are, the database is asked the
    same few questions, and once more for each stock that a source is asked for.
    """
    until = time.monotonic() + SECONDS_TO_ASK if until is None else until
    wanted = {phase.pk: tuple(dict.fromkeys(symbols)) for phase, symbols in asked}
    phases = {phase.pk: phase for phase, _ in asked}
    settled: dict[int, dict[str, int | None]] = {pk: {} for pk in phases}
    for figure in Figure.objects.filter(phase__in=phases):
        if figure.symbol in wanted[figure.phase_id]:
            settled[figure.phase_id][figure.symbol] = figure.volume
    seen: dict[int, Observation | MarketError | SessionChanged] = {}
    by_sales: list[tuple[Phase, list[str]]] = []
    by_rolls: list[tuple[Phase, list[str]]] = []
    for pk, phase in phases.items():
        known = settled[pk]
        open_ones = [symbol for symbol in wanted[pk] if symbol not in known]
        beacons = [
            symbol
            for symbol in open_ones
            if beacon_number(symbol) is not None and symbol in phase.game.reserves
        ]
        try:
            if not rolls.by_sales(phase.game):
                by_rolls.append((phase, open_ones))
            elif beacons:
                seen[pk] = _observe_beacon(phase, wanted[pk], known, beacons, now)
            else:
                session_of(phase)
                by_sales.append((phase, open_ones))
        except (MarketError, SessionChanged) as error:
            seen[pk] = error
    desks = _desks(by_sales)
    if requests is None:
        with Requests() as own:
            all_asked = _ask(desks, now, until, own)
    else:
        all_asked = _ask(desks, now, until, requests)
    verdicts = {desk.phase.pk: desk.verdicts(now) for desk in desks}
    rolled = rolls.readings_of(by_rolls, now) if by_rolls else {}
    frozen = _freeze_all(
        [
            (desk.phase, symbol, verdict)
            for desk in desks
            for symbol, verdict in verdicts[desk.phase.pk].items()
            if isinstance(verdict, Settled)
        ]
        + [
            (phase, symbol, Settled(reading.volume, HOW[reading.source], (reading,)))
            for phase, _ in by_rolls
            if isinstance(found := rolled[phase.pk], dict)
            for symbol, reading in found.items()
        ],
        now,
    )
    for phase, open_ones in by_rolls:
        found = rolled[phase.pk]
        if not isinstance(found, dict):
            seen[phase.pk] = found
        elif found and phase.pk not in frozen:
            seen[phase.pk] = SessionChanged()
        else:
            known = settled[phase.pk] | frozen.get(phase.pk, {})
            waiting = [symbol for symbol in open_ones if symbol not in found]
            seen[phase.pk] = _observe_rolls(phase, wanted[phase.pk], known, waiting, now)
    for desk in desks:
        pk = desk.phase.pk
        settles = any(isinstance(verdict, Settled) for verdict in verdicts[pk].values())
        if settles and pk not in frozen:
            seen[pk] = SessionChanged()
            continue
        known = settled[pk] | frozen.get(pk, {})
        put_off = now + desk.policy.retry if all_asked else now
        seen[pk] = _observation(desk, wanted[pk], known, verdicts[pk], put_off, now)
    return seen


def _observation(
    desk: _Desk,
    wanted: Sequence[str],
    settled: Mapping[str, int | None],
    verdicts: Mapping[str, Settled | Waiting],
    put_off: datetime,
    now: datetime,
) -> Observation:
    waiting = {
        symbol: verdict for symbol, verdict in verdicts.items() if isinstance(verdict, Waiting)
    }
    looks = [
        verdict.next_look if verdict.next_look > now else put_off for verdict in waiting.values()
    ]
    return Observation(
        settled={symbol: settled[symbol] for symbol in wanted if symbol in settled},
        waiting=tuple(waiting),
        next_look=min(looks, default=None),
        reasons={symbol: verdict.reason for symbol, verdict in waiting.items()},
        overdue=tuple(waiting) if desk.over(now) else (),
        needs={symbol: verdict.needs for symbol, verdict in waiting.items() if verdict.needs},
    )


#: Why a roll counts, by its source.
HOW = {rolls.SEED: "computed from the seed", rolls.DICE: "rolled by the gamesmaster"}


def _observe_rolls(
    phase: Phase,
    wanted: Sequence[str],
    settled: Mapping[str, int | None],
    waiting: Sequence[str],
    now: datetime,
) -> Observation:
    """Return the same where no sales decide: a roll that is there settles at once, and the next one
    that is not waits for the gamesmaster."""
    reasons = {symbol: f"roll {symbol.rpartition('-')[2]} is not in yet" for symbol in waiting}
    return Observation(
        settled={symbol: settled[symbol] for symbol in wanted if symbol in settled},
        waiting=tuple(waiting),
        next_look=now + policy_for(phase).retry if waiting else None,
        reasons=reasons,
        needs={
            symbol: f"{why}. Roll a die of ten faces for it, and type in what it shows"
            for symbol, why in reasons.items()
        },
    )


def _observe_beacon(
    phase: Phase,
    wanted: Sequence[str],
    settled: dict[str, int | None],
    beacons: Sequence[str],
    now: datetime,
) -> Observation:
    """Let digits of drand, with which lists of older games end, wait for the gamesmaster: drand is
    no longer asked."""
    why = "drand, which this game's list ends with, is no longer asked"
    return Observation(
        settled={symbol: settled[symbol] for symbol in wanted if symbol in settled},
        waiting=tuple(beacons),
        next_look=now + policy_for(phase).retry,
        reasons=dict.fromkeys(beacons, why),
        needs=dict.fromkeys(beacons, f"{why}. Rule at the desk which digit counts in its place"),
    )


@dataclass
class _Desk:
    """The readings of the stocks of one phase that have not settled, by source and stock, and what
    they come to."""

    phase: Phase
    session: Session
    policy: Policy
    sources: tuple[Source, ...]
    kept: dict[
        str, dict[str, list[Reading]]
    ]  # by source; those typed in stand with the game's own source

    @property
    def own(self) -> dict[str, list[Reading]]:
        """The readings of the game's own source."""
        return self.kept[self.phase.game.market]

    def over(self, now: datetime) -> bool:
        """Whether the give-up time has passed."""
        limit = self.policy.give_up_after
        return limit is not None and now >= first_reading_time(self.policy, self.session) + limit

    def verdicts(self, now: datetime) -> dict[str, Settled | Waiting]:
        verdicts = {symbol: self._verdict(symbol, now) for symbol in self.own}
        return verdicts | self.no_trading(verdicts, now)

    def _verdict(self, symbol: str, now: datetime) -> Settled | Waiting:
        each = [settle(rows[symbol], self.session, self.policy) for rows in self.kept.values()]
        if len(each) == 2:
            first, second = (PUBLISHERS.get(name, name) for name in self.kept)
            decided = compare(each[0], each[1], (first, second), over=self.over(now))
            typed = [reading for reading in self.own[symbol] if reading.source == NEWSPAPER]
            return (
                settle(typed, self.session, self.policy)
                if typed and isinstance(decided, Waiting)
                else decided
            )
        verdict = each[0]
        if not self.sources and isinstance(verdict, Waiting) and now >= self.session.closes:
            return replace(verdict, needs="type in its sales from your newspaper")
        return verdict

    def due(self, source: str, now: datetime) -> Iterator[tuple[datetime, str]]:
        """The stocks that a source is to be asked for, each with the instant since when."""
        for symbol, readings in self.kept[source].items():
            verdict = settle(readings, self.session, self.policy)
            decided = self._verdict(symbol, now)
            done = isinstance(decided, Settled) or (bool(decided.needs) and bool(self.sources))
            if isinstance(verdict, Waiting) and not done and verdict.next_look <= now:
                yield verdict.next_look, symbol

    def no_trading(
        self, verdicts: Mapping[str, Settled | Waiting], now: datetime
    ) -> dict[str, Waiting]:
        """Verdicts for the case that the exchange did not open at all that day, against what was
        known at the lock.

        So it looks where the source has no entry of any stock for the day: of none of ours, nor of
        the first of the reserve list, which are then asked for too. The phase must not go through
        the whole list in vain: it waits for the operator to enter the closure.
        """
        newest = {symbol: readings[-1] for symbol, readings in self.own.items() if readings}
        first = first_reading_time(self.policy, self.session)
        no_entry = [
            symbol
            for symbol, reading in newest.items()
            if reading.kind == NO_BAR and reading.read_at >= first
        ]
        patience = self.policy.agree_after or timedelta(hours=1)  # the whole day may only be late
        if (
            now < first + patience
            or self.session.exchange == DEMO
            or not self.sources
            or not no_entry
            or len(no_entry) < len(self.own)
        ):
            return {}
        source = self.sources[0]
        day = Reading.objects.filter(
            source=source.name,
            game=None,
            exchange=self.session.exchange,
            session=self.session.label,
        )
        others = [symbol for symbol in self.phase.game.reserves if symbol not in self.own][:PROBES]
        settled_ones = Figure.objects.filter(phase=self.phase)
        sold = any(
            not self.policy.market or is_listed(row.facts, self.policy.market)
            for row in day.filter(kind=OK)
        )
        if not others or settled_ones.exists() or sold:
            return {}
        for symbol in others:
            if not day.filter(symbol=symbol, read_at__gt=now - self.policy.retry).exists():
                report = source.read(symbol, self.session, now)
                _keep(source, self.session, symbol, report, now)
            if (
                day.filter(symbol=symbol)
                .exclude(kind=LATER)
                .order_by("read_at", "pk")
                .values_list("kind", flat=True)
                .last()
                != NO_BAR
            ):
                return {}
        said = (
            f"{PUBLISHERS.get(source.name, source.name)} has no entry of any stock for"
            f" {self.session.label}"
        )
        needs = (
            f"{said}: the exchange seems not to have opened. If so, tell the operator, who enters"
            " the day; once the leading stocks show that nothing was traded, the next session"
            " decides"
        )
        return {symbol: Waiting(now + self.policy.retry, said, needs) for symbol in self.own}


def _desks(phases: Sequence[tuple[Phase, Sequence[str]]]) -> list[_Desk]:
    """The readings of these stocks of phases with a session, by one query."""
    sources = {
        phase.pk: [
            source
            for source in (source_for(phase.game), second_source_for(phase.game))
            if source is not None
        ]
        for phase, _ in phases
    }
    games = [phase.game_id for phase, _ in phases]
    names = {phase.game.market for phase, _ in phases}
    names |= {source.name for found in sources.values() for source in found}
    found: dict[tuple[Any, ...], list[Reading]] = {}
    if phases:
        rows = Reading.objects.filter(
            Q(source__in=names, game=None) | Q(source=NEWSPAPER, game__in=games),
            exchange__in={phase.exchange for phase, _ in phases},
            session__in={phase.session for phase, _ in phases},
            symbol__in={symbol for _, symbols in phases for symbol in symbols},
        )
        for row in rows.order_by("read_at", "pk"):
            whose = row.game_id if row.source == NEWSPAPER else row.source
            found.setdefault((whose, row.exchange, row.session, row.symbol), []).append(row)
    desks = []
    for phase, symbols in phases:
        own, *others = [phase.game.market, *(source.name for source in sources[phase.pk][1:])]
        place = phase.exchange, phase.session
        kept: dict[str, dict[str, list[Reading]]] = {
            name: {symbol: list(found.get((name, *place, symbol), ())) for symbol in symbols}
            for name in (own, *others)
        }
        for symbol, readings in kept[own].items():
            if typed := found.get((phase.game_id, *place, symbol)):
                readings += typed
                readings.sort(key=lambda row: (row.read_at, row.pk))
        desks.append(
            _Desk(phase, session_of(phase), policy_for(phase), tuple(sources[phase.pk]), kept)
        )
    return desks


#: A stock that a source is asked for: the source's name, the exchange, the session, the symbol.
Key: TypeAlias = tuple[str, str, str, str]


class Requests:
    """Requests on their way to sources that may be asked for several stocks at once, each in a
    thread. As a context it makes no more of them at its end, and waits for those on their way."""

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
        """Ask for these stocks, in their order, and give the answers as they come, until all have
        come, or until an instant of `time.monotonic()`.

        Once the source does not answer at all, those that were not yet asked for are dropped.
        """
        threads = self._threads.setdefault(source.name, ThreadPoolExecutor(source.at_once))
        for key, session in stocks.items():
            if key not in self._running:
                self._running[key] = threads.submit(source.read, key[-1], session, now)
        waiting = {self._running[key]: key for key in stocks}
        while waiting:
            left = max(0.0, until - time.monotonic())
            done, _ = wait(waiting, timeout=left, return_when=FIRST_COMPLETED)
            if not done:
                return
            for future in done:
                key = waiting.pop(future)
                del self._running[key]
                report = future.result()
                yield key, report
                if report.down:
                    for other in [one for one in waiting if one.cancel()]:
                        del self._running[waiting.pop(other)]


def _ask(desks: Sequence[_Desk], now: datetime, until: float, requests: Requests) -> bool:
    """Take the readings that are due, each stock once for all phases: those that did not answer the
    last time come last, else the longest due first. Return whether all were asked for.

    Of a source that is asked for one stock after the other no more are asked for after a slow
    answer, so that phases whose stocks have been read need not wait for others.
    """
    for place in range(2):  # a game's own source, then its second one
        due: dict[Key, tuple[bool, datetime, list[_Desk]]] = {}
        for desk in desks:
            if place >= len(desk.sources):
                continue
            name = list(desk.kept)[place]
            for since, symbol in desk.due(name, now):
                failed = any(row.kind == LATER for row in desk.kept[name][symbol][-1:])
                key = desk.sources[place].name, desk.phase.exchange, desk.phase.session, symbol
                _, earliest, asking = due.get(key, (failed, since, []))
                due[key] = failed, min(earliest, since), [*asking, desk]
        waiting = sorted(due, key=lambda key: (due[key][:2], key))
        if waiting and time.monotonic() > until:
            return False
        for name in dict.fromkeys(key[0] for key in waiting):
            own = [key for key in waiting if key[0] == name]
            source = due[own[0]][2][0].sources[place]
            stocks = {key: due[key][2][0].session for key in own}
            answers = (
                _one_by_one(source, stocks, now, until)
                if source.at_once == 1
                else requests.answers(source, stocks, now, until)
            )
            left, down = set(stocks), False
            for key, report in answers:
                left.remove(key)
                reading = _keep(source, stocks[key], key[-1], report, now)
                for desk in due[key][2]:
                    list(desk.kept.values())[place][key[-1]].append(reading)
                down = down or report.down
            if left and not down:
                return False
    return True


def _one_by_one(
    source: Source, stocks: Mapping[Key, Session], now: datetime, until: float
) -> Iterator[tuple[Key, Report]]:
    """Ask for one stock after the other, until one is slow, the source is down, or an instant."""
    for key, session in stocks.items():
        began = time.monotonic()
        if began > until:
            return
        report = source.read(key[-1], session, now)
        yield key, report
        if report.down or time.monotonic() - began > SLOW:
            return


def so_far(
    phase: Phase, symbols: Sequence[str], now: datetime
) -> dict[str, tuple[Settled | Waiting, dict[str, list[Reading]]]]:
    """What the readings that are there come to, stock by stock, and these readings by their source.
    Nobody is asked."""
    session_of(phase)
    (desk,) = _desks([(phase, symbols)])
    return {
        symbol: (verdict, {name: rows[symbol] for name, rows in desk.kept.items()})
        for symbol, verdict in desk.verdicts(now).items()
    }


def witness(phase: Phase, now: datetime, give_up: float) -> bool:
    """Takes the witness readings of a phase that are due, which decide nothing. Returns whether the
    source has answered for all.

    What it has answered since, to whichever game, serves as well; where it gave no answer it is
    asked again after an hour. `give_up`: from when on, by `time.monotonic`, nobody is asked any
    more. Asks slow servers: call it outside of any transaction.
    """
    source, session = source_for(phase.game), session_of(phase)
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
        report = source.read(symbol, session, now)
        _keep(source, session, symbol, report, now)
        if report.kind == LATER:
            complete = False
        if report.down:
            break
    return complete


def session_of(phase: Phase) -> Session:
    """The session that was fixed for the phase at its lock. Raises `MarketError` where there is
    none."""
    if not phase.session or phase.session_opens is None or phase.session_closes is None:
        raise MarketError(f"{phase} has no trading session yet: it gets one when its orders lock.")
    return Session(phase.exchange, phase.session, phase.session_opens, phase.session_closes)


def enter_figure(
    phase: Phase, symbol: str, volume: int, by: Person, now: datetime, note: str = ""
) -> Reading:
    """The gamesmaster's own figure for a stock, in shares, from his newspaper: it settles the stock
    at the next look.

    Raises `MarketError` for anything but a whole number above zero, for a session that is not over,
    and for a stock that has settled.
    """
    if not isinstance(volume, int) or isinstance(volume, bool) or volume <= 0:
        raise MarketError(
            f"Sales are a whole number of shares above zero, not {volume!r}; a stock without a"
            " figure has no usable report."
        )
    if volume >= MOST_SHARES:
        raise MarketError(
            f"{volume:,} shares are more than were ever sold in a day; please look again."
        )
    if volume < (floor := policy_for(phase).floor):
        stock = symbol.strip().upper()
        raise MarketError(
            f"{volume:,} shares are fewer than {floor:,}, this game's floor. Enter “no report” for"
            f" {stock} instead."
        )
    return _enter(phase, symbol, Reading.Kind.OK, volume, by, now, note)


def enter_no_report(
    phase: Phase, symbol: str, by: Person, now: datetime, note: str = ""
) -> Reading:
    """The gamesmaster's word that his newspaper has no usable figure for a stock; the rules then go
    on to the next stock.

    A game by newspaper could not go on without it, for it never gives up by itself. Raises
    `MarketError` as `enter_figure` does.
    """
    return _enter(phase, symbol, Reading.Kind.NO_BAR, None, by, now, note)


def _enter(
    phase: Phase, symbol: str, kind: str, volume: int | None, by: Person, now: datetime, note: str
) -> Reading:
    symbol = symbol.strip().upper()
    session = session_of(phase)
    if not symbol or len(symbol) > 8:
        raise MarketError(f"“{symbol}” is no symbol of a stock.")
    if now < session.closes:
        raise MarketError(
            f"The session {session.label} is not over: nobody can know its sales before"
            f" {session.closes:%Y-%m-%d %H:%M} UTC."
        )
    if figure := Figure.objects.filter(phase=phase, symbol=symbol).first():
        raise MarketError(
            f"{figure} has settled already ({figure.reason}); what is settled only a ruling can put"
            " aside."
        )
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


def take(source: Source, session: Session, symbol: str, now: datetime) -> tuple[Reading, bool]:
    """Ask a source for one stock and keep its answer. Return also whether the source as a whole did
    not answer."""
    report = source.read(symbol, session, now)
    return _keep(source, session, symbol, report, now), report.down


def _keep(source: Source, session: Session, symbol: str, report: Report, now: datetime) -> Reading:
    log.info(
        "reading %s %s %s: %s %s",
        source.name,
        session.label,
        symbol,
        report.kind,
        report.detail or report.volume,
    )
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
        flag=report.flag,
        facts=report.facts,
    )


def _freeze_all(
    found: Sequence[tuple[Phase, str, Settled]], now: datetime
) -> dict[int, dict[str, int | None]]:
    """Write figures. Return all figures of these phases by the number of the phase's row; where
    another worker was first, its row holds. A phase is missing whose session was changed meanwhile.

    The rows of the phases are taken first, as a change of their session does
    (`games.desk.closures`): a figure is of the session that decides.
    """
    phases = {phase.pk: phase for phase, _, _ in found}
    if not phases:
        return {}
    with transaction.atomic():
        open_ones = Phase.objects.filter(pk__in=phases).exclude(status__in=Phase.CLOSED)
        rows = open_ones.select_for_update(no_key=True).order_by("pk")
        held = {
            pk
            for pk, *session in rows.values_list("pk", "session", "session_closes")
            if session == [phases[pk].session, phases[pk].session_closes]
        }
        volumes: dict[int, dict[str, int | None]] = {pk: {} for pk in held}
        for figure in Figure.objects.filter(phase__in=held):
            volumes[figure.phase_id][figure.symbol] = figure.volume
        fresh = [
            (
                Figure(
                    phase=phase,
                    symbol=symbol,
                    volume=verdict.volume,
                    reason=verdict.reason[:200],
                    settled_at=now,
                ),
                verdict,
            )
            for phase, symbol, verdict in found
            if phase.pk in held and symbol not in volumes[phase.pk]
        ]
        Figure.objects.bulk_create([figure for figure, _ in fresh])
        through: Any = Figure.readings.through
        through.objects.bulk_create(
            through(figure=figure, reading=reading)
            for figure, verdict in fresh
            # one may stand for the first and the last
            for reading in {
                one.pk: one for one in verdict.readings if isinstance(one, Reading)
            }.values()
        )
    for figure, _ in fresh:
        volumes[figure.phase_id][figure.symbol] = figure.volume
    return volumes
