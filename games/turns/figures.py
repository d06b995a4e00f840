"""Which figures a phase still needs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from games import market
from games.models import Figure, Phase
from games.rules import RulesError, rulings
from games.rules.digits import digits_told, roll_number
from games.turns import judging
from games.turns.judging import Case


def wanted(case: Case) -> list[str]:
    """The stocks that the orders name; where rulings change the orders, those that they name now,
    but none whose sales are ruled."""
    phase, game = case.phase, case.phase.game
    stocks = list(phase.stocks)
    if market.by_sales(game) and any(one.kind == "orders" for one in case.rulings):
        state = game.load(case.position)
        stocks = list(
            game.rules.stocks(
                state,
                game.rules.in_force(
                    state, rulings.ruled_texts(case.sent, case.rulings, case.submissions)
                ),
            )
        )
    ruled_ones = rulings.ruled_volumes(case.rulings)
    return [symbol for symbol in stocks if symbol not in ruled_ones]


def waits(phase: Phase | None, now: datetime) -> list[market.Wait]:
    """The stocks that hold up a phase whose digits are drawn, and why (`market.waits`); nobody is
    asked."""
    if (
        phase is None
        or phase.status != Phase.Status.DRAWING
        or not market.by_sales(phase.game)
        or not phase.session
    ):
        return []
    case, figures = judging.case_of(phase), judging.figures_of(phase)
    settled = set(Figure.objects.filter(phase=phase).values_list("symbol", flat=True))
    needed = [symbol for symbol in wanted(case) if symbol not in settled]
    try:
        if not needed:  # then a reserve is asked for, if anything is
            case.judge(figures)
    except market.Unsettled as unsettled:
        needed = [unsettled.symbol]
    except RulesError:
        return []
    return market.waits(phase, needed, now)


def rolls_used(phase: Phase, rolls: Sequence[int]) -> int | None:
    """How many of these rolls the phase's attacks use; None where they use them all and need more
    (`rng.source` = gm_dice)."""
    try:
        judged = judging.case_of(phase).judge(market.Figures(market.as_rolls(rolls)))
    except market.Unsettled:
        return None
    return sum(
        roll_number(told["stock"]) is not None for told in digits_told(judged.resolution.events)
    )
