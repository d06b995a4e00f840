"""The games by their ids. Adding a game is adding a package and a line here."""

from __future__ import annotations

from . import Json, RulesError, cards
from .contract import Ruleset
from .origins_ww1.ruleset import OriginsWW1
from .origins_ww2.ruleset import OriginsWW2
from .ww2_multiplayer.ruleset import WW2MultiPlayer

RULESETS: dict[str, Ruleset] = {
    ruleset.id: ruleset for ruleset in (OriginsWW2(), OriginsWW1(), WW2MultiPlayer())
}


def ruleset(game: str) -> Ruleset:
    """Return the ruleset of a game by its id. Raises `RulesError` for an unknown one."""
    if game not in RULESETS:
        raise RulesError(f"unknown game “{game}”; known are {', '.join(RULESETS)}")
    return RULESETS[game]


def check_card(tree: Json) -> None:
    """Ask the ruleset that a card names whether it is one of its cards. Raises `CardError`."""
    try:
        rules = ruleset(cards.text(tree, "game"))
    except cards.CardError:
        raise
    except RulesError as error:
        raise cards.CardError("game", str(error)) from error
    rules.check_card(tree)
