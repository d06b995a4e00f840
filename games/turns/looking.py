"""Look for the figures that phases wait for, and report late ones."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from games import market
from games.base import logs
from games.models import Phase
from games.outbox.messages import game_letters
from games.outbox.outgoing import Outgoing
from games.turns.decide import NeedFigures, decide
from games.turns.load import Due


@dataclass(frozen=True)
class Look:
    """The result of one look at the figures of a phase. `due_at`: when the phase was due then."""

    seen: market.Observation
    due_at: datetime | None
    held_up: Sequence[market.Wait] = ()  # stocks that the players are told about, and why
    error: Exception | None = None
    due: Due | None = None  # the phase with the inputs of its judgment, and the judgment

    def unread(self, now: datetime) -> bool:
        """Return whether a source is due to be asked at once."""
        return self.seen.next_look is not None and self.seen.next_look <= now


NOTHING_SEEN = market.Observation({}, (), None)


def look(
    phases: Iterable[Due], now: datetime, requests: market.Requests, seconds: float
) -> dict[int, Look]:
    """Read the figures that phases wait for, until each can be judged or must wait.

    Slow: call it outside transactions. Each failure is kept with its phase. `seconds`: how long
    sources are asked; with 0, none is.
    """
    until = time.monotonic() + seconds if seconds else 0.0
    looks: dict[int, Look] = {}
    requested: dict[int, dict[str, None]] = {}
    observations: dict[int, market.Observation] = {}
    waiting = {due.phase.pk: due for due in phases}
    while waiting:
        needed = {}
        for pk, due in waiting.items():
            symbols = _needed_stocks(due, now, looks)
            if not symbols or requested.setdefault(pk, {}).keys() >= set(symbols):
                continue
            requested[pk] |= dict.fromkeys(symbols)
            needed[pk] = due
        observed = market.observe_all(
            [(due.phase, requested[pk]) for pk, due in needed.items()], now, until, requests
        )
        waiting = {}
        for pk, due in needed.items():
            match observed[pk]:
                case market.Observation() as observation:
                    observations[pk] = observation
                    due.volumes |= observation.settled
                    waiting[pk] = due
                case error:
                    looks[pk] = Look(NOTHING_SEEN, due.phase.due_at, error=error)
    for due in phases:
        pk = due.phase.pk
        if pk in observations and pk not in looks:
            looks[pk] = _look_of(due, observations[pk], now)
    return looks


def _needed_stocks(due: Due, now: datetime, looks: dict[int, Look]) -> Sequence[str]:
    """Return the stocks that a phase waits for. Failures go into `looks`."""
    with logs.log_context(game=due.game.pk, phase=due.phase.pk):
        try:
            step = decide(due, now)
        except Exception as error:
            looks[due.phase.pk] = Look(NOTHING_SEEN, due.phase.due_at, error=error)
            return ()
    return step.symbols if isinstance(step, NeedFigures) else ()


def _look_of(due: Due, seen: market.Observation, now: datetime) -> Look:
    phase = due.phase
    overdue = market.sales_decide(phase.game) and bool(seen.waiting) and market.is_late(phase, now)
    waits = market.waits(phase, seen.waiting, now) if overdue else ()
    return Look(seen, phase.due_at, waits, due=due)


def tell(phase: Phase, look: Look, now: datetime, out: Outgoing) -> None:
    """Notify the gamesmaster, once per phase, of stocks that need them or are overdue.

    Notify the players, once per phase, when figures come later than announced, and why.
    """
    seen = look.seen
    late_reasons = {
        symbol: seen.reasons[symbol] for symbol in seen.overdue if symbol not in seen.needs
    }
    if seen.needs:
        game_letters.report_overdue(phase, seen.needs, game_letters.NEEDED, now, out)
    if late_reasons:
        game_letters.report_overdue(phase, late_reasons, game_letters.LATE, now, out)
    if look.held_up:
        game_letters.announce_delay(phase, look.held_up, now, out)
