"""The games by their ids. Adding a game is adding a package and a line here.

Beside its ruleset a package may have `options.toml` (options of its own, with their texts),
`presets.toml` (games/desk/presets.py), `cards/` and `templates/` (games/game_templates.py).
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import Json, RulesError, cards, options
from .contract import Ruleset
from .origins_ww1.ruleset import OriginsWW1
from .origins_ww2.ruleset import OriginsWW2
from .ww2_multiplayer.ruleset import WW2MultiPlayer

RULESETS: dict[str, Ruleset] = {}


def register(rules: Ruleset) -> None:
    """Add a game, with the options and cards that stand beside it."""
    RULESETS[rules.id] = rules
    beside = folder(rules.id)
    if (beside / "cards").is_dir():
        cards.FOLDERS[rules.id] = beside / "cards"
    if (beside / "options.toml").exists():
        options.add((beside / "options.toml").read_bytes())


def folder(game: str) -> Path:
    """Return where the package of a game stands."""
    return Path(inspect.getfile(type(ruleset(game)))).parent


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


def add_scenarios(
    rules: Ruleset, card: Json, options: Mapping[str, Any], own: Mapping[str, Json] | None = None
) -> Json:
    """Return a card with all scenarios that a game with these options draws from.

    The card itself takes the place of the shipped one of its name, and so does each of `own`, cards
    by their names. Raises `CardError` where they are not of one board.
    """
    names = rules.scenarios(options)
    if not names:
        return card
    instead = {**(own or {}), card["name"]: card}
    found = [instead.get(name) or cards.load(rules.id, name) for name in names]
    whole = {**card, "scenarios": found}
    rules.check_card(whole)
    return whole


for _game in (OriginsWW2(), OriginsWW1(), WW2MultiPlayer()):
    register(_game)
