"""What every act of the desk is written with: its refusals, and people's words on one line."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager


class DeskError(Exception):
    """A gamesmaster cannot do what they ask. `str()` is one sentence: why, and what to do."""


#: Of a game whose charts are drawn in secret.
BLIND_AND_SEATED = (
    "In a blind game whoever runs it can find out what players may not know: so no gamesmaster sits"
    " in a seat. Let somebody else play the nation, or run the game."
)

#: Of a game in which the gamesmaster plays out the map.
REFEREE_AND_SEATED = (
    "In this game the gamesmaster plays out the map and reads everybody's orders: so whoever runs"
    " it sits in no seat. Let somebody else play the nation, or run the game."
)
NO_PROGRAM = (
    "No program can play this game, for orders may be in free words: invite somebody to play"
    " {nation}."
)


@contextmanager
def refusing(*kinds: type[Exception]) -> Iterator[None]:
    """Turn errors of these kinds into a `DeskError` that says the same."""
    try:
        yield
    except kinds as error:
        raise DeskError(str(error)) from error


def one_line(text: str, what: str) -> str:
    """Return words on one line. Raises `DeskError` for control signs, which cannot be stored."""
    line = " ".join(text.split())
    if any(unicodedata.category(sign) in ("Cc", "Cs") for sign in line):
        raise DeskError(f"{what} holds a control character, which nobody can read; type it anew.")
    return line
