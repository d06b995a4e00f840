"""Personal settings for the letters of all games, stored with the person, shown and changed by mail
(`SETTINGS`, `SET RECEIPTS OFF`) and on the page “About you”; and their time zone by mail.

Reports can only be muted per game (`games.outbox.subscriptions`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from games.base.text import shorten
from games.models import Person
from games.rules.names import all_of
from games.timing import zone_names

QUOTED_AT_MOST = 80


class SettingRefused(Exception):
    """Raised for an unknown setting or value. `str()` is one sentence for the person."""


@dataclass(frozen=True)
class Setting:
    """A setting: `word` as in SET RECEIPTS OFF, `field` of `Person`, and its values by word."""

    word: str
    field: str
    label: str
    values: Mapping[str, int]
    explained: str

    def standing(self, person: Person) -> str:
        """Return the word for a person's current value."""
        chosen = getattr(person, self.field)
        return next(word for word, value in self.values.items() if value == chosen)

    def in_words(self, person: Person) -> str:
        """Return a person's current value in words, and the lines that change it."""
        chosen = self.standing(person)
        lines = [f"SET {self.word} {word}" for word in self.values if word != chosen]
        return f"{self.word} {chosen}: {self.explained} To change: {' or '.join(lines)}."


ON_OFF = {"ON": True, "OFF": False}
SETTINGS = (
    Setting(
        "RECEIPTS",
        "receipts",
        "Receipts for orders",
        ON_OFF,
        "Receipts for orders. With OFF you still get one when a line is rejected or has a warning.",
    ),
    Setting(
        "LOCK LETTERS",
        "lock_letters",
        "Letters when a phase is locked",
        ON_OFF,
        "The letter with the digest when a phase is locked.",
    ),
    Setting(
        "REMINDERS",
        "reminders",
        "Reminders",
        {"48": 48, "24": 24, "6": 6, "OFF": 0},
        "How many hours before a deadline you are reminded of missing orders; later in short"
        " phases. A gamesmaster can send a reminder even with OFF.",
    ),
    Setting(
        "PLAIN TEXT",
        "plain_text",
        "Plain text only",
        ON_OFF,
        "Letters without HTML and pictures.",
    ),
    Setting(
        "THREADS",
        "thread_by_phase",
        "Threads",
        {"GAME": False, "PHASE": True},
        "Whether mail programs keep the letters of a game, or of a phase, together.",
    ),
)
_HOURS = re.compile(r"(?<=\d)\s*(?:h|hours?)$", re.IGNORECASE)
_ZONE = re.compile(r"(?:time\s*)?zone\b[\s:]*(?:to\s+)?(.*)", re.IGNORECASE)


def lines_for(person: Person) -> list[str]:
    """Return each setting of a person in words, with the lines that change it."""
    zone = (
        f"ZONE {zone_names.name_of(person.zone)}: The time zone in which you read deadlines. To"
        " change, name a city or a country: SET ZONE Berlin."
    )
    return [*(setting.in_words(person) for setting in SETTINGS), zone]


def read(typed: str) -> dict[str, int | str]:
    """Return the field and value that words such as “RECEIPTS OFF” set. Raise `SettingRefused`."""
    quoted = f"“SET {shorten(typed, QUOTED_AT_MOST)}” was not done"
    if named := _ZONE.fullmatch(" ".join(typed.split())):
        if not named[1]:
            raise SettingRefused(f"{quoted}: name a city or a country, as in SET ZONE Berlin.")
        try:
            return {"zone": zone_names.zone_of(named[1])}
        except zone_names.ZoneUnknown as fault:
            place = shorten(named[1], QUOTED_AT_MOST)
            raise SettingRefused(f"{quoted}: “{place}” {fault}") from None
    words = _HOURS.sub("", " ".join(typed.split())).upper()
    for setting in SETTINGS:
        name, _, value = words.rpartition(" ")
        if setting.word.rstrip("S") in (name.rstrip("S"), words.rstrip("S")):
            if value in setting.values and name:
                return {setting.field: setting.values[value]}
            possible = " or ".join(f"SET {setting.word} {word}" for word in setting.values)
            raise SettingRefused(f"{quoted}: write {possible}.")
    setting_words = all_of([*(setting.word for setting in SETTINGS), "ZONE"])
    raise SettingRefused(f"{quoted}: the settings are {setting_words}.")


def change(person: Person, typed: str) -> str:
    """Apply words such as “RECEIPTS OFF” to a person; return them as they were understood. Raise
    `SettingRefused`."""
    [(field, value)] = read(typed).items()
    setattr(person, field, value)
    person.save(update_fields=[field])
    return f"ZONE {zone_names.name_of(person.zone)}" if field == "zone" else typed.upper()
