"""Render one row of the outbox as subject, text and HTML.

The text comes first and is complete: HTML adds layout, never a fact. The templates are
`mail/<kind>.subject.txt`, `mail/<kind>.txt` and `mail/<kind>.html`; all three get the same context.
"""

from __future__ import annotations

import logging
import re
import textwrap
from dataclasses import dataclass
from functools import lru_cache

from games.base import pairs
from games.base.text import one_line, shorten
from games.models import Letter

from . import pictures
from .builders import build
from .context import Batch
from .environment import fill_in
from .pictures import Picture

logger = logging.getLogger(__name__)

WIDTH = 72
LONGEST_SUBJECT = 200
#: Lines with this indent are never wrapped: boards, order lines to copy, addresses.
KEPT = "    "


@dataclass(frozen=True)
class RenderedLetter:
    subject: str
    text: str
    html: str
    picture: Picture | None = None


def render(letter: Letter, batch: Batch | None = None, *, on_paper: bool = False) -> RenderedLetter:
    """Render a letter, alone or as part of a batch.

    Exceptions from templates and missing rows are not caught: the outbox stores them as the
    letter's fault.
    """
    context = build(letter, batch, on_paper=on_paper)
    picture = None if on_paper else pictures.picture_of(letter, context.get("drawing"))
    context["picture"] = picture
    subject = one_line(fill_in(f"mail/{letter.kind}.subject.txt", context))
    text = fold(fill_in(f"mail/{letter.kind}.txt", context))
    html = fill_in(f"mail/{letter.kind}.html", context | {"subject": subject})
    html = pairs.keep_whole(html, 'style="white-space:nowrap"')
    # template tags leave blank lines behind
    lines = [stripped for line in html.splitlines() if (stripped := line.rstrip())]
    subject = shorten(subject, LONGEST_SUBJECT)
    return RenderedLetter(subject, text, "\n".join(lines) + "\n", picture)


def from_row(letter: Letter) -> RenderedLetter:
    """Return a letter as it was rendered before, with its picture. If the picture can no longer be
    drawn, its `<img>` is removed."""
    if not pictures.has_picture(letter.html):
        return RenderedLetter(letter.subject, letter.text, letter.html)
    picture = _picture_again(letter)
    html = pictures.rename(letter.html, picture) if picture else pictures.strip_picture(letter.html)
    return RenderedLetter(letter.subject, letter.text, html, picture)


def _picture_again(letter: Letter) -> Picture | None:
    """Draw the picture again; the same rows give the same picture. An error is only logged: it must
    not stop the letter."""
    try:
        return pictures.picture_of(letter, build(letter).get("drawing"))
    except Exception:
        logger.exception(
            "the picture of letter %s (%s) could not be made again", letter.pk, letter.kind
        )
        return None


def fold(text: str) -> str:
    """Wrap paragraphs at 72 characters, with one blank line between them. Lines indented by 4
    spaces are not wrapped."""
    # not `splitlines`: it also breaks at a dozen other characters, which a player may have written
    lines = [line.rstrip() for line in text.strip("\n").split("\n")]
    lines = [
        line if len(line) <= WIDTH or line.startswith(KEPT) else "\n".join(_wrap(line))
        for line in lines
    ]
    folded = "\n".join(lines).strip("\n") + "\n"
    while "\n\n\n" in folded:
        folded = folded.replace("\n\n\n", "\n\n")
    return folded


@lru_cache(maxsize=4096)
def _wrap(line: str) -> tuple[str, ...]:
    """Wrap a long line. Cached, because the readers of a game share most lines."""
    inset = re.match(r"\s*(?:- |\d+\. )?", line)
    hanging = " " * (inset.end() if inset else 0)
    return tuple(
        textwrap.wrap(
            line, WIDTH, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False
        )
    )
