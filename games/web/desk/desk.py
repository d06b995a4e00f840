"""What a gamesmaster does on the page of his game. Each is one POST; what cannot be done is said on
the page, with what was typed kept."""

from __future__ import annotations

from datetime import datetime

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from games import desk
from games.models import Game, Invitation, Person
from games.web.decorators import for_gamesmasters
from games.web.forms import ExtendForm, FigureForm, InviteForm, RollsForm
from games.web.game.overview import game_page
from gamesmaster import clock


def _gamesmaster(request: HttpRequest) -> Person:
    assert isinstance(request.user, Person)
    return request.user


def _back(request: HttpRequest, game: Game) -> HttpResponse:
    """To the page from which it was done: the desk, where its form says so, else the page of the
    game."""
    return redirect("desk", game.pk) if request.POST.get("to") == "desk" else redirect(game)


def _again(
    request: HttpRequest, game: Game, now: datetime, name: str, form: forms.Form
) -> HttpResponse:
    return game_page(request, game, now, runs=True, bound={name: form})


def _refused(request: HttpRequest, game: Game, error: desk.DeskError) -> HttpResponse:
    messages.error(request, str(error))
    return _back(request, game)


@require_POST
@for_gamesmasters
def start(request: HttpRequest, game: Game) -> HttpResponse:
    try:
        desk.start(game, _gamesmaster(request), clock.now())
    except desk.DeskError as error:
        return _refused(request, game, error)
    messages.success(
        request,
        "The game has begun. Every player has a letter with the board and the first deadline.",
    )
    return _back(request, game)


@require_POST
@for_gamesmasters
def invite(request: HttpRequest, game: Game, seat: int) -> HttpResponse:
    now, offered = clock.now(), get_object_or_404(game.seats.select_related("game"), pk=seat)
    form = InviteForm(request.POST, auto_id=f"invite-{seat}-%s")
    if form.is_valid():
        try:
            desk.invite(offered, form.cleaned_data["email"], _gamesmaster(request), now)
        except desk.DeskError as error:
            form.add_error("email", str(error))
        else:
            messages.success(
                request, f"A letter with the invitation to play {offered.nation} is on its way."
            )
            return _back(request, game)
    return _again(request, game, now, f"invite-{seat}", form)


@require_POST
@for_gamesmasters
def withdraw(request: HttpRequest, game: Game, invitation: int) -> HttpResponse:
    try:
        desk.withdraw(
            get_object_or_404(Invitation, pk=invitation, seat__game=game),
            clock.now(),
            _gamesmaster(request),
        )
    except desk.DeskError as error:
        return _refused(request, game, error)
    messages.success(request, "The invitation is withdrawn.")
    return _back(request, game)


@require_POST
@for_gamesmasters
def seat_service(request: HttpRequest, game: Game, seat: int) -> HttpResponse:
    given = get_object_or_404(game.seats, pk=seat)
    try:
        desk.let_the_service_play(given, clock.now(), _gamesmaster(request))
    except desk.DeskError as error:
        return _refused(request, game, error)
    messages.success(request, f"The service plays {given.nation} from now on.")
    return _back(request, game)


@require_POST
@for_gamesmasters
def extend(request: HttpRequest, game: Game, number: int) -> HttpResponse:
    now, phase = clock.now(), get_object_or_404(game.phases.select_related("game"), number=number)
    form = ExtendForm(request.POST, auto_id="extend-%s")
    if form.is_valid():
        try:
            desk.extend(
                phase,
                form.cleaned_data["deadline"],
                form.cleaned_data["reason"],
                _gamesmaster(request),
                now,
            )
        except desk.DeskError as error:
            form.add_error("deadline", str(error))
        else:
            messages.success(
                request, "The deadline has moved, and every player has a letter that says so."
            )
            return _back(request, game)
    return _again(request, game, now, "extend", form)


@require_POST
@for_gamesmasters
def lift(request: HttpRequest, game: Game, number: int) -> HttpResponse:
    try:
        desk.lift_hold(
            get_object_or_404(game.phases.select_related("game"), number=number),
            _gamesmaster(request),
            clock.now(),
        )
    except desk.DeskError as error:
        return _refused(request, game, error)
    messages.success(request, "The phase goes on from where it was set aside.")
    return _back(request, game)


@require_POST
@for_gamesmasters
def figure(request: HttpRequest, game: Game, number: int) -> HttpResponse:
    now, phase = clock.now(), get_object_or_404(game.phases.select_related("game"), number=number)
    form = FigureForm(request.POST, auto_id="figure-%s")
    if form.is_valid():
        data = form.cleaned_data
        try:
            desk.enter_figure(
                phase, data["symbol"], data["volume"], _gamesmaster(request), now, data["note"]
            )
        except desk.DeskError as error:
            form.add_error("symbol", str(error))
        else:
            entered = (
                "without a report" if data["volume"] is None else f"with {data['volume']:,} shares"
            )
            messages.success(
                request, f"{data['symbol']} is entered {entered}, with your name beside it."
            )
            return _back(request, game)
    return _again(request, game, now, "figure", form)


@require_POST
@for_gamesmasters
def rolls(request: HttpRequest, game: Game, number: int) -> HttpResponse:
    now, phase = clock.now(), get_object_or_404(game.phases.select_related("game"), number=number)
    form = RollsForm(request.POST, auto_id="rolls-%s")
    if form.is_valid():
        data = form.cleaned_data
        try:
            desk.enter_rolls(phase, data["rolls"], _gamesmaster(request), now, data["note"])
        except desk.DeskError as error:
            form.add_error("rolls", str(error))
        else:
            messages.success(request, "The rolls are entered, with your name beside them.")
            return _back(request, game)
    return _again(request, game, now, "rolls", form)
