"""Operations on a person's webhooks: add, test, pause and remove. Needs a token that may."""

from __future__ import annotations

from typing import Annotated, Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from ninja import Router, Status
from ninja.errors import HttpError
from pydantic import Field

from games.base import clock, https
from games.models import Channel, Person
from games.models.coded import CODE
from games.outbox import personal_webhooks

from . import answers
from .access import Token, token_of

WebhookId = Annotated[str, Field(pattern=f"^{CODE}$")]
router = Router(tags=["webhooks"], auth=Token())


@router.get("/webhooks", response={200: answers.Webhooks, **answers.READ})
def webhooks(request: HttpRequest) -> dict[str, Any]:
    """List your webhooks, the oldest first. Addresses and secrets are not shown again."""
    return {
        "webhooks": [
            _told(channel) for channel in personal_webhooks.webhooks_of(token_of(request).person)
        ]
    }


@router.post("/webhooks", response={201: answers.NewWebhook, **answers.WRITE})
def add(request: HttpRequest, new: answers.WebhookAddress) -> Status[dict[str, Any]]:
    """Add a webhook and send it a test notice. Needs a token that manages webhooks.

    The answer holds the secret that checks signatures: this once.
    """
    try:
        channel = personal_webhooks.add(_owner(request), new.url, new.label, clock.now())
    except https.WebhookError as refused:
        raise HttpError(422, str(refused)) from refused
    return Status(201, {**_told(channel), "secret": personal_webhooks.secret(channel)})


@router.patch("/webhooks/{webhook}", response={200: answers.Webhook, **answers.WRITE})
def change(request: HttpRequest, webhook: WebhookId, new: answers.WebhookChange) -> dict[str, Any]:
    """Pause a webhook or resume it. Needs a token that manages webhooks."""
    channel = _webhook(_owner(request), webhook)
    personal_webhooks.pause(channel, clock.now() if new.paused else None)
    return {**_told(channel), "paused": new.paused}


@router.post("/webhooks/{webhook}/test", response={200: answers.Webhook, **answers.WRITE})
def test(request: HttpRequest, webhook: WebhookId) -> dict[str, Any]:
    """Send a test notice, one a minute at most. Needs a token that manages webhooks."""
    channel = _webhook(_owner(request), webhook)
    personal_webhooks.test(channel, clock.now())
    return _told(channel)


@router.delete("/webhooks/{webhook}", response={204: None, **answers.WRITE})
def remove(request: HttpRequest, webhook: WebhookId) -> Status[None]:
    """Remove a webhook and its address. Needs a token that manages webhooks."""
    personal_webhooks.remove(_webhook(_owner(request), webhook), clock.now())
    return Status(204, None)


def _owner(request: HttpRequest) -> Person:
    """Return the token's owner. Raise `PermissionDenied` if it may not manage webhooks."""
    token = token_of(request)
    if not token.manages_webhooks:
        raise PermissionDenied("This token may not manage webhooks. Make one that may.")
    return token.person


def _webhook(person: Person, code: str) -> Channel:
    channel = personal_webhooks.webhooks_of(person).filter(code=code).first()
    if channel is None:
        raise Http404
    return channel


def _told(channel: Channel) -> dict[str, Any]:
    return {
        "id": channel.code,
        "label": channel.label,
        "added_at": channel.added_at,
        "paused": channel.paused_at is not None,
    }
