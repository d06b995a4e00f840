"""What an area is worth to the reader's nation and to others, beside the map and on it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from games.boards.overlay import Mark
from games.letters import account
from games.rules.contract import Ruleset

#: What pays, as a map has room for it.
LETTERS = {"control": "C", "understanding": "U", "treaty": "T", "exclusive_treaty": "T!"}


@dataclass(frozen=True)
class Worth:
    """Of one area: what pays the reader's nation, and each other nation, with the points."""

    own: tuple[tuple[str, int], ...]
    others: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    letters: str  # what pays the reader's nation, in a few signs: “C5 U3”


def of_areas(rules: Ruleset, seen: Any, nation: str, nations: Iterable[str]) -> dict[str, Worth]:
    """Return the worth of every area that pays anybody, as a nation sees the state.

    Objectives that the nation may not know are in no view of it, and so not here.
    """
    own: dict[str, list[tuple[str, int]]] = {}
    others: dict[str, dict[str, list[tuple[str, int]]]] = {}
    letters: dict[str, list[str]] = {}
    for name in nations:
        for one in rules.guide.sheet(seen, name).objectives:
            if not one.area:
                continue
            paid = (account.requirement(one), one.points)
            if name != nation:
                others.setdefault(one.area, {}).setdefault(name, []).append(paid)
                continue
            own.setdefault(one.area, []).append(paid)
            if one.kind in LETTERS:
                letters.setdefault(one.area, []).append(f"{LETTERS[one.kind]}{one.points}")
    return {
        area: Worth(
            tuple(own.get(area, ())),
            tuple((name, tuple(paid)) for name, paid in others.get(area, {}).items()),
            " ".join(letters.get(area, ())),
        )
        for area in [*own, *(area for area in others if area not in own)]
    }


def marks(worths: dict[str, Worth]) -> list[Mark]:
    """Return what pays the reader's nation as marks for the map."""
    return [Mark(area, one.letters, "place") for area, one in worths.items() if one.letters]
