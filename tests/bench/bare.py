"""Pages as a server answers them; and one that writes one row: the least that any service must do
to acknowledge something."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import close_old_connections
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.test.client import ClientHandler
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


class ServerHandler(ClientHandler):
    """Closes old connections before and after each request, as servers do by `request_started` and
    `request_finished`. Django's test client does not, which hides what connections cost."""

    def __call__(self, environ: dict[str, Any]) -> Any:
        close_old_connections()
        try:
            return super().__call__(environ)
        finally:
            close_old_connections()


def browser(person: Any = None) -> Client:
    """Return a browser in which this person is logged in, or nobody."""
    client = Client(SERVER_NAME=settings.SITE_HOST)
    client.handler = ServerHandler(enforce_csrf_checks=False)
    if person is not None:
        client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    return client


def bare_page() -> Callable[[], None]:
    """Return a function that opens the bare page."""
    client = browser()
    # A handler reads its middleware once. Changing settings between the samples would empty
    # Django's caches of templates and URL patterns.
    with override_settings(MIDDLEWARE=["tests.bench.bare.alone"]):
        client.get("/bare/")

    def opened() -> None:
        assert client.get("/bare/").content == b"Kept."

    return opened


def page(client: Client, address: str, says: str = "") -> Callable[[], None]:
    """Return a function that opens a page, which must say something."""

    def opened() -> None:
        answer = client.get(address)
        assert answer.status_code == 200, f"{address}: {answer.status_code}"
        assert says.encode() in answer.content, f"{address} does not say “{says}”"

    return opened
