"""Points that rulings add to scores or take from them, by nation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from . import Json, RulesError


def adjust(state: Any, nation: str, points: int) -> Any:
    """Return the state with points added to a nation's; nations with 0 are left out.

    Raise `RulesError` for an unknown nation.
    """
    order = state.card.order
    if nation not in order:
        raise RulesError(f"There is no nation “{nation}”.")
    total = {**state.points, nation: state.points.get(nation, 0) + points}
    return replace(state, points={name: total[name] for name in order if total.get(name)})


def as_json(points: Mapping[str, int], order: Sequence[str]) -> Json:
    """Return the adjustments as part of a position: `points`, or nothing where there are none."""
    return (
        {"points": {nation: points[nation] for nation in order if points.get(nation)}}
        if points
        else {}
    )


def points_of(tree: object, order: Sequence[str]) -> dict[str, int]:
    """Return the adjustments of a position. Raise `RulesError` naming the key at fault."""
    if not isinstance(tree, dict):
        raise RulesError("points must be an object")
    for nation, points in tree.items():
        if nation not in order:
            raise RulesError(f"points.{nation}: not a nation of this card")
        if isinstance(points, bool) or not isinstance(points, int):
            raise RulesError(f"points.{nation} must be a whole number")
    return dict(tree)
