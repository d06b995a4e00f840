"""Settle phases by sales: ask the sources for the readings that are due, and judge them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from games.models import Figure, Phase, Reading
from games.rules.markets import market_of
from games.rules.sessions import DEMO, Session
from games.rules.settling import (
    LATER,
    NEWSPAPER,
    NO_BAR,
    OK,
    PUBLISHERS,
    PendingFigure,
    Policy,
    Settlement,
    compare,
    first_reading_time,
    is_listed,
    settle,
)

from . import bank, sources
from .asking import Key, Requests, keep, one_by_one, take
from .policy import policy_for, session_of
from .sources import Source

#: How many other stocks to read to find out whether the exchange opened at all.
PROBES = 2
#: By stock.
Verdicts = Mapping[str, Settlement | PendingFigure]


@dataclass
class Inquiry:
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

    def verdicts(self, now: datetime) -> Verdicts:
        """Return the verdict on each stock by itself. Only stored readings are judged."""
        return {symbol: self._verdict(symbol, now) for symbol in self.own}

    def verdicts_together(self, verdicts: Verdicts, now: datetime) -> Verdicts:
        """Return the verdicts that hold, given those on each stock by itself.

        A stock has no usable report only on a day that is known to be one of trading. If the
        exchange, unexpectedly, did not open, the phase must not go through the whole reserve list
        in vain, and no figure may settle: it would keep the phase from the next session. So such
        stocks wait for sales of any stock. Once the source has answered about each probe, they wait
        for the operator, who can enter the closure. What the gamesmaster has entered stands.
        """
        if not self.is_trading_unknown(verdicts, now):
            return verdicts
        source = self.sources[0]
        sentence = (
            f"{PUBLISHERS.get(source.name, source.name)} has no sales of any stock on"
            f" {self.session.label}"
        )
        needs = (
            f"{sentence}: the exchange seems not to have opened. If so, tell the operator, who can"
            " enter the day. Once the leading stocks have sales of the next session, and still none"
            " of this one, the next session decides"
        )
        asked = all(self.newest_kind(symbol) is not None for symbol in self.probes())
        wait = PendingFigure(now + self.policy.retry, sentence, needs if asked else "")
        return {
            symbol: wait if _is_without_report(verdict) or self._lacks_entry(symbol) else verdict
            for symbol, verdict in verdicts.items()
        }

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
            if isinstance(verdict, Settlement) or verdict.next_look > now:
                continue
            decided = self._verdict(symbol, now)
            done = isinstance(decided, Settlement) or (bool(decided.needs) and bool(self.sources))
            if not done:
                yield verdict.next_look, symbol

    def is_trading_unknown(self, verdicts: Verdicts, now: datetime) -> bool:
        """Return whether stocks lack a report and nothing shows that the exchange opened that day.

        Sales of any stock show it, also those read for other games. A phase of which a figure has
        settled keeps its session, so that there is nothing to find out.
        """
        first = first_reading_time(self.policy, self.session)
        patience = self.policy.agree_after or timedelta(hours=1)
        if now < first or self.session.exchange == DEMO or not self.sources:
            return False
        if not any(
            _is_without_report(verdict) or (now >= first + patience and self._lacks_entry(symbol))
            for symbol, verdict in verdicts.items()
        ):
            return False
        traded = any(
            not self.policy.market or is_listed(row.facts, self.policy.market)
            for row in self._readings_of_day(*self.sources).filter(kind=OK)
        )
        return not traded and not Figure.objects.filter(phase=self.phase).exists()

    def _lacks_entry(self, symbol: str) -> bool:
        """Return whether the source, when it last answered, had no entry for a stock."""
        first = first_reading_time(self.policy, self.session)
        answers = [reading for reading in self.own[symbol] if reading.kind != LATER]
        return bool(answers) and (
            answers[-1].source != NEWSPAPER
            and answers[-1].kind == NO_BAR
            and answers[-1].read_at >= first
        )

    def probes(self) -> list[str]:
        """Return the stocks to ask for whether the exchange opened: the first ones that the phase
        does not wait for, of the reserve list and, where it is used up, of the market's leading
        stocks."""
        leading = bank.usual(market_of(self.phase.game.options))
        symbols = dict.fromkeys([*self.phase.game.reserves, *leading])
        return [symbol for symbol in symbols if symbol not in self.own][:PROBES]

    def newest_kind(self, symbol: str) -> str | None:
        """Return the kind of the source's newest answer about a stock; None if there is none."""
        answers = self._readings_of_day(self.sources[0]).filter(symbol=symbol).exclude(kind=LATER)
        kind: str | None = answers.order_by("read_at", "pk").values_list("kind", flat=True).last()
        return kind

    def is_due(self, symbol: str, now: datetime) -> bool:
        """Return whether nobody has asked the source about a stock lately."""
        lately = now - self.policy.retry
        rows = self._readings_of_day(self.sources[0])
        return not rows.filter(symbol=symbol, read_at__gt=lately).exists()

    def _readings_of_day(self, *sources: Source) -> QuerySet[Reading]:
        return Reading.objects.filter(
            source__in=[source.name for source in sources],
            game=None,
            exchange=self.session.exchange,
            session=self.session.label,
        )


