"""The board as a picture in a letter: inline, beside the HTML that shows it (RFC 2387). The letter
is complete without it.

multipart/mixed         only where a deadline goes with the letter
  multipart/alternative
    text/plain
    multipart/related
      text/html       <img src="cid:...">
      image/png       Content-ID: <...>
  text/calendar         its entry (games.letters.entries)
"""

from __future__ import annotations

import hashlib
import logging
import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from email.mime.image import MIMEImage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from typing import Any

from django.conf import settings
from django.core.mail import EmailMultiAlternatives

from games.boards import images as pictures
from games.boards.images import Drawing
from games.models import Letter

logger = logging.getLogger(__name__)

ALT = "The board as a map. The table below says the same in figures."
_PLACE = re.compile(r'<p[^>]*><img src="cid:[^>]*></p>\n?')
_NAMED = re.compile(r'src="cid:[^"]*"')


@dataclass(frozen=True)
class Picture:
    """A picture as a letter holds it. `cid` is the name by which the HTML speaks of it."""

    cid: str
    png: bytes
    alt: str = ALT


@dataclass(frozen=True)
class Sketch:
    """A board that a letter may show, worked out only where it does: not every letter has a
    picture."""

    draw: Callable[[], Drawing | None]


def picture_of(letter: Letter, sketch: Sketch | None) -> Picture | None:
    """The picture of a letter; None where it has none, or where it cannot be made: no letter waits
    for its picture."""
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
    """Whether the HTML of a letter has a place for a picture."""
    return bool(_PLACE.search(html))


def strip_picture(html: str) -> str:
    """The HTML without the place of a picture that is not there."""
    return _PLACE.sub("", html)


def embed(html: str, picture: Picture | None) -> str:
    """The HTML with the picture in it, for a page that shows a letter."""
    if picture is None:
        return strip_picture(html)
    return _NAMED.sub(f'src="data:image/png;base64,{b64encode(picture.png).decode()}"', html)


def rename(html: str, picture: Picture) -> str:
    """The HTML of a kept letter, speaking of the picture that goes with it now: after a change of
    the artwork, another one."""
    return _NAMED.sub(f'src="cid:{picture.cid}"', html)


class Envelope(EmailMultiAlternatives):
    """A letter as it goes to the mail server: the same rows give the same bytes, boundaries between
    the parts included.

    Its picture and its calendar entry are attachments, as providers' own interfaces want them, made
    when they are asked for; in the message of a mail server the picture stands beside the HTML.
    """

    picture: Picture | None = None
    entry: str | None = None

    def attach_picture(self, picture: Picture) -> None:
        self.picture = picture

    def attach_entry(self, calendar: str) -> None:
        """A calendar entry beside the letter: a file that any program opens, and that those which
        know calendars offer to take in."""
        self.entry = calendar

    @property
    def attachments(self) -> list[Any]:
        own: list[Any] = [_image(self.picture)] if self.picture is not None else []
        return [*self.others, *own, *([_calendar(self.entry)] if self.entry is not None else [])]

    @attachments.setter
    def attachments(self, others: list[Any]) -> None:
        """Django sets an empty list as a message is made; what else would be attached stands before
        picture and entry."""
        self.others = others

    def attach(self, *what: Any, **named: Any) -> None:
        raise TypeError("A letter has a picture and a calendar entry and nothing else attached.")

    def message(self, **policy: Any) -> Any:
        picture, self.picture = self.picture, None
        try:
            whole = super().message(**policy)
        finally:
            self.picture = picture
        if not whole.is_multipart():  # plain text alone
            return whole
        words: Any = whole if whole.get_content_subtype() == "alternative" else whole.get_payload(0)
        parts = words.get_payload()
        if picture is not None and isinstance(parts, list):
            parts[-1] = _related(parts[-1], [_image(picture)])
        for part, boundary in zip(
            (part for part in whole.walk() if part.is_multipart()), self.boundaries(), strict=False
        ):
            part.set_boundary(boundary.decode())
        return whole

    def boundaries(self) -> list[bytes]:
        """What stands between the parts, from outside in. “=_” stands in neither quoted-printable
        nor base64."""
        seed = hashlib.sha256(str(self.extra_headers.get("Message-ID", "")).encode()).hexdigest()[
            :24
        ]
        return [b"=_%d_%b" % (place, seed.encode()) for place in range(3)]


def _image(picture: Picture) -> MIMEImage:
    image = MIMEImage(picture.png, "png")
    del image["MIME-Version"]  # that of the whole letter holds
    image["Content-ID"] = f"<{picture.cid}>"
    image.add_header("Content-Disposition", "inline", filename="board.png")
    return image


def _calendar(calendar: str) -> MIMEText:
    entry = MIMEText(calendar, "calendar", "utf-8")
    del entry["MIME-Version"]
    entry.set_param("method", "PUBLISH")
    entry.add_header("Content-Disposition", "attachment", filename="deadline.ics")
    return entry


def _related(html: Any, images: list[Any]) -> MIMEMultipart:
    """The HTML with what it shows, as one part."""
    related = MIMEMultipart("related", type="text/html")
    del related["MIME-Version"]
    for part in (html, *images):
        related.attach(part)
    return related
