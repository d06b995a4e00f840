"""Browsers that notify a person. `webhooks.change` tests and removes them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from games.base import clock, https
from games.models import Person
from games.pages.requests import person_of, tell_refusals
from games.webhooks import browsers


def account_context(person: Person) -> dict[str, Any]:
    """Return a person's browsers for the account page."""
    channels = list(browsers.browsers_of(person))
    return {
        "browsers": channels,
        "known_browsers": " ".join(browsers.fingerprint(channel.url) for channel in channels),
        "push_key": browsers.public_key(),
    }


@login_required
@require_POST
def subscribe(request: HttpRequest) -> HttpResponse:
    """Save the subscription that a browser sends, and send it a test notification."""
    fields = {name: request.POST.get(name, "") for name in ("endpoint", "p256dh", "auth", "label")}
    with tell_refusals(request, https.WebhookError):
        browsers.subscribe(person_of(request), **fields, now=clock.now())
        messages.success(request, "Notifications are on. A test notification is on its way.")
    return redirect("me")
