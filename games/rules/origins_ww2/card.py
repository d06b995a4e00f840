"""The printed sheet of one scenario (contract 2, Rules C.0): areas, homes, allocation,
objectives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .. import Json, cards
from ..names import Vocabulary, vocabulary

GAME = "origins-ww2"
UNDERSTANDING, CONTROL, NO_UNDERSTANDING, NO_CONTROL = KINDS = (
    "understanding",
    "control",
    "no_understanding",
    "no_control",
)
BROKEN_BY = ("understanding", "understanding_or_control")
_KEYS = (
    "game", "name", "title", "provenance", "note", "turns", "order", "areas",
    "no_understanding_broken_by", "home", "allocation", "objectives",
)  # fmt: skip


@dataclass(frozen=True)
class Card:
    name: str
    title: str
    provenance: str
    note: str
    turns: int
    order: tuple[str, ...]
    areas: tuple[str, ...]
    no_understanding_broken_by: str
    home: Mapping[str, str]
    allocation: Mapping[str, tuple[int, ...]]
    objectives: Mapping[str, Mapping[str, Mapping[str, int]]]

    def points(self, nation: str, area: str, kind: str) -> int:
        """What the objective pays; 0 where the card has none, which for counters is also the want
        of permission (T1, T2)."""
        return self.objectives.get(nation, {}).get(area, {}).get(kind, 0)

    def allows(self, nation: str, area: str, kind: str) -> bool:
        return self.points(nation, area, kind) > 0

    def allowed_areas(self, nation: str, kind: str) -> tuple[str, ...]:
        return tuple(area for area in self.areas if self.allows(nation, area, kind))

    @property
    def nation_names(self) -> Vocabulary:
        return vocabulary(self.order, "nation")

    @property
    def area_names(self) -> Vocabulary:
        return vocabulary(self.areas, "area")


@cards.once
def card_of(tree: Json) -> Card:
    """Checks a card from top to bottom and returns it. Raises `CardError` with the first key at
    fault."""
    head = cards.head(tree, GAME, _KEYS)
    order, areas = head.order, head.areas
    broken_by = BROKEN_BY[0]
    if "no_understanding_broken_by" in tree:
        broken_by = cards.one_of(tree, "no_understanding_broken_by", BROKEN_BY)
    return Card(
        **head._asdict(),
        no_understanding_broken_by=broken_by,
        home=cards.homes(tree, order, areas),
        allocation=cards.allocations(tree, order, head.turns),
        objectives=cards.objectives(tree, order, areas, KINDS),
    )  # fmt: skip
