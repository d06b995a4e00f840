"""What a gamesmaster asks for by mail, read from one line. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

#: Commands that stand alone, or with a reason behind a colon.
_ALONE = re.compile(
    r"(who owes(?: orders)?|remind(?: (?:those who owe|everybody|all))?|pause|resume|veto"
    r"|process now)$"
)
_WITH = re.compile(r"(extend|rule (?:result|figure|digit|points)|eject|vacate)(?:\s+(\S.*))?$")
_CONFIRM = re.compile(r"confirm\s+([a-z2-9]{6})$")
_EXTENSION = re.compile(r"(?:by\s+)?(\d{1,3})\s*(hours?|h|days?|d)$")


@dataclass(frozen=True)
class Asked:
    """`verb` in capitals (“RULE POINTS”), `rest` behind it as typed, `reason` behind the colon."""

    verb: str
    rest: str = ""
    reason: str = ""


def read(line: str) -> Asked | None:
    """Return what a line asks of the desk; None where it asks nothing."""
    said, _, reason = line.partition(":")
    bare = " ".join(said.strip(" .!?,;").split())
    bare = re.sub(r"^please\s+|,?\s+please$", "", bare, flags=re.IGNORECASE)
    folded, reason = bare.casefold(), reason.strip()
    if match := _ALONE.match(folded):
        word = match[1].partition(" ")[0].upper()
        return Asked({"WHO": "WHO OWES", "PROCESS": "PROCESS NOW"}.get(word, word), "", reason)
    if match := _WITH.match(folded):
        return Asked(match[1].upper(), bare[match.end(1) :].strip(), reason)
    if match := _CONFIRM.match(folded):
        return Asked("CONFIRM", match[1].upper())
    return None


def extension(rest: str) -> timedelta | None:
    """Return how much time “24 HOURS” or “2 DAYS” is; None of anything else."""
    match = _EXTENSION.match(rest.casefold())
    if match is None:
        return None
    number = int(match[1])
    return timedelta(days=number) if match[2].startswith("d") else timedelta(hours=number)
