"""The printed card (Rules A.1): areas, homes, PFs a turn, objectives and bonuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from .. import Json, cards
from ..cards import CardError
from ..names import fold

GAME = "origins-ww1"
TREATY, EXCLUSIVE = KINDS = ("treaty", "exclusive_treaty")
NO_TREATIES, NO_OTHER_ABOVE = BONUSES = ("no_treaties", "no_other_above")
#: The two areas of the printed card that are not nations (A4, wwi.bonus_areas).
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
    """Points in addition to the objectives, if `nation` has neither received nor given treaty
    rights, or if no other nation is above `limit`."""

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
class Card(cards.OriginsCard):
    area_cap: int
    treaty_at: int
    bonus: Mapping[str, Bonus]
    #: The same objectives in the form that scoring uses: nation to its lines.
    lines: Mapping[str, tuple[Line, ...]] = field(default_factory=dict)

    def __hash__(self) -> int:
        """Hash name, nations and areas only, because dictionaries have no hash. That is enough to
        find cached results."""
        return hash((self.name, self.order, self.areas))

    def cap(self, nation: str, area: str) -> int | None:
        """Return the most PFs that a nation may place there in one turn; None at home, where there
        is no limit (A.2)."""
        return None if self.home.get(nation) == area else self.area_cap


@cards.cache_check
def card_of(tree: Json) -> Card:
    """Check a card from top to bottom and return it. Raise `CardError` with the first key at
    fault."""
    head = cards.head(tree, GAME, _KEYS)
    order, areas = head.order, head.areas
    for place, nation in enumerate(order):
        if "in" in fold(nation).split():
            raise CardError(
                f"order[{place}]",
                f"“{nation}” must not contain the word IN, which follows the nation in an attack",
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
    """Return the bonuses of `[bonus.NATION]`: `points`, and either a nation without treaties or a
    limit on others' points."""
    bonuses: dict[str, Bonus] = {}
    for nation, entry in cards.table(tree.get("bonus", {}), "bonus").items():
        where = f"bonus.{nation}"
        cards.nation_of(nation, order, where)
        for key in cards.table(entry, where):
            if key not in ("points", *BONUSES):
                raise CardError(
                    f"{where}.{key}", f"unknown key; known are points, {', '.join(BONUSES)}"
                )
        if "points" not in entry:
            raise CardError(f"{where}.points", "is missing")
        points = cards.whole(entry["points"], f"{where}.points", 1)
        if (NO_TREATIES in entry) == (NO_OTHER_ABOVE in entry):
            raise CardError(
                where, f"must have either {NO_OTHER_ABOVE} (a number) or {NO_TREATIES} (a nation)"
            )
        if NO_TREATIES in entry:
            if entry[NO_TREATIES] not in order:
                raise CardError(
                    f"{where}.{NO_TREATIES}",
                    f"there is no nation “{entry[NO_TREATIES]}”",
                )
            bonuses[nation] = Bonus(points, nation=entry[NO_TREATIES])
        else:
            bonuses[nation] = Bonus(
                points, limit=cards.whole(entry[NO_OTHER_ABOVE], f"{where}.{NO_OTHER_ABOVE}", 0)
            )
    if sum(bonus.limit is not None for bonus in bonuses.values()) > 1:
        # Two such bonuses would depend on each other; by A.3 only one nation is scored last.
        raise CardError(
            "bonus",
            f"only one nation may have {NO_OTHER_ABOVE}, because its points are counted after all"
            " others'",
        )
    return bonuses
