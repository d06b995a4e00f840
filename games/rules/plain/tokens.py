"""Split a line into words, numbers and punctuation, and record which are written together."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_TOKEN = re.compile(r"\d+|[^\W\d_]+(?:'[^\W\d_]+)*'?|\S")
_POSSESSIVE = re.compile(r"'s?$")


class Token(NamedTuple):
    text: str
    folded: str  # for looking it up: without capitals, and Russia for Russia's
    glued: bool  # no space comes before it


def tokens(line: str) -> list[Token]:
    result = []
    end = -1
    for match in _TOKEN.finditer(line):
        start = match.start()
        text = match[0]
        result.append(Token(text, _fold(text), start == end))
        end = match.end()
    return result


@lru_cache(maxsize=4096)  # the same few words come again and again
def _fold(text: str) -> str:
    folded = text.casefold()
    return _POSSESSIVE.sub("", folded) if len(text) > 2 else folded


def chunk(line: list[Token], at: int) -> tuple[str, int]:
    """Return what is written together from here on as stock symbols are, and where it ends.

    Examples are BRK.B and 7203.T. A period at the end is not part of it.
    """
    end = at
    while end < len(line) and (end == at or line[end].glued):
        if not (line[end].text[0].isalnum() or line[end].text in ".-"):
            break
        end += 1
    while end > at and line[end - 1].text in ".-":
        end -= 1
    return "".join(token.text for token in line[at:end]), end
