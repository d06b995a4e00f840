"""Explain a nation's score, objective by objective, so that nobody has to trust it.

The points come from the ruleset alone: it returns each nation's objectives, those that are reached,
and the points added by rulings.
"""

from __future__ import annotations

from typing import Any

from games.models import Game
from games.rules import Objective

#: Kinds of objective, as letters and pages name them before “in Poland”.
KINDS = {
    "control": "CONTROL",
    "understanding": "Understanding",
    "no_control": "nobody controls it",
    "no_understanding": "no foreign Understanding",
    "treaty": "treaty rights",
    "exclusive_treaty": "treaty rights that nobody else has",
}
Account = dict[str, list[tuple[str, int]]]


def account_of(game: Game, position: dict[str, Any]) -> Account:
    """Return, by nation in scenario order, the reached objectives with their points; an empty list
    for a nation without points."""
    state = game.rules.load(game.card, game.options, position)
    account: Account = {}
    for nation in game.card["order"]:
        facts = game.rules.guide.nation_facts(state, nation)
        account[nation] = [
            (phrase(objective), objective.points)
            for objective in facts.objectives
            if objective.reached
        ]
        if facts.ruled:
            account[nation].append(("rulings of the gamesmaster", facts.ruled))
    return account


def phrase(objective: Objective) -> str:
    """Return an objective in words: "CONTROL in Poland", or, where it has no area, "bonus “No other
    nation has more than 12 points”"."""
    if objective.kind == "no_control" and objective.area and not objective.words:
        return f"{objective.area} uncontrolled"
    words = requirement(objective)
    return f"{words} in {objective.area}" if objective.area else f"bonus “{objective.words}”"


def requirement(objective: Objective) -> str:
    """Return the requirement of an objective, without its area."""
    return objective.words or KINDS.get(objective.kind, objective.kind.replace("_", " "))
