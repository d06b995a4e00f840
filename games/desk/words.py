"""What every act of the desk is written with: its refusals, and people's words on one line."""

from __future__ import annotations

import unicodedata


class DeskError(Exception):
    """Something a gamesmaster cannot do as asked. `str()` is one sentence that says why and what to do."""


def one_line(text: str, what: str) -> str:
    """A person's words on one line. Raises `DeskError` for signs that are no text: no page shows them, and PostgreSQL stores no zero."""
    line = " ".join(text.split())
    if any(unicodedata.category(sign) in ("Cc", "Cs") for sign in line):
        raise DeskError(f"{what} holds a control character, which nobody can read; type it anew.")
    return line
