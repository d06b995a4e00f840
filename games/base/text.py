"""Tidy text that people wrote."""

from __future__ import annotations

import unicodedata
from typing import TypeVar

_Value = TypeVar("_Value")
#: Signs that no line keeps. Those that turn the direction of all that follows: in a name they would
#: turn what others read beside it; signs that turn one letter, as some scripts need, are left. And
#: two that XML forbids: one in the title of a game would end the feed of all.
DROPPED = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFFFE, 0xFFFF])


def shorten(text: str, most: int = 40) -> str:
    """Return a text to be quoted, cut to at most `most` characters."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def storable(value: _Value) -> _Value:
    """Return text, or JSON with texts in it, without characters that cannot be stored.

    PostgreSQL refuses a zero, and half a character has no UTF-8. Each becomes a sign for it.
    """
    tidy: object = value
    if isinstance(value, str):
        tidy = value.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()
    elif isinstance(value, dict):
        tidy = {storable(key): storable(item) for key, item in value.items()}
    elif isinstance(value, list):
        tidy = [storable(item) for item in value]
    return tidy  # type: ignore[return-value]


def one_line(text: object) -> str:
    """Return text on one line without control characters and `DROPPED`, in any script."""
    words = " ".join(str(text).split())
    if not words.isprintable():  # of all blanks, only the plain one is printable
        words = "".join(
            " " if unicodedata.category(character) in ("Cc", "Zl", "Zp", "Zs") else character
            for character in words.translate(DROPPED)
        )
        words = " ".join(words.split())
    return words
