"""Settle the figures of phases from readings. Only this module writes `Figure` rows."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from games.models import Figure, Phase, Reading
from games.rules.sessions import Session
from games.rules.settling import (
    LATER,
    NEWSPAPER,
    NO_BAR,
    OK,
    PendingFigure,
    Policy,
    Settlement,
    compare,
    first_reading_time,
    is_listed,
    settle,
)

from . import rolls, witnesses
from .asking import SECONDS_TO_ASK, Key, Requests, keep, one_by_one, take
from .errors import MarketError, SessionChanged, Unsettled
from .policy import policy_for, session_of
from .sessions import DEMO
from .sources import PUBLISHERS, Source, second_source_for, source_for

#: How many stocks of the reserve list to read to find out whether the exchange opened at all.
PROBES = 2


@dataclass(frozen=True)
class Observation:
    """The state of a phase's figures.

    `settled`: shares by symbol, None for no usable report. `waiting`: the other symbols, in the
    requested order. `reasons` says why each waits. `overdue` are those whose time to give up has
    passed without an answer, so that a person should be notified. `needs` are those that only the
    gamesmaster can settle, with the reason. `next_look`: when to observe again; now or earlier
    means at once, because there was no time to read all; None if nothing waits.
    """

    settled: dict[str, int | None]
    waiting: tuple[str, ...]
    next_look: datetime | None
    reasons: dict[str, str] = field(default_factory=dict)
    overdue: tuple[str, ...] = ()
    needs: dict[str, str] = field(default_factory=dict)


class Figures:
    """The settled figures in the form the rules use (`games.rules.Volumes`)."""

    def __init__(self, settled: Mapping[str, int | None]) -> None:
        self._settled = dict(settled)

    def get(self, symbol: str, /) -> int | None:
        """Return shares sold, or None for no usable report. Raise `Unsettled` for a stock that has
        not settled."""
        if symbol not in self._settled:
            raise Unsettled(symbol)
        return self._settled[symbol]


def observe(
    phase: Phase, symbols: Iterable[str], now: datetime, until: float | None = None
) -> Observation:
    """Observe the stocks of one phase like `observe_all`. Raise `MarketError` for a phase without a
    session, and `SessionChanged` where its session changed meanwhile."""
    outcome = observe_all([(phase, symbols)], now, until)[phase.pk]
    if not isinstance(outcome, Observation):
        raise outcome
    return outcome


def observe_all(
    asked: Sequence[tuple[Phase, Iterable[str]]],
    now: datetime,
    until: float | None = None,
    requests: Requests | None = None,
) -> dict[int, Observation | MarketError | SessionChanged]:
    """Take the readings that are due for these stocks of phases, and settle what can be settled.

    1. A `Figure` of a phase is final.
    2. For other stocks, `settle` judges the stored readings (including those of other games with
       the same source, so that no source is asked twice within the retry time); those of a second
       source are judged separately, and `compare` compares both.
    3. Where a reading is due, the source is asked, the stock that has waited longest first, and the
       answer is stored as one `Reading` for all phases.
    4. Settled figures are written as `Figure` rows, once.

    This calls slow servers: use it outside of any transaction. `until`: the `time.monotonic()`
    after which no more stocks are requested, and no answer is awaited that a later call with the
    same `requests` may get. Return, by the phase's id, the observation, or the error: it has no
    session (`MarketError`), or its session changed meanwhile (`SessionChanged`). The number of
    queries does not depend on the number of phases by sales, except for one per requested stock.
    """
    until = time.monotonic() + SECONDS_TO_ASK if until is None else until
    symbols_by_phase = {phase.pk: tuple(dict.fromkeys(symbols)) for phase, symbols in asked}
    phases = {phase.pk: phase for phase, _ in asked}
    settled: dict[int, dict[str, int | None]] = {pk: {} for pk in phases}
    for figure in Figure.objects.filter(phase__in=phases):
        if figure.symbol in symbols_by_phase[figure.phase_id]:
            settled[figure.phase_id][figure.symbol] = figure.volume
    outcomes: dict[int, Observation | MarketError | SessionChanged] = {}
    by_sales: list[tuple[Phase, list[str]]] = []
    by_rolls: list[tuple[Phase, list[str]]] = []
    for pk, phase in phases.items():
        known = settled[pk]
        unsettled = [symbol for symbol in symbols_by_phase[pk] if symbol not in known]
        try:
            if not rolls.sales_decide(phase.game):
                by_rolls.append((phase, unsettled))
            else:
                session_of(phase)
                by_sales.append((phase, unsettled))
        except (MarketError, SessionChanged) as error:
            outcomes[pk] = error
    desks = _desks(by_sales)
    if requests is None:
        with Requests() as own:
            complete = _ask(desks, now, until, own)
    else:
        complete = _ask(desks, now, until, requests)
    unprobed = _probe(desks, now, until)
    verdicts = {desk.phase.pk: desk.verdicts(now) for desk in desks}
    rolled = rolls.readings_of(by_rolls, now) if by_rolls else {}
    frozen = _freeze_all(
        [
            (desk.phase, symbol, verdict)
            for desk in desks
            for symbol, verdict in verdicts[desk.phase.pk].items()
            if isinstance(verdict, Settlement)
        ]
        + [
            (phase, symbol, Settlement(reading.volume, HOW[reading.source], (reading,)))
            for phase, _ in by_rolls
            if isinstance(rolls_of_phase := rolled[phase.pk], dict)
            for symbol, reading in rolls_of_phase.items()
        ],
        now,
    )
    for phase, unsettled in by_rolls:
        rolls_of_phase = rolled[phase.pk]
        if not isinstance(rolls_of_phase, dict):
            outcomes[phase.pk] = rolls_of_phase
        elif rolls_of_phase and phase.pk not in frozen:
            outcomes[phase.pk] = SessionChanged()
        else:
            known = settled[phase.pk] | frozen.get(phase.pk, {})
            waiting = [symbol for symbol in unsettled if symbol not in rolls_of_phase]
            outcomes[phase.pk] = _observe_rolls(
                phase, symbols_by_phase[phase.pk], known, waiting, now
            )
    for desk in desks:
        pk = desk.phase.pk
        settles = any(isinstance(verdict, Settlement) for verdict in verdicts[pk].values())
        if settles and pk not in frozen:
            outcomes[pk] = SessionChanged()
            continue
        known = settled[pk] | frozen.get(pk, {})
        next_try = now + desk.policy.retry if complete else now
        seen = _observation(desk, symbols_by_phase[pk], known, verdicts[pk], next_try, now)
        outcomes[pk] = replace(seen, next_look=now) if pk in unprobed else seen
    return outcomes


def _observation(
    desk: _Desk,
    wanted: Sequence[str],
    settled: Mapping[str, int | None],
    verdicts: Mapping[str, Settlement | PendingFigure],
    put_off: datetime,
    now: datetime,
) -> Observation:
    waiting = {
        symbol: verdict
        for symbol, verdict in verdicts.items()
        if isinstance(verdict, PendingFigure)
    }
    looks = [
        verdict.next_look if verdict.next_look > now else put_off for verdict in waiting.values()
    ]
    return Observation(
        settled={symbol: settled[symbol] for symbol in wanted if symbol in settled},
        waiting=tuple(waiting),
        next_look=min(looks, default=None),
        reasons={symbol: verdict.reason for symbol, verdict in waiting.items()},
        overdue=tuple(waiting) if desk.is_over(now) else (),
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
    """Return the observation of a phase that sales do not decide: stored rolls settle at once, the
    others wait for the gamesmaster."""
    reasons = {symbol: f"roll {symbol.rpartition('-')[2]} is not in yet" for symbol in waiting}
    return Observation(
        settled={symbol: settled[symbol] for symbol in wanted if symbol in settled},
        waiting=tuple(waiting),
        next_look=now + policy_for(phase).retry if waiting else None,
        reasons=reasons,
        needs={
            symbol: f"{why}. Roll a ten-sided die for it and enter what it shows"
            for symbol, why in reasons.items()
        },
    )


@dataclass
class _Desk:
    """The readings of a phase's unsettled stocks, by source and stock, and the verdicts on them."""

    phase: Phase
    session: Session
    policy: Policy
    sources: tuple[Source, ...]
    stored: dict[
        str, dict[str, list[Reading]]
    ]  # by source; typed readings are with the game's own source

    @property
    def own(self) -> dict[str, list[Reading]]:
        """The readings of the game's own source."""
        return self.stored[self.phase.game.market]

    def is_over(self, now: datetime) -> bool:
        """Return whether the time to give up has passed."""
        limit = self.policy.give_up_after
        return limit is not None and now >= first_reading_time(self.policy, self.session) + limit

    def verdicts(self, now: datetime) -> dict[str, Settlement | PendingFigure]:
        verdicts = {symbol: self._verdict(symbol, now) for symbol in self.own}
        return verdicts | self.no_trading(now)

    def _verdict(self, symbol: str, now: datetime) -> Settlement | PendingFigure:
        source_verdicts = [
            settle(rows[symbol], self.session, self.policy) for rows in self.stored.values()
        ]
        if len(source_verdicts) == 2:
            first, second = (PUBLISHERS.get(name, name) for name in self.stored)
            verdict_of_both = compare(
                source_verdicts[0], source_verdicts[1], (first, second), over=self.is_over(now)
            )
            typed_readings = [
                reading for reading in self.own[symbol] if reading.source == NEWSPAPER
            ]
            return (
                settle(typed_readings, self.session, self.policy)
                if typed_readings and isinstance(verdict_of_both, PendingFigure)
                else verdict_of_both
            )
        verdict = source_verdicts[0]
        if not self.sources and isinstance(verdict, PendingFigure) and now >= self.session.closes:
            return replace(verdict, needs="enter its sales from your newspaper")
        return verdict

    def due(self, source: str, now: datetime) -> Iterator[tuple[datetime, str]]:
        """Yield the stocks to request from a source, each with the instant since when it is due."""
        for symbol, readings in self.stored[source].items():
            verdict = settle(readings, self.session, self.policy)
            decided = self._verdict(symbol, now)
            done = isinstance(decided, Settlement) or (bool(decided.needs) and bool(self.sources))
            if isinstance(verdict, PendingFigure) and not done and verdict.next_look <= now:
                yield verdict.next_look, symbol

    def no_trading(self, now: datetime) -> dict[str, PendingFigure]:
        """Return verdicts for the case that, unexpectedly, the exchange did not open that day.

        This is assumed if the source has no entry for any stock on that day: neither for the
        phase's stocks nor for the first of the reserve list (`_probe`). The phase must not go
        through the whole list in vain; it waits for the operator to enter the closure. Only stored
        readings are judged.
        """
        probes = self.probes(now)
        if not probes or any(self.newest_kind(symbol) != NO_BAR for symbol in probes):
            return {}
        source = self.sources[0]
        sentence = (
            f"{PUBLISHERS.get(source.name, source.name)} has no entry for any stock on"
            f" {self.session.label}"
        )
        needs = (
            f"{sentence}: the exchange seems not to have opened. If so, tell the operator, who can"
            " enter the day. Once the leading stocks show that nothing was traded, the next session"
            " decides"
        )
        return {
            symbol: PendingFigure(now + self.policy.retry, sentence, needs) for symbol in self.own
        }

    def probes(self, now: datetime) -> list[str]:
        """Return the first stocks of the reserve list if the exchange may not have opened.

        Empty where a stock has an entry for that day, and while the day's data may only be late.
        """
        newest = {symbol: readings[-1] for symbol, readings in self.own.items() if readings}
        first = first_reading_time(self.policy, self.session)
        no_entry = [
            symbol
            for symbol, reading in newest.items()
            if reading.kind == NO_BAR and reading.read_at >= first
        ]
        patience = self.policy.agree_after or timedelta(hours=1)
        if (
            now < first + patience
            or self.session.exchange == DEMO
            or not self.sources
            or not no_entry
            or len(no_entry) < len(self.own)
        ):
            return []
        probes = [symbol for symbol in self.phase.game.reserves if symbol not in self.own][:PROBES]
        has_sales = any(
            not self.policy.market or is_listed(row.facts, self.policy.market)
            for row in self._readings_of_day().filter(kind=OK)
        )
        if has_sales or Figure.objects.filter(phase=self.phase).exists():
            return []
        return probes

    def newest_kind(self, symbol: str) -> str | None:
        """Return the kind of the source's newest answer about a stock; None if there is none."""
        answers = self._readings_of_day().filter(symbol=symbol).exclude(kind=LATER)
        kind: str | None = answers.order_by("read_at", "pk").values_list("kind", flat=True).last()
        return kind

    def is_due(self, symbol: str, now: datetime) -> bool:
        """Return whether nobody has asked the source about a stock lately."""
        lately = now - self.policy.retry
        return not self._readings_of_day().filter(symbol=symbol, read_at__gt=lately).exists()

    def _readings_of_day(self) -> QuerySet[Reading]:
        return Reading.objects.filter(
            source=self.sources[0].name,
            game=None,
            exchange=self.session.exchange,
            session=self.session.label,
        )


