"""The table of a series of games."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games import permissions
from games.models import Game
from games.pages.decorators import for_readers
from games.records import series


@require_safe
@for_readers
def page(request: HttpRequest, game: Game) -> HttpResponse:
    """Show who won which games of the series that a game belongs to."""
    games = series.games_of(game)
    if len(games) == 1:
        raise Http404
    context = {
        "game": game,
        "games": [other for other in games if permissions.sees_game(request.user, other)],
        "rows": series.table(games, request.user),
    }
    return render(request, "games/series.html", context)
