"""Where every way in for mail ends: a message is stored before it is understood, once, and then
dealt with, once (issue 4, item 1).

`Handling` is the queue. A worker takes rows by a lease, as with letters and phases; what a message
does (orders in the ledger, press, the answer in the outbox) is one transaction with its being
marked as done, so that a worker that dies in between has done nothing, and one that comes second
finds nothing to do.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q

from games.accounts import tokens
from games.models import ReplyAddress, service
from games.models.leased import lease
from orders.models import Handling, Mail

logger = logging.getLogger(__name__)

Status = Handling.Status
#: An envelope's sender that the way in cannot tell; "" is that of a bounce.
UNKNOWN = "?"
#: What one worker takes at a time.
AT_ONCE = 20
#: Minutes until the next try, by number of failures; the last one stays.
RETRY_MINUTES = (1, 2, 5, 15, 30)
#: How long a message waits for its sender's confirmation.
CONFIRMED_WITHIN = timedelta(days=7)


#: `Handling.kind` of a message over the size that is taken, of which the headers alone are kept.
TOO_LARGE = "too large"
#: So many bytes of the headers of such a message are kept.
HEADERS_AT_MOST = 64_000


class TooLarge(Exception):
    """A message over the size that is taken. `str()` is one sentence for whoever sent it. Nothing
    was stored."""


# --- storing ---


def store(
    raw: bytes,
    *,
    way: Mail.Way | str,
    envelope_from: str | None,
    envelope_to: Sequence[str],
    now: datetime,
) -> Mail:
    """Keeps a message byte for byte, and gives the row that keeps it already where it has come
    before.

    `envelope_to` are the addresses it was delivered to; where a way in knows none, those of ours in
    its headers are taken.
    """
    return keep(raw, way, envelope_from, envelope_to, now).mail


class Kept(NamedTuple):
    mail: Mail
    fresh: Handling | None = None  # its handling, where it has not come before
    reply: ReplyAddress | None = None  # the reader's own address that it came to


def keep(
    raw: bytes,
    way: Mail.Way | str,
    envelope_from: str | None,
    envelope_to: Sequence[str],
    now: datetime,
    claim: str = "",
) -> Kept:
    """As `store`. With `claim` a new message stands under that lease from the first, its first try
    begun: nobody need ask for it."""
    service.refuse_while_held()  # whoever hands it in keeps it, and comes again
    if is_too_large(len(raw)):
        raise TooLarge(
            f"This message has {len(raw):,} bytes; at most {settings.MAIL_LARGEST:,} are taken."
            " Send the order lines alone."
        )
    return _insert(raw, way, envelope_from, envelope_to, now, claim)


def is_too_large(size: int) -> bool:
    """Return whether a message of so many bytes is over the size that is taken."""
    return size > int(settings.MAIL_LARGEST)


def keep_headers(
    raw: bytes,
    way: Mail.Way | str,
    envelope_from: str | None,
    envelope_to: Sequence[str],
    now: datetime,
    claim: str = "",
) -> Kept:
    """Store the headers of a message that is too large to be taken, so that its sender can be
    told. `raw` is the message or its headers; arguments as of `keep`."""
    service.refuse_while_held()
    head, _, _ = _split(raw[:HEADERS_AT_MOST])
    return _insert(head + b"\n\n", way, envelope_from, envelope_to, now, claim, kind=TOO_LARGE)


def _insert(
    raw: bytes,
    way: Mail.Way | str,
    envelope_from: str | None,
    envelope_to: Sequence[str],
    now: datetime,
    claim: str,
    kind: str = "",
) -> Kept:
    to = [storable(address).lower()[:320] for address in envelope_to] or own_addresses(raw)
    mark = fingerprint(raw, to)
    try:
        with transaction.atomic():
            mail = Mail(
                fingerprint=mark,
                message_id=storable(header(raw, "message-id"))[:500],
                way=way,
                envelope_from=(
                    UNKNOWN
                    if envelope_from is None
                    else storable(envelope_from).lower().strip("<>")[:320]
                ),
                envelope_to=to,
                received_at=now,
                raw=raw,
            )
            mail.save(force_insert=True)
            reply = reply_at(to)
            # The game is known from the address alone: a phase that is to be locked can wait for
            # mail that came before (`unread`).
            begun = {"claim": claim, "claimed_until": now + lease(), "attempts": 1} if claim else {}
            handling = Handling(
                mail=mail, due_at=now, game=reply.game if reply else None, kind=kind, **begun
            )
            handling.save(force_insert=True)
            return Kept(mail, handling, reply)
    except IntegrityError:  # the same message once more, or by another way at the same instant
        return Kept(Mail.objects.get(fingerprint=mark))


def fingerprint(raw: bytes, to: Sequence[str]) -> str:
    """SHA-256 over what makes a message itself: its Message-ID, its body, and the address of ours
    that it came to.

    Mail servers add headers and change line ends on the way; where there is no Message-ID its date,
    sender and subject stand for it, and where there is no date either all of it. A copy that
    differs in these is told by its signature (`copies.find_original`).
    """
    head, _, body = _split(raw)
    dated = [header(raw, field) for field in ("date", "from", "subject")]
    name = header(raw, "message-id") or (
        "\n".join(dated) if dated[0] else head.decode("utf-8", "replace")
    )
    where = ",".join(sorted({key_in(address) or address for address in to}))
    return sha256(
        b"\0".join((name.encode(), sha256(body.rstrip()).digest(), where.encode()))
    ).hexdigest()


def known_names(message_ids: Iterable[str]) -> set[str]:
    """Return those of some Message-IDs under which a message is kept."""
    rows = Mail.objects.filter(message_id__in=list(message_ids))
    return set(rows.values_list("message_id", flat=True))


def is_known(raw: bytes) -> bool:
    """Return whether this very message is kept, or of one that is too large its headers."""
    head, _, _ = _split(raw[:HEADERS_AT_MOST])
    to = own_addresses(raw)
    to = next(([address] for address in to if key_in(address)), to)  # as `handle.take_in` keeps it
    marks = [fingerprint(one, to) for one in (raw, head + b"\n\n")]
    return Mail.objects.filter(fingerprint__in=marks).exists()


def _split(raw: bytes) -> tuple[bytes, bytes, bytes]:
    return raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").partition(b"\n\n")


def header(raw: bytes, name: str) -> str:
    """The first header of a name, on one line; "" where there is none. Of anything that calls
    itself a message."""
    head, _, _ = _split(raw[:200_000])
    match = re.search(
        rb"(?im)^" + re.escape(name.encode()) + rb"[ \t]*:((?:.*)(?:\n[ \t].*)*)", head
    )
    return " ".join(match[1].decode("utf-8", "replace").split()) if match else ""


def own_addresses(raw: bytes) -> list[str]:
    """Addresses of ours in a message's headers: where it was delivered to, if its mail server says
    so, else its readers."""
    for fields in (("delivered-to", "x-original-to", "envelope-to"), ("to", "cc")):
        found = [
            word.lower()
            for field in fields
            for word in re.findall(r"[^\s<>,;:\"()\[\]]+@[^\s<>,;:\"()\[\]]+", header(raw, field))
        ]
        if ours := [address for address in dict.fromkeys(found) if is_ours(address)]:
            return ours
    return []


def is_ours(address: str) -> bool:
    """Whether mail to this address is for the service: orders, returned letters, or the address its
    letters come from."""
    return plain(address) in _addresses()


def plain(address: str) -> str:
    """`orders@domain` of `orders+key@domain`."""
    local, _, domain = address.strip().strip("<>").lower().rpartition("@")
    return f"{local.partition('+')[0]}@{domain}"


def key_in(address: str) -> str:
    """`key` of `orders+key@domain`; "" where there is none."""
    return address.strip().strip("<>").lower().rpartition("@")[0].partition("+")[2]


def reply_at(addresses: Iterable[str]) -> ReplyAddress | None:
    """Return the reader's own address among those that a message came to."""
    found = (tokens.find_reply(key_in(address)) for address in addresses)
    return next((reply for reply in found if reply), None)


def _addresses() -> set[str]:
    from email.utils import parseaddr

    own = (settings.MAIL_REPLY, settings.MAIL_BOUNCES, parseaddr(settings.DEFAULT_FROM_EMAIL)[1])
    return {address.lower() for address in own if address}


def storable(text: str) -> str:
    """As PostgreSQL takes it."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()


# --- what is due ---


def claim(now: datetime, most: int = AT_ONCE) -> tuple[str, list[int]]:
    """Take messages that are due, by a lease."""
    return Handling.objects.claim(now, most)


def claim_one(mail: int, now: datetime) -> str:
    """Take one message that has just been stored. Return the token; "" where somebody else has it,
    or is done with it."""
    return Handling.objects.filter(mail=mail).claim(now, 1, Q(status=Status.WAITING))[0]


# --- dealing with it ---


def finish(row: Handling, now: datetime) -> None:
    """Writes what became of a message. One that waits for its sender comes up once more when it has
    waited long enough."""
    row.due_at = (
        row.mail.received_at + CONFIRMED_WITHIN if row.status == Status.UNCONFIRMED else None
    )
    row.claim, row.claimed_until, row.handled_at, row.fault = "", None, now, ""
    row.save()
