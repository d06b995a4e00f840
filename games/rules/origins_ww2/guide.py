"""What the printed game says, and what a phase that was judged meant."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from .. import Json, ResultTable
from ..charts import Chart
from ..options import NEEDS_RESERVES
from . import allies, choices
from . import blind as blind_game
from . import table as printed
from .examples import examples
from .replaying import states as replayed
from .risks import risks
from .scoring import sheet
from .state import State

__all__ = [
    "charts",
    "contradictions",
    "examples",
    "further_charts",
    "lots",
    "replayed",
    "risks",
    "sheet",
    "table",
]


def charts(state: State) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple(
        (nation, blind_game.chart_lines(state, nation, lines))
        for nation, lines in choices.charts(state.card)
    )


def further_charts(card: Json) -> tuple[Chart, ...]:
    return ()


def table() -> ResultTable:
    rows = tuple((digit, tuple(results)) for digit, results in printed.TABLE.items())
    return ResultTable(
        tuple(f"{column}-1" for column in range(1, printed.BEST + 1)), rows, printed.OUTCOMES
    )


def lots(state: State) -> tuple[str, ...]:
    return (*blind_game.lots(state), *allies.lots(state))


def contradictions(
    options: Mapping[str, Any], seats: Collection[str], lent: Collection[str]
) -> Iterator[str]:
    def chosen(option: str, value: str) -> bool:
        return bool(options.get(option) == value)

    blind, hidden = blind_game.is_blind(options), chosen("ow2.hidden", "face_down")
    everyone = bool(seats) and not lent
    if chosen("ow2.blind_draw", "with_replacement") and not blind:
        yield (
            "You have said how the charts of the blind game are drawn, but it is not to be a blind"
            " game; choose the blind game too."
        )
    if chosen("ow2.four_without_usa", "yes") and len(set(seats) & set(lent)) != 1:
        yield (
            "“Four players without the United States” wants four nations with players and the"
            " United States held by nobody."
        )
    if chosen("ow2.ally_draw", "own_session") and everyone:
        yield (
            "Every nation has a player, so there is nobody to be lent; leave the day for that draw"
            " out, or let a nation be held by nobody."
        )
    if chosen("ow2.nonplayer_wins", "yes") and everyone:
        yield (
            "Every nation has a player, so none without one can win; leave that choice as it is, or"
            " let a nation be held by nobody."
        )
    if chosen("rng.no_stock", "attack_void") and blind:
        yield NEEDS_RESERVES
    if hidden and chosen("ow2.unplaced", "gm_places"):
        yield (
            "What counters lie face down nobody but their owner may know, so the gamesmaster cannot"
            " place them; let them go home, or be lost."
        )
    if hidden and chosen("ow2.resolution", "frozen_odds"):
        yield (
            "Counters that lie face down are turned up attack by attack; so losses have to count"
            " before the next attack, too."
        )
