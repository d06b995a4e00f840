"""All settings of a game in one typed table, with all texts about them.

Settings say how a game is run: who may join, who reads what, what waits for the gamesmaster.
Unlike the options of the rules they decide no result, and some may be changed while the game runs.
`settings.toml` declares them; the form that opens a game, presets, the first letter and the pages
of the desk list them from there.
"""

from __future__ import annotations

import pkgutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from . import RulesError
from .contract import Ruleset
from .options import Option, Section, make_option, read_sections


@dataclass(frozen=True)
class Setting(Option):
    """One setting: "choice", "whole" with 0 or more, or "yes_no".

    Its `default` is its value in games that do not have it, and `usual` its value in a new game.
    """

    most: int = 0  # of a whole number
    buttons: bool = False  # choose by buttons, not from a list
    only: str = ""  # which games have it: those with "reports", "attacks", "deals"; "": all
    subject: str = ""  # its name in a list of values, if that is not its name in a form
    later: str = ""  # the kind of act that changes it in a game going on; "": none
    says: Mapping[str, str] = field(default_factory=dict, compare=False)  # values in a list
    letter: Mapping[str, str] = field(default_factory=dict, compare=False)  # in the first letter
    act: Mapping[str, str] = field(default_factory=dict, compare=False)  # when it is changed

    def check(self, value: object) -> Any:
        """Return a valid value. Raise `RulesError` quoting any other."""
        if self.kind == "yes_no":
            if isinstance(value, bool):
                return value
            raise RulesError(f"“{value}” is not a value of “{self.title}”, which is true or false.")
        if self.kind == "whole":
            if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= self.most:
                return value
            raise RulesError(
                f"“{value}” is not possible for “{self.title}”: enter 0 to {self.most}."
            )
        if value in self.values:
            return value
        known = ", ".join(f"“{known}”" for known in self.values if known)
        raise RulesError(f"“{value}” is not possible for “{self.title}”; there are {known}.")

    def belongs_to(self, rules: Ruleset) -> bool:
        """Return whether games of these rules have the setting."""
        return {
            "": True,
            "reports": bool(rules.referee.seats),
            "attacks": "attacks" in rules.timed_kinds,
            "deals": rules.deals is not None,
        }[self.only]

    @property
    def choices(self) -> list[tuple[str, str]]:
        """The values of a choice with their labels."""
        return [(value, self.label(value)) for value in self.values]

    def label(self, value: object) -> str:
        if self.kind == "yes_no":
            return "yes" if value else "no"
        return str(self.labels.get(value, value))

    def row(self, value: object) -> tuple[str, str]:
        """Return the setting and a value of it in words, for a list."""
        return self.subject or self.name, self.words(self.says, value) or self.label(value)

    def words(self, texts: Mapping[str, str], value: object) -> str:
        """Return the text about a value; "" if there is none."""
        key = self.label(value) if self.kind == "yes_no" else str(value)
        others = "" if key in ("0", "no", "") else texts.get("more", "")
        return texts.get(key, others).format(value, label=self.label(value))


def _read() -> dict[str, Any]:
    content = pkgutil.get_data(__package__, "settings.toml")
    assert content is not None
    return tomllib.loads(content.decode())


_TREE = _read()
SECTIONS: tuple[Section, ...] = read_sections(_TREE)
SETTINGS: dict[str, Setting] = {
    declared["id"]: make_option(
        Setting, **({"default": False} if declared.get("kind") == "yes_no" else {}) | declared
    )
    for declared in _TREE["setting"]
}


def settings_of(rules: Ruleset) -> list[Setting]:
    """Return the settings that games of these rules have."""
    return [setting for setting in SETTINGS.values() if setting.belongs_to(rules)]


def changeable_settings(rules: Ruleset) -> list[Setting]:
    """Return the settings that a gamesmaster of such a game may change at any time."""
    return [setting for setting in settings_of(rules) if setting.later]


def check_settings(rules: Ruleset, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with valid values. Raise `RulesError` for any that the game does not have."""
    checked = {}
    for id, value in given.items():
        if id not in SETTINGS:
            raise RulesError(f"“{id}” is not a setting; there are {', '.join(SETTINGS)}.")
        setting = SETTINGS[id]
        checked[id] = setting.check(value)
        if value != setting.default and not setting.belongs_to(rules):
            raise RulesError(
                f"“{setting.title}” does not apply to games of {rules.title}. Leave it unchanged."
            )
    return checked


def complete_settings(rules: Ruleset, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return every setting of a new game. Raise `RulesError` as `check_settings` does."""
    checked = check_settings(rules, given)
    return {
        id: checked.get(id, setting.usual if setting.belongs_to(rules) else setting.default)
        for id, setting in SETTINGS.items()
    }
