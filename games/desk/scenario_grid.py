"""Show a scenario as a grid of fields, exactly as typed, and make a card from it.

Nations and areas are identified by their places, so that renaming one loses no number. An invalid
number stays as typed until it is corrected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from games.rules import cards

from .scenarios import HEAD, MOST_AREAS, MOST_NATIONS, MOST_TURNS
from .words import DeskError

#: Longer input is cut; no valid entry is longer.
LONGEST_WORD, LONGEST_TEXT = 80, 3_000
USUAL_TURNS = 6
#: The parts of a card that the grid shows.
SHOWN = (*HEAD, "home", "allocation", "objectives")


@dataclass
class Nation:
    """A nation's column. `home` is an area's place; `points` has objectives by area's place."""

    name: str
    home: str = ""
    allocation: list[str] = field(default_factory=list)
    points: dict[int, dict[str, str]] = field(default_factory=dict)


@dataclass
class Grid:
    """Everything on the page of the editor, as typed."""

    title: str = ""
    name: str = ""
    provenance: str = "house"
    note: str = ""
    turns: str = str(USUAL_TURNS)
    broken_by: str = ""
    areas: list[str] = field(default_factory=list)
    nations: list[Nation] = field(default_factory=list)

    @property
    def columns(self) -> int:
        """Return how many turns the page has columns for: those entered, if that is possible."""
        turns = _number(self.turns)
        return turns if isinstance(turns, int) and 1 <= turns <= MOST_TURNS else USUAL_TURNS


def kinds(ruleset_id: str) -> tuple[str, ...]:
    """Return the kinds of objective of a game's scenarios, in order of appearance."""
    seen: dict[str, None] = {}
    for name in cards.names(ruleset_id):
        for areas in cards.load(ruleset_id, name).get("objectives", {}).values():
            for wishes in areas.values():
                seen.update(dict.fromkeys(wishes))
    return tuple(sorted(seen, key=lambda kind: (kind.startswith("no_"), kind)))


def grid_of(card: Mapping[str, Any]) -> Grid:
    """Return the grid of a card, complete or not, without anything a grid cannot show."""
    areas = [str(area) for area in _list(card.get("areas"))][: MOST_AREAS + 1]
    homes, allocations, wishes = (
        _table(card.get(key)) for key in ("home", "allocation", "objectives")
    )
    nations = []
    for name in [str(nation) for nation in _list(card.get("order"))][: MOST_NATIONS + 1]:
        nation = Nation(name, str(areas.index(homes[name])) if homes.get(name) in areas else "")
        nation.allocation = [str(number) for number in _list(allocations.get(name))]
        for area, points_by_kind in _table(wishes.get(name)).items():
            if area in areas:
                nation.points[areas.index(area)] = {
                    kind: str(points) for kind, points in _table(points_by_kind).items()
                }
        nations.append(nation)
    text = {key: str(card.get(key, "")) for key in ("title", "name", "provenance", "note", "turns")}
    return Grid(
        **text,
        broken_by=str(card.get("no_understanding_broken_by", "")),
        areas=areas,
        nations=nations,
    )


def typed_grid(typed: Mapping[str, Any], ruleset_id: str) -> Grid:
    """Return the grid that the page sent."""

    def word(name: str, longest: int = LONGEST_WORD) -> str:
        return " ".join(str(typed.get(name, ""))[:longest].replace("\0", "").split())

    grid = Grid(
        title=word("title", 200),
        name=word("name", 100),
        provenance=word("provenance"),
        note=str(typed.get("note", ""))[:LONGEST_TEXT].replace("\0", "").strip(),
        turns=word("turns"),
        broken_by=word("broken_by"),
        areas=[word(f"area-{place}") for place in range(_count(typed, "area", MOST_AREAS + 1))],
    )
    known_kinds = kinds(ruleset_id)
    for row in range(_count(typed, "nation", MOST_NATIONS + 1)):
        nation = Nation(word(f"nation-{row}"), word(f"home-{row}"))
        nation.allocation = [word(f"alloc-{row}-{turn}") for turn in range(grid.columns)]
        for place in range(len(grid.areas)):
            points = {
                kind: text for kind in known_kinds if (text := word(f"obj-{row}-{place}-{kind}"))
            }
            if points:
                nation.points[place] = points
        grid.nations.append(nation)
    return grid


