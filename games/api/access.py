"""Authenticate requests: by an access token, or as anonymous."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from ninja.security import HttpBearer

from games import permissions
from games.accounts import access_tokens, rate_limits
from games.base import clock, origin
from games.models import AccessToken, Game


class Token(HttpBearer):
    """Accept requests with an access token, and with `strangers` also requests without one.

    Sessions are ignored here, so that no page of another site can send requests with a reader's
    cookie.
    """

    def __init__(self, *, strangers: bool = False) -> None:
        super().__init__()
        self._strangers = strangers

    def __call__(self, request: HttpRequest) -> Any:
        request.user = AnonymousUser()
        token = super().__call__(request)
        if token is None and (client := origin.origin_of(request)):
            rate_limits.count(rate_limits.API, client, clock.now())
        if token is None and self._strangers and "Authorization" not in request.headers:
            return request.user
        return token

    def authenticate(self, request: HttpRequest, token: str) -> AccessToken | None:
        row = access_tokens.find(token, clock.now())
        if row is not None:
            rate_limits.count(rate_limits.API, f"person {row.person_id}", clock.now())
            request.user = row.person
        return row


#: For operations that answer anonymous requests too: their authentication, and how the schema says
#: so.
FOR_ALL: dict[str, Any] = {
    "auth": Token(strangers=True),
    "openapi_extra": {"security": [{}]},
}


def game_of(request: HttpRequest, pk: int) -> Game:
    """Return a game that the sender of a request may see.

    Raise `Http404` for others, whether they exist or not.
    """
    game = permissions.find_game(request.user, pk)
    if game is None or not permissions.sees_game(request.user, game):
        raise Http404
    return game


def token_of(request: HttpRequest) -> AccessToken:
    """Return the token of a request to an operation that requires one.

    Raise `PermissionDenied` without one.
    """
    token = getattr(request, "auth", None)
    if not isinstance(token, AccessToken):
        raise PermissionDenied
    return token
