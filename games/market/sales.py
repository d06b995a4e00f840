"""Settle phases by sales: ask the sources for the readings that are due, and judge them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

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

from . import sources
from .asking import Key, Requests, keep, one_by_one, take
from .policy import policy_for, session_of
from .sessions import DEMO
from .sources import PUBLISHERS, Source

#: How many stocks of the reserve list to read to find out whether the exchange opened at all.
PROBES = 2


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
        phase's stocks nor for the first of the reserve list (`probe`). The phase must not go
        through the whole list in vain; it waits for the operator to enter the closure. What the
        gamesmaster has entered for a stock stands. Only stored readings are judged.
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
            " enter the day. Once the leading stocks have sales of the next session, and still none"
            " of this one, the next session decides"
        )
        return {
            symbol: PendingFigure(now + self.policy.retry, sentence, needs)
            for symbol, readings in self.own.items()
            if all(reading.source != NEWSPAPER for reading in readings)
        }

    def probes(self, now: datetime) -> list[str]:
        """Return the first stocks of the reserve list if the exchange may not have opened.

        Empty where a stock has an entry for that day, and while the day's data may only be late.
        Where the source gave no answer about a stock, the newest one before that counts.
        """
        first = first_reading_time(self.policy, self.session)
        newest = [
            answers[-1]
            for readings in self.own.values()
            if (answers := [reading for reading in readings if reading.kind != LATER])
        ]
        patience = self.policy.agree_after or timedelta(hours=1)
        if (
            now < first + patience
            or self.session.exchange == DEMO
            or not self.sources
            or not newest
            or not all(self.own.values())  # a stock has not been asked for yet
            or any(reading.kind != NO_BAR or reading.read_at < first for reading in newest)
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


def probe(inquiries: Sequence[Inquiry], now: datetime, until: float) -> set[int]:
    """Read the first stocks of the reserve list for phases whose exchange may not have opened.

    Return the ids of the phases for which no time was left. A stock that has an entry ends it.
    """
    unread = set()
    for inquiry in inquiries:
        for symbol in inquiry.probes(now):
            if inquiry.is_due(symbol, now):
                if time.monotonic() > until:
                    unread.add(inquiry.phase.pk)
                    break
                take(inquiry.sources[0], inquiry.session, symbol, now)
            if inquiry.newest_kind(symbol) != NO_BAR:
                break
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
        for symbol, verdict in inquiry.verdicts(now).items()
    }
