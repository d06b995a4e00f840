"""Signs as a keyboard has them, and lists without their bullets and numbers."""

from __future__ import annotations

import re

_SIGNS: dict[int, str | None] = {
    code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)
}  # full-width signs
_SIGNS |= dict.fromkeys(
    [*range(0x00, 0x09), *range(0x0B, 0x20), 0x7F, *range(0x80, 0xA0)], " "
)  # control signs part words
_SIGNS |= dict.fromkeys(
    [0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000], " "
)
#: No width and no meaning here: joiners, marks and overrides of direction, soft hyphens.
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
_SIGNS |= {ord("、"): ",", ord("…"): "..."}

_BULLET = re.compile(
    r"(?:[-*+•·▪◦‣→]+\s+|[•·▪◦‣→*]+|-(?=[^\W\d])|\(?\d{1,2}[.)]\s+|\(?[A-Za-z][.)]\s+)"
)
_EMPHASIS = re.compile(r"[\"“”*_`]")
_INITIALS = re.compile(r"\b(?:[A-Za-z]\.)+[A-Za-z]\b\.?")


def keyboard_signs(text: str) -> str:
    """Dashes, quotation marks, blanks and full-width signs as a keyboard has them; what has no
    width is gone."""
    return text.translate(_SIGNS)


def tidy(line: str) -> str:
    """A line without the bullet or number of a list, quotation marks and signs of emphasis; U.S. is
    US."""
    line = keyboard_signs(line).strip()
    bullet = _BULLET.match(line)
    if bullet and bullet.end() < len(line):
        line = line[bullet.end() :]
    line = _INITIALS.sub(lambda found: found[0].replace(".", ""), line)
    return _EMPHASIS.sub(" ", line).strip()
