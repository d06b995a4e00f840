"""Tidy text that people wrote."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


def one_line(text: object) -> str:
    """A person's words without line breaks or control signs, in whatever script."""
    said = str(text)
    if not said.isprintable():  # which of all blanks the plain one alone is
        said = "".join(
            " " if unicodedata.category(sign) in ("Cc", "Zl", "Zp", "Zs") else sign for sign in said
        )
    return " ".join(said.split())
