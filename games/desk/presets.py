"""Load stored choices for opening a game (presets.toml of its ruleset), and check them."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from games.market.rolls import needs_exchange
from games.rules import options as rule_options
from games.rules import registry
from games.rules.digits import STOCKS
from games.rules.registry import RULESETS
from games.rules.settings import SETTINGS, check_settings
from games.timing import schedule

USUAL_ZONE = "America/New_York"
#: The reader's zone, where sentences name a zone.
YOUR_ZONE = "your"
#: The option that says where digits come from.
DIGITS = "rng.source"


@dataclass(frozen=True)
class Preset:
    """Schedule, settings and options that go well together."""

    id: str
    title: str
    words: str
    schedule: Mapping[str, Any]
    game: str  # the ruleset that it is for
    settings: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def needs_exchange(self) -> bool:
        """Whether the sales of a real exchange decide."""
        return needs_exchange(
            str(self.settings.get("market", "")), self.options.get(DIGITS, STOCKS)
        )

    def changes(self, offered: Mapping[str, rule_options.Option]) -> list[tuple[str, str]]:
        """Return the changes as names and values in words, for options that the game has."""
        settings = [(SETTINGS[id], value) for id, value in self.settings.items()]
        options = [(offered[id], value) for id, value in self.options.items() if id in offered]
        return [
            (
                "Deadlines",
                schedule.in_words(self.schedule, USUAL_ZONE if self.needs_exchange else YOUR_ZONE),
            ),
            *(setting.row(value) for setting, value in settings),
            *(
                (option.title, option.label(value))
                for option, value in options
                if option.kind == "whole" or value in option.choosable
            ),
        ]


def presets() -> Mapping[str, Preset]:
    """Return every preset by its id."""
    return {preset.id: preset for game in RULESETS for preset in presets_of_game(game)}


@cache
def presets_of_game(ruleset_id: str) -> list[Preset]:
    """Return the presets of a game. Raise for an invalid one: the file is part of the program."""
    loaded = []
    for tree in _file(ruleset_id).get("preset", ()):
        preset = Preset(game=ruleset_id, **tree)
        schedule.check(preset.schedule)
        rule_options.validate(preset.options)
        check_settings(registry.ruleset(ruleset_id), preset.settings)
        loaded.append(preset)
    return loaded


def teams_of(nations: Collection[str]) -> Mapping[str, int]:
    """Return the printed team sizes if they are of these nations: only one game has them."""
    return printed_teams() if set(printed_teams()) <= set(nations) else {}


@cache
def printed_teams() -> Mapping[str, int]:
    """Return how many people the printed classroom game gives each nation."""
    games = (_file(game).get("teams", {}) for game in RULESETS)
    return {nation: int(size) for teams in games for nation, size in teams.items()}


def _file(ruleset_id: str) -> dict[str, Any]:
    file = registry.folder(ruleset_id) / "presets.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
