"""Letters and signs: what mail programs make of plain typing, made plain again, and the words that
orders and commands begin with."""

from __future__ import annotations

import re

#: The words with which an order of any of the games may begin (contract 3).
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
#: FROM alone begins many a sentence and every header; as an order it is FROM HOME. ALLY and LEAVE
# are followed by something.
_ORDER = (
    r"(?:PLACE|ATTACK|UNDERSTANDING|CONTROL|SHARE)\s*\S|BLANKS\s*\d|FROM\s+HOME\b|"
    r"(?:STANDING|LOSE)\s+UNDERSTANDING\b|PASS\W*$|ALLY\s+\w|LEAVE\s+ALLIANCE|"
    # Of World War II Multi-Player, whose free text looks like anything: its forms, and lines of a
    # gamesmaster's sheet.
    r"(?:MOVE|RAIL|SEA|AMPHIB|AIRDROP)\s.*\sTO\s|(?:INVADE|UNALLY|PEACE)\s+\w|GRANT\s+(?:SUPPLY|TRANSIT|BASE|LEND|TRANSPORT)\b|"
    r"LINE\s+\w.*\s\d+\s+(?:DONE|CHANGED|VOID)\b|REST\s+DONE\W*$|(?:INVASION|DESTROYED|FORCES)\s+\w|DICE\s+\d"
)
_COMMAND = r"(?:NOT\s+)?FINAL\W*$|CANCEL\W*$|PRESS\s+TO\b|BROADCAST\b|QUESTION\W*$|ABSENT\s+\w"
_BULLET = r"(?:[-*+•·▪◦‣]|\(?\d{1,2}[.)]|[a-z][.)])\s*"
LOOKS_LIKE_ORDER = re.compile(rf"\s*(?:{_BULLET})?(?:{_ORDER}|{_COMMAND})", re.IGNORECASE)

_PLAIN: dict[int, str | None] = {
    code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)
}  # full-width signs
_PLAIN |= dict.fromkeys(
    [*range(0x00, 0x09), *range(0x0B, 0x20), 0x7F, *range(0x80, 0xA0)], " "
)  # control signs part words
_PLAIN |= dict.fromkeys(
    [0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000], " "
)
#: No width and no meaning here: joiners, marks and overrides of direction, soft hyphens.
_PLAIN |= dict.fromkeys(
    [
        0xAD,
        0x61C,
        0x180E,
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
        0xFEFF,
    ]
)
_PLAIN |= {ord(sign): "-" for sign in "‐‑‒–—―−﹣"}
_PLAIN |= {ord(sign): "'" for sign in "‘’‚‛′"} | {ord(sign): '"' for sign in "“”„‟«»″"}
_PLAIN |= {ord("、"): ",", ord("…"): "..."}


def plain(text: str) -> str:
    """Return signs as a keyboard has them, without those of no width."""
    return text if text.isascii() and text.isprintable() else text.translate(_PLAIN)


def looks_like_order(line: str) -> bool:
    return LOOKS_LIKE_ORDER.match(plain(line[:400])) is not None
