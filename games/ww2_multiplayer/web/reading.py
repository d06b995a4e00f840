"""Pages for everybody who reads the game: score sheets, and the lines of a referee report."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games import permissions, positions
from games.models import Game
from games.pages.decorators import for_readers
from games.pages.headings import headings

from ..rules import report_forms


@require_safe
@for_readers
def score_sheets(request: HttpRequest, game: Game) -> HttpResponse:
    """Show every player's score sheet: what each entry pays now, in which case and why."""
    if not game.rules.score_sheets:
        raise Http404
    state = permissions.view(
        game, positions.position(game), permissions.viewer_of(request.user, game)
    )
    begun = game.status != Game.Status.FORMING
    context = {
        "game": game,
        "nations": headings(game.card["order"]),
        "sheets": game.rules.referee.score_sheets(state) if begun else (),
        "remark": game.rules.standing(state).remark,
    }
    return render(request, "games/score_sheets.html", context)


@require_safe
@for_readers
def report_lines(request: HttpRequest, game: Game) -> HttpResponse:
    """Show every line that a report of this game may have, with an example."""
    if not game.rules.referee.seats:
        raise Http404
    groups: dict[str, list[report_forms.Form]] = {}
    for form in report_forms.applicable_forms(game.load(positions.position(game))):
        groups.setdefault(form.group, []).append(form)
    context = {
        "game": game,
        "reports": permissions.referees(request.user, game),
        "groups": list(groups.items()),
    }
    return render(request, "referee/lines.html", context)
