"""Undo the typography of mail programs, and recognize the first words of orders and commands."""

from __future__ import annotations

import re
from functools import lru_cache

from games.rules.plain.typography import keyboard_signs
from games.rules.registry import RULESETS, all_verbs

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
_COMMAND = r"(?:NOT\s+)?FINAL\W*$|CANCEL\W*$|PRESS\s+TO\b|BROADCAST\b|QUESTION\W*$|ABSENT\s+\w"
_BULLET = r"(?:[-*+•·▪◦‣]|\(?\d{1,2}[.)]|[a-z][.)])\s*"


def order_heads() -> tuple[str, ...]:
    """Return the first words of orders, in all games without free text.

    In a game with free text a line may begin with any word; only that game's own mail is read so.
    """
    games = (rules.verbs for rules in RULESETS.values() if not rules.verbs.free_text)
    return tuple(dict.fromkeys(head for verbs in games for head in verbs.heads))


def everyday_heads() -> frozenset[str]:
    """Return the first words of orders that are frequent in letters, too."""
    return frozenset(verb.head for verb in all_verbs() if verb.everyday)


def words_inside_orders() -> tuple[str, ...]:
    """Return words from the middle of an order, with which a broken line may begin."""
    games = (rules.verbs.continues for rules in RULESETS.values())
    return tuple(dict.fromkeys(word for words in games for word in words))


def plain(text: str) -> str:
    """Return text with the characters of a keyboard, without zero-width characters."""
    return text if text.isascii() and text.isprintable() else keyboard_signs(text)


def looks_like_order(line: str) -> bool:
    """Return whether a line looks like an order or a command."""
    return _looks(tuple(RULESETS)).match(plain(line[:400])) is not None


@lru_cache(maxsize=4)
def _looks(games: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern for lines that look like an order of these games, or like a command."""
    orders = [verb.looks for verb in all_verbs() if verb.looks]
    orders += [looks for game in games for looks in RULESETS[game].verbs.looks]
    return re.compile(rf"\s*(?:{_BULLET})?(?:{'|'.join([*orders, _COMMAND])})", re.IGNORECASE)
