"""A letter set: subject, text and HTML of one row of the outbox.

The text comes first and is complete: HTML adds lines and weight, never a fact. Templates are
`mail/<kind>.subject.txt`, `mail/<kind>.txt` and `mail/<kind>.html`, all from the same facts.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

from django.template.loader import render_to_string

from games.models import Letter

from . import facts, tellers

WIDTH = 72
LONGEST_SUBJECT = 200
#: Lines set in by this much are kept as they are: boards, order lines to copy, addresses.
KEPT = "    "


@dataclass(frozen=True)
class Rendered:
    subject: str
    text: str
    html: str


def render(letter: Letter) -> Rendered:
    """Sets a letter. Raises whatever a template or a missing row raises: the outbox keeps it as the letter's fault."""
    known = tellers.of(letter)
    subject = facts.one_line(render_to_string(f"mail/{letter.kind}.subject.txt", known))
    text = fold(render_to_string(f"mail/{letter.kind}.txt", known))
    html = render_to_string(f"mail/{letter.kind}.html", known | {"subject": subject})
    return Rendered(_shortened(subject), text, _tidy(html))


def _shortened(subject: str) -> str:
    return subject if len(subject) <= LONGEST_SUBJECT else subject[: LONGEST_SUBJECT - 1].rstrip() + "…"


def fold(text: str) -> str:
    """Paragraphs in lines of at most 72 signs, one blank line between them; lines set in by four blanks stay whole."""
    lines: list[str] = []
    for line in text.strip("\n").split("\n"):  # `splitlines` breaks at a dozen signs more, which a player may have written
        line = line.rstrip()
        if line.startswith(KEPT) or len(line) <= WIDTH:
            lines.append(line)
            continue
        inset = re.match(r"\s*(?:- )?", line)
        hanging = " " * (inset.end() if inset else 0)
        lines += textwrap.wrap(line, WIDTH, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n") + "\n"


def _tidy(html: str) -> str:
    """Without the blank lines that template tags leave behind."""
    return "\n".join(line.rstrip() for line in html.splitlines() if line.strip()) + "\n"
