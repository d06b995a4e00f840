"""Examples by which pages explain the rules: positions, and what the engine itself makes of
them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from . import Board

T = TypeVar("T")

#: One figure of sales for each digit, as a market report has it.
SOLD = 5_412_300


@dataclass(frozen=True)
class Example:
    """`orders` are lines by nation, `told` what the engine said when it judged them; `figures` are
    worked out beside it, by name."""

    name: str
    area: str
    before: Board
    after: Board
    orders: tuple[tuple[str, tuple[str, ...]], ...]
    told: tuple[str, ...]
    figures: dict[str, object]


# What a card has, for examples that are to be played on any.


def first(all_of_them: Iterable[T], *wanted: T) -> list[T]:
    """Those that are wanted and there, then the others, each in its order."""
    listed = list(all_of_them)
    found = [one for one in wanted if one in listed]
    return [*found, *(one for one in listed if one not in found)]


def places(
    areas: Iterable[str], homes: Mapping[str, str], wanted: str, away: Iterable[str] = ()
) -> list[str]:
    """All areas, the one that is wanted first and the homes of these nations last."""
    last = {homes.get(nation) for nation in away}
    return sorted(first(areas, wanted), key=lambda area: area in last)


def sales(digit: int) -> int:
    """Sales that give a digit."""
    return SOLD // 1000 * 1000 + 100 * digit
