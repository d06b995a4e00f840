"""A game in review: who won and how, skill and luck; for players, and for classes to discuss."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games import permissions
from games.models import Game
from games.pages.decorators import for_readers
from games.pages.headings import headings
from games.press.book import revealed_characters
from games.records import debrief, score_history
from games.rules import wording
from games.web.game.standing import chart

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")


@require_safe
@for_readers
def page(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the risks that players took, at what odds and chances, and what came of them."""
    summary = debrief.summarize(game)
    scored = any(turn.scores for turn in summary.turns)
    nations = headings(game.card["order"])
    standings = [
        (turn, [turn.scores.get(nation, "") for nation in nations])
        for turn in summary.turns
        if turn.scores
    ]
    own = [seat.nation for seat in permissions.held_seats(request.user, game)]
    marks = [mark for mark in score_history.marks(game, None) if mark.scores]
    scored_nations = {
        nation: heading
        for nation, heading in nations.items()
        if any(nation in mark.scores for mark in marks)
    }
    over = game.status == Game.Status.FINISHED
    ranking = wording.rank(marks[-1].scores) if marks else []
    luck = {entry.nation: entry.luck for entry in summary.balances}
    context = {
        "game": game,
        "summary": summary,
        "chart": chart(marks, scored_nations) if len(marks) > 1 else None,
        "ranking": ranking,
        "turning": debrief.turning_point(marks) if over else None,
        "places": places(dict(ranking), own) if over else [],
        "finals": [(name, score, luck.get(name)) for name, score in ranking] if over else [],
        "own": own,
        "balance": next(
            (entry for entry in summary.balances if own and entry.nation == own[0]), None
        ),
        "luckiest": next((entry for entry in summary.throws[:1] if entry.luck > 0), None),
        "unluckiest": next((entry for entry in summary.throws[-1:] if entry.luck < 0), None),
        "nations": nations,
        "scored": scored,
        "characters": revealed_characters(game),
        "standings": standings,
        "again": permissions.plays_again(request.user, game),
    }
    return render(request, "games/summary.html", context)


def places(scores: Mapping[str, int], own: Iterable[str]) -> list[str]:
    """Return a sentence for each of the reader's nations: “Germany came third with 13 points.”

    Nations with equal scores share a place.
    """
    sentences = []
    for nation in own:
        if nation not in scores:
            continue
        place = sum(score > scores[nation] for score in scores.values())
        shared = " equal" if list(scores.values()).count(scores[nation]) > 1 else ""
        points = f"{wording.figure(scores[nation])} point{'' if scores[nation] == 1 else 's'}"
        sentences.append(f"{nation} came{shared} {ORDINALS[place]} with {points}.")
    return sentences
