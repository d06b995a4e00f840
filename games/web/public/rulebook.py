"""The rules by which a game is played, for its pages."""

from __future__ import annotations

from dataclasses import dataclass

from games.models import Game
from games.rules import options as rule_options


@dataclass(frozen=True)
class ChosenRule:
    """An option of a game with its value in words."""

    text: str
    value: str
    changed: bool


def chosen_rules(game: Game) -> list[ChosenRule]:
    """Return the options that could be different in this game, changed ones first."""
    rules = []
    for option in rule_options.game_options(game.rules):
        if not option.offered or option.kind == "symbols":
            continue
        value = game.options.get(option.id, option.default)
        rules.append(ChosenRule(option.text, option.label(value), value != option.usual))
    return sorted(rules, key=lambda rule: not rule.changed)
