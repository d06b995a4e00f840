"""Readings taken, and the figures that phases settle on: the only code that writes `Reading` and
`Figure` rows."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

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
from .drand import Drand
from .errors import MarketError, SessionChanged, Unsettled
from .policy import policy_for
from .sessions import DEMO
from .sources import PUBLISHERS, Source, second_source_for, source_for

log = logging.getLogger(__name__)

#: After so many seconds no further stock is asked for in one operation: the phase's lease must
# outlast the slowest answer.
SECONDS_TO_ASK = 45.0
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
        """Return shares sold, None for no usable report. Raises `Unsettled` for others."""
        if symbol not in self._settled:
            raise Unsettled(symbol)
        return self._settled[symbol]


def observe(
    phase: Phase, symbols: Iterable[str], now: datetime, until: float | None = None
) -> Observation:
    """Takes the readings that are due for these stocks, and settles what can be settled.

    1. A `Figure` of the phase is final. 2. For the rest, the readings in the record (those of other
       games with the same source too, so that nobody is asked twice within the retry time) are
       judged by `settle`, those of a second source by themselves, and both by `compare`. 3. Where a
       reading is due, the source is asked, the stock that has waited longest first, and the answer
       is kept as a `Reading`. 4. What settled is written as a `Figure`, once.

    Asks slow servers: call it outside of any transaction. `until`: the instant of
    `time.monotonic()` after which nothing more is asked for. Raises `MarketError` for a phase
    that has no session yet, and `SessionChanged` where another was fixed meanwhile.
    """
    wanted = tuple(dict.fromkeys(symbols))
    settled: dict[str, int | None] = dict(
        Figure.objects.filter(phase=phase, symbol__in=wanted).values_list("symbol", "volume")
    )
    open_ones = [symbol for symbol in wanted if symbol not in settled]
    if not rolls.by_sales(phase.game):
        return _observe_rolls(phase, wanted, settled, open_ones, now)
    beacons = [
        symbol
        for symbol in open_ones
        if beacon_number(symbol) is not None and symbol in phase.game.reserves
    ]
    if beacons:
        return _observe_beacon(phase, wanted, settled, beacons, now)
    desk = _Desk.of(phase, open_ones, now)
    put_off = desk.ask(now, time.monotonic() + SECONDS_TO_ASK if until is None else until)
    verdicts = desk.verdicts(now)
    if closed := desk.no_trading(verdicts, now):
        verdicts |= closed
    for symbol, verdict in verdicts.items():
        if isinstance(verdict, Settled):
            settled[symbol] = _freeze(phase, symbol, verdict, now)
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


def _observe_rolls(
    phase: Phase,
    wanted: Sequence[str],
    settled: dict[str, int | None],
    open_ones: Sequence[str],
    now: datetime,
) -> Observation:
    """The same where no sales decide: a roll that is there settles at once, and the next one that
    is not waits for the gamesmaster."""
    waiting: dict[str, str] = {}
    for symbol in open_ones:
        reading = rolls.reading_of(phase, symbol, now)
        if reading is None:
            waiting[symbol] = f"roll {symbol.rpartition('-')[2]} is not in yet"
        else:
            by_seed = reading.source == rolls.SEED
            how = "computed from the seed" if by_seed else "rolled by the gamesmaster"
            settled[symbol] = _freeze(phase, symbol, Settled(reading.volume, how, (reading,)), now)
    return Observation(
        settled={symbol: settled[symbol] for symbol in wanted if symbol in settled},
        waiting=tuple(waiting),
        next_look=now + policy_for(phase).retry if waiting else None,
        reasons=waiting,
        needs={
            symbol: f"{why}. Roll a die of ten faces for it, and type in what it shows"
            for symbol, why in waiting.items()
        },
    )


def _observe_beacon(
    phase: Phase,
    wanted: Sequence[str],
    settled: dict[str, int | None],
    beacons: Sequence[str],
    now: datetime,
) -> Observation:
    """The same for the last resort, which comes only when every stock before it has settled: a
    signed round settles at once."""
    session, policy, source = session_of(phase), policy_for(phase), Drand()
    waiting: dict[str, str] = {}
    for symbol in beacons:
        known = _shared(source, session).filter(symbol=symbol)
        reading = known.filter(kind=OK).order_by("pk").first()
        if reading is None and not known.filter(read_at__gt=now - policy.retry).exists():
            reading = _keep(source, session, symbol, source.read(symbol, session, now), now)
        if reading is None or reading.volume is None:
            waiting[symbol] = reading.detail if reading is not None else "drand did not answer"
            continue
        verdict = Settled(reading.volume, f"{reading.detail}, signature checked", (reading,))
        settled[symbol] = _freeze(phase, symbol, verdict, now)
    return Observation(
        settled={symbol: settled[symbol] for symbol in wanted if symbol in settled},
        waiting=tuple(waiting),
        next_look=now + policy.retry if waiting else None,
        reasons=waiting,
        overdue=tuple(waiting),
    )


def _shared(source: Source, session: Session) -> QuerySet[Reading]:
    """Readings of a session by a source, which serve all games alike."""
    place = {"exchange": session.exchange, "session": session.label}
    return Reading.objects.filter(source=source.name, game=None, **place)


@dataclass
class _Desk:
    """The readings of a phase's unsettled stocks, by source and stock, and what they come to."""

    phase: Phase
    session: Session
    policy: Policy
    sources: tuple[Source, ...]
    #: By source; those typed in stand with the game's own source.
    kept: dict[str, dict[str, list[Reading]]]

    @classmethod
    def of(cls, phase: Phase, symbols: Sequence[str], now: datetime) -> _Desk:
        session, game = session_of(phase), phase.game
        sources = tuple(
            source for source in (source_for(game), second_source_for(game)) if source is not None
        )
        names = [game.market, *(source.name for source in sources[1:])]
        found: dict[str, dict[str, list[Reading]]] = {
            name: {symbol: [] for symbol in symbols} for name in names
        }
        whose = Q(source__in=names, game=None) | Q(source=NEWSPAPER, game=game)
        rows = Reading.objects.filter(
            whose, exchange=session.exchange, session=session.label, symbol__in=symbols
        )
        for row in rows.order_by("read_at", "pk"):
            found[names[0] if row.source == NEWSPAPER else row.source][row.symbol].append(row)
        return cls(phase, session, policy_for(phase), sources, found)

    @property
    def own(self) -> dict[str, list[Reading]]:
        """The readings of the game's own source."""
        return self.kept[self.phase.game.market]

    def over(self, now: datetime) -> bool:
        """Whether the give-up time has passed."""
        limit = self.policy.give_up_after
        return limit is not None and now >= first_reading_time(self.policy, self.session) + limit

    def verdicts(self, now: datetime) -> dict[str, Settled | Waiting]:
        return {symbol: self._verdict(symbol, now) for symbol in self.own}

    def _verdict(self, symbol: str, now: datetime) -> Settled | Waiting:
        each = [settle(rows[symbol], self.session, self.policy) for rows in self.kept.values()]
        if len(each) == 2:
            first, second = (PUBLISHERS.get(name, name) for name in self.kept)
            decided = compare(each[0], each[1], (first, second), over=self.over(now))
            typed = [reading for reading in self.own[symbol] if reading.source == NEWSPAPER]
            if typed and isinstance(decided, Waiting):
                return settle(typed, self.session, self.policy)
            return decided
        verdict = each[0]
        if not self.sources and isinstance(verdict, Waiting) and now >= self.session.closes:
            return replace(verdict, needs="type in its sales from your newspaper")
        return verdict

    def ask(self, now: datetime, until: float) -> datetime:
        """Take readings that are due. Return when to look for stocks that were not asked for."""
        for source, rows in zip(self.sources, self.kept.values(), strict=False):
            for symbol in self._due(rows, now):
                if time.monotonic() > until:
                    return now
                report = source.read(symbol, self.session, now)
                rows[symbol].append(_keep(source, self.session, symbol, report, now))
                if report.down:
                    break
        return now + self.policy.retry

    def _due(self, rows: Mapping[str, list[Reading]], now: datetime) -> list[str]:
        """Return stocks to ask for, the longest due first, so that no failing one blocks others."""
        due = []
        for symbol, readings in rows.items():
            verdict = settle(readings, self.session, self.policy)
            decided = self._verdict(symbol, now)
            done = isinstance(decided, Settled) or (bool(decided.needs) and bool(self.sources))
            if isinstance(verdict, Waiting) and not done and verdict.next_look <= now:
                due.append((verdict.next_look, symbol))
        return [symbol for _, symbol in sorted(due)]

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
        day = _shared(source, self.session)
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
            answers = day.filter(symbol=symbol).exclude(kind=LATER).order_by("read_at", "pk")
            if answers.values_list("kind", flat=True).last() != NO_BAR:
                return {}
        publisher = PUBLISHERS.get(source.name, source.name)
        said = f"{publisher} has no entry of any stock for {self.session.label}"
        needs = (
            f"{said}: the exchange seems not to have opened. If so, tell the operator, who enters"
            " the day; once the leading stocks show that nothing was traded, the next session"
            " decides"
        )
        return {symbol: Waiting(now + self.policy.retry, said, needs) for symbol in self.own}


