"""The page of open seats: games about to begin, seats in running games, and the standby list."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from games import desk
from games.base import clock
from games.models import Game, Person, Sitting, Standby
from games.pages.forms import Form
from games.pages.list_pages import ListPage
from games.pages.requests import parse_code, parse_number, person_of, tell_refusals
from games.rules.registry import RULESETS
from games.timing import schedule
from games.web.desk.company import companies


def _games_field() -> forms.ChoiceField:
    rulesets = [(rules.id, rules.title) for rules in RULESETS.values()]
    return forms.ChoiceField(label="Games", choices=[("", "Any game"), *rulesets], required=False)


class Search(Form):
    """The search. Every field is optional."""

    ruleset_id = _games_field()
    title = forms.CharField(label="In its name", required=False, max_length=80)


class StandbyForm(Form):
    ruleset_id = _games_field()
    note = forms.CharField(
        label="A word about you",
        max_length=200,
        required=False,
        help_text="For the gamesmaster: when you can write, what you have played.",
    )


@require_http_methods(["GET", "HEAD", "POST"])
def standby(request: HttpRequest) -> HttpResponse:
    """List open seats and standbys. Reading needs no login, asking for a seat does."""
    now = clock.now()
    form = StandbyForm(request.POST if request.method == "POST" else None, auto_id="standby-%s")
    if request.method == "POST":
        return _change(request, form, now)
    return _page(request, form, now)


@login_required
def _change(request: HttpRequest, form: StandbyForm, now: datetime) -> HttpResponse:
    person = person_of(request)
    if typed := request.POST.get("down", ""):
        row = get_object_or_404(Standby, code=parse_code(typed), person=person)
        with tell_refusals(request):
            desk.stand_down(row, now)
            messages.success(request, "You are no longer on that list.")
        return redirect("standby")
    if not form.is_valid():
        return _page(request, form, now)
    game = None
    if typed := request.POST.get("game", ""):
        game = Game.objects.filter(pk=parse_number(typed) or 0).first()
        if game is None or not desk.may_be_asked_for(game):
            messages.error(
                request, "That seat is no longer open. See those below, or join the standby list."
            )
            return redirect("standby")
    with form.errors_at("note"):
        kind = form.cleaned_data["ruleset_id"] if game is None else ""
        desk.stand_by(person, game, form.cleaned_data["note"], now, ruleset_id=kind)
        if game is not None:
            sentence = (
                f"You have asked for a seat in “{game.title}”. Its gamesmaster gets a letter."
            )
        else:
            sentence = "You are on the list. We write to you when a game with free seats opens."
        messages.success(request, sentence)
        return redirect("standby")
    return _page(request, form, now)


def _page(request: HttpRequest, form: StandbyForm, now: datetime) -> HttpResponse:
    person = request.user
    own_rows = (
        Standby.objects.filter(person=person, until=None).select_related("game")
        if isinstance(person, Person)
        else []
    )
    asked_game_ids = {row.game_id for row in own_rows}
    is_search = any(request.GET.get(name) for name in Search.base_fields)
    search = Search(request.GET if is_search else None, auto_id="search-%s")
    like: dict[str, Any] = search.cleaned_data if is_search and search.is_valid() else {}
    games = ListPage.load(request, lambda rows: desk.games_to_join(rows, **like))
    seats = ListPage.load(request, lambda rows: desk.seats_on_offer(rows, **like))
    plays_in = set(
        Sitting.objects.current()
        .filter(person=person.pk, seat__game__in={seat.game_id for seat in seats.rows})
        .values_list("seat__game", flat=True)
    )
    page: ListPage[Any] = games if games.more else seats
    found = companies([game for game, _ in games.rows], person, now)
    context = {
        "games": [
            {
                "game": game,
                "free": nations,
                "pace": schedule.in_words(game.schedule, game.zone),
                "company": found[game.pk],
                "asked": game.pk in asked_game_ids,
                "plays": found[game.pk].has(person),
                "at_once": desk.may_be_joined(game),
            }
            for game, nations in games.rows
        ],
        "seats": [
            (seat, seat.game_id in asked_game_ids, seat.game_id in plays_in) for seat in seats.rows
        ],
        "page": page,
        "search": search,
        "searched": bool(like),
        "choice": is_search or page.more or page.number > 1,
        "mine": own_rows,
        "form": form,
        "general": None in asked_game_ids,
    }
    return render(request, "games/standby.html", context)
