"""Small rules for every page: times in the reader's own zone, no script but the service's own, and
one game for who comes by a code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.contrib import auth
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseNotAllowed,
    JsonResponse,
)
from django.shortcuts import redirect, render
from django.utils import timezone

from games.accounts import rate_limits, two_factor
from games.models import PrintedCode, service
from gamesmaster import clock, origin

GetResponse = Callable[[HttpRequest], HttpResponse]
BIGGEST = 2**63 - 1
LONGEST_PART = 200  # a signed address of a practice game is the longest, with some 80


#: Below it programs ask: refusals are JSON, and limits are the API's own (games.api.access).
API = "/api/"


def for_programs(request: HttpRequest) -> bool:
    return request.path.startswith(API)


def problem(detail: str, status: int) -> JsonResponse:
    """Return a refusal as programs read it."""
    return JsonResponse({"detail": detail}, status=status)


class ReadersZone:
    """Activate the reader's time zone; UTC for strangers. Every shown time names its zone."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        zone = getattr(request.user, "zone", "") or "UTC"
        try:
            timezone.activate(ZoneInfo(zone))
        except (ZoneInfoNotFoundError, ValueError):
            timezone.activate(ZoneInfo("UTC"))
        try:
            return self.get_response(request)
        finally:
            timezone.deactivate()


class ContentSecurityPolicy:
    """Load nothing from elsewhere and run nothing inline, whatever a player writes."""

    policy = (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none';"
        " frame-ancestors 'none'; form-action 'self'"
    )
    #: Beside it on every answer: a page of ours asks for no camera, and no page of others shares a
    # process with it.
    others = {
        "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
        "Cross-Origin-Resource-Policy": "same-site",
    }

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", self.policy)
        for name, value in self.others.items():
            response.headers.setdefault(name, value)
        if request.user.is_authenticated and not response.has_header("Cache-Control"):
            # What one person may see lies in no cache that others share; his own browser asks each
            # time whether it still holds.
            response.headers["Cache-Control"] = "private, no-cache"
        return response


class Unhurried:
    """Limit what one person sends, and the size of a body (games.accounts.rate_limits)."""

    #: Pages that have a limit of their own besides, by the names of their addresses.
    OWN = {"orders": rate_limits.ORDERS, "orders-adopt": rate_limits.ORDERS}
    SENDING = ("POST", "PUT", "PATCH", "DELETE")
    #: A mail provider hands in the letters of everybody; each is counted by its sender
    # (orders.inbound.identity.limits).
    WEBHOOK = "/anymail/"

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        hook = request.path.startswith(self.WEBHOOK)
        most = settings.WEBHOOK_BODY_LARGEST if hook else settings.BODY_LARGEST
        if _length(request) > most:
            if for_programs(request):
                return problem(f"The body is longer than {most // 1000} kilobytes.", 413)
            return render(request, "413.html", {"most": most // 1000}, status=413)
        if request.method not in self.SENDING or hook or for_programs(request):
            return self.get_response(request)
        try:
            if request.user.is_authenticated:
                rate_limits.count(rate_limits.SENT, request.user.pk, clock.now())
            elif asker := origin.origin_of(request):
                rate_limits.count(rate_limits.STRANGERS, asker, clock.now())
        except rate_limits.TooMany as refused:
            return too_many(request, refused)
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        """Limits of single pages, once it is known which page it is; and no page for an address in
        which no row of ours can stand."""
        if any(_impossible(value) for value in kwargs.values()):
            raise Http404
        limit = (
            self.OWN.get(request.resolver_match.url_name or "") if request.resolver_match else None
        )
        if limit is None or request.method not in self.SENDING or not request.user.is_authenticated:
            return None
        try:
            rate_limits.count(limit, request.user.pk, clock.now())
        except rate_limits.TooMany as refused:
            return too_many(request, refused)
        return None


def too_many(request: HttpRequest, refused: rate_limits.TooMany) -> HttpResponse:
    """What was written is on the page that says so: nothing is lost."""
    answer = render(
        request,
        "429.html",
        {"sentence": str(refused), "text": request.POST.get("text", "")},
        status=429,
    )
    answer.headers["Retry-After"] = str(refused.seconds)
    return answer


def _impossible(value: object) -> bool:
    """A number that no column holds, a name longer than any of ours or with a NUL: the databases
    and the file system fail at these."""
    if isinstance(value, int):
        return value > BIGGEST
    return isinstance(value, str) and (len(value) > LONGEST_PART or "\0" in value)


def _length(request: HttpRequest) -> int:
    """How long the body says that it is; one that says nothing is not read (WSGI)."""
    said = str(request.META.get("CONTENT_LENGTH") or "0")
    return int(said) if said.isascii() and said.isdigit() and len(said) < 20 else 0


class SecondFactorDoor:
    """Who may enter the admin shows a second factor before they do, and before they close an
    exchange; an administrator before any page at all (games.accounts.two_factor)."""

    #: What stays open meanwhile: the way out, the page that asks, and what any stranger may read
    # without being known.
    OPEN = ("/second-factor/", "/logout/", "/login/", "/static/", "/health", "/readyz", "/metrics")

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if (
            not two_factor.is_required(request.user)
            or request.path.startswith(self.OPEN)
            or two_factor.is_proven(request, clock.now())
        ):
            return self.get_response(request)
        if request.user.is_superuser or request.path.startswith(("/admin/", "/closures/")):
            request.session[two_factor.NEXT] = (
                request.get_full_path() if request.method == "GET" else ""
            )
            return redirect("second-factor")
        return self.get_response(request)


class HeldDoor:
    """While the service is held after a restoration pages can be read, and take nothing: what came
    now would be judged by old deadlines."""

    #: Where an administrator lets it go on.
    EXCEPT = "/operator/"

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if (
            request.method not in ("GET", "HEAD", "OPTIONS")
            and not request.path.startswith(self.EXCEPT)
            and service.held()
        ):
            answer = (
                problem("The service takes nothing until the operator lets it go on.", 503)
                if for_programs(request)
                else render(request, "held.html", status=503)
            )
            answer.headers["Retry-After"] = "600"
            return answer
        return self.get_response(request)


class ExplainMethod:
    """Say on a page that an address takes only what a button sends: Django's answer is empty."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not isinstance(response, HttpResponseNotAllowed) or for_programs(request):
            return response
        page = render(request, "405.html", status=405)
        page.headers["Allow"] = response.headers["Allow"]
        return page


#: Where a session keeps the printed code by which it was begun.
CLASS_CODE = "class_code"


class ClassDoor:
    """Who came by a printed code sees one game and public pages; an ended code lets nobody on."""

    #: Pages that any stranger may read, and the way out.
    ALSO = (
        "/class/",
        "/logout/",
        "/static/",
        "/rules/",
        "/cards/",
        "/checker.pyz",
        "/health/",
        "/kept/",
    )

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        pk = request.session.get(CLASS_CODE) if request.user.is_authenticated else None
        if pk is None:
            return self.get_response(request)
        code = PrintedCode.objects.filter(pk=pk, revoked_at=None, person=request.user.pk).first()
        if code is None:
            auth.logout(request)
            return redirect("class")
        game = f"/games/{code.game_id}/"
        if request.path == "/":
            return redirect("game", code.game_id)
        if request.path.startswith((game, *self.ALSO)):
            return self.get_response(request)
        return render(request, "class/only.html", {"game_address": game}, status=403)
