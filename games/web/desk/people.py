"""The desk's page of people, and the pages to become gamesmaster or leave a seat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.db.models import Q, prefetch_related_objects
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from games import desk, permissions
from games.accounts import tokens
from games.base import clock, links
from games.desk import DeskError
from games.models import Act, Game, Invitation, Person, Seat, Sitting
from games.pages.decorators import for_gamesmasters, for_players, until_the_end
from games.pages.forms import Form, NameForm
from games.pages.requests import parse_code, parse_number, person_of, tell_refusals
from games.rules.names import all_of
from games.rules.pairs import has_pairs
from games.seats import teams, track_record
from games.web.accounts.login import enter
from games.web.desk.forms import (
    GamesmasterForm,
    InviteForm,
    NoteForm,
    ReasonForm,
    ReplaceForm,
)
from orders.intake import bots


@dataclass(frozen=True)
class Row:
    """A seat with everybody who ever sat there, and what can be done with it now."""

    seat: Seat
    sittings: tuple[Sitting, ...]
    former: tuple[Sitting, ...]
    offers: tuple[Invitation, ...]  # newest first
    spokesman: Person | None  # of a team that has one
    returns: Sitting | None  # the former player whom a click brings back
    missed: int
    vacant: bool
    listed: bool
    forms: dict[str, Form]

    @property
    def offer(self) -> Invitation | None:
        return self.offers[0] if self.offers else None

    @property
    def empty(self) -> bool:
        return not self.seat.bot and not self.seat.by_table and not self.sittings


@dataclass(frozen=True)
class DeedRequest:
    """An action that was posted: by whom, when, and with what input."""

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
        """Return the person that the form names. Raise `DeskError` unless the page shows them.

        Refusals name the person, and a gamesmaster may learn only of people of their own game.
        """
        asked = [person.pk for _, person in desk.asked_gamesmasters(self.game)]
        shown = (
            Q(pk__in=permissions.people_of(self.game).values("pk"))
            | Q(pk__in=self.game.gamesmasters.values("pk"))
            | Q(pk__in=asked)
        )
        person = Person.objects.filter(shown, pk=self.number("person")).first()
        if person is None:
            raise DeskError("That person is not in this game.")
        return person

    def number(self, name: str) -> int:
        """Return a row's number from the posted field; 0 if it is not a number."""
        return parse_number(self.request.POST.get(name, "")) or 0


def _invite(asked: DeedRequest) -> str:
    to, hours = asked.data["email"], asked.data["extra_hours"] or 0
    desk.invite(asked.seat, to.email, asked.by, asked.now, name=to.name, extra_hours=hours)
    return f"The invitation to play {asked.seat.nation} is on its way."


def _replace(asked: DeedRequest) -> str:
    to, reason, hours = (asked.data[name] for name in ("email", "reason", "extra_hours"))
    desk.replace(
        asked.seat, to.email, reason, asked.by, asked.now, name=to.name, extra_hours=hours or 0
    )
    return (
        f"{asked.seat.nation} is offered to {to.name or to.email}; the seat stays empty until they"
        " accept."
    )


def _vacate(asked: DeedRequest) -> str:
    desk.vacate(asked.seat, asked.person, asked.data["reason"], asked.by, asked.now)
    return f"{asked.person} no longer plays {asked.seat.nation}."


def _eject(asked: DeedRequest) -> str:
    desk.eject(asked.seat, asked.person, asked.data["reason"], asked.by, asked.now)
    return f"The player of {asked.seat.nation} is out of the game."


def _take_back(asked: DeedRequest) -> str:
    person = desk.take_back(asked.seat, asked.data["reason"], asked.by, asked.now)
    return f"{person} plays {asked.seat.nation} again. Everybody gets a letter."


def _note(asked: DeedRequest) -> str:
    form = NoteForm(asked.request.POST)
    if not form.is_valid():
        raise DeskError(" ".join(map(str, form.errors["text"])))
    text = form.cleaned_data["text"]
    desk.note_person(asked.game, asked.person, text, asked.by, asked.now)
    return "Your note is saved." if text else "Your note is deleted."


def _join(asked: DeedRequest) -> str:
    to, hours = asked.data["email"], asked.data["extra_hours"] or 0
    desk.invite(
        asked.seat, to.email, asked.by, asked.now, name=to.name, extra_hours=hours, joins=True
    )
    return f"The invitation to the team of {asked.seat.nation} is on its way."


def _spokesman(asked: DeedRequest) -> str:
    desk.name_spokesman(asked.seat, asked.person, asked.by, asked.now)
    return f"{asked.person} now speaks for {asked.seat.nation}."


def _service(asked: DeedRequest) -> str:
    desk.let_the_service_play(asked.seat, asked.now, asked.by)
    return f"The service now plays {asked.seat.nation}."


def _no_service(asked: DeedRequest) -> str:
    desk.stop_service(asked.seat, asked.by, asked.now)
    return f"{asked.seat.nation} is empty. Invite a player, or list it as an open seat."


