"""Actions of a gamesmaster on a game's page: one POST each. Refused input stays in the form."""

from __future__ import annotations

from datetime import datetime

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from games import desk
from games.base import clock
from games.models import Game, Invitation, Phase
from games.pages.decorators import for_gamesmasters
from games.pages.forms import ExtendForm, InviteForm, RollsForm
from games.pages.requests import person_of, tell_refusals
from games.web.game.overview import game_page


def _redirect_back(request: HttpRequest, game: Game) -> HttpResponse:
    """Redirect to the page of the form, if it names one of the desk, else to the game's page."""
    pages = {"desk": "desk", "times": "desk-times"}
    page = pages.get(request.POST.get("to", ""))
    return redirect(page, game.pk) if page else redirect(game)


def _redirect_with_message(request: HttpRequest, game: Game, words: str) -> HttpResponse:
    messages.success(request, words)
    return _redirect_back(request, game)


def _render_again(
    request: HttpRequest, game: Game, now: datetime, name: str, form: forms.Form
) -> HttpResponse:
    return game_page(request, game, now, runs=True, bound={name: form})


def _phase(game: Game, number: int) -> Phase:
    return get_object_or_404(game.phases.select_related("game"), number=number)


@require_POST
@for_gamesmasters
def start(request: HttpRequest, game: Game) -> HttpResponse:
    with tell_refusals(request):
        desk.start(game, clock.now())
        messages.success(
            request,
            "The game has begun. Every player gets a letter with the board and the first deadline.",
        )
    return _redirect_back(request, game)


@require_POST
@for_gamesmasters
def invite(request: HttpRequest, game: Game, seat: int) -> HttpResponse:
    now, seat_row = clock.now(), get_object_or_404(game.seats.select_related("game"), pk=seat)
    form = InviteForm(request.POST, auto_id=f"invite-{seat}-%s")
    if form.is_valid():
        with form.errors_at("email"):
            to = form.cleaned_data["email"]
            desk.invite(seat_row, to.email, person_of(request), now, name=to.name)
            words = f"The invitation to play {seat_row.nation} is on its way."
            return _redirect_with_message(request, game, words)
    return _render_again(request, game, now, f"invite-{seat}", form)


@require_POST
@for_gamesmasters
def replace_link(request: HttpRequest, game: Game) -> HttpResponse:
    with tell_refusals(request):
        desk.replace_join_link(game, person_of(request), clock.now())
        messages.success(request, "There is a new link to share. The earlier one no longer works.")
    return _redirect_back(request, game)


@require_POST
@for_gamesmasters
def withdraw(request: HttpRequest, game: Game, invitation: str) -> HttpResponse:
    offer = get_object_or_404(Invitation, code=invitation, seat__game=game)
    with tell_refusals(request):
        desk.withdraw(offer, clock.now(), person_of(request))
        messages.success(request, "The invitation is withdrawn.")
    return _redirect_back(request, game)


@require_POST
@for_gamesmasters
def seat_service(request: HttpRequest, game: Game, seat: int) -> HttpResponse:
    seat_row = get_object_or_404(game.seats, pk=seat)
    with tell_refusals(request):
        desk.let_the_service_play(seat_row, clock.now(), person_of(request))
        messages.success(request, f"The service plays {seat_row.nation} from now on.")
    return _redirect_back(request, game)


@require_POST
@for_gamesmasters
def extend(request: HttpRequest, game: Game, number: int) -> HttpResponse:
    now, phase = clock.now(), _phase(game, number)
    form = ExtendForm(request.POST, auto_id="extend-%s")
    if form.is_valid():
        data = form.cleaned_data
        with form.errors_at("deadline"):
            desk.extend(phase, data["deadline"], data["reason"], person_of(request), now)
            words = "The deadline has moved. Every player gets a letter."
            return _redirect_with_message(request, game, words)
    return _render_again(request, game, now, "extend", form)


@require_POST
@for_gamesmasters
def lift(request: HttpRequest, game: Game, number: int) -> HttpResponse:
    with tell_refusals(request):
        desk.lift_hold(_phase(game, number), person_of(request), clock.now())
        messages.success(request, "The phase continues where it stopped.")
    return _redirect_back(request, game)


@require_POST
@for_gamesmasters
def rolls(request: HttpRequest, game: Game, number: int) -> HttpResponse:
    now, phase = clock.now(), _phase(game, number)
    form = RollsForm(request.POST, auto_id="rolls-%s")
    if form.is_valid():
        data = form.cleaned_data
        with form.errors_at("rolls"):
            desk.enter_rolls(phase, data["rolls"], person_of(request), now, data["note"])
            words = "The rolls are entered under your name."
            return _redirect_with_message(request, game, words)
    return _render_again(request, game, now, "rolls", form)
