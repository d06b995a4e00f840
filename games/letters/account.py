"""Where a nation's points come from: objective by objective, so that nobody has to take a score on
trust.

The ruleset alone knows what pays: it is asked for each nation's sheet, with what of it is reached
and what rulings have added.
"""

from __future__ import annotations

from typing import Any

from games.models import Game
from games.rules import Objective

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


def account_of(game: Game, position: dict[str, Any]) -> Account:
    """Nation to what pays it and how much, in the order of the card; a nation without points has an
    empty list."""
    state = game.rules.load(game.card, game.options, position)
    account: Account = {}
    for nation in game.card["order"]:
        sheet = game.rules.guide.sheet(state, nation)
        account[nation] = [(phrase(one), one.points) for one in sheet.objectives if one.reached]
        if sheet.ruled:
            account[nation].append(("rulings of the gamesmaster", sheet.ruled))
    return account


def phrase(one: Objective) -> str:
    """ "Poland: CONTROL", or what an objective asks for that is no area's: "bonus “No other nation
    has more than 12 points”"."""
    return f"{one.area}: {requirement(one)}" if one.area else f"bonus “{one.words}”"


def requirement(one: Objective) -> str:
    """What an objective asks for, without its area."""
    return one.words or KINDS.get(one.kind, one.kind.replace("_", " "))
