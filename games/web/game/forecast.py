"""The forecast before the digits are in: the odds, what each digit would do, the expected board.
For gamesmasters who do not play."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games import permissions
from games.base import clock
from games.desk import forecast
from games.models import Game, Phase
from games.pages.decorators import for_gamesmasters
from games.pages.headings import headings
from games.rules import RulesError

BEFORE_THE_DIGITS = (
    Phase.Status.OPEN,
    Phase.Status.LOCKED,
    Phase.Status.DRAWING,
    Phase.Status.HELD,
)

#: In hundredths: twice the standard error of a chance of one half, at our number of samples.
MARGIN = 5


@require_safe
@never_cache
@for_gamesmasters
def page(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the forecast, which rests on all orders, to those who may read them."""
    if not permissions.reads_secret_orders(request.user, game):
        raise PermissionDenied
    phase = game.phases.exclude(status__in=Phase.CLOSED).first()
    prospects, fault = None, ""
    if phase and phase.draws and not phase.idle and phase.status in BEFORE_THE_DIGITS:
        try:
            prospects = forecast.prospects_of(phase)
        except RulesError as error:
            fault = str(error)
    context = {
        "game": game,
        "here": "prospects",
        "now": clock.now(),
        "phase": phase,
        "prospects": prospects,
        "fault": fault,
        "nations": headings(game.card["order"]),
        "meanings": list(game.rules.guide.table().meanings.items()),
        "margin": MARGIN,
    }
    return render(request, "desk/prospects.html", context)
