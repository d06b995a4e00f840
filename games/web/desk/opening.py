"""Open a game, and take a seat in one."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from games import desk, permissions
from games.accounts import rate_limits, tokens
from games.base import clock
from games.desk import presets
from games.game_templates import template_of
from games.letters.teams import HOW
from games.models import Game, Invitation, Person, Phase, Seat
from games.outbox.messages import reply_letters
from games.pages.forms import NameForm
from games.pages.headings import headings
from games.pages.requests import parse_number, person_of, tell_refusals
from games.rules.names import all_of
from games.rules.registry import RULESETS
from games.seats import pairs, teams
from games.timing import schedule
from games.timing.local_time import zone_in_words
from games.web.accounts.login import enter
from games.web.desk.company import companies
from games.web.desk.opening_form import GameForm
from games.web.desk.prefilled_form import fill_form, fill_like_game, left_out
from games.web.scenarios.tables import PROVENANCE, tables_of


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def game_new(request: HttpRequest) -> HttpResponse:
    """Show the form that opens a game; input is kept until it is valid. `?game=` names the ruleset;
    `?again=` fills the form in like a game that was played.

    Choosing a preset fills in its part of the form, keeps the rest, and opens nothing.
    """
    person = person_of(request)
    barring = permissions.barring_of(person, clock.now())
    if barring is not None or not permissions.opens_games(person):
        return render(request, "games/new_refused.html", {"barring": barring}, status=403)
    again = _game_to_repeat(request, person)
    in_series = again is not None and "series" in request.GET
    ruleset_id = request.GET.get("game", again.ruleset_id if again else next(iter(RULESETS)))
    if ruleset_id not in RULESETS:
        raise Http404
    preset = presets.presets().get(request.POST.get("preset", ""))
    if preset is not None:
        form = fill_form(preset, request.POST, ruleset_id, person)
    elif again is not None and request.method != "POST":
        form = fill_like_game(again, person, moved_on=in_series)
    else:
        form = GameForm(
            request.POST if request.method == "POST" else None,
            initial=_initial_values(person),
            ruleset_id=ruleset_id,
            person=person,
        )
    if preset is None and request.method == "POST" and form.is_valid():
        with form.errors_at(None, (desk.DeskError, rate_limits.TooMany)):
            rate_limits.count(rate_limits.GAMES, person.pk, clock.now())
            game = _open_game(form, person, again if in_series else None)
            messages.success(
                request,
                _opened(game),
            )
            return redirect("desk" if game.status == Game.Status.FORMING else "game", game.pk)
    teams = presets.teams_of(form.nations)
    own_games = person.games_run.filter(opened_by=person, ruleset_id=ruleset_id, practice=False)
    last = own_games.order_by("-pk").first() if again is None else None
    context = {"last": last} | {
        "form": form,
        "rulesets": list(RULESETS.values()),
        "filled": preset,
        "teams": teams,
        "left_out": left_out(again, person) if again is not None else [],
    }
    return render(request, "games/new.html", context)


def _opened(game: Game) -> str:
    if game.in_progress:
        return "The game has begun: every seat is taken."
    if not desk.empty_seats(game):
        return "The game is open, and every seat is taken. You can start it."
    match Invitation.objects.open().filter(seat__game=game).count():
        case 0:
            invited = "Nobody is invited yet."
        case 1:
            invited = "The invitation is on its way."
        case _:
            invited = "The invitations are on their way."
    begins = (
        "It begins when the last seat is taken."
        if game.starts_when_full
        else "You can start it when every seat is taken."
    )
    return f"The game is open. {invited} {begins}"


def _game_to_repeat(request: HttpRequest, person: Person) -> Game | None:
    """Return the game that `?again=` names. Raise 404 for people who neither ran nor played it."""
    if "again" not in request.GET:
        return None
    game = Game.objects.filter(pk=parse_number(request.GET["again"]) or 0).first()
    if game is None or not permissions.plays_again(person, game):
        raise Http404
    return game


def _initial_values(person: Person) -> dict[str, str]:
    """Return initial values: the person's own time zone; the DEMO exchange in demonstrations."""
    market = Game.Market.DEMO if settings.DEMONSTRATION or settings.DEBUG else Game.Market.YAHOO
    return {"market": market} | (
        {"zone": person.zone, "time": "09:00"} if person.zone != "UTC" else {}
    )


def _open_game(form: GameForm, opener: Person, follows: Game | None) -> Game:
    data, now = form.cleaned_data, clock.now()
    if name := data.get("your_name"):
        opener.name = name
        opener.save(update_fields=["name"])
    opener.show_times_in(data["zone"])
    asked = desk.Opening(
        title=data["title"],
        ruleset_id=form.rules.id,
        card_name=data["card"],
        options=form.chosen_options(),
        settings=form.chosen_settings(),
        schedule=form.rule(),
        zone=data["zone"],
        reserves=form.reserve_list(),
        seats=form.seats(),
        pairs=form.pairs(),
        holidays=data["holidays"],
        follows=follows,
    )
    game = desk.open_game(asked, opener, now)
    if game.starts_when_full and not desk.empty_seats(game):
        desk.start(game, now)
    return game