def _desks(phases: Sequence[tuple[Phase, Sequence[str]]]) -> list[_Desk]:
    """Return a desk for each phase with the readings of its stocks, with one query. Every phase
    must have a session."""
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
    names |= {source.name for of_phase in sources.values() for source in of_phase}
    by_place: dict[tuple[Any, ...], list[Reading]] = {}
    if phases:
        rows = Reading.objects.filter(
            Q(source__in=names, game=None) | Q(source=NEWSPAPER, game__in=games),
            exchange__in={phase.exchange for phase, _ in phases},
            session__in={phase.session for phase, _ in phases},
            symbol__in={symbol for _, symbols in phases for symbol in symbols},
        )
        for row in rows.order_by("read_at", "pk"):
            owner = row.game_id if row.source == NEWSPAPER else row.source
            by_place.setdefault((owner, row.exchange, row.session, row.symbol), []).append(row)
    desks = []
    for phase, symbols in phases:
        own_source, *others = [
            phase.game.market,
            *(source.name for source in sources[phase.pk][1:]),
        ]
        place = phase.exchange, phase.session
        readings_by_source: dict[str, dict[str, list[Reading]]] = {
            name: {symbol: list(by_place.get((name, *place, symbol), ())) for symbol in symbols}
            for name in (own_source, *others)
        }
        for symbol, readings in readings_by_source[own_source].items():
            if typed_readings := by_place.get((phase.game_id, *place, symbol)):
                readings += typed_readings
                readings.sort(key=lambda row: (row.read_at, row.pk))
        desks.append(
            _Desk(
                phase,
                session_of(phase),
                policy_for(phase),
                tuple(sources[phase.pk]),
                readings_by_source,
            )
        )
    return desks


