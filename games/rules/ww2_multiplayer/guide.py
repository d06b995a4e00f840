"""What the printed game says, and what a phase that was judged meant."""

from __future__ import annotations

from collections.abc import Sequence

from .. import Json, ResultTable, Sheet
from .. import cards as shipped
from ..charts import Chart
from ..example import Example
from ..risks import Risk
from . import examples as worked
from . import printed, scoring
from .card import GAME
from .charts import card_of
from .phases import resolve, setup
from .players import player_of
from .seeing import charts, lots
from .state import State

__all__ = [
    "charts",
    "examples",
    "further_charts",
    "lots",
    "replayed",
    "risks",
    "sheet",
    "table",
]

_OUTCOMES = {
    "landed": "lands safely",
    "aborted": "goes back and does nothing more",
    "eliminated": "is lost",
}


def further_charts(card: Json) -> tuple[Chart, ...]:
    return printed.charts(card_of(card))


def sheet(state: State, nation: str) -> Sheet:
    seat = player_of(state, nation)
    ruled = 0 if state.scores_hidden else state.points.get(seat, 0)
    return Sheet(nation, (), scoring.objectives(state, seat), ruled)


def table() -> ResultTable:
    """The Mediterranean table, the one by which a die decides alone (6.53)."""
    outcomes = ("landed", "landed", "landed", "aborted", "aborted", "eliminated")
    return ResultTable(
        ("die",),
        tuple((face, (outcome,)) for face, outcome in enumerate(outcomes, start=1)),
        _OUTCOMES,
    )


def risks(state: State, events: Sequence[Json]) -> tuple[Risk | None, ...]:
    return tuple(None for _ in events)


def replayed(state: State, events: Sequence[Json]) -> tuple[State, ...]:
    return tuple(state for _ in events)


def examples() -> tuple[Example, ...]:
    card = shipped.load(GAME, shipped.names(GAME)[0])
    return worked.examples(setup(card, {}, card["order"]), resolve)
