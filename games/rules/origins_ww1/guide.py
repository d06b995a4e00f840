"""The printed charts, notes and tables, and explanations of judged phases."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from .. import Json, ResultTable, contract
from ..explaining import Risk
from . import choices, replaying, scoring
from . import table as printed
from .examples import examples
from .state import State


class Guide(contract.Guide):
    examples = staticmethod(examples)
    nation_facts = staticmethod(scoring.nation_facts)
    replay = staticmethod(replaying.states)

    def charts(self, state: State) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return choices.charts(state.card)

    def table(self) -> ResultTable:
        rows = tuple((die, results) for die, results in printed.TABLE.items())
        return ResultTable(printed.COLUMNS, rows, printed.OUTCOMES)

    def notes(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        return ("Odds are your strength to theirs, rounded down.",)

    def risks(self, state: State, events: Sequence[Json]) -> tuple[Risk | None, ...]:
        return replaying.risks(events)

    def contradictions(
        self, options: Mapping[str, Any], seats: Collection[str], lent: Collection[str]
    ) -> Iterator[str]:
        if (
            options.get("wwi.alliance_secrecy") == "until_end"
            and options.get("wwi.attack_ally") == "forbidden"
        ):
            yield (
                "An attack that is void between allies would reveal a secret alliance. Allow such"
                " attacks, or make alliances public."
            )