def _ask(desks: Sequence[_Desk], now: datetime, until: float, requests: Requests) -> bool:
    """Take the readings that are due, each stock once for all phases: the longest due first, but
    those without an answer last time at the end. Return whether all were requested.

    A source that allows one request at a time gets no more of them after a slow answer, so that
    phases whose stocks have been read need not wait for others.
    """
    for place in range(2):  # a game's own source, then its second one
        due: dict[Key, tuple[bool, datetime, list[_Desk]]] = {}
        for desk in desks:
            if place >= len(desk.sources):
                continue
            name = list(desk.stored)[place]
            for since, symbol in desk.due(name, now):
                did_not_answer = any(row.kind == LATER for row in desk.stored[name][symbol][-1:])
                key = desk.sources[place].name, desk.phase.exchange, desk.phase.session, symbol
                _, earliest, asking = due.get(key, (did_not_answer, since, []))
                due[key] = did_not_answer, min(earliest, since), [*asking, desk]
        waiting = sorted(due, key=lambda key: (due[key][:2], key))
        if waiting and time.monotonic() > until:
            return False
        for name in dict.fromkeys(key[0] for key in waiting):
            keys = [key for key in waiting if key[0] == name]
            source = due[keys[0]][2][0].sources[place]
            stocks = {key: due[key][2][0].session for key in keys}
            answers = (
                one_by_one(source, stocks, now, until)
                if source.at_once == 1
                else requests.answers(source, stocks, now, until)
            )
            pending, down = set(stocks), False
            for key, report in answers:
                pending.remove(key)
                reading = keep(source, stocks[key], key[-1], report, now)
                for desk in due[key][2]:
                    list(desk.stored.values())[place][key[-1]].append(reading)
                down = down or report.down
            if pending and not down:
                return False
    return True


