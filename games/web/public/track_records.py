"""Track records of people who show theirs, and the table of a series of games."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from games import permissions
from games.base import clock
from games.models import Game, Person
from games.pages.decorators import for_readers
from games.records import series
from games.seats import track_record


@require_safe
def track_record_page(request: HttpRequest, pk: int) -> HttpResponse:
    """Show phases on time, seats left, and results by nation."""
    person = get_object_or_404(Person, pk=pk)
    if not permissions.sees_track_record(request.user, person):
        raise Http404
    record = track_record.track_record_of(person, clock.now())
    context = {
        "person": person,
        "record": record,
        "games": sorted(record.games.items()),
        "enough": track_record.ENOUGH,
    }
    return render(request, "games/track_record.html", context)


@require_safe
@for_readers
def series_page(request: HttpRequest, game: Game) -> HttpResponse:
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
