"""A scenario as tables: allocation by turn, objectives by area and nation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from games.rules.explaining import Chart
from games.rules.options import validate
from games.rules.registry import ruleset

#: How pages abbreviate the kinds of objective, and what each abbreviation means.
KINDS = {
    "control": ("C", "CONTROL of its own there"),
    "understanding": ("U", "an Understanding of its own there"),
    "no_control": ("no C", "no CONTROL of any nation there"),
    "no_understanding": ("no U", "no Understanding of another nation there"),
    "treaty": ("T", "treaty rights there"),
    "exclusive_treaty": ("(T)", "the only treaty rights there"),
    "normalised": ("N", "a country without forces hostile to it at the end"),
}
#: The same for control in games in which control of a country is not a counter.
CONTROLLED = ("C", "control of the country at the end")
PROVENANCE = {
    "printed": "As printed.",
    "reconstruction": "Not the published numbers.",
    "house": "Our own numbers, not the published ones.",
}


@dataclass(frozen=True)
class Objective:
    short: str
    words: str
    points: int


@dataclass(frozen=True)
class Tables:
    """The tables of a scenario; `objectives`: a row for each area, a list for each nation."""

    turns: range
    allocation: tuple[tuple[str, tuple[int, ...], int], ...]  # empty if nothing is allotted by turn
    objectives: tuple[tuple[str, tuple[tuple[Objective, ...], ...]], ...]
    most: tuple[int, ...]
    provenance: str
    kinds: tuple[tuple[str, str], ...]
    bonuses: tuple[tuple[str, str, int], ...] = ()  # for no area: nation, requirement, points
    charts: tuple[Chart, ...] = ()  # everything else that is printed, as tables of text


def kinds_of(card: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return the kinds of objective in a scenario, abbreviated and in words."""
    used = {
        kind
        for areas in card.get("objectives", {}).values()
        for wishes in areas.values()
        for kind in wishes
    }
    return {
        kind: CONTROLLED if kind == "control" and "normalised" in used else meaning
        for kind, meaning in KINDS.items()
        if kind in used
    }


def _objective(kinds: Mapping[str, tuple[str, str]], kind: str, points: int) -> Objective:
    short, words = kinds.get(kind, (kind, kind))
    return Objective(short, words, points)


def tables_of(card: Mapping[str, Any]) -> Tables:
    """Return the tables of a scenario that has been checked."""
    nations, kinds = card["order"], kinds_of(card)
    rows = []
    most = dict.fromkeys(nations, 0)
    for area in card["areas"]:
        row = []
        for nation in nations:
            wishes = card.get("objectives", {}).get(nation, {}).get(area, {})
            row.append(tuple(_objective(kinds, kind, points) for kind, points in wishes.items()))
            most[nation] += max(wishes.values(), default=0)
        rows.append((area, tuple(row)))
    bonuses = tuple(_bonuses(card))
    for nation, _, points in bonuses:
        most[nation] += points
    allotted = card.get("allocation", {})
    allocation = tuple(
        (nation, tuple(allotted[nation]), sum(allotted[nation]))
        for nation in nations
        if nation in allotted
    )
    return Tables(
        turns=range(1, card["turns"] + 1),
        allocation=allocation,
        objectives=tuple(rows),
        most=tuple(most.values()),
        provenance=PROVENANCE.get(card["provenance"], card["provenance"]),
        kinds=tuple(kinds.values()),
        bonuses=bonuses,
        charts=ruleset(card["game"]).guide.further_charts(dict(card)),
    )


def _bonuses(card: Mapping[str, Any]) -> Iterator[tuple[str, str, int]]:
    """Yield the objectives without an area, in the ruleset's words, with default options."""
    if not card.get("bonus"):
        return
    rules = ruleset(card["game"])
    state = rules.setup(dict(card), validate({}), card["order"])
    for nation in card["order"]:
        for objective in rules.guide.nation_facts(state, nation).objectives:
            if not objective.area:
                yield nation, objective.words, objective.points
