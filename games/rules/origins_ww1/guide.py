"""The printed charts, notes and tables, and explanations of judged phases."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from .. import Json, ResultTable
from ..explaining import Chart, Risk
from . import choices, replaying
from . import table as printed
from .examples import examples
from .replaying import states as replay
from .scoring import nation_facts
from .state import State

__all__ = [
    "charts",
    "contradictions",
    "draws",
    "examples",
    "further_charts",
    "lots",
    "nation_facts",
    "notes",
    "replay",
    "risks",
    "table",
]


def charts(state: State) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return choices.charts(state.card)


def further_charts(card: Json) -> tuple[Chart, ...]:
    return ()


def table() -> ResultTable:
    rows = tuple((die, results) for die, results in printed.TABLE.items())
    return ResultTable(printed.COLUMNS, rows, printed.OUTCOMES)


def notes(options: Mapping[str, Any]) -> tuple[str, ...]:
    return ("Odds are your strength to theirs, rounded down.",)


def draws(state: State) -> tuple[str, ...]:
    return ()


def lots(state: State) -> tuple[str, ...]:
    return ()


def risks(state: State, events: Sequence[Json]) -> tuple[Risk | None, ...]:
    return replaying.risks(events)


def contradictions(
    options: Mapping[str, Any], seats: Collection[str], lent: Collection[str]
) -> Iterator[str]:
    if (
        options.get("wwi.alliance_secrecy") == "until_end"
        and options.get("wwi.attack_ally") == "forbidden"
    ):
        yield (
            "An attack that is void between allies would reveal a secret alliance. Allow such"
            " attacks, or make alliances public."
        )
