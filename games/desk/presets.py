"""Load stored choices for opening a game (presets.toml of its ruleset), and check them."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from games.models import Game
from games.rules import options as rule_options
from games.rules import registry
from games.rules.registry import RULESETS
from games.seats import press_rules
from games.timing import schedule

USUAL_ZONE = "America/New_York"
#: The settings besides options that a preset may set, with their defaults.
USUAL: dict[str, Any] = {
    "may_lock_early": False,
    "starts_when_full": False,
    "public": True,
    "approval_hours": 0,
    "absence_days": 14,
}


@dataclass(frozen=True)
class Preset:
    """Schedule, market, letters, approval and options that go well together."""

    id: str
    title: str
    words: str
    market: str
    schedule: Mapping[str, Any]
    game: str  # the ruleset that it is for
    options: Mapping[str, Any] = field(default_factory=dict)
    press: Mapping[str, Any] = field(default_factory=dict)
    may_lock_early: bool = False
    starts_when_full: bool = False
    public: bool = True
    approval_hours: int = 0
    absence_days: int = 14

    def changes(self, offered: Mapping[str, rule_options.Option]) -> list[tuple[str, str]]:
        """Return the changes as names and values in words, for options that the game has."""
        lines = [
            ("Deadlines", schedule.in_words(self.schedule, USUAL_ZONE)),
            ("Sales figures from", str(Game.Market(self.market).label)),
        ]
        if self.may_lock_early:
            lines.append(("A phase may end early", "once everybody’s orders are final"))
        if self.approval_hours:
            lines.append(
                (
                    "Results wait for you",
                    "an hour" if self.approval_hours == 1 else f"{self.approval_hours} hours",
                )
            )
        if self.absence_days != USUAL["absence_days"]:
            lines.append(
                (
                    "Absences",
                    f"move deadlines for {self.absence_days} days"
                    if self.absence_days
                    else "are only told",
                )
            )
        if self.starts_when_full:
            lines.append(("It begins", "when the last seat is taken"))
        if not self.public:
            lines.append(("Who may watch", "players only"))
        if self.press.get("gamesmaster_reads"):
            lines.append(("Letters between nations", "are read by the gamesmaster"))
        if self.press.get("released"):
            lines.append(("When the game is over", "everybody may read the letters"))
        for option, value in self.options.items():
            if option in offered and (
                offered[option].kind == "whole" or value in offered[option].choosable
            ):
                lines.append((offered[option].title, offered[option].label(value)))
        return lines


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
        press_rules.check(preset.press)
        Game.Market(preset.market)
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
