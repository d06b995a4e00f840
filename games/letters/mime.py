"""Write a letter as a MIME message (RFC 2045 to 2047, RFC 2387) with the standard library.

    multipart/mixed           only if something is attached
      multipart/alternative
        text/plain
        multipart/related     only if the letter has a picture
          text/html           <img src="cid:...">
          image/png           Content-ID: <...>
      text/calendar           the deadline (games.letters.entries), and files of a referee's report

All of it is ASCII, so that no mail server on the way has to encode it again.
"""

from __future__ import annotations

import hashlib
from base64 import encodebytes
from binascii import b2a_qp
from email.generator import BytesGenerator
from email.header import Header
from email.mime.base import MIMEBase
from email.policy import Compat32, Policy
from email.utils import formataddr, parseaddr
from functools import lru_cache
from io import BytesIO
from typing import Any

from django.core.mail import EmailMultiAlternatives

#: Octets in a line, without its end (RFC 5322, 2.1.1).
LONGEST_LINE = 998
ADDRESSES = ("From", "Reply-To", "To")
#: Characters in a line of a header that is not folded (RFC 5322, 2.1.1).
WIDTH = 78


class _Headers(Compat32):
    """Write a short header as it is. The standard library folds the others, and would look for a
    place to fold in each."""

    def fold_binary(self, name: str, value: str) -> bytes:
        if len(f"{name}: {value}") <= WIDTH and value.isascii() and "\n" not in value:
            return f"{name}: {value}{self.linesep}".encode("ascii")
        return super().fold_binary(name, value)


class Part(MIMEBase):
    """A part of a message, or all of it."""

    def as_bytes(
        self, unixfrom: bool = False, policy: Policy | None = None, *, linesep: str = "\n"
    ) -> bytes:
        """Return the part with these line ends, which Django's backends ask for."""
        written = BytesIO()
        BytesGenerator(written, mangle_from_=False, policy=policy or _Headers()).flatten(
            self, unixfrom, linesep=linesep
        )
        return written.getvalue()


class Message(EmailMultiAlternatives):
    """A letter for the mail server. The same letter gives the same bytes, including the boundaries.

    Backends for SMTP and files send what `message` returns; those for the APIs of mail providers
    read the attributes. Attachments are parts; inline ones are pictures that the HTML shows.
    """

    attachments: list[Any]

    def message(self, **policy: Any) -> Any:
        """Return the message. Raise `ValueError` for a header of several lines."""
        inline = [part for part in self.attachments if part.get_content_disposition() == "inline"]
        attached = [part for part in self.attachments if part not in inline]
        whole = text_part(str(self.body), "plain")
        for html, _ in self.alternatives:
            shown = text_part(str(html), "html")
            if inline:
                shown = self._multipart("related", [shown, *inline], type="text/html")
            whole = self._multipart("alternative", [whole, shown])
        if attached:
            whole = self._multipart("mixed", [whole, *attached])
        headers = {
            "Subject": self.subject,
            "From": self.from_email,
            "To": ", ".join(self.to),
            "Reply-To": ", ".join(self.reply_to),
            **self.extra_headers,
        }
        for name, value in headers.items():
            if value:
                whole[name] = _encode_header(name, str(value))
        return whole

    def _multipart(self, kind: str, parts: list[Part], **parameters: Any) -> Part:
        """Return these parts as one. “=_” occurs in neither quoted-printable nor base64."""
        seed = hashlib.sha256(str(self.extra_headers.get("Message-ID")).encode()).hexdigest()
        multipart = Part("multipart", kind, boundary=f"=_{kind}_{seed[:24]}", **parameters)
        for part in parts:
            multipart.attach(part)
        return multipart


def text_part(text: str, kind: str) -> Part:
    """Return a text unencoded if it is ASCII in short lines, else as quoted-printable."""
    data, encoding = text.encode(), "7bit"
    if not text.isascii() or max(map(len, data.splitlines()), default=0) > LONGEST_LINE:
        text, encoding = b2a_qp(data).decode("ascii"), "quoted-printable"
    part = Part("text", kind, charset="utf-8")
    part["Content-Transfer-Encoding"] = encoding
    part.set_payload(text)
    return part


@lru_cache(maxsize=16)
def picture_part(png: bytes, cid: str) -> Part:
    """Return a picture, which the readers of a game share; the HTML refers to it by its `cid`."""
    part = _encoded_part(Part("image", "png"), png)
    part["Content-ID"] = f"<{cid}>"
    part.add_header("Content-Disposition", "inline", filename="board.png")
    return part


def file_part(content: bytes, media_type: str, name: str, **parameters: Any) -> Part:
    """Return an attached file."""
    part = _encoded_part(Part(*media_type.split("/"), **parameters), content)
    part.add_header("Content-Disposition", "attachment", filename=name)
    return part


def _encoded_part(part: Part, content: bytes) -> Part:
    part["Content-Transfer-Encoding"] = "base64"
    part.set_payload(encodebytes(content).decode("ascii"))
    return part


@lru_cache(maxsize=4096)
def _encode_header(name: str, value: str) -> str:
    """Return a value in ASCII; long lines are folded when the message is written."""
    if len(value.splitlines()) > 1:
        raise ValueError(f"The header {name} has more than one line: {value!r}.")
    if value.isascii() and not (name == "Subject" and "=?" in value):
        return value
    if name not in ADDRESSES:
        return Header(value, "utf-8", header_name=name).encode()
    display_name, address = parseaddr(value)
    local, at, domain = address.rpartition("@")
    if not at:
        raise ValueError(f"The header {name} is no address: {value!r}.")
    return formataddr((display_name, f"{local}@{domain.encode('idna').decode()}"))
