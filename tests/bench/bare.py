"""A page that writes one row: the least that any service must do to acknowledge something."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.urls import path

from games.base import clock


def kept(request: HttpRequest) -> HttpResponse:
    from games.models import Pulse

    Pulse.objects.update_or_create(name="bare", defaults={"at": clock.now()})
    return HttpResponse("Kept.")


urlpatterns = [path("bare/", kept)]


def alone(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that lets requests reach no page but this one."""

    def answered(request: HttpRequest) -> HttpResponse:
        request.urlconf = __name__
        return get_response(request)

    return answered
