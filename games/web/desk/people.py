"""The desk's page of people, and the pages where a player leaves and anybody stands by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from games import desk, permissions
from games.accounts import tokens
from games.desk import DeskError
from games.models import Act, Game, Invitation, Person, Seat, Sitting, Standby
from games.rules.pairs import has_pairs
from games.seats import teams, track_record
from games.timing import schedule
from games.web.accounts.login import enter
from games.web.decorators import for_gamesmasters, for_players
from games.web.desk.forms import GamesmasterForm, InviteForm, ReasonForm, ReplaceForm, StandbyForm
from games.web.forms import Form, NameForm
from games.web.requests import number_in, person_of, tell_refusals
from gamesmaster import clock
from orders import bots


@dataclass(frozen=True)
class Row:
    """A seat with everybody who sat there, and what can be done with it just now."""

    seat: Seat
    sittings: tuple[Sitting, ...]
    former: tuple[Sitting, ...]
    offers: tuple[Invitation, ...]  # newest first
    spokesman: Person | None  # of a team that has one
    missed: int
    vacant: bool
    listed: bool
    forms: dict[str, forms.Form]

    @property
    def offer(self) -> Invitation | None:
        return self.offers[0] if self.offers else None

    @property
    def empty(self) -> bool:
        return not self.seat.bot and not self.seat.by_table and not self.sittings


@dataclass(frozen=True)
class Asked:
    """A deed as it was asked for: by whom, when, of which seat, with what was typed."""

    game: Game
    request: HttpRequest
    by: Person
    now: datetime
    data: dict[str, Any]

    @property
    def seat(self) -> Seat:
        return get_object_or_404(self.game.seats.select_related("game"), pk=self.number("seat"))

    @property
    def person(self) -> Person:
        return get_object_or_404(Person, pk=self.number("person"))

    def number(self, name: str) -> int:
        """Return the number of a row that the page posts; 0 where it is none."""
        return number_in(self.request.POST.get(name, "")) or 0


def _invite(asked: Asked) -> str:
    hours = asked.data["extra_hours"] or 0
    desk.invite(asked.seat, asked.data["email"], asked.by, asked.now, extra_hours=hours)
    return f"The invitation to play {asked.seat.nation} is on its way."


def _replace(asked: Asked) -> str:
    email, reason, hours = (asked.data[name] for name in ("email", "reason", "extra_hours"))
    desk.replace(asked.seat, email, reason, asked.by, asked.now, extra_hours=hours or 0)
    return f"{asked.seat.nation} is offered to {email}; the seat stays empty until they accept."


def _vacate(asked: Asked) -> str:
    desk.vacate(asked.seat, asked.person, asked.data["reason"], asked.by, asked.now)
    return f"The seat of {asked.seat.nation} is vacated."


def _eject(asked: Asked) -> str:
    desk.eject(asked.seat, asked.person, asked.data["reason"], asked.by, asked.now)
    return f"The player of {asked.seat.nation} is out of the game."


def _join(asked: Asked) -> str:
    email, hours = asked.data["email"], asked.data["extra_hours"] or 0
    desk.invite(asked.seat, email, asked.by, asked.now, extra_hours=hours, joins=True)
    return f"The invitation to the team of {asked.seat.nation} is on its way."


def _spokesman(asked: Asked) -> str:
    desk.name_spokesman(asked.seat, asked.person, asked.by, asked.now)
    return f"{asked.person} speaks for {asked.seat.nation} from now on."


def _service(asked: Asked) -> str:
    desk.let_the_service_play(asked.seat, asked.now, asked.by)
    return f"The service plays {asked.seat.nation} from now on."


def _no_service(asked: Asked) -> str:
    desk.stop_service(asked.seat, asked.by, asked.now)
    return f"{asked.seat.nation} is empty. Invite a player, or list it as an open seat."


def _offer(asked: Asked) -> str:
    desk.offer_open(asked.seat, asked.by, asked.now)
    return (
        f"The seat of {asked.seat.nation} is listed as open. Players who ask for it appear below."
    )


def _unoffer(asked: Asked) -> str:
    desk.end_offer(asked.seat, asked.by, asked.now)
    return f"The seat of {asked.seat.nation} is no longer listed."


def _uninvite(asked: Asked) -> str:
    offer = get_object_or_404(Invitation, pk=asked.number("invitation"), seat__game=asked.game)
    desk.withdraw(offer, asked.now, asked.by)
    return "The invitation is withdrawn."


def _seat_standby(asked: Asked) -> str:
    pk = asked.request.POST.get("standby", "")
    standby = next((row for row in desk.standbys(asked.game) if str(row.pk) == pk), None)
    if standby is None:
        raise DeskError("That person is no longer on standby.")
    if desk.seat_standby(asked.seat, standby, asked.by, asked.now) is None:
        return f"The invitation to play {asked.seat.nation} is on its way."
    return f"{standby.person} plays {asked.seat.nation} from now on."


def _stand_ins(asked: Asked) -> str:
    wanted = asked.request.POST.get("stand_ins") == "yes"
    desk.set_stand_ins(asked.game, wanted, asked.by, asked.now)
    return (
        "From now on bots send the orders of vacant seats."
        if wanted
        else "Nobody sends orders for a vacant seat from now on."
    )


def _joining(asked: Asked) -> str:
    desk.set_joining(asked.game, asked.request.POST.get("joining", ""), asked.by, asked.now)
    return f"Free seats are for {asked.game.get_joining_display()}."


def _add(asked: Asked) -> str:
    desk.ask_gamesmaster(asked.game, asked.data["email"], asked.by, asked.now)
    return f"{asked.data['email']} gets a letter, and runs this game with you once they accept."


def _unask(asked: Asked) -> str:
    desk.unask_gamesmaster(asked.game, asked.person, asked.by, asked.now)
    return "The invitation is withdrawn."


def _remove(asked: Asked) -> str:
    desk.remove_gamesmaster(asked.game, asked.person, asked.by, asked.now)
    return "That gamesmaster no longer runs this game."


def _hand_over(asked: Asked) -> str:
    email = asked.data["email"]
    if asked.game.gamesmasters.filter(email=email).exists():
        person = desk.hand_over(asked.game, email, asked.by, asked.now)
        return f"{person} runs this game from now on."
    desk.ask_gamesmaster(asked.game, email, asked.by, asked.now, hands_over=True)
    return f"{email} gets a letter, and runs this game once they accept. Until then it is yours."


#: What the page can do: its form, where there is one, the field at which a refusal is said, and
# the deed.
DOES: dict[str, tuple[type[Form] | None, str, Callable[[Asked], str]]] = {
    "invite": (InviteForm, "email", _invite),
    "replace": (ReplaceForm, "email", _replace),
    "vacate": (ReasonForm, "reason", _vacate),
    "eject": (ReasonForm, "reason", _eject),
    "join": (InviteForm, "email", _join),
    "spokesman": (None, "", _spokesman),
    "service": (None, "", _service),
    "no-service": (None, "", _no_service),
    "offer": (None, "", _offer),
    "unoffer": (None, "", _unoffer),
    "uninvite": (None, "", _uninvite),
    "standby": (None, "", _seat_standby),
    "stand-ins": (None, "", _stand_ins),
    "joining": (None, "", _joining),
    "add": (GamesmasterForm, "email", _add),
    "unask": (None, "", _unask),
    "remove": (None, "", _remove),
    "hand-over": (GamesmasterForm, "email", _hand_over),
}
OF_A_SEAT = ("invite", "join", "replace", "vacate", "eject")


@require_http_methods(["GET", "HEAD", "POST"])
@for_gamesmasters
def people(request: HttpRequest, game: Game) -> HttpResponse:
    """The page of the people of one game."""
    now = clock.now()
    if request.method != "POST":
        return _page(request, game, {})
    do = request.POST.get("do", "")
    if do not in DOES:
        return HttpResponseBadRequest("This page does not have that action.")
    made, at, deed = DOES[do]
    named = f"{do}-{request.POST.get('seat', '')}" if do in OF_A_SEAT else do
    form = made(request.POST, auto_id=f"{named}-%s") if made is not None else None
    if form is None or form.is_valid():
        data = form.cleaned_data if form is not None else {}
        with form.errors_at(at) if form is not None else tell_refusals(request):
            messages.success(request, deed(Asked(game, request, person_of(request), now, data)))
            form = None
    if form is None:
        runs = permissions.runs(request.user, game)
        return redirect("desk-people", game.pk) if runs else redirect(game)
    return _page(request, game, {named: form})


def _page(request: HttpRequest, game: Game, bound: dict[str, forms.Form]) -> HttpResponse:
    context = {
        "game": game,
        "here": "people",
        "rows": _rows(game, bound),
        "standbys": desk.standbys(game),
        "gamesmasters": list(game.gamesmasters.order_by("pk")),
        "sees_as": permissions.sees_as(request.user, game),
        "asked": desk.asked_gamesmasters(game),
        "add_form": bound.get("add") or GamesmasterForm(auto_id="add-%s"),
        "hand_form": bound.get("hand-over") or GamesmasterForm(auto_id="hand-over-%s"),
        "over": game.is_over,
        "joining": Game.Joining.choices if game.status == Game.Status.FORMING else [],
        "in_hands": has_pairs(game.rules),
        "stood_in_for": [seat.pk for seat in bots.stand_in_seats(game)],
        "acts": (
            Act.objects.filter(game=game)
            .exclude(seat=None)
            .select_related("done_by")
            .order_by("-pk")[:20]
        ),
    }
    return render(request, "desk/people.html", context)


def _rows(game: Game, bound: dict[str, forms.Form]) -> list[Row]:
    vacant = {seat.pk: missed for seat, missed in desk.vacant_seats(game)}
    listed = {seat.pk for seat in desk.open_seats(game)}
    rows = []
    for seat in (
        game.seats.nations().order_by("ordinal").prefetch_related("sittings__person", "invitations")
    ):
        sittings = sorted(seat.sittings.all(), key=lambda sitting: (sitting.since, sitting.pk))
        offers = [offer for offer in seat.invitations.all() if offer.is_open]
        made = {
            do: bound.get(f"{do}-{seat.pk}") or form(auto_id=f"{do}-{seat.pk}-%s")
            for do in OF_A_SEAT
            if (form := DOES[do][0]) is not None
        }
        rows.append(
            Row(
                seat=seat,
                sittings=tuple(sitting for sitting in sittings if sitting.is_current),
                former=tuple(sitting for sitting in sittings if sitting.until is not None),
                offers=tuple(sorted(offers, key=lambda offer: offer.invited_at, reverse=True)),
                spokesman=_speaks(seat),
                missed=vacant.get(seat.pk, 0),
                vacant=seat.pk in vacant,
                listed=seat.pk in listed,
                forms=made,
            )
        )
    return rows


def _speaks(seat: Seat) -> Person | None:
    spokesman = teams.spokesman(seat) if seat.team and teams.has_spokesman(seat.game) else None
    return spokesman.person if spokesman is not None else None


# --- for players, and for anybody ---


@require_http_methods(["GET", "HEAD", "POST"])
def run_game(request: HttpRequest, token: str) -> HttpResponse:
    """Show what a letter asks; the button makes its reader a gamesmaster and logs them in."""
    now, refused_because = clock.now(), ""
    form = NameForm(request.POST if request.method == "POST" else None)
    try:
        asked, asked_person = desk.find_request(token, now)
        if request.method == "POST" and form.is_valid():
            try:
                game, person = desk.accept_request(token, now)
            except DeskError as error:
                refused_because = str(error)
            else:
                enter(request, person, form.cleaned_data["name"])
                messages.success(request, f"You run “{game.title}” from now on.")
                return redirect("desk", game.pk)
    except tokens.KeyRefused as refused:
        context: dict[str, Any] = {"sentence": str(refused)}
        return render(request, "games/invitation_refused.html", context, status=410)
    context = {"game": asked.game, "asked": asked, "asked_person": asked_person, "form": form}
    context["refused_because"] = refused_because
    return render(request, "games/run_game.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@for_players
def leave(request: HttpRequest, game: Game) -> HttpResponse:
    """Where a player gives up his seat, with a reason that everybody reads."""
    person, now = person_of(request), clock.now()
    seats = permissions.seats_held(person, game)
    form = ReasonForm(request.POST if request.method == "POST" else None, auto_id="leave-%s")
    if request.method == "POST" and form.is_valid():
        chosen = (
            [seat for seat in seats if str(seat.pk) == request.POST.get("seat")]
            if len(seats) > 1
            else seats
        )
        if not chosen:
            raise Http404
        with form.errors_at("reason"):
            desk.vacate(chosen[0], person, form.cleaned_data["reason"], person, now)
            messages.success(
                request, f"You no longer play {chosen[0].nation}. Thank you for playing."
            )
            return redirect(game if permissions.sees_game(person, game) else "home")
    return render(request, "games/leave.html", {"game": game, "seats": seats, "form": form})


@require_http_methods(["GET", "HEAD", "POST"])
def standby(request: HttpRequest) -> HttpResponse:
    """List open seats and standbys. Reading needs no login, asking does."""
    now = clock.now()
    form = StandbyForm(request.POST if request.method == "POST" else None, auto_id="standby-%s")
    if request.method == "POST":
        return _stand(request, form, now)
    return _standby_page(request, form)


@login_required
def _stand(request: HttpRequest, form: StandbyForm, now: datetime) -> HttpResponse:
    person = person_of(request)
    if pk := request.POST.get("down", ""):
        row = get_object_or_404(Standby, pk=number_in(pk) or 0, person=person)
        with tell_refusals(request):
            desk.stand_down(row, now)
            messages.success(request, "You are no longer on that list.")
        return redirect("standby")
    if not form.is_valid():
        return _standby_page(request, form)
    game = None
    if pk := request.POST.get("game", ""):
        game = next((one for one in _asked_for() if str(one.pk) == pk), None)
        if game is None:
            messages.error(
                request, "That seat is no longer open. See those below, or join the standby list."
            )
            return redirect("standby")
    with form.errors_at("note"):
        kind = form.cleaned_data["ruleset_id"] if game is None else ""
        desk.stand_by(person, game, form.cleaned_data["note"], now, ruleset_id=kind)
        if game is not None:
            said = f"You have asked for a seat in “{game.title}”. Its gamesmaster gets a letter."
        else:
            said = "You are on the list. We write to you when a game with free seats opens."
        messages.success(request, said)
        return redirect("standby")
    return _standby_page(request, form)


def _asked_for() -> list[Game]:
    """Return the games in which one may ask for a seat."""
    asked = [game for game, _ in desk.games_to_join() if game.joining == Game.Joining.ASK]
    return [*asked, *(seat.game for seat in desk.open_seats())]


def _standby_page(request: HttpRequest, form: StandbyForm) -> HttpResponse:
    person = request.user
    mine = (
        Standby.objects.filter(person=person, until=None).select_related("game")
        if isinstance(person, Person)
        else []
    )
    asked = {row.game_id for row in mine}
    seats = [
        (
            seat,
            seat.game_id in asked,
            isinstance(person, Person) and bool(permissions.seats_held(person, seat.game)),
        )
        for seat in desk.open_seats()
    ]
    free = desk.games_to_join()
    sitting = (
        Sitting.objects.current()
        .filter(seat__game__in=[game.pk for game, _ in free])
        .select_related("person", "seat")
    )
    records = track_record.of_people(
        {one.person_id for one in sitting if one.person.record_shown}, clock.now()
    )
    held = {one.seat.game_id for one in sitting if one.person == person}
    hidden = {game.pk for game, _ in free if not permissions.sees_names(person, game)}
    context = {
        "games": [
            {
                "game": game,
                "free": nations,
                "pace": schedule.in_words(game.schedule, game.zone),
                "people": [
                    (one, records.get(one.person_id))
                    for one in sitting
                    if one.seat.game_id == game.pk
                ],
                "bots": list(game.seats.filter(bot=True).values_list("nation", flat=True)),
                "hidden": game.pk in hidden,
                "asked": game.pk in asked,
                "plays": game.pk in held,
                "at_once": desk.may_be_joined(game),
            }
            for game, nations in free
        ],
        "seats": seats,
        "mine": mine,
        "form": form,
        "general": None in asked,
    }
    return render(request, "games/standby.html", context)