def hidden_keys(card: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a card that the grid does not show, such as limits and bonuses."""
    return {key: value for key, value in card.items() if key not in SHOWN}


def make_card(
    grid: Grid, ruleset_id: str, earlier: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the card that a grid makes, complete or not, with the hidden parts of `earlier`.

    Lines whose name is cleared are left out. Raise `DeskError` if two names are the same.
    """
    areas = {place: name for place, name in enumerate(grid.areas) if name}
    _check_unique(list(areas.values()), "area")
    nations = [nation for nation in grid.nations if nation.name]
    _check_unique([nation.name for nation in nations], "nation")
    homes = {
        nation.name: areas[int(nation.home)]
        for nation in nations
        if nation.home.isdecimal() and int(nation.home) in areas
    }
    objectives: dict[str, dict[str, dict[str, int | str]]] = {}
    for nation in nations:
        for place, typed_points in sorted(nation.points.items()):
            counted = {
                kind: number
                for kind, text in typed_points.items()
                if (number := _number(text)) not in (0, "")
            }
            if counted and place in areas:
                objectives.setdefault(nation.name, {})[areas[place]] = counted
    card: dict[str, Any] = {
        "game": ruleset_id,
        "name": grid.name,
        "title": grid.title,
        "provenance": grid.provenance,
        "note": grid.note,
        "turns": _number(grid.turns),
        "order": [nation.name for nation in nations],
        "areas": list(areas.values()),
    }
    if grid.broken_by:
        card["no_understanding_broken_by"] = grid.broken_by
    allocation = {
        nation.name: [_number(text) for text in _pad(nation.allocation, grid.columns)]
        for nation in nations
    }
    return (
        card
        | {"home": homes, "allocation": allocation, "objectives": objectives}
        | hidden_keys(earlier or {})
    )


def rows(grid: Grid, ruleset_id: str) -> Iterator[dict[str, Any]]:
    """Yield each nation for the template: its place, fields and objectives."""
    known_kinds = kinds(ruleset_id)
    for row, nation in enumerate(grid.nations):
        wishes = [
            {
                "place": place,
                "area": area,
                "cells": [
                    (kind, f"obj-{row}-{place}-{kind}", nation.points.get(place, {}).get(kind, ""))
                    for kind in known_kinds
                ],
            }
            for place, area in enumerate(grid.areas)
            if area
        ]
        numbers = [
            (turn + 1, f"alloc-{row}-{turn}", text)
            for turn, text in enumerate(_pad(nation.allocation, grid.columns))
        ]
        most = sum(
            max(
                (n for text in typed_points.values() if isinstance(n := _number(text), int)),
                default=0,
            )
            for typed_points in nation.points.values()
        )
        total = sum(n for text in nation.allocation if isinstance(n := _number(text), int))
        sums = {"most": most, "total": total}
        yield {"place": row, "nation": nation, "wishes": wishes, "numbers": numbers, **sums}


def _pad(values: list[str], turns: int) -> list[str]:
    return (values + [""] * turns)[:turns]


def _number(text: str) -> int | str:
    """Return a number, or the text as typed, which the check then refuses at its place."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text


def _check_unique(names: list[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DeskError(
                f"There are two lines for the {what} “{name}”; give one of them another name, or"
                " clear it."
            )
        seen.add(name)


def _count(typed: Mapping[str, Any], name: str, most: int) -> int:
    """Return how many lines of a kind were sent."""
    places = (key[len(name) + 1 :] for key in typed if key.startswith(f"{name}-"))
    counted = (int(place) + 1 for place in places if place.isdecimal() and len(place) < 3)
    return min(max(counted, default=0), most)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
