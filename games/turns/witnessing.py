"""Take witness readings when they are due, whatever the state of the game, and compare them with
the settled figures.

They decide nothing (`games.market.witnesses`). If the publisher has restated a figure, the
gamesmasters are notified once, and pages and reports show it next to the figure.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import models, transaction

from games import market
from games.evidence import record_rows
from games.market import witnesses
from games.market.asking import SECONDS_TO_ASK
from games.models import Figure, Phase, Reading
from games.models.leased import lease
from games.outbox.messages import game_letters
from games.rules.settling import NEWSPAPER, PUBLISHERS, SPLIT

log = logging.getLogger(__name__)

#: How many phases are claimed per tick; the rest wait for the next.
AT_ONCE = 20


# --- restatements ---


@dataclass(frozen=True)
class RestatedFigure:
    """A figure of a phase, and the publisher's newest reading that differs from it."""

    figure: Figure
    reading: Reading
    typed: bool

    @property
    def symbol(self) -> str:
        return self.figure.symbol

    def __str__(self) -> str:
        """Return “Later, Yahoo reported 5,413,100 shares (at 2026-11-25 21:00 UTC).”, for
        `games.timing.local_time.localize`."""
        split = ", after a split" if self.reading.flag == SPLIT else ""
        sentence = (
            f"{PUBLISHERS[self.reading.source]} reported {self.reading.volume:,} shares{split}"
            f" (at {self.reading.read_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC)."
        )
        if not self.typed:
            return f"Later, {sentence}"
        entered = (
            f"{self.figure.volume:,} shares"
            if self.figure.volume
            else "that there is no usable report"
        )
        return f"The gamesmaster entered {entered}; {sentence}"


def restatements(
    phase: Phase, until: datetime | None = None, rows: Iterable[Reading] | None = None
) -> dict[str, RestatedFigure]:
    """Return, by stock, the figures of a phase that the publisher reports differently now, or did
    at the instant `until`.

    A figure that the gamesmaster typed in is compared with every reading from the first reading
    time on, any other with those taken after it settled. A stock that has no usable report although
    the source had a figure (too few shares, another market) does not count as restated. `rows`: all
    readings of the phase's stocks, if the caller has them.
    """
    if phase.game.market not in PUBLISHERS:
        return {}
    models.prefetch_related_objects([phase], "figures")
    figures = {figure.symbol: figure for figure in phase.figures.all()}
    rows = record_rows.all_readings(phase, list(figures.values())) if rows is None else list(rows)
    typed_in = {row.symbol for row in rows if row.source == NEWSPAPER}
    later = [
        row
        for row in rows
        if row.symbol in figures
        and row.volume is not None
        and row.source == phase.game.market
        and (until is None or row.read_at <= until)
        and (row.symbol in typed_in or row.read_at > figures[row.symbol].settled_at)
    ]
    if not later:  # usual for a new result: no figure's own readings are needed
        return {}
    models.prefetch_related_objects([phase], "figures__readings")
    newest: dict[str, RestatedFigure] = {}
    for row in sorted(later, key=lambda row: (row.read_at, row.pk)):
        figure = figures[row.symbol]
        typed = witnesses.is_typed(figure)
        since = (phase.first_reading_at or figure.settled_at) if typed else figure.settled_at
        if row.read_at > since or (typed and row.read_at == since):
            newest[row.symbol] = RestatedFigure(figure, row, typed)
    return {
        symbol: restated
        for symbol, restated in newest.items()
        if restated.reading.volume != restated.figure.volume and not _unusable(restated)
    }


def figures_with_restatements(
    phase: Phase, figures: Iterable[Figure], rows: Iterable[Reading] | None = None
) -> list[tuple[Figure, str]]:
    """Return a phase's figures, each with a sentence about a differing later reading, or ""."""
    differ = restatements(phase, rows=rows)
    return [(figure, str(differ.get(figure.symbol, ""))) for figure in figures]


def _unusable(restated: RestatedFigure) -> bool:
    """Return whether the figure settled as "no usable report" although the source had restated."""
    return restated.figure.volume is None and any(
        reading.volume is not None for reading in restated.figure.readings.all()
    )


# --- taking readings ---


def claim(now: datetime) -> tuple[str, list[int]]:
    """Claim phases whose witness reading is due, by moving its time to the end of a lease. Return
    that instant as the token, and the phases' ids. Two callers never claim the same phase."""
    until = now + lease()
    due = (
        Phase.objects.filter(witness_at__lte=now)
        .order_by("witness_at", "pk")
        .values_list("pk", "witness_at")[:AT_ONCE]
    )
    claimed = [
        pk
        for pk, at in due
        if Phase.objects.filter(pk=pk, witness_at=at).update(witness_at=until) == 1
    ]
    return (until.isoformat(), claimed) if claimed else ("", [])


def release(phases: Iterable[int], token: str) -> None:
    """Make phases due again that could not be handed to a worker."""
    until = datetime.fromisoformat(token)
    Phase.objects.filter(pk__in=list(phases), witness_at=until).update(witness_at=until - lease())


def take(phases: Iterable[int], token: str, now: datetime) -> None:
    """Take the witness readings of claimed phases. A failure does not stop the other phases."""
    give_up = time.monotonic() + SECONDS_TO_ASK
    for pk in phases:
        until = datetime.fromisoformat(token)
        phase = Phase.objects.filter(pk=pk, witness_at=until).select_related("game").first()
        if phase is None:
            continue
        try:
            _take_witness_readings(phase, until, now, give_up)
        except Exception:
            log.exception("the witness readings of phase %s failed", pk)
            Phase.objects.filter(pk=pk, witness_at=until).update(
                witness_at=_next(phase, now, answered=False)
            )


def _take_witness_readings(phase: Phase, until: datetime, now: datetime, give_up: float) -> None:
    answered = market.witness(phase, now, give_up)
    with transaction.atomic():
        # Meanwhile, another session with its own times may have been set, or another worker may
        # have claimed the phase.
        if (
            Phase.objects.filter(pk=phase.pk, witness_at=until).update(
                witness_at=_next(phase, now, answered=answered)
            )
            == 1
        ):
            for restated in restatements(phase).values():
                game_letters.report_restatement(phase, restated.figure, restated.reading, now)


def _next(phase: Phase, now: datetime, *, answered: bool) -> datetime | None:
    return witnesses.following(
        market.session_of(phase), phase.first_reading_at, now, answered=answered
    )
