"""Points that rulings have added to scores or taken from them, by nation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import Json, RulesError


def adjust_points(
    points: Mapping[str, int], order: Sequence[str], nation: str, more: int
) -> dict[str, int]:
    """Return the points with `more` for a nation; a nation back at 0 is left out."""
    if nation not in order:
        raise RulesError(f"There is no nation “{nation}”.")
    total = {**points, nation: points.get(nation, 0) + more}
    return {one: total[one] for one in order if total.get(one)}


def as_json(points: Mapping[str, int], order: Sequence[str]) -> Json:
    """Return the adjustments as a position has them: `points`, or nothing where there are none."""
    return {"points": {one: points[one] for one in order if points.get(one)}} if points else {}


def points_of(tree: object, order: Sequence[str]) -> dict[str, int]:
    """Read the adjustments of a position. Raises `RulesError` naming the key at fault."""
    if not isinstance(tree, dict):
        raise RulesError("points must be an object")
    for nation, points in tree.items():
        if nation not in order:
            raise RulesError(f"points.{nation}: no nation of this card")
        if isinstance(points, bool) or not isinstance(points, int):
            raise RulesError(f"points.{nation} must be a whole number")
    return dict(tree)
