"""What the service keeps about people: explained, handed out, erased on request."""

from __future__ import annotations

from django.conf import settings
from django.contrib import auth, messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from games.accounts import two_factor
from games.models.people import tidy_address
from games.operations.personal import erasure, export
from games.web.requests import person_of
from gamesmaster import clock


@require_safe
def kept(request: HttpRequest) -> HttpResponse:
    """Say what is kept, for how long, who sees it, and how to get it or have it erased."""
    return render(
        request,
        "personal/kept.html",
        {
            "months": settings.KEEP,
            "place": settings.SITE_URL,
            "address": settings.DEFAULT_FROM_EMAIL,
        },
    )


@never_cache
@login_required
@require_safe
def take_along(request: HttpRequest) -> HttpResponse:
    """Everything about whoever asks, as a ZIP."""
    data = export.as_zip(person_of(request), clock.now())
    return HttpResponse(
        data,
        content_type="application/zip",
        headers={"Content-Disposition": 'attachment; filename="about-you.zip"'},
    )


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def erase(request: HttpRequest) -> HttpResponse:
    """Says what will go and what will stay; goes ahead only for the address typed in by whoever has
    logged in by letter just now."""
    person, now, fault = person_of(request), clock.now(), ""
    fresh, hindrance = two_factor.fresh(request, now), erasure.hindrance(person)
    if request.method == "POST" and fresh and not hindrance:
        if tidy_address(request.POST.get("email", "")) != person.email:
            fault = (
                f"That is not your address. Type {person.email}, so that nobody is erased by"
                " mistake."
            )
        else:
            try:
                erasure.erase(person, now, by=person, press="press" in request.POST)
            except erasure.ErasureRefused as refused:
                hindrance = str(refused)
            else:
                auth.logout(request)
                messages.success(request, "You have been erased. Thank you for having played.")
                return redirect("home")
    context = {
        "fresh": fresh,
        "hindrance": hindrance,
        "fault": fault,
        "press": "press" in request.POST,
        "minutes": two_factor.FRESH_MINUTES,
    }
    return render(request, "personal/erase.html", context)
