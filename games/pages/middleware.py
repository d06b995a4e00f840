"""Middleware of all pages: the reader's time zone, whole pairs, security headers, limits,
two-factor, the restore hold, guests, and sessions begun by a printed code."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.contrib import auth, messages
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseNotAllowed,
    JsonResponse,
    UnreadablePostError,
)
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers

from games import permissions
from games.accounts import rate_limits, two_factor
from games.base import clock, origin, pairs
from games.models import Person, PrintedCode, service

BIGGEST = 2**63 - 1
PIECE = 65_536
LONGEST_PART = 200  # the longest in use, the signed address of a practice game, has about 80


#: Programs use addresses below it: refusals are JSON, limits the API's own (games.api.access).
API = "/api/"


def is_api_request(request: HttpRequest) -> bool:
    return request.path.startswith(API)


def problem(detail: str, status: int) -> JsonResponse:
    """Return a refusal as JSON."""
    return JsonResponse({"detail": detail}, status=status)


class Middleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response


class ReadersZone(Middleware):
    """Activate the reader's time zone; UTC for visitors. Every time on a page names its zone."""

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


class LastDay(Middleware):
    """Note the day for people who show on which day they were last here: one write a day."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        person, today = request.user, clock.now().date()
        if isinstance(person, Person) and person.seen_on and person.seen_on < today:
            # Not if they have just withdrawn it.
            Person.objects.filter(pk=person.pk, seen_on__lt=today).update(seen_on=today)
        return self.get_response(request)


class Compress(GZipMiddleware):
    """Compress HTML to about a fifth of its size; views of pictures and files do it themselves."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if not response.headers.get("Content-Type", "").startswith("text/html"):
            return response
        return super().process_response(request, response)


