"""Undo the typography of mail programs, and recognize the first words of orders and commands."""

from __future__ import annotations

import re

from games.rules.plain.typography import keyboard_signs

#: The first words of orders of any ruleset (contract 3).
VERBS = (
    "PLACE",
    "FROM",
    "BLANKS",
    "ATTACK",
    "UNDERSTANDING",
    "CONTROL",
    "SHARE",
    "STANDING",
    "LOSE",
    "PASS",
    "ALLY",
    "LEAVE",
)
COMMANDS = (
    *(
        "FINAL",
        "NOT",
        "CANCEL",
        "ORDERS",
        "BOARD",
        "HISTORY",
        "STATUS",
        "DEADLINE",
        "HELP",
        "ABSENT",
    ),
    *("PRESS", "BROADCAST", "QUESTION", "REPLY", "ANSWER", "MUTE", "UNMUTE"),
)
#: FROM alone begins many sentences and every header; as an order it is FROM HOME. ALLY and LEAVE
#: must be followed by another word.
_ORDER = (
    r"(?:PLACE|ATTACK|UNDERSTANDING|CONTROL|SHARE)\s*\S|BLANKS\s*\d|FROM\s+HOME\b|"
    r"(?:STANDING|LOSE)\s+UNDERSTANDING\b|PASS\W*$|ALLY\s+\w|LEAVE\s+ALLIANCE|"
    # For World War II Multi-Player, whose free text can look like anything: the forms of its
    # orders, and lines of a referee report.
    r"(?:MOVE|RAIL|SEA|AMPHIB|AIRDROP)\s.*\sTO\s|(?:INVADE|UNALLY|PEACE)\s+\w|GRANT\s+(?:SUPPLY|TRANSIT|BASE|LEND|TRANSPORT)\b|"
    r"LINE\s+\w.*\s\d+\s+(?:DONE|CHANGED|VOID)\b|REST\s+DONE\W*$|(?:INVASION|DESTROYED|FORCES)\s+\w|DICE\s+\d"
)
_COMMAND = r"(?:NOT\s+)?FINAL\W*$|CANCEL\W*$|PRESS\s+TO\b|BROADCAST\b|QUESTION\W*$|ABSENT\s+\w"
_BULLET = r"(?:[-*+•·▪◦‣]|\(?\d{1,2}[.)]|[a-z][.)])\s*"
LOOKS_LIKE_ORDER = re.compile(rf"\s*(?:{_BULLET})?(?:{_ORDER}|{_COMMAND})", re.IGNORECASE)


def plain(text: str) -> str:
    """Return text with the characters of a keyboard, without zero-width characters."""
    return text if text.isascii() and text.isprintable() else keyboard_signs(text)


def looks_like_order(line: str) -> bool:
    """Return whether a line looks like an order or a command."""
    return LOOKS_LIKE_ORDER.match(plain(line[:400])) is not None
