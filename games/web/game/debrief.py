"""The summary of a game, to be discussed in class or at the table."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.models import Game
from games.records import debrief
from games.web.decorators import for_readers
from games.web.headings import headings


@require_safe
@for_readers
def page(request: HttpRequest, game: Game) -> HttpResponse:
    """What was dared, at what odds, with what chances, and what came of it."""
    told = debrief.of(game)
    scored = any(turn.scores for turn in told.turns)
    nations = headings(game.card["order"])
    standings = [
        (turn, [turn.scores.get(nation, "") for nation in nations])
        for turn in told.turns
        if turn.scores
    ]
    context = {
        "game": game,
        "summary": told,
        "nations": nations,
        "scored": scored,
        "standings": standings,
    }
    return render(request, "games/summary.html", context)
