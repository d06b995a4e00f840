"""A letter set: subject, text and HTML of one row of the outbox.

The text comes first and is complete: HTML adds lines and weight, never a fact. Templates are
`mail/<kind>.subject.txt`, `mail/<kind>.txt` and `mail/<kind>.html`, all from the same facts.
"""

from __future__ import annotations

import logging
import re
import textwrap
from dataclasses import dataclass
from functools import lru_cache

from games.models import Letter
from gamesmaster import text as gamesmaster_text

from . import pictures
from .builders import build
from .context import Batch
from .environment import fill_in
from .pictures import Picture

logger = logging.getLogger(__name__)

WIDTH = 72
LONGEST_SUBJECT = 200
#: Lines set in by this much are kept as they are: boards, order lines to copy, addresses.
KEPT = "    "


@dataclass(frozen=True)
class Rendered:
    subject: str
    text: str
    html: str
    picture: Picture | None = None


def render(letter: Letter, batch: Batch | None = None, *, on_paper: bool = False) -> Rendered:
    """Fill in a letter, alone or among those of a batch.

    Raises whatever a template or a missing row raises: the outbox keeps it as the letter's fault.
    """
    known = build(letter, batch, on_paper=on_paper)
    picture = None if on_paper else pictures.picture_of(letter, known.get("drawing"))
    known["picture"] = picture
    subject = gamesmaster_text.one_line(fill_in(f"mail/{letter.kind}.subject.txt", known))
    text = fold(fill_in(f"mail/{letter.kind}.txt", known))
    html = fill_in(f"mail/{letter.kind}.html", known | {"subject": subject})
    return Rendered(_shorten(subject), text, _tidy(html), picture)


def from_row(letter: Letter) -> Rendered:
    """A letter as it was set before, with its picture; the place of one that cannot be made any
    more is taken out."""
    if not pictures.has_picture(letter.html):
        return Rendered(letter.subject, letter.text, letter.html)
    picture = _picture_again(letter)
    html = pictures.rename(letter.html, picture) if picture else pictures.strip_picture(letter.html)
    return Rendered(letter.subject, letter.text, html, picture)


def _picture_again(letter: Letter) -> Picture | None:
    """Drawn from the same rows it is the same picture. A fault in it stops no letter."""
    try:
        return pictures.picture_of(letter, build(letter).get("drawing"))
    except Exception:
        logger.exception(
            "the picture of letter %s (%s) could not be made again", letter.pk, letter.kind
        )
        return None


def _shorten(subject: str) -> str:
    return (
        subject
        if len(subject) <= LONGEST_SUBJECT
        else subject[: LONGEST_SUBJECT - 1].rstrip() + "…"
    )


def fold(text: str) -> str:
    """Paragraphs in lines of at most 72 signs, one blank line between them; lines set in by four
    blanks stay whole."""
    # `splitlines` breaks at a dozen signs more, which a player may have written
    lines = [line.rstrip() for line in text.strip("\n").split("\n")]
    lines = [
        line if len(line) <= WIDTH or line.startswith(KEPT) else "\n".join(_wrap(line))
        for line in lines
    ]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n") + "\n"


@lru_cache(maxsize=4096)
def _wrap(line: str) -> tuple[str, ...]:
    """A long line in several: what the readers of a game share is parted once."""
    inset = re.match(r"\s*(?:- |\d+\. )?", line)
    hanging = " " * (inset.end() if inset else 0)
    return tuple(
        textwrap.wrap(
            line, WIDTH, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False
        )
    )


def _tidy(html: str) -> str:
    """Without the blank lines that template tags leave behind."""
    return "\n".join([kept for line in html.splitlines() if (kept := line.rstrip())]) + "\n"
