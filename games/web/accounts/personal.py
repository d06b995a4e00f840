"""Pages about personal data: explain, export and erase it."""

from __future__ import annotations

from django.conf import settings
from django.contrib import auth, messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from games.accounts import two_factor
from games.base import clock
from games.models.people import tidy_address
from games.operations.personal import erasure, export
from games.pages.requests import person_of


@require_safe
def stored_data(request: HttpRequest) -> HttpResponse:
    """Explain what is stored, for how long, who sees it, and how to export or erase it."""
    context = {"months": settings.KEEP, "address": settings.DEFAULT_FROM_EMAIL}
    return render(request, "personal/kept.html", context)


@never_cache
@login_required
@require_safe
def download_data(request: HttpRequest) -> HttpResponse:
    """Send all data about the person as a ZIP file."""
    data = export.make_zip(person_of(request), clock.now())
    return HttpResponse(
        data,
        content_type="application/zip",
        headers={"Content-Disposition": 'attachment; filename="about-you.zip"'},
    )


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def erase(request: HttpRequest) -> HttpResponse:
    """Explain what is erased and what stays; erase if the person has just logged in by letter and
    types in their address."""
    person, now, fault = person_of(request), clock.now(), ""
    fresh, hindrance = two_factor.fresh(request, now), erasure.hindrance(person)
    if request.method == "POST" and fresh and not hindrance:
        if tidy_address(request.POST.get("email", "")) != person.email:
            fault = f"That is not your address. Enter {person.email} to confirm."
        else:
            try:
                erasure.erase(person, now, by=person, press="press" in request.POST)
            except erasure.ErasureError as refused:
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
