"""Split a letter's text for narrow windows into paragraphs, which may wrap, and tables, which must
not."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import NamedTuple

from .rendering import KEPT, WIDTH

#: Two columns with space between them.
COLUMNS = re.compile(r"\S {2,}\S")  # aligned columns
#: The start of a list item, which always begins a line.
_BEGINS = re.compile(r"\s*(- |\d+\. )")


class Piece(NamedTuple):
    """A paragraph or table. `table`: columns are aligned, so lines must not be wrapped."""

    text: str
    table: bool


def pieces(text: str) -> list[Piece]:
    """Split a text at its blank lines and join the lines that `rendering.fold` has wrapped."""
    result = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.split("\n")
        table = any(COLUMNS.search(line) for line in lines)
        result.append(Piece(dedent(block) if table else unfold(lines), table))
    return result


def unfold(lines: list[str]) -> str:
    """Join the lines that `rendering.fold` has wrapped; keep those that end by themselves."""
    unfolded: list[str] = []
    last = ""  # the previous line as it was in the letter
    for line in lines:
        first_word = line.split(maxsplit=1)[0] if line.strip() else ""
        was_wrapped = (
            last
            and len(last) + 1 + len(first_word) > WIDTH
            and not line.startswith(KEPT)
            and not last.startswith(KEPT)
        )
        begins = _BEGINS.match(line)
        # In a paragraph, a line may begin with the number that ends a sentence: “Understanding /
        # 1.”
        if was_wrapped and not (begins and (begins[1] == "- " or _BEGINS.match(lines[0]))):
            unfolded[-1] += f" {line.strip()}"
        else:
            unfolded.append(line)
        last = line
    return "\n".join(unfolded)
