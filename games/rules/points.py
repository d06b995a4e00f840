"""Points that rulings have added to scores or taken from them, by nation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import RulesError


def adjust_points(
    points: Mapping[str, int], order: Sequence[str], nation: str, more: int
) -> dict[str, int]:
    """With so many more for one nation; none are kept for a nation that is back at none."""
    if nation not in order:
        raise RulesError(f"There is no nation “{nation}”.")
    total = {**points, nation: points.get(nation, 0) + more}
    return {one: total[one] for one in order if total.get(one)}


def points_of(tree: object, order: Sequence[str]) -> dict[str, int]:
    """The adjustments of a position. Raises `RulesError` where they are none."""
    if not isinstance(tree, dict):
        raise RulesError("points must be an object")
    for nation, points in tree.items():
        if nation not in order:
            raise RulesError(f"points.{nation}: no nation of this card")
        if isinstance(points, bool) or not isinstance(points, int):
            raise RulesError(f"points.{nation} must be a whole number")
    return dict(tree)
