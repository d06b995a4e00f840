"""The telephone game: whom to call, and the newest result as a script.

`games.web.desk.taking_down` takes down what they order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from games import desk, permissions, positions
from games.base import clock
from games.desk import telephone_script
from games.models import Call, Game, Person, Phase, Seat, Sitting
from games.pages.decorators import for_gamesmasters
from games.pages.headings import headings
from games.pages.requests import person_of, tell_refusals
from games.positions import in_force, owed
from games.rules.plain.words import COMPANIES
from games.timing import local_time as moments
from games.timing import schedule
from games.web.desk.inbox import next_step
from orders.intake import ledger, telephone
from orders.models import Submission

SeatPage = Callable[[HttpRequest, Game, Seat, Phase | None, datetime], HttpResponse]


@dataclass(frozen=True)
class CallRow:
    """A seat on the call sheet."""

    seat: Seat
    sender: Seat  # itself; for a nation that nobody plays, that of the nation that controls it
    people: tuple[TelephoneContact, ...]  # of the sender
    controller: str  # the name of that nation; empty if the seat has a player
    owes: bool
    acts: bool
    sent: Submission | None
    call: Call | None


@dataclass(frozen=True)
class TelephoneContact:
    """How to reach a person in a seat by telephone."""

    sitting: Sitting
    number: str  # the gamesmaster's note, else the player's own number; "" if neither is known
    time: str  # local time there now

    @property
    def person(self) -> Person:
        return self.sitting.person

    @property
    def dialled(self) -> str:
        return dialable_number(self.number)


def telephone_contact(sitting: Sitting, now: datetime) -> TelephoneContact:
    person = sitting.person
    return TelephoneContact(
        sitting, sitting.telephone or person.telephone, local_time(person.zone, now)
    )


def dialable_number(number: str) -> str:
    """Return a number as links need it: digits, `*` and `#`, after a plus if it began with one."""
    digits = "".join(char for char in number if char.isascii() and (char.isdigit() or char in "*#"))
    return ("+" if number.strip().startswith("+") else "") + digits


def for_the_listener(page: SeatPage) -> Callable[..., HttpResponse]:
    """Open a page to people who may take down the orders of this seat."""

    @wraps(page)
    @for_gamesmasters
    def wrapped(request: HttpRequest, game: Game, seat: int) -> HttpResponse:
        row = get_object_or_404(Seat.objects.select_related("game"), pk=seat, game=game)
        if not permissions.may_take_down(request.user, row):
            raise Http404
        phase = game.phases.current()
        return page(request, game, row, phase, clock.now())

    return wrapped


@require_safe
@for_gamesmasters
def call_sheet(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the call sheet: who owes orders, how to reach them, their local time, the last call."""
    now, phase = clock.now(), game.phases.current()
    rows = call_rows(game, phase, now)
    context = {
        "here": "telephone",
        "game": game,
        "phase": phase,
        "now": now,
        "next": next_step(game, phase, now),
        "rows": sorted(rows, key=lambda row: not row.owes),
        "owing": sum(row.owes for row in rows),
        "outcomes": Call.Outcome.choices,
        "nations": headings(game.card["order"]),
    }
    return render(request, "desk/telephone.html", context)


def call_rows(game: Game, phase: Phase | None, now: datetime) -> list[CallRow]:
    """Return a row for every seat that people play, in the scenario's order."""
    is_open = phase is not None and phase.status == Phase.Status.OPEN and not game.is_over
    state = positions.state_of(phase) if phase is not None and is_open else None
    acting = game.rules.acting_nations(state) if state is not None else ()
    asked = owed.asked_nations(game, state) if state is not None else ()
    sent = in_force.in_force(phase) if phase is not None else {}
    calls = telephone.last_calls(phase) if phase is not None else {}
    by_seat: dict[int, list[Sitting]] = {}
    for sitting in (
        Sitting.objects.current().filter(seat__game=game).select_related("person").order_by("pk")
    ):
        by_seat.setdefault(sitting.seat_id, []).append(sitting)
    rows = []
    seats = {seat.nation: seat for seat in game.seats.nations().order_by("ordinal")}
    for seat in seats.values():
        controller = phase.controllers.get(seat.nation, "") if phase is not None else ""
        sender = seats.get(controller, seat)
        if sender.bot:
            continue
        sittings = tuple(by_seat.get(sender.pk, ()))
        acts = seat.nation in acting
        submission = sent.get(seat.nation)
        owes = seat.nation in asked and submission is None and bool(sittings)
        people = tuple(telephone_contact(sitting, now) for sitting in sittings)
        call = calls.get(seat.pk)
        rows.append(CallRow(seat, sender, people, controller, owes, acts, submission, call))
    return rows


def local_time(zone: str, now: datetime) -> str:
    """Return “Tuesday 21:40 in Berlin”.

    Empty for an unknown zone, and for UTC: a person who has never named a zone has that one.
    """
    if zone in moments.UNIVERSAL:
        return ""
    try:
        local = now.astimezone(ZoneInfo(zone))
    except (KeyError, ValueError, OSError):
        return ""
    return f"{local:%A %H:%M} in {schedule.place(zone)}"


@require_POST
@for_the_listener
def call(
    request: HttpRequest, game: Game, seat: Seat, phase: Phase | None, now: datetime
) -> HttpResponse:
    """Note a call about the current phase."""
    if phase is None:
        messages.error(request, "The game has not begun. You can note calls once it has.")
        return redirect("desk-telephone", game.pk)
    with tell_refusals(request, ledger.LedgerError):
        new_call = telephone.note_call(
            seat,
            phase,
            request.POST.get("outcome", ""),
            person_of(request),
            now,
            person=find_caller(
                (sitting.person for sitting in _sittings(seat)), request.POST.get("caller", "")
            ),
            note=request.POST.get("note", ""),
        )
        messages.success(request, f"Noted: {seat.nation}, {new_call.get_outcome_display()}.")
        if new_call.outcome in (Call.Outcome.REACHED, Call.Outcome.CALLED_US):
            return redirect("desk-telephone-seat", game.pk, seat.pk)
    return redirect("desk-telephone", game.pk)


def _sittings(seat: Seat) -> list[Sitting]:
    """Return who may speak for a seat: the people in it, or, if nobody plays it, those of the
    nation that controls it this turn."""
    sender = next(iter(permissions.controlling_seats(seat)), seat)
    return list(sender.sittings.current().select_related("person").order_by("pk"))


@require_POST
@for_the_listener
def number(
    request: HttpRequest, game: Game, seat: Seat, phase: Phase | None, now: datetime
) -> HttpResponse:
    """Save, for this game only, the telephone number of a person in the seat."""
    sitting = next(
        (row for row in _sittings(seat) if str(row.pk) == request.POST.get("sitting", "")), None
    )
    if sitting is None:
        raise Http404
    with tell_refusals(request):
        desk.note_number(sitting, request.POST.get("number", ""))
        messages.success(request, f"The number for {seat.nation} is saved.")
    return redirect("desk-telephone", game.pk)


def find_caller(people: Iterable[Person], chosen: str) -> Person | None:
    """Return the person on the line; the form need not choose if the seat has only one."""
    people = list(people)
    if not chosen and len(people) == 1:
        return people[0]
    return next((person for person in people if str(person.pk) == chosen), None)


@require_safe
@for_gamesmasters
def read_out(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the newest result as a script to read out, followed by the board and the deadline."""
    context = {
        "here": "telephone",
        "game": game,
        "script": telephone_script.make_script(game, COMPANIES),
    }
    return render(request, "desk/telephone_script.html", context)
