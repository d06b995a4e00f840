"""Send the service a letter, and see that it comes in and proves nothing by itself.

The letter carries `Authentication-Results` and `Received` in the name of our own mail server, as a
forger would write them. With MAIL_TRUST=results orders rest on the server's removing the first (RFC
8601, 5), and with MAIL_AUTHSERV_ID their time on its writing the second above all others. It is a
system check (`games.operations.doctor`), and `manage.py maildomain` runs it, too.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence

from django.conf import settings
from django.core.checks import CheckMessage, register
from django.core.mail import EmailMessage
from django.db import DatabaseError

from games.operations.doctor import NETWORK, bad, doubtful, good, waiting
from orders.inbound import queue
from orders.inbound.identity import trust
from orders.inbound.parsing.message import parse, parse_date
from orders.models import Mail

#: The time in a Received header that the letter carries, as a forger would write it.
LONG_AGO = "Mon, 01 Jan 2024 00:00:00 +0000"


@register(NETWORK, deploy=True)
def mail_goes_out_and_comes_in(
    databases: Sequence[str] | None = None, **kwargs: object
) -> list[CheckMessage]:
    """Check the whole way of a letter, if a database is named: the letter comes into it."""
    return check(waiting.get()) if databases else []


def check(wait: float) -> list[CheckMessage]:
    """Send the service a letter and wait for it, at most `wait` seconds."""
    key = uuid.uuid4().hex
    sent = _mail_out(key)
    if sent.is_serious():
        words = "Not tried, because no letter went out."
        return [sent, doubtful("mail in", words, "Fix outgoing mail first.")]
    return [sent, _mail_in(key, wait)]


def _mail_out(key: str) -> CheckMessage:
    address = settings.MAIL_REPLY if settings.MAIL_IN else settings.DEFAULT_FROM_EMAIL
    headers: dict[str, str] = {
        "Message-ID": f"<doctor.{key}@{settings.MAIL_DOMAIN}>",
        "Auto-Submitted": "auto-generated",
    }
    if _believes_results():
        # `.invalid` belongs to nobody, so no server can have found this.
        headers["Authentication-Results"] = (
            f"{settings.MAIL_AUTHSERV_ID}; dmarc=pass header.from={key}.invalid"
        )
    if settings.MAIL_AUTHSERV_ID:
        headers["Received"] = f"from {key}.invalid by {settings.MAIL_AUTHSERV_ID}; {LONG_AGO}"
    letter = EmailMessage(
        subject="A letter of manage.py doctor to the service itself",
        body="It tests that letters go out and come in. You need not answer.",
        to=[address],
        headers=headers,
    )
    try:
        letter.send()
    except OSError as error:  # smtplib's errors are among them
        where = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
        detail = " ".join(str(error).split())[:200]
        words = f"{where} accepted no letter to {address} ({type(error).__name__}: {detail})."
        hint = "Check EMAIL_URL: server, port, user, password, smtp+tls or smtp+ssl."
        return bad("mail out", words, hint)
    return good("mail out", f"A letter to {address} was accepted.")


def _mail_in(key: str, wait: float) -> CheckMessage:
    if not settings.MAIL_IN:
        words = "Not set: players can order only on web pages."
        return doubtful("mail in", words, "docs/mail.md shows four ways to receive mail.")
    end = time.monotonic() + wait
    while (raw := _letter_that_came(key)) is None:
        if time.monotonic() >= end:
            words = f"The letter did not come back within {wait:.0f} seconds."
            hint = (
                f"Check that lmtp or imap runs, and that mail for {settings.MAIL_REPLY} reaches it"
                " (docs/mail.md)."
            )
            return bad("mail in", words, hint)
        time.sleep(0.5)
    if _believes_results() and trust.believes(parse(raw), settings.MAIL_AUTHSERV_ID, key):
        words = (
            "The letter came back, and the Authentication-Results that it carried are believed:"
            " anybody can send orders in a player's name."
        )
        hint = (
            "Let the mail server remove headers of that name that begin with"
            f" {settings.MAIL_AUTHSERV_ID}, or set MAIL_TRUST=dkim (docs/mail.md)."
        )
        return bad("mail in", words, hint)
    topmost = queue.header(raw, "received")
    received = trust.taken_at(topmost, settings.MAIL_AUTHSERV_ID)
    if settings.MAIL_AUTHSERV_ID and received is None:
        words = (
            f"The letter came back, but {settings.MAIL_AUTHSERV_ID} did not write its topmost"
            f" Received header (“{' '.join(topmost.split())[:120]}”): orders that come while the"
            " service is stopped count only from when it gets them."
        )
        hint = (
            "Set MAIL_AUTHSERV_ID to the name after “by”, or to one in its domain (docs/mail.md)."
        )
        return doubtful("mail in", words, hint)
    if received == parse_date(LONG_AGO):
        words = (
            "The letter came back, and the time of arrival that it carried is believed: anybody can"
            " send orders after a deadline."
        )
        hint = (
            "Let the mail server that hands mail to the service write its own Received header"
            " above all others, or leave MAIL_AUTHSERV_ID empty (docs/mail.md)."
        )
        return bad("mail in", words, hint)
    if not _believes_results():
        return good("mail in", "The letter came back.")
    return good("mail in", "The letter came back, and its forged proof is not believed.")


def _believes_results() -> bool:
    return settings.MAIL_TRUST == "results" and bool(settings.MAIL_AUTHSERV_ID)


def _letter_that_came(key: str) -> bytes | None:
    try:
        mail = Mail.objects.filter(message_id__contains=key).first()
    except DatabaseError:
        return None
    return bytes(mail.raw) if mail is not None else None
