"""Tidy text that people wrote."""

from __future__ import annotations

import unicodedata


def shorten(text: str, most: int = 40) -> str:
    """Return a text to be quoted, cut to at most `most` characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def one_line(text: object) -> str:
    """Return text on one line without control characters, in any script."""
    words = " ".join(str(text).split())
    if not words.isprintable():  # of all blanks, only the plain one is printable
        words = "".join(
            " " if unicodedata.category(character) in ("Cc", "Zl", "Zp", "Zs") else character
            for character in words
        )
        words = " ".join(words.split())
    return words
