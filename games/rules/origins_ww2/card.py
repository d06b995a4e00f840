"""The printed sheet of one scenario (contract 2, Rules C.0): areas, homes, allocation,
objectives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .. import Json, cards
from ..cards import CardError
from ..names import Vocabulary, vocabulary

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
    #: The slips of a blind game (F3): whole cards of the same board, by their names.
    scenarios: Mapping[str, Card] = field(default_factory=dict)
    #: Where nations play for objectives of several cards: what each nation's own card says there.
    broken_by_nation: Mapping[str, str] = field(default_factory=dict)

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
        scenarios=_scenarios(tree, head),
    )  # fmt: skip


def _scenarios(tree: Json, head: cards.Head) -> dict[str, Card]:
    """Check the cards that a blind game draws from: all of the board of the card they stand on."""
    given = tree.get("scenarios", [])
    if not isinstance(given, list):
        raise CardError("scenarios", "must be a list of cards")
    found: dict[str, Card] = {}
    for number, one in enumerate(given):
        where = f"scenarios[{number}]"
        if not isinstance(one, dict) or "scenarios" in one:
            raise CardError(where, "must be a card that has no scenarios of its own")
        try:
            card = card_of(one)
        except CardError as fault:
            raise CardError(f"{where}.{fault.key}", fault.fault) from fault
        if card.name in found:
            raise CardError(where, f"“{card.name}” stands there twice")
        for key in ("turns", "order", "areas"):
            if getattr(card, key) != getattr(head, key):
                said = f"“{card.title}” has other {_WORDS[key]} than “{head.title}”"
                raise CardError(f"{where}.{key}", said)
        found[card.name] = card
    if given and len(found) < len(head.order):
        raise CardError("scenarios", f"must be at least {len(head.order)}, one for each nation")
    return found
