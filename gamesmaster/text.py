"""Tidy text that people wrote."""

from __future__ import annotations

import unicodedata


def short(text: str, most: int = 40) -> str:
    """Return a text to be quoted, of at most so many characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def one_line(text: object) -> str:
    """A person's words without line breaks or control signs, in whatever script."""
    said = str(text)
    if not said.isprintable():  # which of all blanks the plain one alone is
        said = "".join(
            " " if unicodedata.category(sign) in ("Cc", "Zl", "Zp", "Zs") else sign for sign in said
        )
    return " ".join(said.split())
