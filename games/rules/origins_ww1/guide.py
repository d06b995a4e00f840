"""What the printed game says, and what a phase that was judged meant."""

from __future__ import annotations

from collections.abc import Sequence

from .. import Json, ResultTable
from ..charts import Chart
from ..risks import Risk
from . import choices, replaying
from . import table as printed
from .examples import examples
from .replaying import states as replayed
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
    return choices.charts(state.card)


def further_charts(card: Json) -> tuple[Chart, ...]:
    return ()


def table() -> ResultTable:
    rows = tuple((die, results) for die, results in printed.TABLE.items())
    return ResultTable(printed.COLUMNS, rows, printed.OUTCOMES)


def lots(state: State) -> tuple[str, ...]:
    return ()


def risks(state: State, events: Sequence[Json]) -> tuple[Risk | None, ...]:
    return replaying.risks(events)
