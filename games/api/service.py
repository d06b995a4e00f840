"""The API object: its operations, errors as JSON, entity tags on what is read."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import conditional_page
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.parser import Parser

from games.accounts import rate_limits
from games.rules import strict_json

from . import deals, games, orders, phases, scenarios, webhooks

View = Callable[..., HttpResponse]


class _StrictParser(Parser):
    """Read bodies as all JSON from strangers is read."""

    def parse_body(self, request: HttpRequest) -> Any:
        return strict_json.loads(request.body.decode("utf-8-sig"))


api = NinjaAPI(
    title="Gamesmaster",
    version="1",
    description="What you may see and send, for programs. docs/api.md explains it.",
    docs_url=None,
    urls_namespace="api-v1",
    parser=_StrictParser(),
)


def _kept_private(view: View) -> View:
    """Mark answers as private, so that no shared cache stores them, and name what they vary on."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        response.headers["Cache-Control"] = "private, no-cache"
        patch_vary_headers(response, ["Authorization"])
        return response

    return wrapped


api.add_decorator(conditional_page, mode="view")
api.add_decorator(_kept_private, mode="view")
for router in (
    games.router,
    phases.router,
    orders.router,
    deals.router,
    scenarios.router,
    webhooks.router,
):
    api.add_router("", router)


def _problem(detail: str, status: int) -> JsonResponse:
    return JsonResponse({"detail": detail}, status=status)


@api.exception_handler(Http404)
def _not_found(request: HttpRequest, error: Http404) -> HttpResponse:
    return _problem("There is nothing here that you may see.", 404)


@api.exception_handler(PermissionDenied)
def _denied(request: HttpRequest, error: PermissionDenied) -> HttpResponse:
    return _problem(str(error) or "You may see this game, but not do this in it.", 403)


@api.exception_handler(AuthenticationError)
def _unknown(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    answer = _problem(
        "The access token is missing, revoked, or not one of ours. Make one under “About you”.",
        401,
    )
    answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


@api.exception_handler(ValidationError)
def _impossible(request: HttpRequest, error: ValidationError) -> HttpResponse:
    """Return for each value what is wrong with it, by the name that its sender gave it, without
    quoting the value."""
    sentences = []
    for problem in error.errors:
        place, *names = problem["loc"]
        # The name of a body is that of an argument of ours.
        given = names[1:] if place == "body" else names
        sentences.append(f"{'.'.join(map(str, given)) or place}: {problem['msg']}")
    return _problem("; ".join(sentences), 422)


@api.exception_handler(HttpError)
def _refused(request: HttpRequest, error: HttpError) -> HttpResponse:
    fault = error.__cause__
    if isinstance(fault, strict_json.DocumentError):
        return _problem(f"The body cannot be read: {fault}.", error.status_code)
    return _problem(str(error), error.status_code)


@api.exception_handler(rate_limits.TooMany)
def _too_many(request: HttpRequest, error: rate_limits.TooMany) -> HttpResponse:
    answer = _problem(str(error), 429)
    answer.headers["Retry-After"] = str(error.seconds)
    return answer
