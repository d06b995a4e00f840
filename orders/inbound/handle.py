"""Take a message in from any transport, store it, and handle it in one transaction.

`orders.inbound.decide` says what it is and obeys it. A message that cannot be read is tried again,
and then given up.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F

from games.base import stack
from games.base.text import storable
from games.models import ReplyAddress
from games.outbox.messages import reply_letters
from orders.inbound import canned, parsed, queue
from orders.inbound.decide import decide
from orders.inbound.identity import trust
from orders.models import Handling, Mail

logger = logging.getLogger(__name__)

#: The most addresses handled for one message.
MOST_AT_ONCE = 50


@stack.roomy
def take_in(
    raw: bytes,
    *,
    way: Mail.Way | str,
    envelope_from: str | None,
    envelope_to: Sequence[str],
    now: datetime,
    headers_only: bool = False,
) -> Mail:
    """Store a message from any transport, and handle it at once.

    The answer then arrives within seconds. Raise `TooLarge`, and any database error while it is
    being stored: then the transport must deliver the message again. Later failures are not raised;
    the tick tries again.

    A message to several readers' own addresses is handled once for each, as if a mail server had
    delivered it to each. Return the first row. `headers_only`: it is too large, and comes from a
    transport that cannot refuse it as an LMTP server does; its sender is told.
    """
    # A copy to a general address is one to the reader's own address beside it.
    own_addresses = _keyed(envelope_to) or _keyed(queue.own_addresses(raw))
    if len(own_addresses) > 1:
        rows = [
            take_in(
                raw,
                way=way,
                envelope_from=envelope_from,
                envelope_to=[address],
                now=now,
                headers_only=headers_only,
            )
            for address in own_addresses[:MOST_AT_ONCE]
        ]
        return rows[0]
    to, claim = own_addresses or envelope_to, secrets.token_hex(16)
    mail, fresh, reply = queue.keep(
        raw, way, envelope_from, to, now, claim, headers_only=headers_only
    )
    try:
        if fresh is not None:
            _handle(fresh.pk, fresh.claim, now, fresh, reply)
        elif token := queue.claim_one(mail.pk, now):
            handle_mail(Handling.objects.only("pk").get(mail=mail).pk, token, now)
    except Exception:
        logger.exception("mail %s was stored and could not be read at once", mail.pk)
    return mail


def _keyed(written_to: Iterable[str]) -> list[str]:
    """Return the readers' own addresses among these."""
    return [address for address in written_to if queue.key_in(address)]


def handle_mail(handling: int, token: str, now: datetime) -> None:
    """Handle one claimed message in one transaction.

    After a failure it is tried again later; after settings.MAIL_TRIES attempts it is given up and
    the gamesmaster and the sender are told.
    """
    due = Handling.objects.filter(due_at__isnull=False)
    # Count an attempt when it begins, so that a message that kills its worker is given up too.
    own_token, claimed = due.take_over([handling], token, now, attempts=F("attempts") + 1)
    if claimed:
        _handle(handling, own_token, now)


def _handle(
    handling: int,
    token: str,
    now: datetime,
    fresh: Handling | None = None,
    reply: ReplyAddress | None = None,
) -> None:
    """Handle a message once; the attempt has been counted.

    `fresh` is the row as just inserted: under this lease nobody else has changed it.
    """
    try:
        proof = None
        if settings.MAIL_TRUST == "dkim":
            mail = fresh.mail if fresh else Mail.objects.get(handling=handling)
            proof = parsed.check_signature(mail)
        with transaction.atomic():
            # Lock the row until the end of the transaction, so that nobody else answers this
            # message.
            claimed_rows = Handling.objects.filter(pk=handling, claim=token, due_at__isnull=False)
            if claimed_rows.update(claim=token) != 1:
                return
            row = fresh or Handling.objects.select_related("mail", "game", "person").get(
                pk=handling
            )
            if row.attempts > settings.MAIL_TRIES:
                raise RuntimeError("Every attempt to read it was interrupted.")
            if proof is not None and proof.unanswered and row.attempts < settings.MAIL_TRIES:
                raise trust.Unanswered(proof.why)  # at last it is held as unproven
            decide(row, now, reply, proof)
            if row.due_at is None or row.due_at <= now:
                queue.finish(row, now)
            else:  # postponed by a limit; this is no failed attempt
                row.attempts, row.claim, row.claimed_until = 0, "", None
                row.save()
    except Exception as error:
        logger.exception("mail of handling %s could not be read", handling)
        _handle_failure(handling, token, f"{type(error).__name__}: {error}", now)


def _handle_failure(handling: int, token: str, fault: str, now: datetime) -> None:
    """Postpone a message, or give it up and tell the gamesmasters and the sender."""
    with transaction.atomic():
        rows = Handling.objects.select_related("mail", "game", "person")
        row = rows.filter(pk=handling, claim=token).first()
        if row is None:
            return
        row.fault, row.claim, row.claimed_until = storable(fault)[:2000], "", None
        if row.attempts < settings.MAIL_TRIES:
            wait = queue.RETRY_MINUTES[min(row.attempts, len(queue.RETRY_MINUTES)) - 1]
            row.due_at = now + timedelta(minutes=wait)
            row.save()
            return
        row.due_at, row.handled_at = None, now
        if (reply := queue.reply_at(row.mail.envelope_to)) is None:
            canned.record(row, canned.UNREADABLE)
        else:
            row.game, row.person = reply.game, reply.person
            reply_letters.report_failed_mail(row, reply.game, now)
            canned.give(row, canned.UNREADABLE, now)
        row.save()
