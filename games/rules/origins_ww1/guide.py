"""The printed charts, notes and tables, and explanations of judged phases."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from .. import Json, ResultTable
from ..charts import Chart
from ..digits import STOCKS
from ..risks import Risk
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
    "forms",
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


def forms(state: State) -> tuple[tuple[str, str], ...]:
    rows = [
        ("PLACE 4 Serbia", "4 of your new PFs go there"),
        ("ATTACK Russia IN Serbia", "attack one nation in one area"),
        (f"  STOCK {state.market.example}", "its sales decide; up to 3, as GE/IBM/F"),
        ("ALLY France", "become allies, if France names you too"),
        ("PASS", "no orders, on purpose"),
    ]
    if state.is_choosing:
        rows.insert(3, ("  MIN 2-1", "only at these odds or better"))
    if state.options["wwi.alliance_withdrawal"] == "allowed":
        rows.insert(-1, ("LEAVE ALLIANCE", "end your alliance"))
    if state.options["rng.source"] != STOCKS:
        rows = [form for form in rows if "STOCK" not in form[0]]
    return tuple(rows)


def notes() -> tuple[str, ...]:
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