def so_far(
    phase: Phase, symbols: Sequence[str], now: datetime
) -> dict[str, tuple[Settled | Waiting, dict[str, list[Reading]]]]:
    """Return what each stock's readings come to, and these readings by source. Nobody is asked."""
    desk = _Desk.of(phase, symbols, now)
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
    rows = _shared(source, session)
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
    """Return the session fixed at the phase's lock. Raises `MarketError` where there is none."""
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
        without = "a stock without a figure has no usable report"
        raise MarketError(
            f"Sales are a whole number of shares above zero, not {volume!r}; {without}."
        )
    if volume >= MOST_SHARES:
        more = "are more than were ever sold in a day; please look again"
        raise MarketError(f"{volume:,} shares {more}.")
    if volume < (floor := policy_for(phase).floor):
        instead = f"Enter “no report” for {symbol.strip().upper()} instead."
        raise MarketError(
            f"{volume:,} shares are fewer than {floor:,}, this game's floor. {instead}"
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
        known = f"nobody can know its sales before {session.closes:%Y-%m-%d %H:%M} UTC"
        raise MarketError(f"The session {session.label} is not over: {known}.")
    if figure := Figure.objects.filter(phase=phase, symbol=symbol).first():
        settled = f"{figure} has settled already ({figure.reason})"
        raise MarketError(f"{settled}; what is settled only a ruling can put aside.")
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
        raw={"note": note} if note else {},
        entered_by=by,
    )


