"""Find the figures that a phase still needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import prefetch_related_objects

from games import market
from games.models import Figure, Phase, Reading
from games.rules import RulesError, rulings
from games.rules.digits import digits_in_events, roll_number, volume_of_roll
from games.rules.settling import NEWSPAPER
from games.turns import judging
from games.turns.judging import Case
from games.turns.load import Due, load_due


def needed_stocks(case: Case) -> list[str]:
    """Return the stocks that orders name, after rulings, except those with ruled sales."""
    phase, game = case.phase, case.phase.game
    stocks = list(phase.stocks)
    if market.sales_decide(game) and any(ruling.kind == "orders" for ruling in case.rulings):
        texts = rulings.ruled_texts(case.sent, case.rulings, case.submissions)
        stocks = list(game.rules.stocks(case.state, game.rules.in_force(case.state, texts)))
    ruled_symbols = rulings.ruled_volumes(case.rulings)
    return [symbol for symbol in stocks if symbol not in ruled_symbols]


def waiting_stocks(phase: Phase | None, now: datetime) -> list[market.Wait]:
    """Return the stocks that hold up a drawing phase, and why, without asking a source.

    The reasons are those of `market.waits`.
    """
    if phase is None:
        return []
    return market.waits(phase, _unsettled_stocks([phase]).get(phase.pk, []), now)


def _unsettled_stocks(phases: Iterable[Phase]) -> dict[int, list[str]]:
    """Return the stocks whose figures drawing phases still need, as far as that is known now."""
    drawing = [
        phase
        for phase in phases
        if phase.status == Phase.Status.DRAWING
        and market.sales_decide(phase.game)
        and phase.session
    ]
    prefetch_related_objects([phase.game for phase in drawing], "seats")
    return {due.phase.pk: _unsettled(due) for due in load_due(drawing)} if drawing else {}


def _unsettled(due: Due) -> list[str]:
    needed = [symbol for symbol in needed_stocks(due.case) if symbol not in due.volumes]
    try:
        if not needed:  # only reserves can be missing then
            due.judge()
    except market.Unsettled as unsettled:
        needed = [unsettled.symbol]
    except RulesError:
        return []
    return needed


def stocks_to_enter(phases: Iterable[Phase], now: datetime) -> dict[int, list[str]]:
    """Return by phase the stocks whose sales a gamesmaster may enter: unsettled, not entered yet.

    Phases for which there are none are left out. There are none before the session has closed:
    nobody can know its sales. The number of queries does not grow with the phases.
    """
    waiting = {phase.pk: phase for phase in phases if may_be_entered(phase, now)}
    stocks = _unsettled_stocks(waiting.values())
    held = [phase for phase in waiting.values() if phase.status == Phase.Status.HELD]
    settled = set(Figure.objects.filter(phase__in=held).values_list("phase", "symbol"))
    for phase in held:
        stocks[phase.pk] = [stock for stock in phase.stocks if (phase.pk, stock) not in settled]
    entered = Reading.objects.filter(
        game__in={phase.game_id for phase in waiting.values()},
        session__in={phase.session for phase in waiting.values()},
        source=NEWSPAPER,
    )
    known = set(entered.values_list("game", "session", "symbol"))
    left: dict[int, list[str]] = {}
    for pk, named in stocks.items():
        place = (waiting[pk].game_id, waiting[pk].session)
        left[pk] = [stock for stock in named if (*place, stock) not in known]
    return {pk: named for pk, named in left.items() if named}


def may_be_entered(phase: Phase, now: datetime) -> bool:
    """Return whether sales can be entered for a phase: it waits for them, and they are known."""
    waits = phase.status in (Phase.Status.DRAWING, Phase.Status.HELD)
    closes = phase.session_closes
    return waits and closes is not None and closes <= now and market.sales_decide(phase.game)


@dataclass(frozen=True)
class Throws:
    """The gamesmaster's rolls for a phase: attacks decided so far, and the attack to roll for next.

    Both are events of the rules. `next` is None if no attack needs a roll.
    """

    done: tuple[Mapping[str, Any], ...]
    next: Mapping[str, Any] | None

    @property
    def number(self) -> int:
        """Return the number of the next attack to roll for, from 1."""
        return len(self.done) + 1


class _PaddedRolls:
    """The rolls entered, and 1 for every later one, to find which attack comes next.

    Every table accepts a 1.
    """

    def __init__(self, rolls: Sequence[int]) -> None:
        self._known = market.figures_from_rolls(rolls)

    def get(self, symbol: str, /) -> int | None:
        return self._known.get(symbol, volume_of_roll(1))


def throws(phase: Phase) -> Throws:
    """Return how far the gamesmaster's own dice have decided a phase (`rng.source` = gm_dice)."""
    rolls = market.entered_rolls(phase)
    try:
        events = judging.case_of(phase).judge(_PaddedRolls(rolls)).resolution.events
    except RulesError:
        return Throws((), None)
    by_roll = {
        number: event
        for event in events
        if event["kind"] == "attack" and (number := roll_number(event["stock"])) is not None
    }
    made = tuple(by_roll[number] for number in sorted(by_roll) if number <= len(rolls))
    return Throws(made, next((by_roll[n] for n in sorted(by_roll) if n > len(rolls)), None))


def count_used_rolls(phase: Phase, rolls: Sequence[int]) -> int | None:
    """Return how many of these rolls the phase's attacks use (`rng.source` = gm_dice).

    None if they use all of them and need more.
    """
    try:
        judged = judging.case_of(phase).judge(market.Figures(market.figures_from_rolls(rolls)))
    except market.Unsettled:
        return None
    return sum(
        roll_number(event["stock"]) is not None
        for event in digits_in_events(judged.resolution.events)
    )
