"""What a game's guide explains with: charts in words, the risks of judged attacks, and examples."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from . import Board, Json

T = TypeVar("T")

#: Sales as a market report has them; `sales` changes the digit.
SOLD = 5_412_300


class Chart(NamedTuple):
    """A table with headings: what a printed scenario has beyond areas, nations and objectives.

    Each of `rows` has one entry per column; `note` is a sentence below, or "".
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Risk:
    """A judged attack in hindsight: its chances, and what each side could expect to lose.

    `chances` are results in the ruleset's letters with their chances in percent, the best for the
    attacker first.
    """

    chances: tuple[tuple[str, str, int], ...]  # letter, in words, percent
    expected: Mapping[str, float] = field(default_factory=dict)  # expected losses by nation
    lost: Mapping[str, int] = field(default_factory=dict)  # actual losses by nation

    def chance(self, result: str) -> int:
        """Return the chance in percent that such an attack has this result."""
        return next((percent for letter, _, percent in self.chances if letter == result), 0)


@dataclass(frozen=True)
class Example:
    """An example for the pages that explain the rules, with positions before and after.

    `orders` are lines by nation, `told` the engine's sentences when it judged them; `figures` are
    values computed for the text, by name.
    """

    name: str
    area: str
    before: Board
    after: Board
    orders: tuple[tuple[str, tuple[str, ...]], ...]
    told: tuple[str, ...]
    figures: dict[str, object]


# Parts of a card, for examples that work with any card.


def first(all_of_them: Iterable[T], *wanted: T) -> list[T]:
    """Return the wanted items that exist, then the others, both in the order given."""
    items = list(all_of_them)
    present = [item for item in wanted if item in items]
    return [*present, *(item for item in items if item not in present)]


def is_ordered(event: Json, orders: Collection[str]) -> bool:
    """Return whether an event concerns a nation that has orders in the example."""
    return any(nation in orders for nation in (event.get("nation"), *event.get("nations", ())))


def places(
    areas: Iterable[str], homes: Mapping[str, str], wanted: str, away: Iterable[str] = ()
) -> list[str]:
    """Return all areas, the wanted one first and the homes of the `away` nations last."""
    last = {homes.get(nation) for nation in away}
    return sorted(first(areas, wanted), key=lambda area: area in last)


def sales(digit: int) -> int:
    """Return sales that give a digit."""
    return SOLD // 1000 * 1000 + 100 * digit
