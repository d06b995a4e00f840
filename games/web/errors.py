"""What somebody is told whose page is not there or failed: that the fault is the service's; or that
its database takes nothing just now, and what to do."""

from __future__ import annotations

import sys

from django.db import InterfaceError, InternalError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.template import loader
from django.views import defaults

from games.web.middleware import ContentSecurityPolicy, for_programs, problem

#: What a person wrote himself has at least so many signs; keys of forms are named.
WRITTEN, KEYS = 12, ("csrfmiddlewaretoken", "password", "code")
RETRY_SECONDS = 60


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that an address leads nowhere; as JSON below that of the API."""
    if for_programs(request):
        return problem("There is nothing at this address.", 404)
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """The page for whatever no other page has dealt with. It asks the database nothing.

    While the database is away or its disk is full, the page says so, and gives back what was
    written: nothing that was typed is lost.
    """
    away = _away(sys.exc_info()[1])
    if for_programs(request):
        return _failure(away)
    if not away:
        return HttpResponseServerError(loader.get_template("500.html").render())
    answer = HttpResponse(
        loader.get_template("unreachable.html").render({"written": _written(request)}), status=503
    )
    answer.headers["Retry-After"] = str(RETRY_SECONDS)
    answer.headers["Content-Security-Policy"] = (
        ContentSecurityPolicy.policy
    )  # the layer that sets it may be the one that failed
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _failure(away: bool) -> HttpResponse:
    """The same for programs."""
    if not away:
        return problem("Something failed here. The operator has been told.", 500)
    answer = problem("The database takes nothing just now. Nothing was kept.", 503)
    answer.headers["Retry-After"] = str(RETRY_SECONDS)
    return answer


def _away(error: BaseException | None) -> bool:
    """Return whether an error is, or follows from, a database that takes nothing."""
    while error is not None and not isinstance(
        error, (OperationalError, InterfaceError, InternalError)
    ):
        error = error.__cause__ or error.__context__
    return error is not None


def _written(request: HttpRequest) -> list[str]:
    """The texts of a form that was sent, as they were typed."""
    try:
        sent = request.POST.items() if request.method == "POST" else ()
        return [str(text) for name, text in sent if name not in KEYS and len(str(text)) >= WRITTEN]
    except Exception:  # a body that cannot be read any more: the page is shown all the same
        return []