def _offer(asked: DeedRequest) -> str:
    desk.offer_open(asked.seat, asked.by, asked.now)
    return (
        f"The seat of {asked.seat.nation} is listed as open. Players who ask for it appear below."
    )


def _end_offer(asked: DeedRequest) -> str:
    desk.end_offer(asked.seat, asked.by, asked.now)
    return f"The seat of {asked.seat.nation} is no longer listed."


def _withdraw_invitation(asked: DeedRequest) -> str:
    offer = get_object_or_404(
        Invitation, code=parse_code(asked.request.POST.get("invitation", "")), seat__game=asked.game
    )
    desk.withdraw(offer, asked.now, asked.by)
    return "The invitation is withdrawn."


def _seat_standby(asked: DeedRequest) -> str:
    code = asked.request.POST.get("standby", "")
    standby = next((row for row in desk.standbys(asked.game) if row.code == code), None)
    if standby is None:
        raise DeskError("That person is no longer on standby.")
    if desk.seat_standby(asked.seat, standby, asked.by, asked.now) is None:
        return f"The invitation to play {asked.seat.nation} is on its way."
    return f"{standby.person} now plays {asked.seat.nation}."


def _set_stand_ins(asked: DeedRequest) -> str:
    enabled = asked.request.POST.get("stand_ins") == "yes"
    desk.set_stand_ins(asked.game, enabled, asked.by, asked.now)
    return (
        "From now on bots send the orders of vacant seats."
        if enabled
        else "Nobody sends orders for a vacant seat from now on."
    )


def _replace_link(asked: DeedRequest) -> str:
    desk.replace_join_link(asked.game, asked.by, asked.now)
    return "There is a new link to share. The earlier one no longer works."


def _set_joining(asked: DeedRequest) -> str:
    desk.set_joining(asked.game, asked.request.POST.get("joining", ""), asked.by, asked.now)
    return f"Free seats are for {asked.game.get_joining_display()}."


def _add(asked: DeedRequest) -> str:
    desk.ask_gamesmaster(asked.game, asked.data["email"], asked.by, asked.now)
    return f"{asked.data['email']} gets a letter. Once they accept, they run this game with you."


def _withdraw_request(asked: DeedRequest) -> str:
    desk.withdraw_gamesmaster_request(asked.game, asked.person, asked.by, asked.now)
    return "The invitation is withdrawn."


def _remove(asked: DeedRequest) -> str:
    desk.remove_gamesmaster(asked.game, asked.person, asked.by, asked.now)
    return "That gamesmaster no longer runs this game."


def _hand_over(asked: DeedRequest) -> str:
    email = asked.data["email"]
    if asked.game.gamesmasters.filter(email=email).exists():
        person = desk.hand_over(asked.game, email, asked.by, asked.now)
        return f"{person} now runs this game."
    desk.ask_gamesmaster(asked.game, email, asked.by, asked.now, hands_over=True)
    return f"{email} gets a letter. Once they accept, they run this game; until then you do."


#: The page's actions: the form, if there is one; the field that shows a refusal; the function.
DOES: dict[str, tuple[type[Form] | None, str, Callable[[DeedRequest], str]]] = {
    "invite": (InviteForm, "email", _invite),
    "replace": (ReplaceForm, "email", _replace),
    "vacate": (ReasonForm, "reason", _vacate),
    "eject": (ReasonForm, "reason", _eject),
    "back": (ReasonForm, "reason", _take_back),
    "note": (None, "", _note),
    "join": (InviteForm, "email", _join),
    "spokesman": (None, "", _spokesman),
    "service": (None, "", _service),
    "no-service": (None, "", _no_service),
    "offer": (None, "", _offer),
    "unoffer": (None, "", _end_offer),
    "uninvite": (None, "", _withdraw_invitation),
    "standby": (None, "", _seat_standby),
    "stand-ins": (None, "", _set_stand_ins),
    "joining": (None, "", _set_joining),
    "link": (None, "", _replace_link),
    "add": (GamesmasterForm, "email", _add),
    "unask": (None, "", _withdraw_request),
    "remove": (None, "", _remove),
    "hand-over": (GamesmasterForm, "email", _hand_over),
}
OF_A_SEAT = ("invite", "join", "replace", "vacate", "eject", "back")


