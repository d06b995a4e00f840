"""Recognize the first line of a letter to other players, also one that is slightly wrong."""

from __future__ import annotations

import re
from collections.abc import Collection
from difflib import get_close_matches

from games.rules.names import fold

from . import patterns

ALL = frozenset(("all", "everybody", "everyone", "all nations", "all players"))
GAMESMASTER = frozenset(("gamesmaster", "gm", "game master"))
_WORDS = (
    *("press", "pressto", "letter", "message", "broadcast", "question", "reply", "answer"),
    *("grey", "unsigned", "anonymous"),
)
_SHORT = re.compile(r"(press)\s+([^:]+?)[\s.!:]*$", re.IGNORECASE)
_ALMOST = re.compile(
    r"([^\W\d_]+)(?:\s+press)?(?:\s*:)?(?:\s+(?:to|for)\b)?\s*:?\s*(.*?)[\s.!:]*$", re.IGNORECASE
)
_LONGEST = 100


def addressees(to: str) -> tuple[str, ...]:
    """Return the names in the first line of a letter."""
    pieces = (piece.strip(" .") for piece in patterns.LIST.split(patterns.UNSIGNED.sub("", to)))
    names = (re.sub(r"^the\s+", "", piece, flags=re.I) for piece in pieces)
    return tuple(name for name in names if name)


def opens(text: str, nations: Collection[str]) -> re.Match[str] | None:
    """Return the match if a line begins a letter.

    PRESS France is as good as PRESS TO France if all that follows are nations. `nations` are
    folded.
    """
    if bullet := patterns.BULLET.match(text):
        text = text[bullet.end() :]
    if match := _short(text, nations):
        text = f"PRESS TO {match[2]}"
    return patterns.OPENS.match(text) or (
        patterns.OPENS.match(text.rstrip(" .!:")) if text[-1:] in ".!:" else None
    )


def opens_inside(text: str, nations: Collection[str]) -> bool:
    """Return whether a line within a letter begins another one.

    “press France” within a sentence is none without capitals.
    """
    match = _short(text, nations)
    return opens(text, nations if match and match[1].isupper() else ()) is not None


def ends(text: str) -> bool:
    """Return whether a line is the END of a letter."""
    return patterns.MEANING.get(text.strip(" .!?,;:").casefold()) == "end"


def almost_opens(text: str, nations: Collection[str]) -> bool:
    """Return whether a line is probably meant to begin a letter: PRES TO France.

    It is a word like PRESS, and otherwise only names of those who get letters.
    """
    match = _ALMOST.match(text) if len(text) <= _LONGEST else None
    word = get_close_matches(match[1].casefold(), _WORDS, n=1, cutoff=0.75) if match else []
    if match is None or not word:
        return False
    names = {fold(name) for name in addressees(match[2])}
    return bool(names or word[0] in ("broadcast", "question")) and names <= {
        *nations,
        *ALL,
        *GAMESMASTER,
    }


def _short(text: str, nations: Collection[str]) -> re.Match[str] | None:
    match = _SHORT.match(text) if len(text) <= _LONGEST else None
    names = addressees(match[2]) if match else ()
    return match if names and all(fold(name) in nations for name in names) else None
