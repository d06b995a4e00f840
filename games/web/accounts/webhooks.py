"""A person's webhooks, and their browsers with notifications, which their owner adds, tests, pauses
and removes."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from games.base import clock, https
from games.models import Channel, Person
from games.outbox import personal_webhooks
from games.pages.requests import person_of, tell_refusals
from games.webhooks import browsers


def account_context(person: Person) -> dict[str, Any]:
    """Return a person's webhooks for the page “About you”, each with its newest notice, and their
    browsers."""
    channels = personal_webhooks.webhooks_of(person)
    own_browsers = list(browsers.browsers_of(person))
    return {
        "webhooks": [(channel, channel.notices.order_by("-pk").first()) for channel in channels],
        "webhooks_full": len(channels) >= personal_webhooks.MOST,
        "browsers": own_browsers,
        "known_browsers": " ".join(browsers.fingerprint(browser.url) for browser in own_browsers),
        "push_key": browsers.public_key(),
    }


@login_required
@require_POST
@never_cache
def add(request: HttpRequest) -> HttpResponse:
    """Add a webhook and show its secret. It is not stored, so it is never shown again."""
    url, label = request.POST.get("url", "").strip(), request.POST.get("label", "")
    with tell_refusals(request, https.WebhookError):
        channel = personal_webhooks.add(person_of(request), url, label, clock.now())
        return render(request, "around/webhook.html", {"secret": personal_webhooks.secret(channel)})
    return redirect("me")


@login_required
@require_POST
def subscribe(request: HttpRequest) -> HttpResponse:
    """Save the subscription that a browser sends, and send it a test notification."""
    fields = {name: request.POST.get(name, "") for name in ("endpoint", "p256dh", "auth", "label")}
    with tell_refusals(request, https.WebhookError):
        browsers.subscribe(person_of(request), **fields, now=clock.now())
        messages.success(request, "Notifications are on. A test notification is on its way.")
    return redirect("me")


@login_required
@require_POST
def change(request: HttpRequest, code: str, what: str) -> HttpResponse:
    """Test, pause, resume or remove one of the person's own webhooks or browsers."""
    own_channels = Channel.objects.filter(person=person_of(request), removed_at=None)
    channel, now = get_object_or_404(own_channels, code=code), clock.now()
    match what:
        case "test":
            personal_webhooks.test(channel, now)
            messages.success(request, "A test notice is on its way.")
        case "pause":
            personal_webhooks.pause(channel, now)
            messages.success(request, "Paused. It gets no notices until you resume it.")
        case "resume":
            personal_webhooks.pause(channel, None)
            messages.success(request, "Resumed. It gets notices again.")
        case "remove":
            personal_webhooks.remove(channel, now)
            messages.success(request, "Removed. We deleted its address.")
        case _:
            raise Http404
    return redirect("me")
