"""Browsers that notify a person. Testing and removing them: `webhooks.change`."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from games.models import Person
from games.web.requests import person_of, tell_refusals
from games.webhooks import browsers, wire
from gamesmaster import clock


def of_person(person: Person) -> dict[str, Any]:
    """Return what the account page shows of a person's browsers."""
    found = list(browsers.browsers_of(person))
    return {
        "browsers": found,
        "known_browsers": " ".join(browsers.fingerprint(one.url) for one in found),
        "push_key": browsers.public_key(),
    }


@login_required
@require_POST
def subscribe(request: HttpRequest) -> HttpResponse:
    """Keep the subscription of the browser that sends it, and send it a test."""
    sent = {name: request.POST.get(name, "") for name in ("endpoint", "p256dh", "auth", "label")}
    with tell_refusals(request, wire.Refused):
        browsers.subscribe(person_of(request), **sent, now=clock.now())
        messages.success(request, "Notifications are on. A test notification is on its way.")
    return redirect("me")
