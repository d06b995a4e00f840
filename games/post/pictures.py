"""The board as a picture in a letter: inline, beside the HTML that shows it (RFC 2387). The letter is complete without it.

multipart/mixed         only where a deadline goes with the letter
  multipart/alternative
    text/plain
    multipart/related
      text/html       <img src="cid:...">
      image/png       Content-ID: <...>
  text/calendar         its entry (games.post.entries)
"""

from __future__ import annotations

import hashlib
import logging
import re
from base64 import b64encode
from dataclasses import dataclass
from email.mime.image import MIMEImage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from typing import Any

from django.conf import settings
from django.core.mail import EmailMultiAlternatives

from games import pictures
from games.models import Letter
from games.pictures import Drawing

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


def of(letter: Letter, drawing: Drawing | None) -> Picture | None:
    """The picture of a letter; None where it has none, or where it cannot be made: no letter waits for its picture."""
    if drawing is None or not settings.MAIL_PICTURES or (letter.person is not None and letter.person.by_post):
        return None
    try:
        png = pictures.png(drawing)
    except Exception:
        logger.exception("the board in letter %s (%s) could not be drawn; it goes out without", letter.pk, letter.kind)
        return None
    return Picture(f"board.{hashlib.sha256(png).hexdigest()[:24]}@{settings.MAIL_DOMAIN}", png)


def shown(html: str) -> bool:
    """Whether the HTML of a letter has a place for a picture."""
    return bool(_PLACE.search(html))


def without(html: str) -> str:
    """The HTML without the place of a picture that is not there."""
    return _PLACE.sub("", html)


def inside(html: str, picture: Picture | None) -> str:
    """The HTML with the picture in it, for a page that shows a letter."""
    if picture is None:
        return without(html)
    return _NAMED.sub(f'src="data:image/png;base64,{b64encode(picture.png).decode()}"', html)


def named(html: str, picture: Picture) -> str:
    """The HTML of a kept letter, speaking of the picture that goes with it now: after a change of the artwork, another one."""
    return _NAMED.sub(f'src="cid:{picture.cid}"', html)


class Envelope(EmailMultiAlternatives):
    """A letter as it goes to the mail server: the same rows give the same bytes, boundaries between the parts included.

    Its pictures are attachments with a Content-ID (`attach_picture`), as providers' own interfaces want them; in the message of a
    mail server they stand beside the HTML.
    """

    def attach_picture(self, picture: Picture) -> None:
        image = MIMEImage(picture.png, "png")
        del image["MIME-Version"]  # that of the whole letter holds
        image["Content-ID"] = f"<{picture.cid}>"
        image.add_header("Content-Disposition", "inline", filename="board.png")
        self.attach(image)

    def attach_entry(self, calendar: str) -> None:
        """A calendar entry beside the letter: a file that any program opens, and that those which know calendars offer to take in."""
        entry = MIMEText(calendar, "calendar", "utf-8")
        del entry["MIME-Version"]
        entry.set_param("method", "PUBLISH")
        entry.add_header("Content-Disposition", "attachment", filename="deadline.ics")
        self.attach(entry)

    def message(self, **policy: Any) -> Any:
        everything = self.attachments
        images = [part for part in everything if isinstance(part, MIMEImage)]
        self.attachments = [part for part in everything if not isinstance(part, MIMEImage)]
        try:
            whole = super().message(**policy)
        finally:
            self.attachments = everything
        words: Any = whole if whole.get_content_subtype() == "alternative" else whole.get_payload(0)
        parts = words.get_payload()
        if images and isinstance(parts, list):
            parts[-1] = _related(parts[-1], images)
        seed = hashlib.sha256(str(whole["Message-ID"]).encode()).hexdigest()[:24]
        for place, part in enumerate(part for part in whole.walk() if part.is_multipart()):
            part.set_boundary(f"=_{place}_{seed}")  # “=_” stands in neither quoted-printable nor base64
        return whole


def _related(html: Any, images: list[Any]) -> MIMEMultipart:
    """The HTML with what it shows, as one part."""
    related = MIMEMultipart("related", type="text/html")
    del related["MIME-Version"]
    for part in (html, *images):
        related.attach(part)
    return related
