"""What a game answers that needs no referee: no sheets, no tables of his, no order that he alone
can judge (docs/design.md 10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import Json, PhaseId
from .charts import Chart


class Unrefereed:
    """The part of the contract of a ruleset that only refereed games have more to say to."""

    playable = True
    refereed = False

    def sheeted(self, phase: PhaseId) -> bool:
        return False

    def referee_table(self, state: Any, sheet: str = "") -> None:
        return None

    def order_forms(self, state: Any, nation: str) -> None:
        return None

    def voluntary(self, phase: PhaseId) -> bool:
        return False

    def negotiation_days(self, phase: PhaseId, options: Mapping[str, Any]) -> int | None:
        return None

    def hides_from_gamesmaster(self, phase: PhaseId) -> bool:
        return False

    def further_charts(self, card: Json) -> tuple[Chart, ...]:
        return ()

    def awaited(self, phase: PhaseId) -> str:
        return ""

    def owed(self, state: Any) -> tuple[str, ...]:
        return ()

    def looked_up(self, state: Any, events: Sequence[Json]) -> tuple[str, ...]:
        return ()

    def own_words(self, state: Any, nation: str, text: str) -> tuple[int, ...]:
        return ()

    def verbs(self, nation: str) -> tuple[str, ...]:
        return ()

    def instructions(self, state: Any) -> tuple[str, ...]:
        return ()

    def samples(self, state: Any, nation: str) -> tuple[str, ...]:
        return ()

    def score_sheets(self, state: Any) -> tuple[Any, ...]:
        return ()
