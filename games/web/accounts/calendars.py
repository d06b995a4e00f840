"""A person's calendar feed, and the page that makes, renews or ends its address."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games.base import clock
from games.letters import feeds
from games.pages.requests import answer_once, person_of


@require_safe
def calendar(request: HttpRequest, key: str) -> HttpResponse:
    """Serve a calendar feed. The key is the proof, because calendar programs cannot log in. Shared
    caches must not keep it."""
    person = feeds.reader(key)
    if person is None:
        raise Http404
    data = feeds.person_calendar(person, clock.now()).encode()
    response = answer_once(request, data, "text/calendar; charset=utf-8", "private, no-cache")
    response.headers["Content-Disposition"] = 'inline; filename="deadlines.ics"'
    response.headers["X-Robots-Tag"] = "noindex"
    return response


@login_required
@require_POST
@never_cache
def renew(request: HttpRequest) -> HttpResponse:
    """Make a new address and show it. It is not stored, so it is never shown again."""
    address = feeds.renew(person_of(request), clock.now())
    return render(
        request,
        "around/calendar.html",
        {"address": address, "subscribe": "webcal://" + address.split("://", 1)[1]},
    )


@login_required
@require_POST
def end(request: HttpRequest) -> HttpResponse:
    if feeds.end(person_of(request), clock.now()):
        messages.success(request, "Your calendar address no longer works.")
    return redirect("me")
