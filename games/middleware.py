"""Two small rules for every page: times are shown in the reader's own zone, and a page runs no script but the service's own."""

from __future__ import annotations

from collections.abc import Callable
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

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