@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Show an invitation. Its button takes the seat and logs in: the letter proved the address."""
    now = clock.now()
    try:
        offer = tokens.find_invitation(token, now)
    except tokens.KeyRefused as refused:
        return render(
            request, "games/invitation_refused.html", {"sentence": str(refused)}, status=410
        )
    if offer.accepted_at is not None:
        return _answer_taken(request, offer)
    if offer.seat.game.is_over:
        over = f"“{offer.seat.game.title}” is over: there are no seats to take."
        return render(request, "games/invitation_refused.html", {"sentence": over}, status=410)
    if request.method == "POST" and "decline" in request.POST:
        return _decline(request, offer, now)
    form = NameForm(
        request.POST if request.method == "POST" else None, initial={"name": offer.name}
    )
    refused_because = ""
    if request.method == "POST" and form.is_valid():
        person = Person.objects.at(offer.email)
        if not person.is_active:
            refused_because = "This account is closed. Write to the gamesmaster."
        else:
            try:
                desk.accept(offer, person, now)
            except desk.DeskError as error:
                refused_because = str(error)
            else:
                welcome = _welcome(offer.seat, person)
                enter(request, person, form.cleaned_data["name"], offer.seat.game)
                messages.success(request, welcome)
                return redirect(_first_page(offer.seat))
    known = Person.objects.filter(email=offer.email).exclude(name="").exists()
    game = offer.seat.game
    context = {
        "offer": offer,
        "game": game,
        "company": companies([game], request.user, now)[game.pk],
        "form": form,
        "known": known,
        "refused_because": refused_because,
        "primer": template_of(game.ruleset_id, "games/primer/*.html"),
        "tables": tables_of(game.card),
        "nations": headings(game.card["order"]),
        "dealt": pairs.pending_lots(game),
        "offered": all_of(pairs.offered_nations(offer.seat)),
        "provenance": PROVENANCE.get(game.card["provenance"], ""),
        "rule_in_words": schedule.in_words(game.schedule, game.zone),
        "in_team": HOW[teams.option(game)],
    }
    return render(request, "games/invitation.html", context)


def _decline(request: HttpRequest, offer: Invitation, now: datetime) -> HttpResponse:
    """Notify the gamesmasters, as DECLINE by mail does. Until they act the link still works."""
    reply_letters.report_decline(offer, now)
    sentence = f"You have declined to play {offer.seat.nation}. The gamesmaster is notified."
    messages.success(request, sentence)
    return redirect("home")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, pk: int, token: str = "") -> HttpResponse:
    """Offer free seats to people with the link that the gamesmaster shared, or to everybody."""
    game = get_object_or_404(Game, pk=pk)
    if not (tokens.is_join(token, game) if token else desk.may_be_joined(game)):
        raise Http404
    person, now = person_of(request), clock.now()
    if permissions.held_seats(person, game):
        return redirect(game)
    form = NameForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        with tell_refusals(request):
            take = desk.join if token else desk.join_openly
            seat = take(game, request.POST.get("nation", ""), person, now)
            welcome = _welcome(seat, person)
            enter(request, person, form.cleaned_data["name"], game)
            messages.success(request, welcome)
            return redirect(_first_page(seat))
    context = {
        "game": game,
        "form": form,
        "company": companies([game], person, now)[game.pk],
        "free": desk.free_seats(game),
        "rule_in_words": schedule.in_words(game.schedule, game.zone),
        "primer": template_of(game.ruleset_id, "games/primer/*.html"),
    }
    return render(request, "games/join.html", context)


def _first_page(seat: Seat) -> str:
    """Return the next page for a seat's new player: its orders if they are due, else the game."""
    game = Game.objects.get(pk=seat.game_id)  # reloaded: the last seat may have begun it
    phase = game.phases.current()
    if phase is None or game.status != Game.Status.RUNNING or phase.status != Phase.Status.OPEN:
        return game.get_absolute_url()
    return reverse("orders", args=[game.pk, seat.pk])


def _welcome(seat: Seat, person: Person) -> str:
    """Return a welcome; it names the zone of the game if we do not know the person's own yet."""
    where = (
        f" Times are shown in {zone_in_words(seat.game.zone)}, as in this game; if you live in"
        " another zone, choose it on your page “About you”."
        if person.zone == "UTC"
        else ""
    )
    return f"You play {seat.nation}.{where}"


def _answer_taken(request: HttpRequest, offer: Invitation) -> HttpResponse:
    """Redirect the person who took the seat to the game. Others may log in, because the link no
    longer does anything."""
    game = offer.seat.game
    if permissions.held_seats(request.user, game):
        return redirect(game)
    sentence = (
        f"The seat of {offer.seat.nation} is taken. If you took it, log in with that address."
    )
    return render(
        request,
        "games/invitation_refused.html",
        {"sentence": sentence, "game": game, "accepted": True},
        status=410,
    )
