"""Letters and returned letters that a mail provider reports by webhook (django-anymail, which has
checked signature or secret before)."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.urls import URLPattern

from games.models import Letter
from gamesmaster import clock
from orders.inbound import bounces, handle, queue
from orders.models import Mail

logger = logging.getLogger(__name__)

#: Reports that say for good that a letter did not arrive.
RETURNED = ("bounced", "rejected", "failed")


def patterns() -> list[URLPattern]:
    """The addresses of the one provider that is set: those of others, which nobody has given a
    secret, stay closed."""
    from anymail import urls

    return [
        pattern
        for pattern in urls.urlpatterns
        if str(pattern.name).startswith(f"{settings.MAIL_WEBHOOK}_")
    ]


def connect() -> None:
    """Listens to anymail's signals. Called once, when the app is ready."""
    from anymail.signals import inbound, tracking

    inbound.connect(received, dispatch_uid="orders.inbound.transports.webhook.received")
    tracking.connect(tracked, dispatch_uid="orders.inbound.transports.webhook.tracked")


def received(sender: Any, event: Any, esp_name: str, **_: Any) -> None:
    """Keeps a letter. What the database raises becomes a 500, and the provider sends it again."""
    message = event.message
    recipient = message.envelope_recipient or ""
    try:
        handle.take_in(
            message.as_bytes(),
            way=Mail.Way.WEBHOOK,
            envelope_from=message.envelope_sender,
            envelope_to=[recipient] if recipient else [],
            now=clock.now(),
        )
    except queue.TooLarge as error:  # the provider shall not try again
        logger.warning("%s handed in a message that is too large: %s", esp_name, error)


def tracked(sender: Any, event: Any, esp_name: str, **_: Any) -> None:
    """Marks a letter that the provider says has come back."""
    if event.event_type not in RETURNED:
        return
    now = clock.now()
    letter = bounces.by_message_id(str(event.message_id or ""))
    if letter is None and event.recipient:
        # Providers that give messages ids of their own: the newest letter to that address.
        recent = Letter.objects.filter(
            address__iexact=event.recipient,
            status=Letter.Status.SENT,
            sent_at__gt=now - timedelta(days=7),
        )
        letter = recent.order_by("-sent_at").first()
    if letter is not None:
        bounces.mark(
            letter,
            event.mta_response or event.description or event.reject_reason or event.event_type,
            now,
        )
