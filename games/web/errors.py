"""What somebody is told whose page failed: that the fault is the service's; or that its database
takes nothing just now, and what to do."""

from __future__ import annotations

import sys

from django.db import InterfaceError, InternalError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.template import loader

from games.web.middleware import ContentSecurityPolicy

#: What a person wrote himself has at least so many signs; keys of forms are named.
WRITTEN, KEYS = 12, ("csrfmiddlewaretoken", "password", "code")
RETRY_SECONDS = 60


def server_error(request: HttpRequest) -> HttpResponse:
    """The page for whatever no other page has dealt with. It asks the database nothing.

    While the database is away or its disk is full, the page says so, and gives back what was
    written: nothing that was typed is lost.
    """
    if not _away(sys.exc_info()[1]):
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
