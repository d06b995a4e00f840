"""The card of one scenario (Rules C.0): areas, homes, allocation, objectives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .. import Json, cards
from ..cards import CardError

GAME = "origins-ww2"
UNDERSTANDING, CONTROL, NO_UNDERSTANDING, NO_CONTROL = KINDS = (
    "understanding",
    "control",
    "no_understanding",
    "no_control",
)
_WORDS = {"turns": "turns", "order": "nations", "areas": "areas"}
BROKEN_BY = ("understanding", "understanding_or_control")
_KEYS = (
    "game", "name", "title", "provenance", "note", "turns", "order", "areas",
    "no_understanding_broken_by", "home", "allocation", "objectives", "scenarios",
)  # fmt: skip


@dataclass(frozen=True)
class Card(cards.OriginsCard):
    no_understanding_broken_by: str
    #: The slips of a blind game (F3): whole cards for the same board, by name.
    scenarios: Mapping[str, Card] = field(default_factory=dict)
    #: `no_understanding_broken_by` of the card each nation draws, in games with several cards.
    broken_by_nation: Mapping[str, str] = field(default_factory=dict)

    def allows(self, nation: str, area: str, kind: str) -> bool:
        """Return whether the card has the objective: of a counter only then it may be placed (T1,
        T2)."""
        return self.points(nation, area, kind) > 0

    def allowed_areas(self, nation: str, kind: str) -> tuple[str, ...]:
        return self._allowed_areas.get((nation, kind), ())

    @cached_property
    def _allowed_areas(self) -> dict[tuple[str, str], tuple[str, ...]]:
        return {
            (nation, kind): tuple(area for area in self.areas if self.allows(nation, area, kind))
            for nation in self.order
            for kind in KINDS
        }


@cards.cache_check
def card_of(tree: Json) -> Card:
    """Check a card from top to bottom and return it. Raise `CardError` with the first key at
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
        scenarios=_scenarios(tree, head),
    )  # fmt: skip


def _scenarios(tree: Json, head: cards.Head) -> dict[str, Card]:
    """Check the cards that a blind game draws from; all must have the same board as the card that
    contains them."""
    listed = tree.get("scenarios", [])
    if not isinstance(listed, list):
        raise CardError("scenarios", "must be a list of cards")
    by_name: dict[str, Card] = {}
    for number, scenario in enumerate(listed):
        where = f"scenarios[{number}]"
        if not isinstance(scenario, dict) or "scenarios" in scenario:
            raise CardError(where, "must be a card that has no scenarios of its own")
        try:
            card = card_of(scenario)
        except CardError as fault:
            raise CardError(f"{where}.{fault.key}", fault.fault) from fault
        if card.name in by_name:
            raise CardError(where, f"“{card.name}” is listed twice")
        for key in ("turns", "order", "areas"):
            if getattr(card, key) != getattr(head, key):
                sentence = f"“{card.title}” has different {_WORDS[key]} from “{head.title}”"
                raise CardError(f"{where}.{key}", sentence)
        by_name[card.name] = card
    if listed and len(by_name) < len(head.order):
        raise CardError("scenarios", f"must be at least {len(head.order)}, one for each nation")
    return by_name
