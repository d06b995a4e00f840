"""Embed a picture of the board in a letter, inline, as a part next to the HTML that shows it (RFC
2387). The letter is complete without it.

multipart/mixed         only if the letter has a calendar entry
  multipart/alternative
    text/plain
    multipart/related
      text/html       <img src="cid:...">
      image/png       Content-ID: <...>
  text/calendar         the entry (games.letters.entries)
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


class Envelope(EmailMultiAlternatives):
    """A letter for the mail server. The same rows give the same bytes, including the boundaries
    between its parts.

    `attachments` has the picture and the calendar entry, as the APIs of mail providers expect them,
    built on access; in the message for a mail server the picture is a part next to the HTML.
    """

    picture: Picture | None = None
    entry: str | None = None

    def attach_picture(self, picture: Picture) -> None:
        self.picture = picture

    def attach_entry(self, calendar: str) -> None:
        """Attach a calendar entry as a file that any program can open and that calendar-aware mail
        programs offer to import."""
        self.entry = calendar

    @property
    def attachments(self) -> list[Any]:
        own: list[Any] = [_image(self.picture)] if self.picture is not None else []
        return [*self.others, *own, *([_calendar(self.entry)] if self.entry is not None else [])]

    @attachments.setter
    def attachments(self, others: list[Any]) -> None:
        """Set the other attachments, which come before picture and entry. Django sets an empty list
        when it creates a message."""
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
        alternative: Any = (
            whole if whole.get_content_subtype() == "alternative" else whole.get_payload(0)
        )
        parts = alternative.get_payload()
        if picture is not None and isinstance(parts, list):
            parts[-1] = _related_part(parts[-1], [_image(picture)])
        for part, boundary in zip(
            (part for part in whole.walk() if part.is_multipart()), self.boundaries(), strict=False
        ):
            part.set_boundary(boundary.decode())
        return whole

    def boundaries(self) -> list[bytes]:
        """Return the boundaries of the multiparts, outermost first. “=_” occurs in neither
        quoted-printable nor base64."""
        seed = hashlib.sha256(str(self.extra_headers.get("Message-ID", "")).encode()).hexdigest()[
            :24
        ]
        return [b"=_%d_%b" % (place, seed.encode()) for place in range(3)]


def _image(picture: Picture) -> MIMEImage:
    image = MIMEImage(picture.png, "png")
    del image["MIME-Version"]  # only the whole message needs it
    image["Content-ID"] = f"<{picture.cid}>"
    image.add_header("Content-Disposition", "inline", filename="board.png")
    return image


def _calendar(calendar: str) -> MIMEText:
    entry = MIMEText(calendar, "calendar", "utf-8")
    del entry["MIME-Version"]
    entry.set_param("method", "PUBLISH")
    entry.add_header("Content-Disposition", "attachment", filename="deadline.ics")
    return entry


def _related_part(html: Any, images: list[Any]) -> MIMEMultipart:
    """Return one part of the HTML and the images it shows."""
    related = MIMEMultipart("related", type="text/html")
    del related["MIME-Version"]
    for part in (html, *images):
        related.attach(part)
    return related
