"""Explain to players and gamesmasters why a phase waits for its digits.

Players see no figures before the result, because they would take a provisional figure for final.
The gamesmaster, who may have to type one in, sees them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from games.models import Phase, Reading
from games.rules.sessions import DEMO
from games.rules.settling import (
    NEWSPAPER,
    OK,
    PUBLISHERS,
    PendingFigure,
    first_reading_time,
    settle,
    span,
)

from .policy import policy_for, session_of
from .rolls import sales_decide
from .sales import verdicts_so_far

#: Why a stock waits, by the kind of its newest reading, to follow the source's name.
MISSING = {
    Reading.Kind.NO_BAR: "has no entry for that day yet",
    Reading.Kind.NO_SALES: "has an entry for that day without sales",
    Reading.Kind.UNKNOWN: "does not know this stock",
    Reading.Kind.LATER: "gives no answer",
}


@dataclass(frozen=True)
class Wait:
    """A stock that keeps a phase waiting.

    `why` is for everybody, `why_with_figures` for the gamesmaster; both are whole sentences. `ends`
    says what ends the wait, or "". `until` is when the stock has no usable report if nothing
    arrives, `next_look` when the source is read again; None if never.
    """

    symbol: str
    why: str
    why_with_figures: str
    ends: str = ""
    until: datetime | None = None
    next_look: datetime | None = None
    #: Whether the stock is public since the lock. Otherwise only a ruling names it, and it becomes
    #: public with the report.
    public: bool = True

    def as_json(self) -> dict[str, Any]:
        """Return the wait as a dictionary for `Letter.about`."""
        moments = {
            key: at.isoformat() if at else ""
            for key, at in (("until", self.until), ("next_look", self.next_look))
        }
        return {
            "symbol": self.symbol,
            "why": self.why,
            "why_with_figures": self.why_with_figures,
            "ends": self.ends,
            "public": self.public,
            **moments,
        }


def waits(phase: Phase, symbols: Sequence[str], now: datetime) -> list[Wait]:
    """Return a wait for each of these stocks that is delayed: readings differ or are missing, a
    source is down, or only a person can settle it.

    A stock that waits for the regular time of its next reading is left out.
    """
    if (
        not sales_decide(phase.game)
        or not phase.session
        or phase.exchange == DEMO
        or now < session_of(phase).closes
    ):
        return []
    verdicts = verdicts_so_far(phase, symbols, now).items()
    stock_waits = [
        _wait(phase, symbol, verdict, readings)
        for symbol, (verdict, readings) in verdicts
        if isinstance(verdict, PendingFigure)
    ]
    public_symbols = {*phase.stocks, *phase.game.reserves}
    return [
        wait if wait.symbol in public_symbols else replace(wait, public=False)
        for wait in stock_waits
        if wait is not None
    ]


def is_late(phase: Phase, now: datetime) -> bool:
    """Return whether the figures would have settled by now if all readings had come and agreed."""
    policy = policy_for(phase)
    if policy.give_up_after is None or phase.exchange == DEMO:
        return False  # a newspaper has no reading times
    return now >= first_reading_time(policy, session_of(phase)) + (
        policy.agree_after or timedelta(hours=1)
    )


def _wait(
    phase: Phase, symbol: str, verdict: PendingFigure, readings: Mapping[str, Sequence[Reading]]
) -> Wait | None:
    policy, session = policy_for(phase), session_of(phase)
    if policy.give_up_after is None:
        sentence = "The gamesmaster enters its sales from a newspaper."
        return Wait(symbol, sentence, sentence)
    if verdict.needs:
        has_figures = any(row.kind == OK for rows in readings.values() for row in rows)
        return Wait(
            symbol,
            "Only the gamesmaster can say which figure counts."
            if has_figures
            else f"{verdict.reason}.",
            f"{verdict.needs[:1].upper()}{verdict.needs[1:]}.",
        )
    first = first_reading_time(policy, session)
    for name, rows in readings.items():
        counted = [row for row in rows if row.read_at >= first and row.source != NEWSPAPER]
        if not counted or not isinstance(settle(counted, session, policy), PendingFigure):
            continue
        source = PUBLISHERS.get(name, "The source")
        figures = list(dict.fromkeys(row.volume for row in counted if row.kind == OK))
        if len(figures) > 1 and policy.agree_after is not None:
            sentence = f"{source} has reported different figures"
            latest_figures = " and ".join(f"{figure:,}" for figure in figures[-2:])
            ends = (
                f"A figure counts once two readings at least {span(policy.agree_after)} apart"
                " agree."
            )
            return Wait(
                symbol,
                f"{sentence}.",
                f"{sentence} ({latest_figures}).",
                ends,
                first + policy.give_up_after,
                verdict.next_look,
            )
        if (newest := counted[-1]).kind != OK:
            sentence = f"{source} {MISSING[Reading.Kind(newest.kind)]}."
            answered = (
                newest.kind != Reading.Kind.LATER
            )  # a missing answer never counts as “no report”
            ends = (
                ""
                if answered
                else "No answer is not a report: the result waits until there is one."
            )
            return Wait(
                symbol,
                sentence,
                sentence,
                ends,
                first + policy.give_up_after if answered else None,
                verdict.next_look,
            )
    return None
