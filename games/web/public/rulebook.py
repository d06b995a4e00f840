"""The rules that a game is played by, as its pages tell them."""

from __future__ import annotations

from dataclasses import dataclass

from games.models import Game
from games.rules import options as rule_options


@dataclass(frozen=True)
class ChosenRule:
    """One option of a game with its value in words."""

    text: str
    value: str
    changed: bool


def chosen_rules(game: Game) -> list[ChosenRule]:
    """Return the options that could be otherwise in this game; changed ones first."""
    rules = []
    for option in rule_options.of_game(game.rules):
        if not option.offered or option.kind == "symbols":
            continue
        value = game.options.get(option.id, option.default)
        rules.append(ChosenRule(option.text, option.label(value), value != option.usual))
    return sorted(rules, key=lambda rule: not rule.changed)
