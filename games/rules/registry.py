"""The games by their ids. Adding a game is adding a package and a line here.

Beside its ruleset a package may have `options.toml` (options of its own, with their texts),
`presets.toml` (games/desk/presets.py), `cards/` and `templates/` (games/game_templates.py).
"""

from __future__ import annotations

import inspect
from pathlib import Path

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


for _game in (OriginsWW2(), OriginsWW1(), WW2MultiPlayer()):
    register(_game)
