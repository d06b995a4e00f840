"""Error pages: an address that does not exist, an unexpected error, a database that is down."""

from __future__ import annotations

import sys

from django.db import InterfaceError, InternalError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.shortcuts import redirect
from django.template import loader
from django.urls import is_valid_path
from django.views import defaults

from games.pages.middleware import ContentSecurityPolicy, is_api_request, problem

#: The least length of input that counts as a person's text, and fields that never count.
WRITTEN, KEYS = 12, ("csrfmiddlewaretoken", "password", "code")
RETRY_SECONDS = 60
#: What stands behind a link in a text.
PUNCTUATION = ".,;:!?)]}>\"'”’»"


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the 404 page; JSON below the API's address.

    Mail programs take the full stop or bracket behind a link for part of it: redirect to the page.
    """
    if is_api_request(request):
        return problem("There is nothing at this address.", 404)
    without_end = request.path_info.rstrip(PUNCTUATION)
    if without_end != request.path_info and is_valid_path(without_end):
        return redirect(request.path.rstrip(PUNCTUATION))
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Show the page for an unexpected error, without any query.

    While the database is down or its disk is full, say so and show the submitted texts again, so
    that nothing is lost.
    """
    away = _is_unavailable(sys.exc_info()[1])
    if is_api_request(request):
        return _failure(away)
    if not away:
        return HttpResponseServerError(loader.get_template("500.html").render())
    answer = HttpResponse(
        loader.get_template("unreachable.html").render({"written": _typed_texts(request)}),
        status=503,
    )
    answer.headers["Retry-After"] = str(RETRY_SECONDS)
    # The middleware that would set it may be the one that failed.
    answer.headers["Content-Security-Policy"] = ContentSecurityPolicy.policy
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _failure(away: bool) -> HttpResponse:
    """Return the same errors as JSON."""
    if not away:
        return problem("Something went wrong. The operator has been notified.", 500)
    answer = problem("The database is not available. Nothing was saved.", 503)
    answer.headers["Retry-After"] = str(RETRY_SECONDS)
    return answer


def _is_unavailable(error: BaseException | None) -> bool:
    """Return whether an error or one of its causes is a database that accepts nothing."""
    while error is not None and not isinstance(
        error, (OperationalError, InterfaceError, InternalError)
    ):
        error = error.__cause__ or error.__context__
    return error is not None


def _typed_texts(request: HttpRequest) -> list[str]:
    try:
        fields = request.POST.items() if request.method == "POST" else ()
        return [
            str(text) for name, text in fields if name not in KEYS and len(str(text)) >= WRITTEN
        ]
    except Exception:  # an unreadable body must not prevent the error page
        return []
