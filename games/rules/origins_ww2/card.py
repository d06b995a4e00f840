"""The printed sheet of one scenario (contract 2, Rules C.0): areas, homes, allocation, objectives."""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from .. import Json, cards
from ..cards import CardError
from ..names import Vocabulary, vocabulary

GAME = "origins-ww2"
UNDERSTANDING, CONTROL, NO_UNDERSTANDING, NO_CONTROL = KINDS = ("understanding", "control", "no_understanding", "no_control")
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
        """What the objective pays; 0 where the card has none, which for counters is also the want of permission (T1, T2)."""
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


def card_of(tree: Json) -> Card:
    """Checks a card from top to bottom and returns it. Raises `CardError` with the first key at fault.

    A game's card is looked at again for every letter and every line of orders: an equal one is checked once.
    """
    try:
        content = marshal.dumps(tree, 2)  # 2: by what it says alone, not by which parts are one object
    except ValueError:  # what is no JSON is no card either; the check says so
        return _checked(tree)
    return _known(content)


@lru_cache(maxsize=256)
def _known(content: bytes) -> Card:
    return _checked(marshal.loads(content))


def _checked(tree: Json) -> Card:
    if not isinstance(tree, dict):
        raise CardError("", "a card must be a table")
    cards.known_keys(tree, _KEYS)
    cards.one_of(tree, "game", (GAME,))
    name = cards.slug(tree, "name")
    title = cards.text(tree, "title")
    provenance = cards.one_of(tree, "provenance", cards.PROVENANCES)
    note = tree.get("note", "")
    if not isinstance(note, str):
        raise CardError("note", "must be text")
    turns = cards.whole(cards.present(tree, "turns"), "turns", 1)
    order = cards.name_list(tree, "order")
    areas = cards.name_list(tree, "areas")
    broken_by = BROKEN_BY[0]
    if "no_understanding_broken_by" in tree:
        broken_by = cards.one_of(tree, "no_understanding_broken_by", BROKEN_BY)
    return Card(
        name=name, title=title, provenance=provenance, note=note, turns=turns, order=order, areas=areas,
        no_understanding_broken_by=broken_by,
        home=_home(tree, order, areas),
        allocation=_allocation(tree, order, turns),
        objectives=_objectives(tree, order, areas),
    )  # fmt: skip


def _home(tree: Json, order: tuple[str, ...], areas: tuple[str, ...]) -> dict[str, str]:
    home = cards.table(tree.get("home", {}), "home")
    for nation, area in home.items():
        _nation(nation, order, f"home.{nation}")
        if area not in areas:
            raise CardError(f"home.{nation}", f"“{area}” is no area of this card")
    return dict(home)


def _allocation(tree: Json, order: tuple[str, ...], turns: int) -> dict[str, tuple[int, ...]]:
    allocation = cards.table(cards.present(tree, "allocation"), "allocation")
    for nation in allocation:
        _nation(nation, order, f"allocation.{nation}")
    for nation in order:
        if nation not in allocation:
            raise CardError(f"allocation.{nation}", "is missing")
    return {nation: cards.yearly(allocation[nation], f"allocation.{nation}", turns) for nation in order}


def _objectives(tree: Json, order: tuple[str, ...], areas: tuple[str, ...]) -> dict[str, dict[str, dict[str, int]]]:
    objectives = cards.table(tree.get("objectives", {}), "objectives")
    found: dict[str, dict[str, dict[str, int]]] = {}
    for nation, of_nation in objectives.items():
        where = f"objectives.{nation}"
        _nation(nation, order, where)
        found[nation] = {}
        for area, kinds in cards.table(of_nation, where).items():
            here = f"{where}.{area}"
            if area not in areas:
                raise CardError(here, f"“{area}” is no area of this card")
            if not cards.table(kinds, here):
                raise CardError(here, f"must have one or more of {', '.join(KINDS)}")
            for kind, points in kinds.items():
                if kind not in KINDS:
                    raise CardError(f"{here}.{kind}", f"unknown kind; known are {', '.join(KINDS)}")
                cards.whole(points, f"{here}.{kind}", 1)
            found[nation][area] = dict(kinds)
    return found


def _nation(nation: str, order: tuple[str, ...], where: str) -> None:
    if nation not in order:
        raise CardError(where, f"“{nation}” is no nation of this card's order")
