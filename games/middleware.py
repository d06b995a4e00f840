"""Small rules for every page: times in the reader's own zone, no script but the service's own, and one game for who comes by a code."""

from __future__ import annotations

from collections.abc import Callable
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.contrib import auth
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from games.models import PrintedCode

GetResponse = Callable[[HttpRequest], HttpResponse]


class ReadersZone:
    """Activates the time zone that the reader keeps in his account; UTC for strangers, and every shown time names its zone."""

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
    """Nothing is loaded from elsewhere and no inline script or style runs, whatever a player manages to write into a page."""

    policy = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", self.policy)
        return response


#: Where a session keeps the printed code by which it was begun.
CLASS_CODE = "class_code"


class ClassDoor:
    """Who has come in by a printed code sees the pages of one game, and those that are everybody's. An ended code lets nobody on."""

    #: Pages that any stranger may read, and the way out.
    ALSO = ("/class/", "/logout/", "/static/", "/rules/", "/cards/", "/checker.pyz", "/health/")

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
