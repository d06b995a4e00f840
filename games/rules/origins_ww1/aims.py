"""What each nation's pile in an area may be worth, and to whom. Bots compute it once per card."""

from __future__ import annotations

from functools import lru_cache
from math import exp
from typing import NamedTuple

from .card import Card
from .table import AE, COLUMNS, DE, EX, TABLE, count

#: The largest pile in lookup tables; larger ones count the same.
MOST = 80
#: The estimated growth of a wanted pile per turn left, and the number of turns worth estimating.
GROWTH, AHEAD = 2.2, 5


class Stake(NamedTuple):
    """Points for the nation's treaty rights in an area: `treaty`, and `alone` more if no other
    nation has treaty rights there."""

    area: str
    treaty: int
    alone: int

    @property
    def points(self) -> int:
        return self.treaty + self.alone


class Aims(NamedTuple):
    stakes: dict[str, tuple[Stake, ...]]  # by nation, its own lines area by area
    at: dict[str, dict[str, Stake]]  # by area and nation
    alone: dict[str, tuple[Stake, ...]]  # by nation: others' lines that its own rights spoil
    owners: dict[str, str]  # by area: the nation with the best exclusive line there
    homes: dict[str, str]  # by nation


@lru_cache(maxsize=64)
def aims(card: Card) -> Aims:
    at: dict[str, dict[str, Stake]] = {area: {} for area in card.areas}
    for nation in card.order:
        for area, kinds in card.objectives.get(nation, {}).items():
            at[area][nation] = Stake(area, kinds.get("treaty", 0), kinds.get("exclusive_treaty", 0))
    owners: dict[str, str] = {}
    for area, here in at.items():
        best = max(here.items(), key=lambda entry: entry[1].alone, default=None)
        if best is not None and best[1].alone:
            owners[area] = best[0]
    stakes = {
        nation: tuple(here[nation] for here in at.values() if nation in here)
        for nation in card.order
    }
    alone = {
        nation: tuple(
            at[area][owner]
            for area, owner in owners.items()
            if owner != nation and card.home.get(nation) != area
        )
        for nation in card.order
    }
    return Aims(stakes, at, alone, owners, dict(card.home))


@lru_cache(maxsize=256)
def hopes(enough: int, left: int, settled: bool) -> tuple[float, ...]:
    """Return the probability that a pile finally gives treaty rights, by its number of PFs.

    `left` is the number of turns still to come. `settled`: no attacks are left in this turn, so in
    the last turn the result is certain.
    """
    ahead = min(left, AHEAD)
    if settled and not left:
        return tuple(1.0 if pf >= enough else 0.0 for pf in range(MOST + 1))
    width = 1.3 + 0.6 * ahead
    middle = enough + 1.0 - GROWTH * ahead if settled else enough + 2.0 - GROWTH * ahead
    return tuple(
        0.0 if not pf and not left else 1.0 / (1.0 + exp((middle - pf) / width))
        for pf in range(MOST + 1)
    )


#: The probabilities of DE, EX and AE, by column.
CHANCES: tuple[tuple[float, float, float], ...] = tuple(
    (count(column, DE) / len(TABLE), count(column, EX) / len(TABLE), count(column, AE) / len(TABLE))
    for column in range(len(COLUMNS))
)
