"""Witness readings: taken when they are due, whatever has become of the game, and compared with
what settled.

They decide nothing (`games.market.witnesses`). Where the publisher has restated a figure, the
gamesmasters are told once, and pages and reports show it beside the figure.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.db import models, transaction

from games import market
from games.evidence import rows as record_rows
from games.market import witnesses
from games.market.readings import SECONDS_TO_ASK
from games.market.sources import PUBLISHERS
from games.models import Figure, Phase, Reading
from games.models.leased import lease
from games.outbox.messages import game
from games.rules.markets import by_exchange
from games.rules.settling import SPLIT

log = logging.getLogger(__name__)

#: So many phases are taken at one tick; the rest waits for the next.
AT_ONCE = 20


# --- what the publisher reported later ---


@dataclass(frozen=True)
class Restated:
    """A figure of a phase, and the newest reading of the publisher that has another one."""

    figure: Figure
    reading: Reading
    typed: bool

    @property
    def symbol(self) -> str:
        return self.figure.symbol

    def __str__(self) -> str:
        """“Later, Yahoo reported 5,413,100 shares (25 November, 16:00 New York time).”"""
        split = ", after a split" if self.reading.flag == SPLIT else ""
        said = (
            f"{PUBLISHERS[self.reading.source]} reported {self.reading.volume:,} shares{split}"
            f" ({when(self.reading)})."
        )
        if not self.typed:
            return f"Later, {said}"
        entered = (
            f"{self.figure.volume:,} shares"
            if self.figure.volume
            else "that there is no usable report"
        )
        return f"The gamesmaster entered {entered}; {said}"


def when(reading: Reading) -> str:
    """When it was read, by the exchange's clock: “25 November, 16:00 New York time”."""
    where = by_exchange(reading.exchange)
    at = reading.read_at.astimezone(ZoneInfo(where.zone if where else "UTC"))
    return f"{at.day} {at:%B, %H:%M} {f'{where.place} time' if where else 'UTC'}"


def restatements(
    phase: Phase, until: datetime | None = None, rows: Iterable[Reading] | None = None
) -> dict[str, Restated]:
    """By stock the figures of a phase that its publisher has otherwise now, or had at an instant.

    Of a figure that the gamesmaster typed in every reading is compared that counts by its time; of
    any other those taken after it had settled. A stock without a usable report although it had a
    figure (too few shares, another market) has not been restated. `rows`: all readings of the
    phase's stocks, where the caller has them.
    """
    if phase.game.market not in PUBLISHERS:
        return {}
    models.prefetch_related_objects([phase], "figures__readings")
    figures = {figure.symbol: figure for figure in phase.figures.all()}
    if rows is None:
        rows = record_rows.all_readings(phase, list(figures.values()))
    newest: dict[str, Restated] = {}
    for row in sorted(rows, key=lambda row: (row.read_at, row.pk)):
        figure = figures.get(row.symbol)
        if (
            figure is None
            or row.volume is None
            or row.source != phase.game.market
            or (until and row.read_at > until)
        ):
            continue
        typed = witnesses.is_typed(figure)
        since = (phase.first_reading_at or figure.settled_at) if typed else figure.settled_at
        if row.read_at > since or (typed and row.read_at == since):
            newest[row.symbol] = Restated(figure, row, typed)
    return {
        symbol: one
        for symbol, one in newest.items()
        if one.reading.volume != one.figure.volume and not _unusable(one)
    }


def figures_with_restatements(
    phase: Phase, figures: Iterable[Figure], rows: Iterable[Reading] | None = None
) -> list[tuple[Figure, str]]:
    """Return a phase's figures, each with what is said of a later reading that differs."""
    differ = restatements(phase, rows=rows)
    return [(figure, str(differ.get(figure.symbol, ""))) for figure in figures]


def _unusable(one: Restated) -> bool:
    """Whether the figure is "no usable report" although the source had a figure when it settled."""
    return one.figure.volume is None and any(
        reading.volume is not None for reading in one.figure.readings.all()
    )


# --- taking them ---


def claim(now: datetime) -> tuple[str, list[int]]:
    """Take phases whose witness reading is due, by moving it to the end of a lease. Return that
    instant as the token, and the phases. Of two callers each phase goes to one."""
    until = now + lease()
    due = (
        Phase.objects.filter(witness_at__lte=now)
        .order_by("witness_at", "pk")
        .values_list("pk", "witness_at")[:AT_ONCE]
    )
    mine = [
        pk
        for pk, at in due
        if Phase.objects.filter(pk=pk, witness_at=at).update(witness_at=until) == 1
    ]
    return (until.isoformat(), mine) if mine else ("", [])


def release(phases: Iterable[int], token: str) -> None:
    """Make phases due again that could not be handed out."""
    until = datetime.fromisoformat(token)
    Phase.objects.filter(pk__in=list(phases), witness_at=until).update(witness_at=until - lease())


def take(phases: Iterable[int], token: str, now: datetime) -> None:
    """Take witness readings of phases that this caller has claimed; no failure blocks others."""
    give_up = time.monotonic() + SECONDS_TO_ASK
    for pk in phases:
        until = datetime.fromisoformat(token)
        phase = Phase.objects.filter(pk=pk, witness_at=until).select_related("game").first()
        if phase is None:
            continue
        try:
            _take(phase, until, now, give_up)
        except Exception:
            log.exception("the witness readings of phase %s failed", pk)
            Phase.objects.filter(pk=pk, witness_at=until).update(
                witness_at=_next(phase, now, answered=False)
            )


def _take(phase: Phase, until: datetime, now: datetime, give_up: float) -> None:
    answered = market.witness(phase, now, give_up)
    with transaction.atomic():
        # Another session may have been fixed meanwhile, with a time of its own; or another worker
        # has it.
        if (
            Phase.objects.filter(pk=phase.pk, witness_at=until).update(
                witness_at=_next(phase, now, answered=answered)
            )
            == 1
        ):
            for one in restatements(phase).values():
                game.report_restatement(phase, one.figure, one.reading, now)


def _next(phase: Phase, now: datetime, *, answered: bool) -> datetime | None:
    return witnesses.following(
        market.session_of(phase), phase.first_reading_at, now, answered=answered
    )
