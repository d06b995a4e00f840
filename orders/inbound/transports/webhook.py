"""Receive messages and bounces that a mail provider reports by webhook.

django-anymail checks the signature or secret before.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest
from django.urls import URLPattern

from games.base import clock
from games.models import Letter
from orders.inbound import bounces, handle, queue
from orders.models import Mail

logger = logging.getLogger(__name__)

#: Events that mean a letter was finally not delivered.
RETURNED = ("bounced", "rejected", "failed")


class UnreadableReport(SuspiciousOperation):
    """A provider's report cannot be parsed: reply 400 and log one line."""


class _Reading:
    """Mixin before an anymail view that replies 400 if a report cannot be parsed."""

    def parse_events(self, request: HttpRequest) -> list[Any]:
        try:
            events: list[Any] = super().parse_events(request)  # type: ignore[misc]
        except SuspiciousOperation:
            raise
        except Exception as error:  # whatever fails in anymail, the report is malformed
            raise UnreadableReport(f"{type(error).__name__} in a report by webhook") from error
        return events


def patterns() -> list[URLPattern]:
    """Return the URL patterns of the configured provider only.

    Those of other providers have no secret, so they stay closed.
    """
    from anymail import urls

    return [
        URLPattern(pattern.pattern, _reading(pattern), name=pattern.name)
        for pattern in urls.urlpatterns
        if str(pattern.name).startswith(f"{settings.MAIL_WEBHOOK}_")
    ]


def _reading(pattern: URLPattern) -> Any:
    view = pattern.callback.view_class  # type: ignore[attr-defined]
    return type(view.__name__, (_Reading, view), {}).as_view()  # type: ignore[attr-defined]


def connect() -> None:
    """Connect to anymail's signals. Call once, when the app is ready."""
    from anymail.signals import inbound, tracking

    inbound.connect(receive, dispatch_uid="orders.inbound.transports.webhook.receive")
    tracking.connect(track, dispatch_uid="orders.inbound.transports.webhook.track")


def receive(sender: Any, event: Any, esp_name: str, **_: Any) -> None:
    """Store a message.

    A database error becomes a 500, and the provider sends the message again. A message that is not
    for us, such as mail for webmaster@ of the same domain, is ignored.
    """
    raw = _written(event.message)
    # Some providers report a message once and anymail names the first of its recipients. Others
    # report it for each: a copy that comes again is known by its text.
    written_to = [event.message.envelope_recipient or "", *queue.own_addresses(raw)]
    to = [address for address in dict.fromkeys(written_to) if queue.is_ours(address)]
    if not to:
        logger.warning("%s handed in a message for an address that is not ours", esp_name)
        return
    handle.take_in(
        raw,
        way=Mail.Way.WEBHOOK,
        envelope_from=event.message.envelope_sender,
        envelope_to=to,
        now=clock.now(),
        headers_only=queue.is_too_large(len(raw)),
    )


def _written(message: Any) -> bytes:
    """Return a message as bytes, the same for each report of it.

    What a provider reports in pieces has no boundaries yet, and Python would take random ones.
    """
    seed = sha256(str(message["Message-ID"]).encode()).hexdigest()[:24]
    for number, part in enumerate(message.walk()):
        if part.get_content_maintype() == "multipart" and part.get_boundary() is None:
            part.set_boundary(f"=_{number}_{seed}")
    return bytes(message.as_bytes())


def track(sender: Any, event: Any, esp_name: str, **_: Any) -> None:
    """Mark a letter that the provider reports as bounced."""
    if event.event_type not in RETURNED:
        return
    now = clock.now()
    letter = bounces.letter_by_message_id(str(event.message_id or ""))
    if letter is None and event.recipient:
        # The provider may use its own message ids: take the newest letter to that address.
        recent = Letter.objects.filter(
            address__iexact=event.recipient,
            status=Letter.Status.SENT,
            sent_at__gt=now - timedelta(days=7),
        )
        letter = recent.order_by("-sent_at", "-pk").first()
    if letter is not None:
        bounces.mark(
            letter,
            event.mta_response or event.description or event.reject_reason or event.event_type,
            now,
        )