def take(source: Source, session: Session, symbol: str, now: datetime) -> tuple[Reading, bool]:
    """Ask a source for one stock and keep its answer. Return also whether the source is down."""
    report = source.read(symbol, session, now)
    return _keep(source, session, symbol, report, now), report.down


def _keep(source: Source, session: Session, symbol: str, report: Report, now: datetime) -> Reading:
    said = report.detail or report.volume
    log.info("reading %s %s %s: %s %s", source.name, session.label, symbol, report.kind, said)
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


def _freeze(phase: Phase, symbol: str, verdict: Settled, now: datetime) -> int | None:
    """Writes the figure; where another worker was first, his row holds. `get_or_create` sets its
    own savepoint for the clash.

    The phase's row is taken first, as a change of its session does (`games.desk.closures`): a
    figure is of the session that decides.
    """
    with transaction.atomic():
        session = {"session": phase.session, "session_closes": phase.session_closes}
        # Of a closed phase the record hash has covered the figures.
        same = Phase.objects.filter(pk=phase.pk, **session).exclude(status__in=Phase.CLOSED)
        if same.update(session=phase.session) != 1:
            raise SessionChanged
        figure, made = Figure.objects.get_or_create(
            phase=phase,
            symbol=symbol,
            defaults={"volume": verdict.volume, "reason": verdict.reason[:200], "settled_at": now},
        )
        if made:
            rests_on = [one for one in verdict.readings if isinstance(one, Reading)]
            figure.readings.set(rests_on)
    volume: int | None = figure.volume
    return volume
