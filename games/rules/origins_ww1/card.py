"""The printed sheet (contract 2, Rules A.1): areas, homes, PFs a turn, objectives and bonuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from .. import Json, cards
from ..cards import CardError
from ..names import Vocabulary, fold, vocabulary

GAME = "origins-ww1"
TREATY, EXCLUSIVE = KINDS = ("treaty", "exclusive_treaty")
NO_TREATIES, NO_OTHER_ABOVE = BONUSES = ("no_treaties", "no_other_above")
#: The two areas of the printed sheet that are no nations (A4, wwi.bonus_areas).
REGIONS = ("Far East", "Africa")
_KEYS = (
    "game",
    "name",
    "title",
    "provenance",
    "note",
    "turns",
    "order",
    "areas",
    "area_cap",
    "treaty_at",
    "home",
    "allocation",
    "objectives",
    "bonus",
)


class Bonus(NamedTuple):
    """Points beside the objectives: `nation` has neither received nor given treaty rights, or no
    other nation is above `limit`."""

    points: int
    nation: str = ""
    limit: int | None = None

    def words(self) -> str:
        if self.limit is not None:
            return f"No other nation has more than {self.limit} points"
        return f"{self.nation} has no treaty rights, and nobody has any with {self.nation}"


class Line(NamedTuple):
    area: str
    points: int
    exclusive: bool


@dataclass(frozen=True)
class Card:
    name: str
    title: str
    provenance: str
    note: str
    turns: int
    order: tuple[str, ...]
    areas: tuple[str, ...]
    area_cap: int
    treaty_at: int
    home: Mapping[str, str]
    allocation: Mapping[str, tuple[int, ...]]
    objectives: Mapping[str, Mapping[str, Mapping[str, int]]]
    bonus: Mapping[str, Bonus]
    #: The same objectives as scores are counted: nation to its lines.
    lines: Mapping[str, tuple[Line, ...]] = field(default_factory=dict)

    def __hash__(self) -> int:
        """Tables are no keys; what a card is called and has will do to find what was computed of
        it."""
        return hash((self.name, self.order, self.areas))

    def points(self, nation: str, area: str, kind: str) -> int:
        """What the objective pays; 0 where the sheet has none."""
        return self.objectives.get(nation, {}).get(area, {}).get(kind, 0)

    def cap(self, nation: str, area: str) -> int | None:
        """How many PFs a nation may place there in one turn; None at home, where there is no limit
        (A.2)."""
        return None if self.home.get(nation) == area else self.area_cap

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
    for place, nation in enumerate(order):
        if "in" in fold(nation).split():
            raise CardError(
                f"order[{place}]",
                f"“{nation}” must not hold the word IN, which stands behind a nation in an attack",
            )
    objectives = cards.objectives(tree, order, areas, KINDS)
    homes = cards.homes(tree, order, areas)
    for nation, home in homes.items():
        if home in objectives.get(nation, {}):
            raise CardError(
                f"objectives.{nation}.{home}", f"{nation} can have no treaty rights with itself"
            )
    return Card(
        **head._asdict(),
        area_cap=cards.whole(cards.present(tree, "area_cap"), "area_cap", 1),
        treaty_at=cards.whole(cards.present(tree, "treaty_at"), "treaty_at", 1),
        home=homes,
        allocation=cards.allocations(tree, order, head.turns),
        objectives=objectives,
        bonus=_bonuses(tree, order),
        lines={nation: _lines(objectives.get(nation, {})) for nation in order},
    )  # fmt: skip


def _lines(of_nation: Mapping[str, Mapping[str, int]]) -> tuple[Line, ...]:
    return tuple(
        Line(area, points, kind == EXCLUSIVE)
        for area, kinds in of_nation.items()
        for kind, points in kinds.items()
    )


def _bonuses(tree: Json, order: tuple[str, ...]) -> dict[str, Bonus]:
    """`[bonus.NATION]`: `points`, and either a nation without treaties or a limit of others'
    points."""
    found: dict[str, Bonus] = {}
    for nation, given in cards.table(tree.get("bonus", {}), "bonus").items():
        where = f"bonus.{nation}"
        cards.nation_of(nation, order, where)
        for key in cards.table(given, where):
            if key not in ("points", *BONUSES):
                raise CardError(
                    f"{where}.{key}", f"unknown key; known are points, {', '.join(BONUSES)}"
                )
        if "points" not in given:
            raise CardError(f"{where}.points", "is missing")
        points = cards.whole(given["points"], f"{where}.points", 1)
        if (NO_TREATIES in given) == (NO_OTHER_ABOVE in given):
            raise CardError(
                where, f"must have either {NO_OTHER_ABOVE} (a number) or {NO_TREATIES} (a nation)"
            )
        if NO_TREATIES in given:
            if given[NO_TREATIES] not in order:
                raise CardError(
                    f"{where}.{NO_TREATIES}",
                    f"there is no nation “{given[NO_TREATIES]}”",
                )
            found[nation] = Bonus(points, nation=given[NO_TREATIES])
        else:
            found[nation] = Bonus(
                points, limit=cards.whole(given[NO_OTHER_ABOVE], f"{where}.{NO_OTHER_ABOVE}", 0)
            )
    if sum(bonus.limit is not None for bonus in found.values()) > 1:
        # Each would depend on the other's: A.3 scores one nation last, and only one can be.
        raise CardError(
            "bonus",
            f"only one nation may have {NO_OTHER_ABOVE}, for its points are counted after all"
            " others'",
        )
    return found
