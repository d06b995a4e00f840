"""Enter sales from the gamesmaster's newspaper, and what their own dice show."""

from __future__ import annotations

from datetime import datetime

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from games import desk
from games.base import clock
from games.models import Game, Phase
from games.pages.decorators import for_gamesmasters
from games.pages.forms import RollsForm
from games.pages.requests import parse_number, person_of
from games.turns import figures
from games.web.desk.desks import render_desk
from games.web.desk.forms import FiguresForm


@require_POST
@for_gamesmasters
def enter(request: HttpRequest, game: Game, number: int) -> HttpResponse:
    """Enter all figures of the table, or none of them, under the gamesmaster's name."""
    now = clock.now()
    phase = get_object_or_404(game.phases.select_related("game"), number=number)
    try:
        desk.check_waits_for_figures(phase)
    except desk.DeskError as error:
        messages.error(request, str(error))
        return redirect("desk", game.pk)
    stocks = figures.stocks_to_enter([phase], now).get(phase.pk, [])
    form = FiguresForm(stocks, request.POST)
    if form.is_valid():
        refused = _enter(form, phase, request, now)
        if not refused:
            said = [
                f"{symbol} without a report" if volume is None else f"{symbol} with {volume:,}"
                for _, symbol, volume in form.entered
            ]
            messages.success(request, f"Entered under your name: {', '.join(said)}.")
            return redirect("desk", game.pk)
    return render_desk(request, game, now, form)


def _enter(form: FiguresForm, phase: Phase, request: HttpRequest, now: datetime) -> bool:
    """Enter the figures of a form; return whether one was refused, and then enter none."""
    try:
        with transaction.atomic():
            for field, symbol, volume in form.entered:
                at = field
                note = form.cleaned_data["note"]
                desk.enter_figure(phase, symbol, volume, person_of(request), now, note)
    except desk.DeskError as error:
        form.add_error(at, str(error))
        return True
    return False


@require_POST
@for_gamesmasters
def rolls(request: HttpRequest, game: Game, number: int) -> HttpResponse:
    """Enter rolls under the gamesmaster's name."""
    now = clock.now()
    phase = get_object_or_404(game.phases.select_related("game"), number=number)
    form = RollsForm(request.POST, auto_id="rolls-%s")
    if form.is_valid():
        data = form.cleaned_data
        with form.errors_at("rolls"):
            after = parse_number(request.POST.get("after", ""))
            desk.enter_rolls(phase, data["rolls"], person_of(request), now, data["note"], after)
            messages.success(request, "The rolls are entered under your name.")
            return redirect("desk", game.pk)
    return render_desk(request, game, now, rolls=form)
