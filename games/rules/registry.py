"""The games by their ids. To add a game, add a package and a line here.

The package of a *guest* lies outside this one, with all that only its game has, pages and letters
included. Nothing imports it: it is loaded by the names in `GUESTS`, and the service does without
any of them.

Besides its ruleset a package may have `options.toml` (its own options, with their texts),
`presets.toml` (games/desk/presets.py), `cards/` and `templates/` (games/game_templates.py).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from importlib import import_module, resources
from pathlib import Path
from types import ModuleType
from typing import Any

from . import Json, RulesError, cards, options
from .contract import Ruleset
from .origins_ww1.ruleset import OriginsWW1
from .origins_ww2.ruleset import OriginsWW2
from .verbs import Verb

RULESETS: dict[str, Ruleset] = {}
#: Packages of guests, by the ids of their games. `rules.ruleset.RULESET` of each is its ruleset.
GUESTS = {"ww2-multiplayer": "games.ww2_multiplayer"}


def register(rules: Ruleset) -> None:
    """Add a game, with the options and cards in its package."""
    RULESETS[rules.id] = rules
    package = folder(rules.id)
    if (package / "cards").is_dir():
        cards.FOLDERS[rules.id] = package / "cards"
    own_options = resources.files(type(rules).__module__.rpartition(".")[0]) / "options.toml"
    if own_options.is_file():  # also in the packed checker
        options.add(own_options.read_bytes())


def folder(game: str) -> Path:
    """Return the folder of a game's package."""
    return Path(inspect.getfile(type(ruleset(game)))).parent


def part(game: str, name: str) -> ModuleType:
    """Return a module of a guest's package: what its game adds to a layer above the rules."""
    return import_module(f"{GUESTS[game]}.{name}")


def ruleset(game: str) -> Ruleset:
    """Return the ruleset of a game by its id. Raise `RulesError` for an unknown id."""
    if game not in RULESETS:
        raise RulesError(f"unknown game “{game}”; known are {', '.join(RULESETS)}")
    return RULESETS[game]


def all_verbs() -> Iterator[Verb]:
    """Yield the verbs of all games."""
    for rules in RULESETS.values():
        yield from rules.verbs


def check_card(tree: Json) -> None:
    """Check a card by the ruleset that it names.

    Raise `CardError` where it is not one of that game's cards.
    """
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

    The card itself replaces the shipped one of the same name, and so does each of `own`, cards by
    their names. Raise `CardError` where they do not have the same board.
    """
    names = rules.scenarios(options)
    if not names:
        return card
    replacements = {**(own or {}), card["name"]: card}
    scenarios = [replacements.get(name) or cards.load(rules.id, name) for name in names]
    full_card = {**card, "scenarios": scenarios}
    rules.check_card(full_card)
    return full_card


for _game in (OriginsWW2(), OriginsWW1()):
    register(_game)
for _guest in GUESTS:
    register(part(_guest, "rules.ruleset").RULESET)
