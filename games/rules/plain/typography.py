"""Reduce text to characters that a keyboard has, and lists to lines without bullets and numbers."""

from __future__ import annotations

import re
import unicodedata

_SIGNS: dict[int, str | None] = {
    code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)
}  # full-width characters
_SIGNS |= dict.fromkeys(
    [*range(0x00, 0x09), *range(0x0B, 0x20), 0x7F, *range(0x80, 0xA0)], " "
)  # control characters separate words
_SIGNS |= dict.fromkeys(
    [0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000], " "
)
#: Characters without width or meaning here: joiners, direction marks and overrides, soft hyphens.
_SIGNS |= dict.fromkeys(
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
_SIGNS |= {ord(sign): "-" for sign in "‐‑‒–—―−﹣"}
_SIGNS |= {ord(sign): "'" for sign in "‘’‚‛′"} | {ord(sign): '"' for sign in "“”„‟«»″"}
_SIGNS |= {ord("、"): ",", ord("。"): ".", ord("…"): "..."}

_BULLET = re.compile(
    r"(?:[-*+•·▪◦‣→]+\s+|[•·▪◦‣→*]+|-(?=[^\W\d])|\(?\d{1,2}[.)]\s+|\(?[A-Za-z][.)]\s+)"
)
#: A link behind a word to which a mail program added it: BRK.B<http://brk.b/>.
_LINK = re.compile(r"<(?:https?://|mailto:|tel:)[^<>\s]*>", re.IGNORECASE)
_LEADERS = re.compile(r"(?:(?:\.\s?){3,}|[_·]{3,}|-{3,})(?=\s*\w)")
_CELLS = re.compile(r"\s*\|\s*")
_ARROW = re.compile(r"[-=]+>")
#: “5x Poland”, “Poland x5”.
_TIMES = re.compile(r"(?<=\d)\s?[x×](?=\s)|(?<=[\s(])[x×]\s?(?=\d)")
#: A box of a list in brackets: “[x] Poland 5”, “[ ] Austria 3”.
_BOX = re.compile(r"\[(?P<tick>[xX]| ?)\](?=\s)")
_EMPHASIS = re.compile(r"[\"“”*_`]")
_INITIALS = re.compile(r"\b(?:[A-Za-z]\.)+[A-Za-z]\b\.?")


#: Where pictures are among the characters.
_PICTURES = re.compile("[\u2100-\U0010ffff]")
#: Signs that cross something out, or leave a box open. Other pictures say nothing.
CROSSES = frozenset("❌❎✗✘🚫⛔👎☐⬜🔲")


def _spoken_picture(match: re.Match[str]) -> str:
    """Return what a picture says: “not”, a question mark, or nothing."""
    sign = match[0]
    if unicodedata.category(sign) not in ("So", "Sk", "Mn", "Cn"):
        return sign
    return " not " if sign in CROSSES else "?" if sign in "❓❔" else " "


def _spoken_box(match: re.Match[str]) -> str:
    """Return what a box in brackets says: nothing if it is ticked, else “not”."""
    return " " if match["tick"].strip() else " not "


def keyboard_signs(text: str) -> str:
    """Return a text with the dashes, quotation marks and spaces of a keyboard.

    Full-width characters become ordinary ones; characters without width are removed.
    """
    return text.translate(_SIGNS)


def tidy(line: str) -> str:
    """Return a line without list bullet or number, quotation marks and marks of emphasis.

    U.S. becomes US. Arrows, dots to a number and strokes between the cells of a table become
    colons. Emoji, ticked boxes, and links that a mail program added, are left out.
    """
    line = _BOX.sub(_spoken_box, _LINK.sub(" ", keyboard_signs(line)))
    line = _CELLS.sub(" : ", _LEADERS.sub(" : ", _ARROW.sub("→", line)).strip(" |\t"))
    line = _TIMES.sub(" ", _PICTURES.sub(_spoken_picture, line)).strip()
    bullet = _BULLET.match(line)
    if bullet and bullet.end() < len(line):
        line = line[bullet.end() :]
    line = _INITIALS.sub(lambda match: match[0].replace(".", ""), line)
    return _EMPHASIS.sub(" ", line).strip()
