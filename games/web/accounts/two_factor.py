"""Two-factor pages: ask for the code before the admin opens, set it up, replace it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from games import permissions
from games.accounts import rate_limits, two_factor
from games.base import clock
from games.models import Person, SecondFactor
from games.web.accounts.login import next_page


def _person(request: HttpRequest) -> Person:
    person = request.user
    if not permissions.is_active(person) or not permissions.enters_admin(person):
        raise PermissionDenied
    return person


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def show(request: HttpRequest) -> HttpResponse:
    """Ask for the digits or a recovery code; redirect those without a factor to set one up."""
    person, now = _person(request), clock.now()
    factor = two_factor.confirmed_factor(person)
    if factor is None:
        return redirect("second-factor-new")
    if request.method != "POST":
        if two_factor.is_proven(request, now):
            return render(
                request,
                "factor/kept.html",
                {"factor": factor, "left": two_factor.recovery_codes_left(factor)},
            )
        return render(request, "factor/show.html", {})
    fault, status = "", 200
    try:
        two_factor.remember(
            request, two_factor.show(person, request.POST.get("digits", "")[:40], now), now
        )
        return redirect(_next_address(request))
    except two_factor.FactorRefused as refused:
        fault = str(refused)
    except rate_limits.TooMany as refused:
        fault, status = str(refused), 429
    return render(request, "factor/show.html", {"fault": fault}, status=status)


def _next_address(request: HttpRequest) -> str:
    """Return the page that the person asked for first, if it is one of this service, else "/"."""
    next_url = str(request.session.pop(two_factor.NEXT, ""))
    return next_page(request, next_url, longest=len(next_url)) or "/"


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Set up a factor after a fresh login: show a QR code and check the first digits."""
    person, now = _person(request), clock.now()
    if two_factor.confirmed_factor(person) is not None:
        return redirect("second-factor")
    if not two_factor.fresh(request, now):
        return _log_in_again(request)
    unconfirmed = SecondFactor.objects.filter(person=person, confirmed_at=None).first()
    factor = unconfirmed or two_factor.begin(person, now)
    if request.method != "POST":
        return _render_setup(request, factor, "")
    try:
        codes = two_factor.confirm(factor, request.POST.get("digits", "")[:40], now)
    except two_factor.FactorRefused as refused:
        return _render_setup(request, factor, str(refused))
    two_factor.remember(request, factor, now)
    return render(request, "factor/codes.html", {"codes": codes, "onwards": _next_address(request)})


def _log_in_again(request: HttpRequest) -> HttpResponse:
    return render(request, "factor/again.html", {"minutes": two_factor.FRESH_MINUTES})


def _render_setup(request: HttpRequest, factor: SecondFactor, fault: str) -> HttpResponse:
    import segno  # only where a QR code is drawn

    picture = segno.make(two_factor.address(factor), error="m").svg_data_uri(
        scale=5, border=4, light="#fff"
    )
    return render(
        request,
        "factor/new.html",
        {"picture": picture, "secret": two_factor.grouped_secret(factor), "fault": fault},
    )


@never_cache
@login_required
@require_POST
def change(request: HttpRequest) -> HttpResponse:
    """Make new recovery codes, or end the factor; only after the person has proven it."""
    person, now = _person(request), clock.now()
    factor = two_factor.confirmed_factor(person)
    if factor is None or not two_factor.is_proven(request, now):
        return redirect("second-factor")
    if request.POST.get("wish") == "codes":
        return render(
            request,
            "factor/codes.html",
            {"codes": two_factor.new_recovery_codes(factor), "onwards": "/"},
        )
    if request.POST.get("wish") == "end":
        if not two_factor.fresh(request, now):
            return _log_in_again(request)
        two_factor.end([person])
        messages.success(request, "Two-factor codes are off. Set up the other phone now.")
        return redirect("second-factor-new")
    return redirect("second-factor")
