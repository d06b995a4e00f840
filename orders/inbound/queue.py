"""Store every incoming message once before it is understood, then handle it once (issue 4, item 1).

`Handling` is the queue. Workers lease rows, as with letters and phases. The effects of a message
(orders in the ledger, press, the answer in the outbox) and marking it as done are one transaction:
a worker that dies in between has changed nothing, and a second one finds nothing to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q

from games.accounts import tokens
from games.base.text import storable
from games.models import Game, Person, ReplyAddress, service
from games.models.leased import lease
from orders.inbound.identity import trust
from orders.models import Handling, Mail, Signature

Status = Handling.Status
#: The envelope sender where the transport does not know it; "" means a bounce.
UNKNOWN = "?"
#: How many rows one worker takes at a time.
AT_ONCE = 20
#: Minutes until the next attempt, by number of failures; the last value repeats.
RETRY_MINUTES = (1, 2, 5, 15, 30)
#: How long a mail server may have held a message that it took; an older instant is a wrong clock.
HELD_AT_MOST = timedelta(days=5)
#: `Handling.kind` of a message over the size limit; only its headers are stored.
TOO_LARGE = "too large"
#: How many bytes of such a message's headers are stored.
HEADERS_AT_MOST = 64_000


class TooLarge(Exception):
    """The message exceeds the size limit. Nothing was stored.

    `str()` is one sentence for its sender.
    """


# --- storing ---


class StoredMail(NamedTuple):
    """The result of storing a message."""

    mail: Mail
    fresh: Handling | None = None  # its handling, if it had not arrived before
    reply: ReplyAddress | None = None  # the reader's own address that it was sent to


def keep(
    raw: bytes,
    way: Mail.Way | str,
    envelope_from: str | None,
    envelope_to: Sequence[str],
    now: datetime,
    claim: str = "",
    *,
    headers_only: bool = False,
) -> StoredMail:
    """Store a message byte for byte, or find the row of one that arrived before.

    `envelope_to` are the addresses it was delivered to. If the transport knows none, the service's
    addresses in its headers are used. With `claim` a new message is leased to that token from the
    start, and its first attempt counted, so no second query is needed. `headers_only`: it is too
    large; store its headers, so that its sender can be told. Without that, raise `TooLarge`.
    """
    service.refuse_while_held()  # the sending server keeps the message and tries again
    if headers_only:
        raw = _headers(raw)
    elif is_too_large(len(raw)):
        raise TooLarge(
            f"This message has {len(raw):,} bytes; at most {settings.MAIL_LARGEST:,} are accepted."
            " Send the order lines alone."
        )
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
                received_at=_arrived(raw, now),
                raw=raw,
            )
            mail.save(force_insert=True)
            reply = reply_at(to)
            # The address alone identifies the game, so a phase that is about to close can wait for
            # mail that arrived earlier (`unread`).
            lease_fields = (
                {"claim": claim, "claimed_until": now + lease(), "attempts": 1} if claim else {}
            )
            handling = Handling(
                mail=mail,
                due_at=now,
                game=reply.game if reply else None,
                kind=TOO_LARGE if headers_only else "",
                **lease_fields,
            )
            handling.save(force_insert=True)
            return StoredMail(mail, handling, reply)
    except IntegrityError:  # the same message again, or by another transport at the same time
        return StoredMail(Mail.objects.get(fingerprint=mark))


def is_too_large(size: int) -> bool:
    """Return whether a message of this many bytes exceeds the size limit."""
    return size > int(settings.MAIL_LARGEST)


def _headers(raw: bytes) -> bytes:
    """Return what is stored of a message that is too large."""
    head, _, _ = _split(raw[:HEADERS_AT_MOST])
    return head + b"\n\n"


def _arrived(raw: bytes, now: datetime) -> datetime:
    """Return when our own mail server took a message, else `now`, when the service got it.

    A server keeps what it cannot hand on while the service is stopped. Its header has whole
    seconds; the last instant of that second is taken, so that nothing seems older than it is.
    """
    taken = trust.taken_at(header(raw, "received"), settings.MAIL_AUTHSERV_ID)
    if taken is None or now - taken > HELD_AT_MOST:
        return now
    return min(now, taken.replace(microsecond=999_999))


def fingerprint(raw: bytes, to: Sequence[str]) -> str:
    """Return a SHA-256 over what identifies a message.

    That is its Message-ID, its body, and the service's addresses it was sent to. Mail servers add
    headers and change line ends on the way. Without a Message-ID, use date, sender and subject;
    without a date either, all headers. A copy that differs in these is recognized by its signature
    (`find_original`).
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


