"""What the printed game says, and what a phase that was judged meant."""

from __future__ import annotations

from .. import Json, ResultTable
from ..charts import Chart
from . import allies, blind, choices
from . import table as printed
from .examples import examples
from .replaying import states as replayed
from .risks import risks
from .scoring import sheet
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


def charts(state: State) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple(
        (nation, blind.chart_lines(state, nation, lines))
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
    return (*blind.lots(state), *allies.lots(state))
