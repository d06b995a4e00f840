"""Error pages: an address that does not exist, an unexpected error, a database that is down; and
what people wrote, which every page that refuses it gives back."""

from __future__ import annotations

import sys
from urllib.parse import urlsplit

from django.db import InterfaceError, InternalError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.shortcuts import redirect
from django.template import loader
from django.urls import is_valid_path, reverse
from django.utils.html import escape
from django.views import defaults

from games.pages.middleware import ContentSecurityPolicy, Middleware, is_api_request, problem

#: The least length of input that counts as a person's text. It has a blank, which keys have not.
WRITTEN = 12
#: Pages that ask who the reader is, by URL name.
DOORS = ("login", "class", "second-factor")
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

    While the database is down or its disk is full, say so.
    """
    away = _is_unavailable(sys.exc_info()[1])
    if is_api_request(request):
        return _failure(away)
    if not away:
        return HttpResponseServerError(loader.get_template("500.html").render())
    answer = HttpResponse(loader.get_template("unreachable.html").render(), status=503)
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


class GiveBackText(Middleware):
    """Give people back what they wrote wherever a page refuses it, so that nothing is lost.

    A page that asks who the reader is takes no text along: it is offered instead of opened.
    """

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.method != "POST" or not (texts := _typed_texts(request)):
            return response
        door = response.headers.get("Location", "")
        if door and urlsplit(door).path in map(reverse, DOORS):
            page: str = loader.render_to_string("logged_out.html", {"door": door}, request)
            cookies, headers = response.cookies, dict(response.headers)
            del headers["Location"]
            response = HttpResponse(status=403, headers=headers)
            response.cookies = cookies
        elif _is_error_page(response):
            page = response.content.decode(response.charset)
        else:
            return response
        lost = [text for text in texts if escape(text) not in page]
        written = loader.render_to_string("_written.html", {"written": lost})
        response.content = page.replace("</main>", f"{written}</main>").encode(response.charset)
        return response


def _is_error_page(response: HttpResponse) -> bool:
    html = response.headers.get("Content-Type", "").startswith("text/html")
    return html and response.status_code >= 400 and not response.streaming


def _typed_texts(request: HttpRequest) -> list[str]:
    try:
        texts = [str(value) for _, values in request.POST.lists() for value in values]
    except Exception:  # an unreadable body must not prevent the error page
        return []
    return [text for text in texts if len(text) >= WRITTEN and len(text.split()) > 1]