def find_original(
    row: Handling, game: Game, person: Person, signatures: tuple[str, ...]
) -> Handling | None:
    """Return the earlier message to this address that has one of these signatures.

    The address is this person's in this game. Return None for the first message, and store its
    signatures. The fingerprint of a message (`fingerprint`) includes its Message-ID, which
    not every domain signs: with a changed one the same orders would be obeyed again, after newer
    ones.
    """
    # A postponed message has stored its signatures already.
    if not signatures or Signature.objects.filter(handling=row).exists():
        return None
    # Sort the marks so that two workers with copies of one message cannot deadlock; the second
    # waits and finds the first.
    marks = sorted(
        sha256(f"{game.pk}:{person.pk}:{signature}".encode()).hexdigest()
        for signature in signatures
    )
    Signature.objects.bulk_create(
        [Signature(handling=row, mark=mark) for mark in marks], ignore_conflicts=True
    )
    first = (
        Signature.objects.filter(mark__in=marks)
        .exclude(handling=row)
        .select_related("handling")
        .order_by("pk")
        .first()
    )
    return first.handling if first is not None else None


def known_names(message_ids: Iterable[str]) -> set[str]:
    """Return the Message-IDs among these under which a message is stored."""
    rows = Mail.objects.filter(message_id__in=list(message_ids))
    return set(rows.values_list("message_id", flat=True))


def is_known(raw: bytes) -> bool:
    """Return whether this exact message is stored, or its headers if it was too large."""
    to = own_addresses(raw)
    to = next(([address] for address in to if key_in(address)), to)  # as `handle.take_in` stores it
    marks = [fingerprint(part, to) for part in (raw, _headers(raw))]
    return Mail.objects.filter(fingerprint__in=marks).exists()


def _split(raw: bytes) -> tuple[bytes, bytes, bytes]:
    return raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").partition(b"\n\n")


def header(raw: bytes, name: str) -> str:
    """Return the first header with a name, on one line; "" if there is none.

    Works on anything that calls itself a message.
    """
    head, _, _ = _split(raw[:200_000])
    match = re.search(
        rb"(?im)^" + re.escape(name.encode()) + rb"[ \t]*:((?:.*)(?:\n[ \t].*)*)", head
    )
    return " ".join(match[1].decode("utf-8", "replace").split()) if match else ""


def own_addresses(raw: bytes) -> list[str]:
    """Return the service's addresses in a message's headers.

    Those it was delivered to, if its mail server says so, otherwise those in To and Cc. Readers'
    own addresses come first: some servers leave the key out of what they say.
    """
    named = [
        [address for address in _named(raw, fields) if is_ours(address)]
        for fields in (("delivered-to", "x-original-to", "envelope-to"), ("to", "cc"))
    ]
    keyed = [[address for address in addresses if key_in(address)] for addresses in named]
    return next((addresses for addresses in (*keyed, *named) if addresses), [])


def _named(raw: bytes, fields: Iterable[str]) -> list[str]:
    """Return the addresses in the first header of each of these names, each once."""
    text = " ".join(header(raw, field) for field in fields)
    words = re.findall(r"[^\s<>,;:\"()\[\]]+@[^\s<>,;:\"()\[\]]+", text)
    return list(dict.fromkeys(word.lower() for word in words))


def is_ours(address: str) -> bool:
    """Return whether mail to this address is for the service.

    Its addresses are for orders, for bounces, and the From address of its letters.
    """
    return plain(address) in _addresses()


def plain(address: str) -> str:
    """Return `orders@domain` for `orders+key@domain`."""
    local, _, domain = address.strip().strip("<>").lower().rpartition("@")
    return f"{local.partition('+')[0]}@{domain}"


def key_in(address: str) -> str:
    """Return `key` of `orders+key@domain`; "" where there is none."""
    return address.strip().strip("<>").lower().rpartition("@")[0].partition("+")[2]


def reply_at(addresses: Iterable[str]) -> ReplyAddress | None:
    """Return the reader's own address among those that a message was sent to, or None."""
    replies = (tokens.find_reply(key_in(address)) for address in addresses)
    return next((reply for reply in replies if reply), None)


def _addresses() -> set[str]:
    from email.utils import parseaddr

    addresses = (
        settings.MAIL_REPLY,
        settings.MAIL_BOUNCES,
        parseaddr(settings.DEFAULT_FROM_EMAIL)[1],
    )
    return {address.lower() for address in addresses if address}


# --- leases ---


def claim(now: datetime, most: int = AT_ONCE) -> tuple[str, list[int]]:
    """Lease messages that are due."""
    return Handling.objects.claim(now, most)


def claim_one(mail: int, now: datetime) -> str:
    """Lease one message that has just been stored.

    Return the token; "" if another worker has it or has finished it.
    """
    return Handling.objects.filter(mail=mail).claim(now, 1, Q(status=Status.WAITING))[0]


# --- outcomes ---


def finish(row: Handling, now: datetime) -> None:
    """Write the outcome of a message.

    One that waits for its sender's confirmation becomes due again when the time for that is over.
    """
    row.due_at = row.answerable_until if row.status == Status.UNCONFIRMED else None
    row.claim, row.claimed_until, row.handled_at, row.fault = "", None, now, ""
    row.save()
