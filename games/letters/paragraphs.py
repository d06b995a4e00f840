"""A letter's text in pieces for a narrow window: paragraphs that may break anywhere, and tables
that must not."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import NamedTuple

from .rendering import KEPT, WIDTH

#: Two columns, with room between them.
_COLUMNS = re.compile(r"\S {2,}\S")
#: What begins a line of its own, however short the one before it is.
_BEGINS = re.compile(r"\s*(?:- |\d+\. )")


class Piece(NamedTuple):
    """`table`: signs stand below each other, and no line may be broken."""

    text: str
    table: bool


def pieces(text: str) -> list[Piece]:
    """The text between blank lines, each piece with the lines together again that `rendering.fold`
    has parted."""
    found = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.split("\n")
        table = any(_COLUMNS.search(line) for line in lines)
        found.append(Piece(dedent(block) if table else _unfold(lines), table))
    return found


def _unfold(lines: list[str]) -> str:
    found: list[str] = []
    last = ""  # the line before as it stood in the letter
    for line in lines:
        first = line.split(maxsplit=1)[0] if line.strip() else ""
        parted = (
            last
            and len(last) + 1 + len(first) > WIDTH
            and not line.startswith(KEPT)
            and not last.startswith(KEPT)
        )
        if parted and not _BEGINS.match(line):
            found[-1] += f" {line.strip()}"
        else:
            found.append(line)
        last = line
    return "\n".join(found)
