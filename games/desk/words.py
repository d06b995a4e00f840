"""Text helpers of all acts of the desk: refusals, and people's words on one line."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from games.base.text import DROPPED
from games.rules.contract import Ruleset
from games.rules.names import NameFault, vocabulary


class DeskError(Exception):
    """Raised where the desk refuses an action. `str()` is one sentence: why, and what to do."""


#: For a game whose charts are drawn in secret.
BLIND_AND_SEATED = (
    "In a blind game the gamesmaster can see what players must not, so a gamesmaster cannot play."
    " Let another person play the nation, or run the game."
)

#: For a game in which the gamesmaster plays out the map.
REFEREE_AND_SEATED = (
    "In this game the gamesmaster plays out the map and reads everybody's orders, so a"
    " gamesmaster cannot play. Let another person play the nation, or run the game."
)

NO_PROGRAM = (
    "Bots cannot play this game because its orders may be in free words. Invite a player for"
    " {nation}."
)


def check_gamesmaster_may_play(rules: Ruleset, options: Mapping[str, Any]) -> None:
    """Raise `DeskError` if a gamesmaster would know too much to play in a game of their own."""
    if rules.referee.seats:
        raise DeskError(REFEREE_AND_SEATED)
    if rules.needs_secret(options):
        raise DeskError(BLIND_AND_SEATED)


def find_nation(nations: Sequence[str], typed: str) -> str:
    """Return the nation that a text means. Raise `DeskError` with those to choose from."""
    try:
        return vocabulary(tuple(nations), "nation").find(typed)
    except NameFault as fault:
        why = str(fault)
        choices = ", ".join(nations)
        raise DeskError(f"{why[:1].upper()}{why[1:]}. Name one of {choices}.") from None


@contextmanager
def refusing(*kinds: type[Exception]) -> Iterator[None]:
    """Turn errors of these kinds into a `DeskError` with the same text."""
    try:
        yield
    except kinds as error:
        raise DeskError(str(error)) from error


def one_line(text: str, what: str) -> str:
    """Return words on one line. Raise `DeskError` for control characters; they cannot be stored."""
    line = " ".join(text.translate(DROPPED).split())
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in line):
        raise DeskError(f"{what} contains a control character. Please retype it.")
    return line
