"""Say which figures a phase still needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from games import market
from games.models import Figure, Phase
from games.rules import RulesError, rulings
from games.rules.digits import digits_in_events, roll_number, volume_of_roll
from games.turns import judging
from games.turns.judging import Case


def needed_stocks(case: Case) -> list[str]:
    """Return the stocks that orders name, after rulings, except those with ruled sales."""
    phase, game = case.phase, case.phase.game
    stocks = list(phase.stocks)
    if market.by_sales(game) and any(one.kind == "orders" for one in case.rulings):
        texts = rulings.ruled_texts(case.sent, case.rulings, case.submissions)
        stocks = list(game.rules.stocks(case.state, game.rules.in_force(case.state, texts)))
    ruled_ones = rulings.ruled_volumes(case.rulings)
    return [symbol for symbol in stocks if symbol not in ruled_ones]


def waits(phase: Phase | None, now: datetime) -> list[market.Wait]:
    """Return the stocks that hold up a drawing phase, and why (`market.waits`), without asking a
    source.
    """
    if (
        phase is None
        or phase.status != Phase.Status.DRAWING
        or not market.by_sales(phase.game)
        or not phase.session
    ):
        return []
    case, figures = judging.case_of(phase), judging.figures_of(phase)
    settled = set(Figure.objects.filter(phase=phase).values_list("symbol", flat=True))
    needed = [symbol for symbol in needed_stocks(case) if symbol not in settled]
    try:
        if not needed:  # only reserves can be missing then
            case.judge(figures)
    except market.Unsettled as unsettled:
        needed = [unsettled.symbol]
    except RulesError:
        return []
    return market.waits(phase, needed, now)


@dataclass(frozen=True)
class Throws:
    """The gamesmaster's rolls for a phase: attacks decided so far, and the attack to roll for next.

    The former are events of the rules. None: no attack needs a roll.
    """

    done: tuple[Mapping[str, Any], ...]
    next: Mapping[str, Any] | None

    @property
    def number(self) -> int:
        """Return the number of the next attack to roll for, from 1."""
        return len(self.done) + 1


class _RolledOn:
    """The rolls entered, and 1 for every later one, to learn which attack comes next.

    Every table accepts a 1.
    """

    def __init__(self, rolls: Sequence[int]) -> None:
        self._known = market.as_rolls(rolls)

    def get(self, symbol: str, /) -> int | None:
        return self._known.get(symbol, volume_of_roll(1))


def throws(phase: Phase) -> Throws:
    """Return how far the gamesmaster's own dice have decided a phase (`rng.source` = gm_dice)."""
    rolls = market.entered_rolls(phase)
    try:
        events = judging.case_of(phase).judge(_RolledOn(rolls)).resolution.events
    except RulesError:
        return Throws((), None)
    by_roll = {
        number: event
        for event in events
        if event["kind"] == "attack" and (number := roll_number(event["stock"])) is not None
    }
    done = tuple(by_roll[number] for number in sorted(by_roll) if number <= len(rolls))
    return Throws(done, next((by_roll[n] for n in sorted(by_roll) if n > len(rolls)), None))


def rolls_used(phase: Phase, rolls: Sequence[int]) -> int | None:
    """Return how many of these rolls the phase's attacks use.

    None if they use all of them and need more (`rng.source` = gm_dice).
    """
    try:
        judged = judging.case_of(phase).judge(market.Figures(market.as_rolls(rolls)))
    except market.Unsettled:
        return None
    return sum(
        roll_number(told["stock"]) is not None
        for told in digits_in_events(judged.resolution.events)
    )
