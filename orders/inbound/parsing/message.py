"""Parse one message (RFC 5322, 2045, 3834).

Find sender, recipients and text, and whether a person wrote it. The text is not interpreted here.
"""

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

#: Python's parser takes quadratic time for parameters. Nobody's are this long, so the rest is cut
#: first.
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
    """A mail server's report about a letter that it could not deliver (RFC 3464, and older forms).

    Empty strings: not reported.
    """

    message_id: str  # of the letter that bounced, with its angle brackets
    recipient: str
    status: str  # 5.1.1
    diagnostic: str
    permanent: bool


@dataclass(frozen=True)
class Attachment:
    """An attached text file of at most 20 kB, which may contain orders."""

    name: str
    text: str


@dataclass(frozen=True)
class File:
    """An attached file that is no text."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Message:
    """A parsed message, not yet trusted; what cannot be read is empty."""

    senders: tuple[Address, ...]  # every address of every From
    to: tuple[Address, ...]
    cc: tuple[Address, ...]
    delivered_to: tuple[str, ...]  # Delivered-To, X-Original-To, Envelope-To, in lower case
    subject: str
    message_id: str  # with its angle brackets; "" where there is none
    references: tuple[str, ...]
    in_reply_to: str
    date: datetime | None
    # the first value of each header, decoded and on one line, by lower-case name
    headers: Mapping[str, str]
    # Received and Authentication-Results in order from the top, with lower-case names
    trace: tuple[tuple[str, str], ...]
    auto: str  # why no person wrote this, as half a sentence; "" if a person did
    bounce: Bounce | None
    text: str  # the text including quotations, with "\n" as line ends
    was_html: bool  # whether `text` was made from HTML
    # number of HTML lines left out of `text` because they were invisible or marked as quotation
    hidden: int
    attachments: tuple[Attachment, ...]
    size: int
    files: tuple[File, ...] = ()  # attached files that are no text
    crossed_out: tuple[str, ...] = ()  # text that the sender crossed out; it is not in `text`
    encrypted: bool = False  # whether parts of it cannot be read

    @property
    def from_(self) -> Address:
        """Return the sender; an empty address if there is none, or several (see `senders`)."""
        return self.senders[0] if len(self.senders) == 1 else Address("", "")

    @property
    def kind(self) -> str:
        """Return bounce, automatic, or commands (written by a person)."""
        return "bounce" if self.bounce else "automatic" if self.auto else "commands"


def parse(
    raw: bytes,
    envelope_from: str | None = None,
    *,
    own_domain: str = "",
    own_addresses: Collection[str] = (),
) -> Message:
    """Return the message in `raw`. Never raises, whatever the bytes.

    `envelope_from` is the envelope sender: None if unknown, "" for a bounce. `own_domain` is the
    domain of our Message-IDs and `own_addresses` the addresses we send from: a message from there
    is one of our own letters that came back.
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
        except Exception:  # Python's parser raises all kinds of errors on malformed parameters
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
        delivered_to=_delivery_addresses(fields),
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
        crossed_out=words.crossed_out,
        encrypted=words.encrypted,
    )


def _parse_bytes(raw: bytes) -> tuple[Part, bool]:
    """Return Python's parse, and whether it includes parts; for deep nesting only the headers."""
    if len(raw) > _LONG:
        raw = _LONG_PARAMETERS.sub(rb"\1", raw)
    try:
        return message_from_bytes(raw), True
    # Mostly RecursionError, but the library has raised other errors on malformed bytes before.
    except Exception:
        try:
            return BytesHeaderParser().parsebytes(raw[:100_000]), False
        except Exception:
            return Part(), False


def _addresses(fields: list[tuple[str, str]], name: str) -> list[Address]:
    """Return each address in all headers with a name once."""
    addresses: dict[str, Address] = {}
    for field, value in fields:
        if field == name:
            for display_name, address in headers.addresses(value):
                addresses.setdefault(address, Address(display_name, address))
    return list(addresses.values())[:200]


def _delivery_addresses(fields: list[tuple[str, str]]) -> tuple[str, ...]:
    field_names = (
        "delivered-to",
        "x-original-to",
        "envelope-to",
        "x-envelope-to",
        "x-delivered-to",
    )
    return tuple(
        dict.fromkeys(
            address
            for name, value in fields
            if name in field_names
            for _, address in headers.addresses(value)
        )
    )


def _date(value: str) -> datetime | None:
    """Return a date in UTC, or None.

    A date without a zone is taken as UTC; no deadline depends on it.
    """
    try:
        parsed = parsedate_to_datetime(value)
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC)
    except (TypeError, ValueError, OverflowError, IndexError):
        return None


def _report_type(content_type: str) -> str:
    _, separator, rest = content_type.lower().partition("report-type=")
    return rest.partition(";")[0].strip(' "') if separator else ""


def _bounce(
    part: Part, first: Mapping[str, str], senders: Collection[Address], text: str
) -> Bounce | None:
    try:
        fields = automatic.bounce_of(
            part, first, [sender.address for sender in senders], first.get("subject", ""), text
        )
    except Exception:  # as in parse; an unreadable bounce still counts as automatic
        return None
    return Bounce(*fields) if fields else None
