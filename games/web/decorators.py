"""Who may open a page: answers of games.permissions become a page, a login, 403 or 404."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, NoReturn, ParamSpec

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from games import permissions
from games.models import Game

P = ParamSpec("P")
GamePage = Callable[Concatenate[HttpRequest, Game, P], HttpResponse]
Page = Callable[..., HttpResponse]  # Django hands `pk` and the rest over by name


def _game(request: HttpRequest, pk: int) -> Game | None:
    """The game of this number; 404 to whoever is logged in and there is none. None to a stranger:
    he is asked to log in, as he is for a private game, so that nobody can tell by their numbers
    which private games there are."""
    game = Game.objects.select_related("opened_by").filter(pk=pk).first()
    if game is None and request.user.is_authenticated:
        raise Http404
    return game


def refuse(request: HttpRequest, game: Game) -> NoReturn:
    """Raise 403 for who may see the game but not this; 404 for who may not know of it."""
    if permissions.sees_game(request.user, game):
        raise PermissionDenied
    raise Http404


def for_readers(page: GamePage[P]) -> Page:
    """For pages of who may see the game. Strangers to a private game are asked to log in."""

    @wraps(page)
    def wrapped(request: HttpRequest, pk: int, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        game = _game(request, pk)
        if game is None or not permissions.sees_game(request.user, game):
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            raise Http404
        return page(request, game, *args, **kwargs)

    return wrapped


def for_gamesmasters(page: GamePage[P]) -> Page:
    """For what only a game's gamesmaster does."""

    @wraps(page)
    def wrapped(request: HttpRequest, pk: int, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        game = _game(request, pk)
        if game is None or not request.user.is_authenticated:
            return redirect_to_login(reverse("game", args=[pk]))
        if not permissions.runs(request.user, game):
            refuse(request, game)
        return page(request, game, *args, **kwargs)

    return wrapped


def for_players(page: GamePage[P]) -> Page:
    """For what only somebody does who sits in the game."""

    @wraps(page)
    def wrapped(request: HttpRequest, pk: int, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        game = _game(request, pk)
        if game is None or not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not permissions.seats_held(request.user, game):
            refuse(request, game)
        return page(request, game, *args, **kwargs)

    return wrapped
