"""The second factor of staff: asked for before the admin opens, set up, replaced."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from games.accounts import rate_limits, two_factor
from games.models import Person, SecondFactor
from games.web.accounts.login import next_page
from gamesmaster import clock


def _staff(request: HttpRequest) -> Person:
    person = request.user
    if not isinstance(person, Person) or not (person.is_staff or person.is_superuser):
        raise PermissionDenied
    return person


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def show(request: HttpRequest) -> HttpResponse:
    """Ask for the digits or a recovery code; lead those without a factor to setting one up."""
    person, now = _staff(request), clock.now()
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
        return redirect(_onwards(request))
    except two_factor.FactorRefused as refused:
        fault = str(refused)
    except rate_limits.TooMany as refused:
        fault, status = str(refused), 429
    return render(request, "factor/show.html", {"fault": fault}, status=status)


def _onwards(request: HttpRequest) -> str:
    """Where the reader wanted to go before he was asked; a page of this service and no other."""
    wanted = str(request.session.pop(two_factor.NEXT, ""))
    return next_page(request, wanted, longest=len(wanted)) or "/"


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Set a factor up: a QR code, and the first digits from the app; after a fresh login."""
    person, now = _staff(request), clock.now()
    if two_factor.confirmed_factor(person) is not None:
        return redirect("second-factor")
    if not two_factor.fresh(request, now):
        return _log_in_again(request)
    begun = SecondFactor.objects.filter(person=person, confirmed_at=None).first()
    factor = begun or two_factor.begin(person, now)
    if request.method != "POST":
        return _setting_up(request, factor, "")
    try:
        codes = two_factor.confirm(factor, request.POST.get("digits", "")[:40], now)
    except two_factor.FactorRefused as refused:
        return _setting_up(request, factor, str(refused))
    two_factor.remember(request, factor, now)
    return render(request, "factor/codes.html", {"codes": codes, "onwards": _onwards(request)})


def _log_in_again(request: HttpRequest) -> HttpResponse:
    return render(request, "factor/again.html", {"minutes": two_factor.FRESH_MINUTES})


def _setting_up(request: HttpRequest, factor: SecondFactor, fault: str) -> HttpResponse:
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
    """Make new recovery codes, or end the factor; only for those who have just shown it."""
    person, now = _staff(request), clock.now()
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
        messages.success(request, "Ended. Set up the other telephone now.")
        return redirect("second-factor-new")
    return redirect("second-factor")
