"""A card as the printed sheet looks: allocation by turn, and objectives with areas down and nations across."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: A sheet's kinds of objective as the pages abbreviate them, and what the abbreviation stands for.
KINDS = {
    "control": ("C", "CONTROL of its own there"),
    "understanding": ("U", "an Understanding of its own there"),
    "no_control": ("no C", "an area without anybody's CONTROL"),
    "no_understanding": ("no U", "an area without another nation's Understanding"),
    "treaty": ("T", "treaty rights there"),
    "exclusive_treaty": ("only T", "treaty rights there that nobody else has"),
}
PROVENANCE = {
    "printed": "As printed.",
    "reconstruction": "Not the published numbers.",
    "house": "A house sheet, not the published numbers.",
}


@dataclass(frozen=True)
class Objective:
    short: str
    words: str
    points: int


@dataclass(frozen=True)
class Sheet:
    """The tables of a card. `objectives` has a row for every area, each with one list of objectives for every nation."""

    turns: range
    allocation: tuple[tuple[str, tuple[int, ...], int], ...]
    objectives: tuple[tuple[str, tuple[tuple[Objective, ...], ...]], ...]
    most: tuple[int, ...]
    provenance: str
    kinds: tuple[tuple[str, str], ...]


def _objective(kind: str, points: int) -> Objective:
    short, words = KINDS.get(kind, (kind, kind))
    return Objective(short, words, points)


def sheet(card: Mapping[str, Any]) -> Sheet:
    """The tables of a card that has been checked."""
    nations = card["order"]
    used: list[str] = []
    rows = []
    most = dict.fromkeys(nations, 0)
    for area in card["areas"]:
        row = []
        for nation in nations:
            wishes = card.get("objectives", {}).get(nation, {}).get(area, {})
            row.append(tuple(_objective(kind, points) for kind, points in wishes.items()))
            most[nation] += max(wishes.values(), default=0)
            used += wishes
        rows.append((area, tuple(row)))
    allocation = tuple((nation, tuple(card["allocation"][nation]), sum(card["allocation"][nation])) for nation in nations)
    return Sheet(
        turns=range(1, card["turns"] + 1),
        allocation=allocation,
        objectives=tuple(rows),
        most=tuple(most.values()),
        provenance=PROVENANCE.get(card["provenance"], card["provenance"]),
        kinds=tuple(words for kind, words in KINDS.items() if kind in used),
    )
