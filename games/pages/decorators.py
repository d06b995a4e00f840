"""Decorators that check access with `games.permissions`, and answer with login, 403 or 404."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, NoReturn, ParamSpec

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from games import permissions
from games.models import Game

P = ParamSpec("P")
GamePage = Callable[Concatenate[HttpRequest, Game, P], HttpResponse]
Page = Callable[..., HttpResponse]  # Django passes `pk` and the rest by keyword


def _game(request: HttpRequest, pk: int) -> Game | None:
    """Return the game with this number. If there is none, raise 404 for a logged-in person and
    return None for a visitor.

    Visitors are asked to log in, as they are for a private game, so that nobody can probe numbers
    to learn which private games exist.
    """
    game = permissions.find_game(request.user, pk)
    if game is None and request.user.is_authenticated:
        raise Http404
    return game


def refuse(request: HttpRequest, game: Game) -> NoReturn:
    """Raise 403 for people who may see the game but not this page, 404 for all others."""
    if permissions.sees_game(request.user, game):
        raise PermissionDenied
    raise Http404


def for_readers(page: GamePage[P]) -> Page:
    """Open a page to everybody who may see the game. Visitors to a private game must log in."""

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
    """Open a page only to the game's gamesmasters."""

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
    """Open a page only to people with a seat in the game."""
    return _for_people(page, lambda request, game: permissions.held_seats(request.user, game))


def for_people_of_a_game(page: GamePage[P]) -> Page:
    """Open a page to the people with a seat in the game, and to its gamesmasters."""
    return _for_people(
        page,
        lambda request, game: (
            permissions.held_seats(request.user, game) or permissions.runs(request.user, game)
        ),
    )


def until_the_end(page: GamePage[P]) -> Page:
    """Lead to the game once it is over, instead of to a form that could only be refused.

    Stands below the decorator that opens the page.
    """

    @wraps(page)
    def wrapped(
        request: HttpRequest, game: Game, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        return redirect(game) if game.is_over else page(request, game, *args, **kwargs)

    return wrapped


def _for_people(page: GamePage[P], may: Callable[[HttpRequest, Game], object]) -> Page:
    @wraps(page)
    def wrapped(request: HttpRequest, pk: int, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        game = _game(request, pk)
        if game is None or not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not may(request, game):
            refuse(request, game)
        return page(request, game, *args, **kwargs)

    return wrapped
