"""What a phase waits for while its digits are drawn, and why, in words for players and for the
gamesmaster.

Players read no figure before the result: a provisional one would be taken for it. The gamesmaster,
who may have to type one in, does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from games.models import Phase, Reading
from games.rules.digits import beacon_number
from games.rules.settling import NEWSPAPER, OK, Waiting, first_reading_time, settle, span

from .policy import policy_for
from .readings import session_of, so_far
from .rolls import by_sales
from .sessions import DEMO
from .sources import PUBLISHERS

#: Why a stock waits where its newest reading is no figure; the source comes before.
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
    says what ends the wait, and is "" where only the gamesmaster can. `until` is when the stock has
    no usable report if nothing comes; `next_look` when the source is asked again; None: it is not.
    """

    symbol: str
    why: str
    why_with_figures: str
    ends: str = ""
    until: datetime | None = None
    next_look: datetime | None = None
    #: Whether everybody knows it since the lock; else only a ruling names it, and the report tells
    # what that is.
    public: bool = True

    def as_json(self) -> dict[str, Any]:
        """As a letter keeps it."""
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
    """Those of these stocks that are held up: readings differ or are missing, a source is down, or
    only a person can settle them.

    A stock that waits for the ordinary time of its next reading is not among them.
    """
    if (
        not by_sales(phase.game)
        or not phase.session
        or phase.exchange == DEMO
        or now < session_of(phase).closes
    ):
        return []
    beacons = [symbol for symbol in symbols if beacon_number(symbol) is not None]
    stocks = [symbol for symbol in symbols if symbol not in beacons]
    told = so_far(phase, stocks, now).items()
    found = [
        _wait(phase, symbol, verdict, kept)
        for symbol, (verdict, kept) in told
        if isinstance(verdict, Waiting)
    ]
    ruled = "A ruling of the gamesmaster says which digit counts: drand is no longer asked."
    held_up = [wait for wait in found if wait is not None] + [
        Wait(symbol, ruled, ruled) for symbol in beacons
    ]
    known = {*phase.stocks, *phase.game.reserves}
    return [wait if wait.symbol in known else replace(wait, public=False) for wait in held_up]


def is_late(phase: Phase, now: datetime) -> bool:
    """Whether the figures could have settled by now if all readings had come and agreed."""
    policy = policy_for(phase)
    if policy.give_up_after is None or phase.exchange == DEMO:
        return False  # the gamesmaster's newspaper has no hours
    return now >= first_reading_time(policy, session_of(phase)) + (
        policy.agree_after or timedelta(hours=1)
    )


def _wait(
    phase: Phase, symbol: str, verdict: Waiting, kept: Mapping[str, Sequence[Reading]]
) -> Wait | None:
    policy, session = policy_for(phase), session_of(phase)
    if policy.give_up_after is None:
        said = "The gamesmaster enters its sales from a newspaper."
        return Wait(symbol, said, said)
    if verdict.needs:
        return Wait(
            symbol,
            "Only the gamesmaster can say which figure counts.",
            f"{verdict.needs[:1].upper()}{verdict.needs[1:]}.",
        )
    first = first_reading_time(policy, session)
    for name, rows in kept.items():
        counted = [row for row in rows if row.read_at >= first and row.source != NEWSPAPER]
        if not counted or not isinstance(settle(counted, session, policy), Waiting):
            continue
        source = PUBLISHERS.get(name, "The source")
        figures = list(dict.fromkeys(row.volume for row in counted if row.kind == OK))
        if len(figures) > 1 and policy.agree_after is not None:
            said = f"{source} has reported different figures"
            shown = " and ".join(f"{figure:,}" for figure in figures[-2:])
            ends = (
                f"A figure counts once two readings at least {span(policy.agree_after)} apart"
                " agree."
            )
            return Wait(
                symbol,
                f"{said}.",
                f"{said} ({shown}).",
                ends,
                first + policy.give_up_after,
                verdict.next_look,
            )
        if (newest := counted[-1]).kind != OK:
            said = f"{source} {MISSING[Reading.Kind(newest.kind)]}."
            answered = newest.kind != Reading.Kind.LATER  # no answer is never counted as no report
            ends = (
                ""
                if answered
                else "No answer is not a report: the result waits until there is one."
            )
            return Wait(
                symbol,
                said,
                said,
                ends,
                first + policy.give_up_after if answered else None,
                verdict.next_look,
            )
    return None
