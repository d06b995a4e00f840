"""Parse a gamesmaster's commands, one per line. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from games.rules.vote_kinds import MORE_TIME

#: Commands that stand alone, or with a reason after a colon.
_ALONE = re.compile(
    r"(who owes(?: orders)?|list orders|remind(?: (?:those who owe|everybody|all))?|pause|resume"
    r"|veto|process now)$"
)
_WITH = re.compile(r"(extend|rule (?:late|result|figure|digit|points)|eject|vacate)(?:\s+(\S.*))?$")
_CONFIRM = re.compile(r"confirm\s+([a-z2-9]{6})$")
_EXTENSION = re.compile(r"(?:by\s+)?(\d+)\s*(hours?|h|days?|d)$")
#: As many days or hours are beyond every limit, and more may be beyond the calendar.
_MOST, _DIGITS = 9_999, 6


_SHORT = {"WHO": "WHO OWES", "LIST": "LIST ORDERS", "PROCESS": "PROCESS NOW"}


@dataclass(frozen=True)
class DeskCommand:
    """A command.

    `verb` is in capitals (“RULE POINTS”), `rest` as typed after it, `reason` after the colon.
    """

    verb: str
    rest: str = ""
    reason: str = ""


def read(line: str) -> DeskCommand | None:
    """Return the desk command in a line, or None."""
    before_colon, _, reason = line.partition(":")
    bare = " ".join(before_colon.strip(" .!?,;").split())
    bare = re.sub(r"^please\s+|,?\s+please$", "", bare, flags=re.IGNORECASE)
    folded, reason = bare.casefold(), reason.strip()
    if match := _ALONE.match(folded):
        word = match[1].partition(" ")[0].upper()
        return DeskCommand(_SHORT.get(word, word), "", reason)
    if match := _WITH.match(folded):
        return DeskCommand(match[1].upper(), bare[match.end(1) :].strip(), reason)
    if match := _CONFIRM.match(folded):
        return DeskCommand("CONFIRM", match[1].upper())
    return None


def may_be_of_orders(command: DeskCommand) -> bool:
    """Return whether a player may mean orders by these words: “Extend that to Austria”."""
    return command.verb in ("EXTEND", "EJECT", "VACATE") and extension(command.rest) is None


def why_not(command: DeskCommand) -> str:
    """Return why a player's command does nothing, after it is quoted: “did nothing: …”."""
    also = f"; VOTE {MORE_TIME.command} asks all players for more time"
    return (
        f"did nothing: {command.verb} is for the gamesmaster, to whom you can write with QUESTION"
        f"{also if command.verb == 'EXTEND' else ''}"
    )


def extension(rest: str) -> tuple[int, int] | None:
    """Return the days and hours of “2 DAYS” or “24 HOURS”, at most `_MOST`; None for anything
    else."""
    match = _EXTENSION.match(rest.casefold())
    if match is None:
        return None
    number = min(int(match[1]), _MOST) if len(match[1]) <= _DIGITS else _MOST
    return (number, 0) if match[2].startswith("d") else (0, number)
