"""Look for the figures that phases wait for, and say whose are late."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from games import market
from games.models import Phase
from games.outbox.messages import game as letters
from games.outbox.outgoing import Outgoing
from games.turns.decide import NeedFigures, decide
from games.turns.load import Due
from gamesmaster import logs


@dataclass(frozen=True)
class Look:
    """What a look at the figures of a phase came to. `due_at`: when the phase was due then."""

    seen: market.Observation
    due_at: datetime | None
    held_up: Sequence[market.Wait] = ()  # stocks of which everybody is told, and why
    error: Exception | None = None


NOTHING_SEEN = market.Observation({}, (), None)


def look(found: Iterable[Due], now: datetime) -> dict[int, Look]:
    """Take the readings that phases wait for, until each can be judged or must wait. Slow: to be
    called outside of any transaction. A failure is kept with its phase.

    After `market.SECONDS_TO_ASK` nothing more is asked for any of them: their leases must outlast
    the slowest answer.
    """
    until = time.monotonic() + market.SECONDS_TO_ASK
    looks = {}
    for due in found:
        with logs.about(game=due.game.pk, phase=due.phase.pk):
            try:
                look = _look(due, now, until)
            except Exception as error:
                look = Look(NOTHING_SEEN, due.phase.due_at, error=error)
            if look is not None:
                looks[due.phase.pk] = look
    return looks


def _look(due: Due, now: datetime, until: float) -> Look | None:
    phase, asked, seen = due.phase, dict[str, None](), None
    while isinstance(step := decide(due, now), NeedFigures):
        if asked.keys() >= set(step.symbols):
            break
        asked |= dict.fromkeys(step.symbols)
        seen = market.observe(phase, asked, now, until)
        due.volumes |= seen.settled
    if seen is None:
        return None
    late = market.by_sales(phase.game) and bool(seen.waiting) and market.is_late(phase, now)
    return Look(seen, phase.due_at, market.waits(phase, seen.waiting, now) if late else ())


def tell(phase: Phase, look: Look, now: datetime, out: Outgoing) -> None:
    """Write to the gamesmaster, once for a phase each, when a stock needs one, and when the give-up
    time has passed without an answer.

    To everybody, once for a phase, when the figures come later than announced: which stocks, and
    why.
    """
    seen = look.seen
    late = {symbol: seen.reasons[symbol] for symbol in seen.overdue if symbol not in seen.needs}
    if seen.needs:
        letters.overdue(phase, seen.needs, letters.NEEDED, now, out)
    if late:
        letters.overdue(phase, late, letters.LATE, now, out)
    if look.held_up:
        letters.waiting(phase, look.held_up, now, out)
