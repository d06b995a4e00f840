"""Undo the typography of mail programs, and recognize the first words of orders and commands."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from games.rules.plain.typography import CROSSES, keyboard_signs
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
_COMMAND = (
    r"(?:NOT\s+)?FINAL\W*$|NOT\s+ABSENT\W*$|CANCEL\W*$|PRESS\s+TO\b|BROADCAST\b|QUESTION\W*$"
    r"|ABSENT\s+\w"
)
#: Where a link leads, as programs write it behind the words of the link: GM<http://gm/>.
_LINK_BEHIND = re.compile(
    r"(?<=\S)[ \t]?(?:<(?:https?|mailto|tel):[^<>\s]*>|\[https?://[^\]\s]*\])"
)
_MARKDOWN_LINK = re.compile(r"\[([^\[\]]+)\]\((?:https?|mailto|tel):[^()\s]*\)")
#: What programs write in plain text for a picture: [cid:image001.png@01DB], [image: Logo], <a.png>.
_PICTURE = re.compile(
    r"\[(?:cid|image):[^\[\]]*\]|[\[<][^\[\]<>]*\.(?:png|jpe?g|gif|bmp|webp)[\]>]", re.IGNORECASE
)
#: A match begins where a word does, or behind a bracket: from each letter of a long word it would
#: search the whole word again.
_LINK_IN_BRACKETS = re.compile(
    r"(?:(?<!\S)|(?<=\)))(\S+) ?\((?:https?://)?(?:www\.)?(\S+?)/?\)", re.IGNORECASE
)
#: With numbers of telephones, post codes and registers; no stock begins with a digit.
_ADDRESS = re.compile(
    r"\b(?:https?://|www\.)\S+|(?<![^\s<>@])[^\s<>@]+@[^\s<>@]+\.[^\W\d_]{2,}"
    r"|(?<![\w.])[+(0]\d[\d ()-]{5,}\d|(?<![\w.,])\d{5,}(?![\w.,])",
    re.IGNORECASE,
)
#: Words in the names of pictographs that say no, ask or count. The others are decoration.
_SAYS_SOMETHING = re.compile(
    r"\b(?:NO|NOT|CROSS|X|SALTIRE|THUMBS DOWN|PROHIBITED|STOP|OCTAGONAL|MINUS|PLUS|QUESTION|SHRUG"
    r"|THINKING|KEYCAP|NUMBER|DIGIT|LETTER)\b"
)
#: A flag in place of a name (“5 🇵🇱”, “5 to 🇦🇹, Poland 3”), not beside one (“🇷🇺 Russia”).
_FLAG = "[\U0001f1e6-\U0001f1ff]"
_FLAG_AS_NAME = re.compile(rf"\d ?{_FLAG}{{2}}(?! ?[^\W\d_])|{_FLAG}{{2}}(?! ?[^\W\d_])(?=.*\w)")
_FLAGS = range(0x1F1E6, 0x1F200)
_BEFORE_PICTOGRAPHS = 0x2190
_BOX_DRAWINGS = range(0x2500, 0x25A0)
#: Variation selectors, the frame of a keycap, and tags, which make pictographs of other characters.
_VARIANTS = {*range(0xFE00, 0xFE10), 0x20E3, *range(0xE0020, 0xE0080)}
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
    """Return text with the characters of a keyboard, without what programs and phones add to it.

    That is characters without width, pictographs, placeholders for pictures, and where a link
    leads.
    """
    if not (text.isascii() and text.isprintable()):
        text = _without_pictographs(keyboard_signs(text))
    if "[" in text or "<" in text:
        text = _PICTURE.sub("", text)
    return _without_links(text) if "://" in text or (":" in text and "<" in text) else text


def normal(line: str) -> str:
    """Return a line normalized: plain characters, single spaces, without emphasis."""
    normalized = " ".join(plain(line).split())
    while len(normalized) > 2 and normalized[0] == normalized[-1] and normalized[0] in "*_`":
        normalized = normalized[1:-1].strip()
    return normalized


def has_address(line: str) -> bool:
    """Return whether a line has an address or its long number, which no order has."""
    return _ADDRESS.search(line) is not None


def without_addresses(line: str) -> str:
    """Return a line without addresses and their long numbers."""
    return _ADDRESS.sub(" ", line)


def _without_pictographs(text: str) -> str:
    """Return text without emoji and ticks, unless they say no (❌) or are all that it has."""
    if _FLAG_AS_NAME.search(text):
        return text
    without = "".join(map(_sign, text))
    return without if without.strip() or not text.strip() else text


def _sign(sign: str) -> str:
    code = ord(sign)
    if code in _VARIANTS:
        return ""
    if code in _FLAGS:
        return " "
    if code < _BEFORE_PICTOGRAPHS or code in _BOX_DRAWINGS or sign in CROSSES:
        return sign
    is_pictograph = unicodedata.category(sign) in ("So", "Sk")
    return " " if is_pictograph and not _SAYS_SOMETHING.search(unicodedata.name(sign, "")) else sign


def _without_links(text: str) -> str:
    """Return text without the links behind its words; GM (http://gm/) only where they repeat it."""
    text = _LINK_BEHIND.sub("", _MARKDOWN_LINK.sub(r"\1", text))
    return _LINK_IN_BRACKETS.sub(
        lambda match: match[1] if match[1].casefold() == match[2].casefold() else match[0], text
    )


def looks_like_order(line: str) -> bool:
    """Return whether a line looks like an order or a command."""
    return _looks(tuple(RULESETS)).match(plain(line[:400])) is not None


@lru_cache(maxsize=4)
def _looks(games: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern for lines that look like an order of these games, or like a command."""
    orders = [verb.looks for verb in all_verbs() if verb.looks]
    orders += [looks for game in games for looks in RULESETS[game].verbs.looks]
    return re.compile(rf"\s*(?:{_BULLET})?(?:{'|'.join([*orders, _COMMAND])})", re.IGNORECASE)
