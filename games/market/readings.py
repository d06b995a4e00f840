"""Settle the figures of phases from readings. Only this module writes `Figure` rows."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db import transaction

from games.models import Figure, Phase, Reading
from games.rules.settling import PendingFigure, Settlement

from . import rolls, sales
from .asking import SECONDS_TO_ASK, Requests
from .errors import MarketError, SessionChanged, Unsettled
from .policy import policy_for, session_of

#: Why a roll counts, by its source.
HOW = {rolls.SEED: "computed from the seed", rolls.DICE: "rolled by the gamesmaster"}


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


Outcomes = dict[int, Observation | MarketError | SessionChanged]


def observe_all(
    asked: Sequence[tuple[Phase, Iterable[str]]],
    now: datetime,
    until: float | None = None,
    requests: Requests | None = None,
) -> Outcomes:
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
    wanted = [_Wanted(phase, tuple(dict.fromkeys(symbols))) for phase, symbols in asked]
    settled_by_phase = {item.phase.pk: item.settled for item in wanted}
    for figure in Figure.objects.filter(phase__in=settled_by_phase):
        settled_by_phase[figure.phase_id][figure.symbol] = figure.volume
    by_sales = [item for item in wanted if rolls.sales_decide(item.phase.game)]
    by_rolls = [item for item in wanted if not rolls.sales_decide(item.phase.game)]
    return _observe_sales(by_sales, now, until, requests) | _observe_rolls(by_rolls, now)


@dataclass(frozen=True)
class _Wanted:
    """The stocks wanted of a phase, and the figures that have settled, of any stock."""

    phase: Phase
    symbols: tuple[str, ...]
    settled: dict[str, int | None] = field(default_factory=dict)

    @property
    def unsettled(self) -> list[str]:
        return [symbol for symbol in self.symbols if symbol not in self.settled]

    def settled_with(self, frozen: dict[str, int | None]) -> dict[str, int | None]:
        """Return the figures of the wanted stocks, with those written meanwhile."""
        known = self.settled | frozen
        return {symbol: known[symbol] for symbol in self.symbols if symbol in known}


# --- phases that sales decide ---


def _observe_sales(
    wanted: Sequence[_Wanted], now: datetime, until: float, requests: Requests | None
) -> Outcomes:
    outcomes: Outcomes = {}
    in_session: dict[int, _Wanted] = {}
    for item in wanted:
        try:
            session_of(item.phase)
            in_session[item.phase.pk] = item
        except (MarketError, SessionChanged) as error:
            outcomes[item.phase.pk] = error
    inquiries = sales.inquiries_of([(item.phase, item.unsettled) for item in in_session.values()])
    with Requests() if requests is None else nullcontext(requests) as shared:
        complete = sales.ask(inquiries, now, until, shared)
    judged = [(inquiry, inquiry.verdicts(now)) for inquiry in inquiries]
    unprobed = sales.probe(judged, now, until)
    verdicts = {inquiry.phase.pk: inquiry.verdicts_together(own, now) for inquiry, own in judged}
    frozen = _freeze_all(
        [
            (inquiry.phase, symbol, verdict)
            for inquiry in inquiries
            for symbol, verdict in verdicts[inquiry.phase.pk].items()
            if isinstance(verdict, Settlement)
        ],
        now,
    )
    for inquiry in inquiries:
        pk = inquiry.phase.pk
        settles = any(isinstance(verdict, Settlement) for verdict in verdicts[pk].values())
        if settles and pk not in frozen:
            outcomes[pk] = SessionChanged()
            continue
        next_try = now + inquiry.policy.retry if complete else now
        settled = in_session[pk].settled_with(frozen.get(pk, {}))
        seen = _observation(inquiry, settled, verdicts[pk], next_try, now)
        outcomes[pk] = replace(seen, next_look=now) if pk in unprobed else seen
    return outcomes


def _observation(
    inquiry: sales.Inquiry,
    settled: dict[str, int | None],
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
        settled=settled,
        waiting=tuple(waiting),
        next_look=min(looks, default=None),
        reasons={symbol: verdict.reason for symbol, verdict in waiting.items()},
        overdue=tuple(waiting) if inquiry.is_over(now) else (),
        needs={symbol: verdict.needs for symbol, verdict in waiting.items() if verdict.needs},
    )


# --- phases that rolls decide ---


def _observe_rolls(wanted: Sequence[_Wanted], now: datetime) -> Outcomes:
    """Settle stored rolls at once; the others wait for the gamesmaster."""
    if not wanted:
        return {}
    rolled = rolls.readings_of([(item.phase, item.unsettled) for item in wanted], now)
    frozen = _freeze_all(
        [
            (item.phase, symbol, Settlement(reading.volume, HOW[reading.source], (reading,)))
            for item in wanted
            if isinstance(readings := rolled[item.phase.pk], dict)
            for symbol, reading in readings.items()
        ],
        now,
    )
    outcomes: Outcomes = {}
    for item in wanted:
        pk, readings = item.phase.pk, rolled[item.phase.pk]
        if not isinstance(readings, dict):
            outcomes[pk] = readings
            continue
        if readings and pk not in frozen:
            outcomes[pk] = SessionChanged()
            continue
        waiting = [symbol for symbol in item.unsettled if symbol not in readings]
        reasons = {symbol: f"roll {symbol.rpartition('-')[2]} is not in yet" for symbol in waiting}
        outcomes[pk] = Observation(
            settled=item.settled_with(frozen.get(pk, {})),
            waiting=tuple(waiting),
            next_look=now + policy_for(item.phase).retry if waiting else None,
            reasons=reasons,
            needs={
                symbol: f"{why}. Roll a ten-sided die for it and enter what it shows"
                for symbol, why in reasons.items()
            },
        )
    return outcomes


# --- writing figures ---


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
                    # A reading may be newer than this worker's clock: clocks differ.
                    settled_at=max([now, *(reading.read_at for reading in verdict.readings)]),
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
                reading.pk: reading for reading in verdict.readings if isinstance(reading, Reading)
            }.values()
        )
    for figure, _ in new_figures:
        volumes[figure.phase_id][figure.symbol] = figure.volume
    return volumes
