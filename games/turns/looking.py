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
    looks: dict[int, Look] = {}
    asked: dict[int, dict[str, None]] = {}
    seen: dict[int, market.Observation] = {}
    waiting = {due.phase.pk: due for due in found}
    while waiting:
        needed = {}
        for pk, due in waiting.items():
            symbols = _needed(due, now, looks)
            if not symbols or asked.setdefault(pk, {}).keys() >= set(symbols):
                continue
            asked[pk] |= dict.fromkeys(symbols)
            needed[pk] = due
        observed = market.observe_all(
            [(due.phase, asked[pk]) for pk, due in needed.items()], now, until
        )
        waiting = {}
        for pk, due in needed.items():
            match observed[pk]:
                case market.Observation() as one:
                    seen[pk] = one
                    due.volumes |= one.settled
                    waiting[pk] = due
                case error:
                    looks[pk] = Look(NOTHING_SEEN, due.phase.due_at, error=error)
    for due in found:
        pk = due.phase.pk
        if pk in seen and pk not in looks:
            looks[pk] = _seen(due.phase, seen[pk], now)
    return looks


def _needed(due: Due, now: datetime, looks: dict[int, Look]) -> Sequence[str]:
    """The stocks that a phase waits for. A failure to say so is kept among the looks."""
    with logs.about(game=due.game.pk, phase=due.phase.pk):
        try:
            step = decide(due, now)
        except Exception as error:
            looks[due.phase.pk] = Look(NOTHING_SEEN, due.phase.due_at, error=error)
            return ()
    return step.symbols if isinstance(step, NeedFigures) else ()


def _seen(phase: Phase, seen: market.Observation, now: datetime) -> Look:
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
