"""A card as the printed sheet looks: allocation by turn, objectives by area and nation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from games.rules.charts import Chart
from games.rules.options import validate
from games.rules.registry import ruleset

#: A sheet's kinds of objective as the pages abbreviate them, and what the abbreviation stands for.
KINDS = {
    "control": ("C", "CONTROL of its own there"),
    "understanding": ("U", "an Understanding of its own there"),
    "no_control": ("no C", "an area without anybody's CONTROL"),
    "no_understanding": ("no U", "an area without another nation's Understanding"),
    "treaty": ("T", "treaty rights there"),
    "exclusive_treaty": ("(T)", "treaty rights there that nobody else has"),
    "normalised": ("N", "a country without forces hostile to it at the end"),
}
#: Where countries are won on a map that has no counters for it, control is no piece.
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
class Sheet:
    """The tables of a card; `objectives`: a row an area, a list a nation."""

    turns: range
    allocation: tuple[
        tuple[str, tuple[int, ...], int], ...
    ]  # none where the sheet allots nothing by turns
    objectives: tuple[tuple[str, tuple[tuple[Objective, ...], ...]], ...]
    most: tuple[int, ...]
    provenance: str
    kinds: tuple[tuple[str, str], ...]
    bonuses: tuple[
        tuple[str, str, int], ...
    ] = ()  # nation, what it asks for, points: what is no area's
    charts: tuple[Chart, ...] = ()  # what else is printed, as tables of words


def kinds_of(card: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """The kinds of objective that a card has, abbreviated and in words."""
    used = {
        kind
        for areas in card.get("objectives", {}).values()
        for wishes in areas.values()
        for kind in wishes
    }
    return {
        kind: CONTROLLED if kind == "control" and "normalised" in used else said
        for kind, said in KINDS.items()
        if kind in used
    }


def _objective(kinds: Mapping[str, tuple[str, str]], kind: str, points: int) -> Objective:
    short, words = kinds.get(kind, (kind, kind))
    return Objective(short, words, points)


def sheet(card: Mapping[str, Any]) -> Sheet:
    """The tables of a card that has been checked."""
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
    return Sheet(
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
    """Yield objectives of no area, in the ruleset's words, with default options."""
    if not card.get("bonus"):
        return
    rules = ruleset(card["game"])
    state = rules.setup(dict(card), validate({}), card["order"])
    for nation in card["order"]:
        for one in rules.guide.sheet(state, nation).objectives:
            if not one.area:
                yield nation, one.words, one.points