def _probe(desks: Sequence[_Desk], now: datetime, until: float) -> set[int]:
    """Read the first stocks of the reserve list for phases whose exchange may not have opened.

    Return the ids of the phases for which no time was left. A stock that has an entry ends it.
    """
    unread = set()
    for desk in desks:
        for symbol in desk.probes(now):
            if desk.is_due(symbol, now):
                if time.monotonic() > until:
                    unread.add(desk.phase.pk)
                    break
                take(desk.sources[0], desk.session, symbol, now)
            if desk.newest_kind(symbol) != NO_BAR:
                break
    return unread


def verdicts_so_far(
    phase: Phase, symbols: Sequence[str], now: datetime
) -> dict[str, tuple[Settlement | PendingFigure, dict[str, list[Reading]]]]:
    """Return, by stock, the verdict on its stored readings, and these readings by source. No source
    is asked."""
    session_of(phase)
    (desk,) = _desks([(phase, symbols)])
    return {
        symbol: (verdict, {name: rows[symbol] for name, rows in desk.stored.items()})
        for symbol, verdict in desk.verdicts(now).items()
    }


def witness(phase: Phase, now: datetime, give_up: float) -> bool:
    """Take the witness readings of a phase that are due. They decide nothing. Return whether the
    source has answered for all stocks.

    Readings taken for other games since the due time also count. A stock without an answer is
    requested again after an hour. `give_up`: the `time.monotonic()` after which no more stocks are
    requested. This calls slow servers: use it outside of any transaction.
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
        keep(source, session, symbol, report, now)
        if report.kind == LATER:
            complete = False
        if report.down:
            break
    return complete


def _freeze_all(
    settled: Sequence[tuple[Phase, str, Settlement]], now: datetime
) -> dict[int, dict[str, int | None]]:
    """Write figures and return all figures of these phases, by the phase's id. Where another worker
    was first, its figure holds. Phases whose session changed meanwhile are left out.

    The rows of the phases are locked first, as a change of session does
    (`games.desk.session_changes`), so that figures always belong to the session that decides.
    """
    phases = {phase.pk: phase for phase, _, _ in settled}
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
        new_figures = [
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
            for phase, symbol, verdict in settled
            if phase.pk in held and symbol not in volumes[phase.pk]
        ]
        Figure.objects.bulk_create([figure for figure, _ in new_figures])
        through: Any = Figure.readings.through
        through.objects.bulk_create(
            through(figure=figure, reading=reading)
            for figure, verdict in new_figures
            # a reading may be both the first and the last
            for reading in {
                one.pk: one for one in verdict.readings if isinstance(one, Reading)
            }.values()
        )
    for figure, _ in new_figures:
        volumes[figure.phase_id][figure.symbol] = figure.volume
    return volumes
