"""Where a nation's points come from: objective by objective, so that nobody has to take a score on trust.

The ruleset alone knows what pays. It is asked for the standing once for each kind of objective in each area, on the same
position with a card that has no other objective: what the nations score then is what they score for that. What they score with a card
that has no objectives at all are the adjustments that the gamesmaster has ruled.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.models import Game

#: Kinds of objective as a letter or a page names them after their area.
KINDS = {
    "control": "CONTROL",
    "understanding": "Understanding",
    "no_control": "nobody's CONTROL",
    "no_understanding": "no foreign Understanding",
    "treaty": "treaty rights",
    "exclusive_treaty": "treaty rights that nobody else has",
}
Account = dict[str, list[tuple[str, int]]]


def of(game: Game, position: dict[str, Any]) -> Account:
    """Nation to what pays it and how much, in the order of the card; a nation without points has an empty list."""
    wishes: Mapping[str, Mapping[str, Mapping[str, int]]] = game.card.get("objectives", {})
    account: Account = {nation: [] for nation in game.card["order"]}
    ruled = game.rules.standing(game.rules.load({**game.card, "objectives": {}}, game.options, position)).scores
    kinds = dict.fromkeys(kind for areas in wishes.values() for paid in areas.values() for kind in paid)
    for area in game.card["areas"]:
        for kind in kinds:
            only = {nation: {area: {kind: areas[area][kind]}} for nation, areas in wishes.items() if kind in areas.get(area, {})}
            if not only:
                continue
            state = game.rules.load({**game.card, "objectives": only}, game.options, position)
            for nation, points in game.rules.standing(state).scores.items():
                if points := points - ruled[nation]:
                    account[nation].append((f"{area}: {KINDS.get(kind, kind.replace('_', ' '))}", points))
    for nation, points in ruled.items():
        if points:
            account[nation].append(("rulings of the gamesmaster", points))
    return account
