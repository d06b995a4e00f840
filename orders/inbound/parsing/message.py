"""One message as it came, not yet understood: who, to whom, which words, and whether a person wrote
it (RFC 5322, 2045, 3834)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import Message as Part
from email.parser import BytesHeaderParser
from email.utils import parsedate_to_datetime

from . import automatic, headers, parts

#: Python's parser takes the square of the length for parameters. Nobody's are so long; what is
# beyond is cut before it looks.
_LONG = 4_000
_LONG_PARAMETERS = re.compile(
    rb"^(content-(?:type|disposition):(?:[^\r\n]|\r?\n[ \t]){%d})(?:[^\r\n]|\r?\n[ \t])+" % _LONG,
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True)
class Address:
    """An address of a header: the decoded name, and the address in lower case."""

    name: str
    address: str

    @property
    def domain(self) -> str:
        return self.address.rpartition("@")[2]


@dataclass(frozen=True)
class Bounce:
    """What a mail server says of a letter that it could not deliver (RFC 3464, and the older
    forms). Empty strings: it does not say."""

    message_id: str  # of the letter that bounced, with its angle brackets
    recipient: str
    status: str  # 5.1.1
    diagnostic: str
    permanent: bool


@dataclass(frozen=True)
class Attachment:
    """A text file of at most 20 kB that hangs on the message: perhaps orders."""

    name: str
    text: str


@dataclass(frozen=True)
class File:
    """A file that hangs on the message and is no text."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Message:
    """A message taken apart, untrusted; what cannot be read is empty."""

    senders: tuple[Address, ...]  # every address of every From
    to: tuple[Address, ...]
    cc: tuple[Address, ...]
    delivered_to: tuple[str, ...]  # Delivered-To, X-Original-To, Envelope-To, in lower case
    subject: str
    message_id: str  # with its angle brackets; "" where there is none
    references: tuple[str, ...]
    in_reply_to: str
    date: datetime | None
    headers: Mapping[
        str, str
    ]  # the first value of each, decoded and on one line, by its name in lower case
    trace: tuple[
        tuple[str, str], ...
    ]  # Received and Authentication-Results in order from the top, names in lower case
    auto: str  # why nobody wrote this by hand, as half a sentence; "" if a person did
    bounce: Bounce | None
    text: str  # the words of the message, quotations and all, with "\n" as line ends
    was_html: bool  # whether `text` was made from HTML
    # lines of HTML that a reader could not see or that were marked as quotation, left out of `text`
    hidden: int
    attachments: tuple[Attachment, ...]
    size: int
    files: tuple[File, ...] = ()  # attached, and no text

    @property
    def from_(self) -> Address:
        """Return the sender; empty where that is nobody, or several (see `senders`)."""
        return self.senders[0] if len(self.senders) == 1 else Address("", "")

    @property
    def kind(self) -> str:
        """bounce, automatic or commands (a person's)."""
        return "bounce" if self.bounce else "automatic" if self.auto else "commands"


def parse(
    raw: bytes,
    envelope_from: str | None = None,
    *,
    own_domain: str = "",
    own_addresses: Collection[str] = (),
) -> Message:
    """The message in `raw`. Never raises, whatever the bytes.

    `envelope_from` is the sender of the envelope: None if it is not known, "" that of a bounce.
    `own_domain` is that of our Message-IDs and `own_addresses` are those from which we write: what
    comes from there is our own letter come back.
    """
    part, readable = _parse_bytes(raw)
    fields = [(name.lower(), headers.line(str(value))) for name, value in part.raw_items()]
    first: dict[str, str] = {}
    for name, value in fields:
        first.setdefault(name, headers.words(value))
    words = parts.Words()
    if readable:
        try:
            words = parts.words_of(part)
        except Exception:  # Python's parser of parameters raises whatever happens to go wrong in it
            words = parts.Words()
    senders = tuple(_addresses(fields, "from"))
    subject = first.get("subject", "")
    bounce = _bounce(part, first, senders, words.text) if readable else None
    content = part.get_content_type(), _report_type(first.get("content-type", ""))
    auto = automatic.why_automatic(
        first,
        [sender.address for sender in senders],
        envelope_from,
        content,
        subject,
        lambda: words.text,
        (own_domain, own_addresses),
    )
    return Message(
        senders=senders,
        to=tuple(_addresses(fields, "to")),
        cc=tuple(_addresses(fields, "cc")),
        delivered_to=_delivered_to(fields),
        subject=subject,
        message_id=next(iter(headers.message_ids(first.get("message-id", ""))), ""),
        references=headers.message_ids(first.get("references", "")),
        in_reply_to=next(iter(headers.message_ids(first.get("in-reply-to", ""))), ""),
        date=_date(first.get("date", "")),
        headers=first,
        trace=tuple(
            (name, value)
            for name, value in fields
            if name in ("received", "authentication-results")
        ),
        auto=auto
        or (
            "it is what a mail server says of a letter that it could not deliver" if bounce else ""
        ),
        bounce=bounce,
        text=words.text,
        was_html=words.was_html,
        hidden=words.hidden,
        attachments=tuple(Attachment(name, text) for name, text in words.attachments),
        size=len(raw),
        files=tuple(File(headers.line(name), content) for name, content in words.files),
    )


def _parse_bytes(raw: bytes) -> tuple[Part, bool]:
    """Return Python's parse, and whether it has parts; of deep nesting only headers."""
    if len(raw) > _LONG:
        raw = _LONG_PARAMETERS.sub(rb"\1", raw)
    try:
        return message_from_bytes(raw), True
    except (
        Exception
    ):  # RecursionError above all; the library has raised other things on bad bytes before
        try:
            return BytesHeaderParser().parsebytes(raw[:100_000]), False
        except Exception:
            return Part(), False


def _addresses(fields: list[tuple[str, str]], name: str) -> list[Address]:
    """Each address once, of all headers of the name."""
    found: dict[str, Address] = {}
    for field, value in fields:
        if field == name:
            for said, address in headers.addresses(value):
                found.setdefault(address, Address(said, address))
    return list(found.values())[:200]


def _delivered_to(fields: list[tuple[str, str]]) -> tuple[str, ...]:
    known = ("delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "x-delivered-to")
    return tuple(
        dict.fromkeys(
            address
            for name, value in fields
            if name in known
            for _, address in headers.addresses(value)
        )
    )


def _date(value: str) -> datetime | None:
    """Return a date in UTC, taken for UTC where it has no zone. No deadline rests on it."""
    try:
        found = parsedate_to_datetime(value)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (TypeError, ValueError, OverflowError, IndexError):
        return None


def _report_type(content_type: str) -> str:
    _, found, rest = content_type.lower().partition("report-type=")
    return rest.partition(";")[0].strip(' "') if found else ""


def _bounce(
    part: Part, first: Mapping[str, str], senders: Collection[Address], text: str
) -> Bounce | None:
    try:
        found = automatic.bounce_of(
            part, first, [sender.address for sender in senders], first.get("subject", ""), text
        )
    except Exception:  # as in parse: a bounce that cannot be read is at least automatic
        return None
    return Bounce(*found) if found else None
