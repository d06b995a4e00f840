"""A line in words, figures and signs, each with its place, so that what is written together can be
told from what is not."""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(r"\d+|[^\W\d_]+(?:'[^\W\d_]+)*'?|\S")
_POSSESSIVE = re.compile(r"'s?$")


class Token(NamedTuple):
    text: str
    folded: str  # as it is looked up: without capitals, and Russia for Russia's
    glued: bool  # no blank stands before it


def tokens(line: str) -> list[Token]:
    found = []
    end = -1
    for match in _TOKEN.finditer(line):
        text = match[0]
        folded = text.casefold()
        if len(text) > 2:
            folded = _POSSESSIVE.sub("", folded)
        found.append(Token(text, folded, match.start() == end))
        end = match.end()
    return found


def chunk(line: list[Token], at: int) -> tuple[str, int]:
    """What is written together from there on as symbols of stocks are (BRK.B, 7203.T), and where it
    ends. A full stop behind it is no part of it."""
    end = at
    while end < len(line) and (end == at or line[end].glued):
        if not (line[end].text[0].isalnum() or line[end].text in ".-"):
            break
        end += 1
    while end > at and line[end - 1].text in ".-":
        end -= 1
    return "".join(token.text for token in line[at:end]), end
