"""A game in review: who won and how, skill and luck; for players, and to be discussed in class."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games import permissions
from games.models import Game
from games.press import deals
from games.records import debrief, score_history
from games.web.decorators import for_readers
from games.web.game.standing import chart
from games.web.headings import headings
from games.web.places import places


@require_safe
@for_readers
def page(request: HttpRequest, game: Game) -> HttpResponse:
    """What was dared, at what odds, with what chances, and what came of it."""
    told = debrief.summarize(game)
    scored = any(turn.scores for turn in told.turns)
    nations = headings(game.card["order"])
    standings = [
        (turn, [turn.scores.get(nation, "") for nation in nations])
        for turn in told.turns
        if turn.scores
    ]
    own = [seat.nation for seat in permissions.seats_held(request.user, game)]
    marks = [mark for mark in score_history.marks(game, None) if mark.scores]
    known = {
        nation: heading
        for nation, heading in nations.items()
        if any(nation in mark.scores for mark in marks)
    }
    over = game.status == Game.Status.FINISHED
    ranking = sorted(marks[-1].scores.items(), key=lambda item: -item[1]) if marks else []
    luck = {one.nation: one.luck for one in told.balances}
    context = {
        "game": game,
        "summary": told,
        "chart": chart(marks, known) if len(marks) > 1 else None,
        "ranking": ranking,
        "turning": debrief.turning_point(marks) if over else None,
        "places": places(dict(ranking), own) if over else [],
        "finals": [(name, score, luck.get(name)) for name, score in ranking] if over else [],
        "own": own,
        "balance": next((one for one in told.balances if own and one.nation == own[0]), None),
        "luckiest": next((one for one in told.throws[:1] if one.luck > 0), None),
        "unluckiest": next((one for one in told.throws[-1:] if one.luck < 0), None),
        "nations": nations,
        "scored": scored,
        "characters": deals.characters_told(game),
        "standings": standings,
        "again": permissions.plays_again(request.user, game),
    }
    return render(request, "games/summary.html", context)