class WholePairs(Middleware):
    """End no line of a page within odds or a range (games.base.pairs)."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        html = response.get("Content-Type", "").startswith("text/html")
        if html and not response.streaming:
            page = response.content.decode(response.charset)
            response.content = pairs.keep_whole(page).encode(response.charset)
        return response


class ContentSecurityPolicy(Middleware):
    """Load nothing from other sites and run nothing inline, whatever a player writes."""

    policy = (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none';"
        " frame-ancestors 'none'; form-action 'self'"
    )
    #: Also on every response: our pages need no camera, and no page of another site shares a
    # process with them.
    others = {
        "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
        "Cross-Origin-Resource-Policy": "same-site",
    }

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", self.policy)
        for name, value in self.others.items():
            response.headers.setdefault(name, value)
        match = request.resolver_match
        if match is not None and "token" in match.kwargs:
            add_never_cache_headers(response)  # the address is a key
            response.headers["X-Robots-Tag"] = "noindex"
        if request.user.is_authenticated and not response.has_header("Cache-Control"):
            # Shared caches must not store what one person may see; the person's own browser asks
            # each time whether its copy is current.
            response.headers["Cache-Control"] = "private, no-cache"
        return response


class RateLimit(Middleware):
    """Limit how much one person sends, and the size of a body (games.accounts.rate_limits)."""

    #: Pages that also have a limit of their own, by URL name.
    OWN = {"orders": rate_limits.ORDERS, "orders-adopt": rate_limits.ORDERS}
    SENDING = ("POST", "PUT", "PATCH", "DELETE")
    #: A mail provider posts everybody's mail here; it is counted by sender instead
    # (orders.inbound.identity.limits).
    WEBHOOK = "/anymail/"

    def __call__(self, request: HttpRequest) -> HttpResponse:
        hook = request.path.startswith(self.WEBHOOK)
        most = settings.WEBHOOK_BODY_LARGEST if hook else settings.BODY_LARGEST
        response: HttpResponse
        if _length(request) <= most:
            response = self.get_response(request)
        elif is_api_request(request):
            response = problem(f"The body is longer than {most // 1000} kilobytes.", 413)
        else:
            response = render(request, "413.html", {"most": most // 1000}, status=413)
        _read_rest(request)
        return response

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        """Count a request that sends something, now that its page, and so the page's own limit, is
        known. Raise 404 for arguments that no row of ours can have."""
        if any(_is_impossible(value) for value in kwargs.values()):
            raise Http404
        hook = request.path.startswith(self.WEBHOOK)
        if request.method not in self.SENDING or hook or is_api_request(request):
            return None
        page = request.resolver_match.url_name if request.resolver_match else None
        own = [self.OWN[page]] if page in self.OWN else []
        try:
            if request.user.is_authenticated:
                rate_limits.count(rate_limits.SENT, request.user.pk, clock.now(), *own)
            elif asker := origin.origin_of(request):
                rate_limits.count(rate_limits.STRANGERS, asker, clock.now())
        except rate_limits.TooMany as refused:
            return too_many_requests(request, refused)
        return None


def too_many_requests(request: HttpRequest, refused: rate_limits.TooMany) -> HttpResponse:
    answer = render(request, "429.html", {"sentence": str(refused)}, status=429)
    answer.headers["Retry-After"] = str(refused.seconds)
    return answer


def _is_impossible(value: object) -> bool:
    """Return whether a value is a number too large for any column, or a name that is too long or
    has a NUL: databases and the file system fail at these."""
    if isinstance(value, int):
        return value > BIGGEST
    return isinstance(value, str) and (len(value) > LONGEST_PART or "\0" in value)


def _length(request: HttpRequest) -> int:
    """Return the declared length of the body; WSGI does not read a body without one."""
    length = str(request.META.get("CONTENT_LENGTH") or "0")
    return int(length) if length.isascii() and length.isdigit() and len(length) < 20 else 0


def _read_rest(request: HttpRequest) -> None:
    """Read what no view has read of a body, unless a proxy refuses it anyway. A proxy that still
    sends it when the connection ends shows an error page of its own (502) instead of our answer."""
    if _length(request) <= settings.WEBHOOK_BODY_LARGEST:
        with contextlib.suppress(UnreadablePostError):  # the sender has hung up
            while request.read(PIECE):
                pass


class SecondFactorCheck(Middleware):
    """Require two-factor for the admin and for closing an exchange; from administrators, for every
    page (games.accounts.two_factor)."""

    #: Pages that stay open: logout, the page that asks for the code, and what any visitor may
    # read.
    OPEN = ("/second-factor/", "/logout/", "/login/", "/static/", "/health", "/readyz", "/metrics")

    def __call__(self, request: HttpRequest) -> HttpResponse:
        person = request.user
        if (
            not permissions.is_active(person)
            or not self._is_guarded(person, request.path)
            or not two_factor.is_required(person)
            or two_factor.is_proven(request, clock.now())
        ):
            return self.get_response(request)
        request.session[two_factor.NEXT] = (
            request.get_full_path() if request.method == "GET" else ""
        )
        return redirect("second-factor")

    def _is_guarded(self, person: Person, path: str) -> bool:
        """Return whether a person who has a second factor, or needs one, shows it for a page."""
        if path.startswith(self.OPEN):
            return False
        if path.startswith("/admin/"):
            return permissions.enters_admin(person)
        if path.startswith("/closures/"):
            return permissions.enters_closures(person)
        return permissions.operates(person)


class RestoreHold(Middleware):
    """Accept nothing while the service is held after a restore: it would be judged by old
    deadlines. Pages can be read."""

    #: Where an administrator resumes the service.
    EXCEPT = "/operator/"

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if (
            request.method not in ("GET", "HEAD", "OPTIONS")
            and not request.path.startswith(self.EXCEPT)
            and service.is_held()
        ):
            answer = (
                problem("The service accepts nothing until the operator resumes it.", 503)
                if is_api_request(request)
                else render(request, "held.html", status=503)
            )
            answer.headers["Retry-After"] = "600"
            return answer
        return self.get_response(request)


class ExplainMethod(Middleware):
    """Explain a 405, because the responses of Django and of the API's library do not. Answer HEAD
    as GET below the API's address, which the library refuses (RFC 9110, 9.1); servers send no
    body."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        in_api, method = is_api_request(request), request.method
        if in_api and method == "HEAD":
            request.method = "GET"
        response = self.get_response(request)
        request.method = method
        if not isinstance(response, HttpResponseNotAllowed):
            return response
        methods = ", ".join(sorted(response.headers["Allow"].split(", ")))
        page = (
            problem(f"This address takes only {methods}.", 405)
            if in_api
            else render(request, "405.html", status=405)
        )
        page.headers["Allow"] = response.headers["Allow"]
        return page


#: Pages that need an account with an address: running and joining games, standby, letters. All
#: other pages check permissions themselves (games.permissions).
WITH_AN_ADDRESS = re.compile(
    r"/(games/new|desk|standby|closures|me|letters|admin)(/|$)|/games/\d+/(join|leave|away|press|questions)/"
)


class GuestDoor(Middleware):
    """Redirect guests from pages that need an address to the page where they can enter one."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if WITH_AN_ADDRESS.match(request.path) and getattr(request.user, "guest", False):
            messages.info(
                request,
                "You need an account for that. Enter your e-mail address, and your practice game"
                " moves to your account.",
            )
            return redirect("practice-keep")
        return self.get_response(request)


#: The session's key for the printed code with which it began.
CLASS_CODE = "class_code"


class PupilAccess(Middleware):
    """Limit people who came by a printed code to its game and public pages; log them out if it has
    ended."""

    #: Pages that any visitor may read, and logout.
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
            response = self.get_response(request)
            if response.get("Content-Type", "").startswith("text/html"):
                # On a school's tablet the next pupil could go back to this page.
                add_never_cache_headers(response)
            return response
        return render(request, "class/only.html", {"game_address": game}, status=403)
