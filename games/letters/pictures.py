"""The picture of the board in a letter, inline (games.letters.mime). The letter is complete without
it."""

from __future__ import annotations

import hashlib
import logging
import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings

from games.boards import images as pictures
from games.boards.images import Drawing
from games.models import Letter

logger = logging.getLogger(__name__)

ALT = "The board as a map. The table below says the same in figures."
_PLACE = re.compile(r'<p[^>]*><img src="cid:[^>]*></p>\n?')
_NAMED = re.compile(r'src="cid:[^"]*"')


@dataclass(frozen=True)
class Picture:
    """The picture of a letter. `cid` is the Content-ID by which the HTML refers to it."""

    cid: str
    png: bytes
    alt: str = ALT


@dataclass(frozen=True)
class Sketch:
    """A board to draw. `draw` is called only for letters that have a picture; not all do."""

    draw: Callable[[], Drawing | None]


def picture_of(letter: Letter, sketch: Sketch | None) -> Picture | None:
    """Return the picture of a letter. None if it has none, or if drawing fails: a letter never
    waits for its picture."""
    if (
        sketch is None
        or not settings.MAIL_PICTURES
        or (letter.person is not None and letter.person.by_post)
    ):
        return None
    try:
        drawing = sketch.draw()
        if drawing is None:
            return None
        png = pictures.png(drawing)
    except Exception:
        logger.exception(
            "the board in letter %s (%s) could not be drawn; it goes out without",
            letter.pk,
            letter.kind,
        )
        return None
    return Picture(f"board.{hashlib.sha256(png).hexdigest()[:24]}@{settings.MAIL_DOMAIN}", png)


def has_picture(html: str) -> bool:
    """Return whether the HTML of a letter refers to an embedded picture."""
    return bool(_PLACE.search(html))


def strip_picture(html: str) -> str:
    """Remove the reference to a missing picture from the HTML."""
    return _PLACE.sub("", html)


def embed(html: str, picture: Picture | None) -> str:
    """Put the picture into the HTML as a data URL, for a page that shows a letter."""
    if picture is None:
        return strip_picture(html)
    return _NAMED.sub(f'src="data:image/png;base64,{b64encode(picture.png).decode()}"', html)


def rename(html: str, picture: Picture) -> str:
    """Point the HTML of a stored letter to the picture that is sent with it now, which is another
    one after a change of the artwork."""
    return _NAMED.sub(f'src="cid:{picture.cid}"', html)
