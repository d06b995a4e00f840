"""The worth of an area to the reader's nation and to others, beside the map and on it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from games.boards.overlay import Mark
from games.letters import account
from games.rules.contract import Ruleset

#: Abbreviations on the map for kinds of objectives.
LETTERS = {"control": "C", "understanding": "U", "treaty": "T", "exclusive_treaty": "T!"}


@dataclass(frozen=True)
class Worth:
    """What one area pays the reader's nation and each other nation, with points."""

    own: tuple[tuple[str, int], ...]
    others: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    letters: str  # the reader's objectives, abbreviated: “C5 U3”


def area_worths(rules: Ruleset, seen: Any, nation: str, nations: Iterable[str]) -> dict[str, Worth]:
    """Return the worth of every area that pays a nation, as `nation` sees the state.

    `seen` is that nation's view, so objectives it may not know are not included.
    """
    own: dict[str, list[tuple[str, int]]] = {}
    others: dict[str, dict[str, list[tuple[str, int]]]] = {}
    letters: dict[str, list[str]] = {}
    for name in nations:
        for objective in rules.guide.nation_facts(seen, name).objectives:
            if not objective.area:
                continue
            needed = f"for {account.requirement(objective)}"
            if objective.kind == "no_control" and not objective.words:
                needed = "if nobody controls it"
            paid = (needed, objective.points)
            if name != nation:
                others.setdefault(objective.area, {}).setdefault(name, []).append(paid)
                continue
            own.setdefault(objective.area, []).append(paid)
            if objective.kind in LETTERS:
                letters.setdefault(objective.area, []).append(
                    f"{LETTERS[objective.kind]}{objective.points}"
                )
    return {
        area: Worth(
            tuple(own.get(area, ())),
            tuple((name, tuple(paid)) for name, paid in others.get(area, {}).items()),
            " ".join(letters.get(area, ())),
        )
        for area in [*own, *(area for area in others if area not in own)]
    }


def marks(worths: dict[str, Worth]) -> list[Mark]:
    """Return the objectives of the reader's nation as marks for the map."""
    return [Mark(area, item.letters, "worth") for area, item in worths.items() if item.letters]


def paying(worths: dict[str, Worth]) -> tuple[str, ...]:
    """Return the areas that pay the reader's nation, those that pay most first."""
    most = {
        area: max(points for _, points in item.own) for area, item in worths.items() if item.own
    }
    return tuple(sorted(most, key=lambda area: -most[area]))


def example(worths: dict[str, Worth]) -> str:
    """Return the abbreviation on the map of the area that pays most, or "" if none has one."""
    shown = (worths[area].letters for area in paying(worths))
    return next((letters.split()[0] for letters in shown if letters), "")
