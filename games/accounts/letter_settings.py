"""What a person wants of letters, in all games: kept with the person, shown and changed by mail
(`SETTINGS`, `SET RECEIPTS OFF`) and on the page “About you”.

Reports are stopped for a game alone (`games.outbox.subscriptions`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from games.models import Person
from games.rules.names import all_of
from gamesmaster.text import short

QUOTED_AT_MOST = 80


class SettingRefused(Exception):
    """A setting or value that does not exist. `str()` is one sentence for the person."""


@dataclass(frozen=True)
class Setting:
    """`word` as in SET RECEIPTS OFF, `field` of `Person`, and the values by the words for them."""

    word: str
    field: str
    label: str
    values: Mapping[str, int]
    explained: str

    def standing(self, person: Person) -> str:
        """Return the word for what a person has chosen."""
        chosen = getattr(person, self.field)
        return next(word for word, value in self.values.items() if value == chosen)

    def in_words(self, person: Person) -> str:
        """Return what a person has chosen, and the lines that change it."""
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
        "Hours before a deadline at which you are reminded of missing orders; in short phases"
        " later. A gamesmaster can send a reminder even with OFF.",
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


def read(typed: str) -> dict[str, int]:
    """Return the field and value that words such as “RECEIPTS OFF” set. Raises
    `SettingRefused`."""
    quoted = f"“SET {short(typed, QUOTED_AT_MOST)}” was not done"
    words = _HOURS.sub("", " ".join(typed.split())).upper()
    for setting in SETTINGS:
        name, _, value = words.rpartition(" ")
        if setting.word.rstrip("S") in (name.rstrip("S"), words.rstrip("S")):
            if value in setting.values and name:
                return {setting.field: setting.values[value]}
            possible = " or ".join(f"SET {setting.word} {word}" for word in setting.values)
            raise SettingRefused(f"{quoted}: write {possible}.")
    known = all_of([setting.word for setting in SETTINGS])
    raise SettingRefused(f"{quoted}: the settings are {known}.")


def change(person: Person, typed: str) -> None:
    """Set what words such as “RECEIPTS OFF” say. Raises `SettingRefused`."""
    for field, value in read(typed).items():
        setattr(person, field, value)
        person.save(update_fields=[field])