def _is_without_report(verdict: Settlement | PendingFigure) -> bool:
    """Return whether a stock has no usable report by what its source has said."""
    return (
        isinstance(verdict, Settlement)
        and verdict.volume is None
        and all(reading.source != NEWSPAPER for reading in verdict.readings)
    )


def inquiries_of(phases: Sequence[tuple[Phase, Sequence[str]]]) -> list[Inquiry]:
    """Return an inquiry for each phase with the readings of its stocks, with one query. Every phase
    must have a session."""
    sources_by_phase = {
        phase.pk: [
            source
            for source in (
                sources.source_for(phase.game),
                sources.second_source_for(phase.game),
            )
            if source is not None
        ]
        for phase, _ in phases
    }
    games = [phase.game_id for phase, _ in phases]
    names = {phase.game.market for phase, _ in phases}
    names |= {source.name for of_phase in sources_by_phase.values() for source in of_phase}
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
    inquiries = []
    for phase, symbols in phases:
        own_source, *others = [
            phase.game.market,
            *(source.name for source in sources_by_phase[phase.pk][1:]),
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
        inquiries.append(
            Inquiry(
                phase,
                session_of(phase),
                policy_for(phase),
                tuple(sources_by_phase[phase.pk]),
                readings_by_source,
            )
        )
    return inquiries


def ask(inquiries: Sequence[Inquiry], now: datetime, until: float, requests: Requests) -> bool:
    """Take the readings that are due, each stock once for all phases: the longest due first, but
    those without an answer last time at the end. Return whether all were requested.

    A source that allows one request at a time gets no more of them after a slow answer, so that
    phases whose stocks have been read need not wait for others.
    """
    for place in range(2):  # a game's own source, then its second one
        due: dict[Key, tuple[bool, datetime, list[Inquiry]]] = {}
        for inquiry in inquiries:
            if place >= len(inquiry.sources):
                continue
            name, phase = list(inquiry.stored)[place], inquiry.phase
            for since, symbol in inquiry.due(name, now):
                did_not_answer = any(row.kind == LATER for row in inquiry.stored[name][symbol][-1:])
                key = inquiry.sources[place].name, phase.exchange, phase.session, symbol
                _, earliest, asking = due.get(key, (did_not_answer, since, []))
                due[key] = did_not_answer, min(earliest, since), [*asking, inquiry]
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
                for inquiry in due[key][2]:
                    list(inquiry.stored.values())[place][key[-1]].append(reading)
                down = down or report.down
            if pending and not down:
                return False
    return True


def probe(inquiries: Iterable[tuple[Inquiry, Verdicts]], now: datetime, until: float) -> set[int]:
    """Read other stocks for phases whose exchange may not have opened, until one has sales.

    Each inquiry comes with the verdicts on its stocks, each by itself. Return the ids of the phases
    for which no time was left.
    """
    unread = set()
    for inquiry, verdicts in inquiries:
        for symbol in inquiry.probes():
            if not inquiry.is_trading_unknown(verdicts, now):
                break
            if inquiry.is_due(symbol, now):
                if time.monotonic() > until:
                    unread.add(inquiry.phase.pk)
                    break
                take(inquiry.sources[0], inquiry.session, symbol, now)
    return unread


def verdicts_so_far(
    phase: Phase, symbols: Sequence[str], now: datetime
) -> dict[str, tuple[Settlement | PendingFigure, dict[str, list[Reading]]]]:
    """Return, by stock, the verdict on its stored readings, and these readings by source. No source
    is asked."""
    session_of(phase)
    (inquiry,) = inquiries_of([(phase, symbols)])
    return {
        symbol: (verdict, {name: rows[symbol] for name, rows in inquiry.stored.items()})
        for symbol, verdict in inquiry.verdicts_together(inquiry.verdicts(now), now).items()
    }