@require_http_methods(["GET", "HEAD", "POST"])
@for_gamesmasters
def people(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the page of the people of one game."""
    now = clock.now()
    if request.method != "POST":
        return _page(request, game, {})
    do = request.POST.get("do", "")
    if do not in DOES:
        return HttpResponseBadRequest("This page does not have that action.")
    form_class, field, action = DOES[do]
    form_key = f"{do}-{request.POST.get('seat', '')}" if do in OF_A_SEAT else do
    form = form_class(request.POST, auto_id=f"{form_key}-%s") if form_class is not None else None
    if form is None or form.is_valid():
        data = form.cleaned_data if form is not None else {}
        with form.errors_at(field) if form is not None else tell_refusals(request):
            messages.success(
                request, action(DeedRequest(game, request, person_of(request), now, data))
            )
            form = None
    if form is None:
        runs = permissions.runs(request.user, game)
        return redirect("desk-people", game.pk) if runs else redirect(game)
    return _page(request, game, {form_key: form})


def _page(request: HttpRequest, game: Game, bound: dict[str, Form]) -> HttpResponse:
    rows, standbys = _rows(game, bound), desk.standbys(game)
    free = desk.free_seats(game)
    context = {
        "game": game,
        "now": clock.now(),
        "here": "people",
        "faults": [fault for form in bound.values() for fault in form.faults()],
        "rows": rows,
        "standbys": standbys,
        "about": _facts_by_person(request, game, rows, [standby.person for standby in standbys]),
        "gamesmasters": list(game.gamesmasters.order_by("pk")),
        "sees_as": permissions.may_see_as_player(request.user, game),
        "asked": desk.asked_gamesmasters(game),
        "add_form": bound.get("add") or GamesmasterForm(auto_id="add-%s"),
        "hand_form": bound.get("hand-over") or GamesmasterForm(auto_id="hand-over-%s"),
        "known_to_former_gamesmasters": desk.known_to_former_gamesmasters(game),
        "joining": Game.Joining.choices if game.status == Game.Status.FORMING else [],
        "free_seats": free,
        "join_link": links.link("join", game.pk, tokens.join_token(game)) if free else "",
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


@dataclass(frozen=True)
class PersonFacts:
    """What a gamesmaster may read about a person: how reliably they play, and the gamesmaster's own
    note. Shown at the first of the person's seats."""

    record: str
    form: NoteForm
    seat: int | None


def _facts_by_person(
    request: HttpRequest, game: Game, rows: list[Row], standing_by: list[Person]
) -> dict[int, PersonFacts]:
    """Return what the reader may read about people, by primary key."""
    seats: dict[int, int] = {}
    for row in rows:
        for sitting in row.sittings:
            seats.setdefault(sitting.person_id, row.seat.pk)
    persons = [sitting.person for row in rows for sitting in row.sittings] + standing_by
    visible = {
        person.pk for person in persons if permissions.sees_track_record(request.user, person)
    }
    records = track_record.track_records_of(visible, clock.now())
    notes = dict(permissions.own_notes(request.user, game).values_list("person", "text"))
    return {
        person.pk: PersonFacts(
            records[person.pk].summary if person.pk in records else "",
            NoteForm(initial={"text": notes.get(person.pk, "")}, auto_id=f"note-{person.pk}-%s"),
            seats.get(person.pk),
        )
        for person in persons
    }


def _rows(game: Game, bound: dict[str, Form]) -> list[Row]:
    permissions.load_seats(game)
    seats = permissions.nations_of(game)
    prefetch_related_objects(seats, "invitations")
    vacant = {seat.pk: missed for seat, missed in desk.vacant_seats(game)}
    listed = {seat.pk for seat in desk.open_seats(game)}
    returning = desk.may_return(seats)
    rows = []
    for seat in seats:
        sittings = sorted(seat.sittings.all(), key=lambda sitting: (sitting.since, sitting.pk))
        offers = [offer for offer in seat.invitations.all() if offer.is_open]
        spokesman = teams.spokesman(seat) if seat.team and teams.has_spokesman(seat.game) else None
        seat_forms = {
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
                spokesman=spokesman.person if spokesman is not None else None,
                returns=returning.get(seat.pk),
                missed=vacant.get(seat.pk, 0),
                vacant=seat.pk in vacant,
                listed=seat.pk in listed,
                forms=seat_forms,
            )
        )
    return rows


# --- for players and visitors ---


@require_http_methods(["GET", "HEAD", "POST"])
def run_game(request: HttpRequest, token: str) -> HttpResponse:
    """Show a request to run a game. The button accepts it and logs the reader in."""
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
                enter(request, person, form.cleaned_data["name"], game)
                messages.success(request, f"You now run “{game.title}”.")
                return redirect("desk", game.pk)
    except tokens.KeyRefused as refused:
        context: dict[str, Any] = {"sentence": str(refused)}
        return render(request, "games/invitation_refused.html", context, status=410)
    context = {"game": asked.game, "asked": asked, "asked_person": asked_person, "form": form}
    context["refused_because"] = refused_because
    return render(request, "games/run_game.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@for_players
@until_the_end
def leave(request: HttpRequest, game: Game) -> HttpResponse:
    """Let a player give up their seat, with a reason that goes to everybody."""
    person, now = person_of(request), clock.now()
    seats = permissions.held_seats(person, game)
    form = ReasonForm(request.POST if request.method == "POST" else None, auto_id="leave-%s")
    nations = all_of([seat.nation for seat in seats])  # a pair is left together
    if request.method == "POST" and form.is_valid():
        with form.errors_at("reason"):
            desk.leave(game, person, form.cleaned_data["reason"], now)
            messages.success(request, f"You no longer play {nations}. Thank you for playing.")
            return redirect(game if permissions.sees_game(person, game) else "home")
    context = {
        "game": game,
        "nations": nations,
        "team": seats[0].team,
        "stay": game.in_progress and not (seats[0].team and teams.decides_by_vote(game)),
        "form": form,
    }
    return render(request, "games/leave.html", context)
