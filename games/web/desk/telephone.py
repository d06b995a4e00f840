"""The telephone game: whom to call, taking orders down while listening, reading them back, and the
newest result as a script.

Without JavaScript every button reloads the page and loses nothing; with it, orders are read while
they are typed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games import desk, permissions, positions
from games.base import clock
from games.desk import telephone_script
from games.market import bank
from games.models import Call, Game, Person, Phase, Seat, Sitting
from games.pages.decorators import for_gamesmasters
from games.pages.headings import headings
from games.pages.requests import person_of, shown_phase, tell_refusals
from games.positions import in_force, owed
from games.seats import teams
from games.timing import local_time as moments
from games.timing import schedule
from orders.intake import ledger, telephone
from orders.models import Submission
from orders.web.forms import restore_line_ends

EXAMPLES = 300
SeatPage = Callable[[HttpRequest, Game, Seat, Phase | None, datetime], HttpResponse]


@dataclass(frozen=True)
class CallRow:
    """A seat on the call sheet."""

    seat: Seat
    #: For a nation that nobody plays: the people of the nation that sends its orders this turn.
    people: tuple[TelephoneContact, ...]
    controller: str  # that nation; empty if the seat has a player
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
        "rows": sorted(rows, key=lambda row: not row.owes),
        "owing": sum(row.owes for row in rows),
        "outcomes": Call.Outcome.choices,
        "nations": headings(game.card["order"]),
        "rule_in_words": schedule.in_words(game.schedule, game.zone),
    }
    return render(request, "desk/telephone.html", context)


def call_rows(game: Game, phase: Phase | None, now: datetime) -> list[CallRow]:
    """Return a row for every seat that people play, in the scenario's order."""
    is_open = phase is not None and phase.status == Phase.Status.OPEN
    state = positions.state_of(phase) if phase is not None and is_open else None
    acting = game.rules.acting_nations(state) if state is not None else ()
    asked = owed.asked_nations(game, state) if state is not None else ()
    sent = in_force.in_force(phase) if phase is not None and is_open else {}
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
        rows.append(CallRow(seat, people, controller, owes, acts, submission, calls.get(seat.pk)))
    return rows


def local_time(zone: str, now: datetime) -> str:
    """Return “Tuesday 21:40 in Berlin”; empty for an unknown zone."""
    try:
        local = now.astimezone(ZoneInfo(zone))
    except (KeyError, ValueError, OSError):
        return ""
    return f"{local:%A %H:%M}" + (
        "" if zone in moments.UNIVERSAL else f" in {schedule.place(zone)}"
    )


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
            person=_caller(request, seat),
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


def _caller(request: HttpRequest, seat: Seat) -> Person | None:
    """Return the person on the line; the form need not choose if the seat has only one."""
    people = [sitting.person for sitting in _sittings(seat)]
    chosen = request.POST.get("caller", "")
    if not chosen and len(people) == 1:
        return people[0]
    return next((person for person in people if str(person.pk) == chosen), None)


@require_http_methods(["GET", "HEAD", "POST"])
@for_the_listener
def take(
    request: HttpRequest, game: Game, seat: Seat, phase: Phase | None, now: datetime
) -> HttpResponse:
    """Take down orders while listening. `do` is the button: add (Enter), read or down."""
    if phase is None or game.is_over:
        fault = (
            "The game has not begun: there is nothing to order yet."
            if phase is None
            else "The game is over: there is nothing to order."
        )
        messages.error(request, fault)
        return redirect("desk-telephone", game.pk)
    if request.method != "POST":
        return _page(request, game, seat, phase, now, _orders_in_force(request, game, seat, phase))
    text, line = _typed_texts(request)
    do = request.POST.get("do", "")
    if do != "down":
        return _page(request, game, seat, phase, now, _add_line(text, line))
    if request.POST.get("leave_out") != "on" and (
        fault := _unread(request, game, seat, phase, _add_line(text, line), now)
    ):
        return _page(request, game, seat, phase, now, _add_line(text, line), fault=fault)
    try:
        submission = telephone.take_down(
            seat,
            _add_line(text, line),
            person_of(request),
            now,
            caller=_caller(request, seat),
            read_back=request.POST.get("read_back") == "on",
            final=request.POST.get("final") == "on",
            meant_for=shown_phase(request, game),
            heard=request.POST.get("heard", ""),
        )
    except ledger.LedgerError as error:
        return _page(request, game, seat, phase, now, _add_line(text, line), fault=str(error))
    _report_outcome(request, submission)
    return redirect("desk-telephone", game.pk)


def _unread(
    request: HttpRequest, game: Game, seat: Seat, phase: Phase, text: str, now: datetime
) -> str:
    """Return why a text is not taken down yet: one of its lines would be lost silently."""
    if shown_phase(request, game) not in (None, phase):
        return ""  # orders for a closed phase are stored as they are, and change nothing
    hushed = permissions.lacks_secrets_of(request.user, seat, phase)
    back = _reading(seat, phase, text, now, hushed=hushed)["back"]
    if back is None or not back.remarks:
        return ""
    lines = " and ".join(str(remark.line) for remark in back.remarks)
    which = f"Lines {lines} do" if len(back.remarks) > 1 else f"Line {lines} does"
    return (
        f"Nothing is taken down yet: {which} not count as written. Correct what “Read back” names,"
        " or tick “Leave out what does not count”."
    )


def _speaks(seat: Seat) -> str:
    """Return the name of the team's spokesman, to whom the orders of other members are proposals.
    Empty if every member's orders count."""
    sender = next(iter(permissions.controlling_seats(seat)), seat)
    spokesman = teams.spokesman(sender) if sender.team and teams.has_spokesman(seat.game) else None
    return (spokesman.person.name or "the first of them") if spokesman is not None else ""


def _report_outcome(request: HttpRequest, submission: Submission) -> None:
    who = f"Orders No. {submission.seat_number} for {submission.seat.nation}"
    under = f" under the code {submission.read_back}" if submission.read_back else ""
    if submission.proposal and submission.understood and not submission.late:
        messages.success(
            request,
            f"{who} are kept{under} as a proposal to the team’s spokesman, who gets a letter.",
        )
    elif submission.late:
        messages.error(
            request,
            f"{who} are stored{under}, but late: they change nothing unless you accept them"
            " with a ruling.",
        )
    elif submission.question is not None:
        messages.warning(request, telephone.in_doubt(submission))
    elif not submission.counts:
        messages.error(
            request,
            f"{who} are stored, but no line in them is valid: the earlier orders stay in force.",
        )
    elif submission.member and teams.decides_by_vote(submission.game):
        messages.success(
            request, f"{who} are kept{under} as one vote of the team, which gets the transcript."
        )
    else:
        messages.success(request, f"{who} are in force{under}. The player gets the transcript.")


def _typed_texts(request: HttpRequest) -> tuple[str, str]:
    return restore_line_ends(request.POST.get("text", "")), restore_line_ends(
        request.POST.get("line", "")
    )


def _add_line(text: str, line: str) -> str:
    """Return the text with the unfinished line at its end."""
    if not line.strip():
        return text
    return f"{text.rstrip()}\n{line}\n" if text.strip() else f"{line}\n"


def _orders_in_force(request: HttpRequest, game: Game, seat: Seat, phase: Phase) -> str:
    """Return the seat's orders in force; "" for a gamesmaster who plays and may not read them."""
    if phase.status != Phase.Status.OPEN or seat.nation not in permissions.readable_nations(
        request.user, game, phase=phase
    ):
        return ""
    submission = in_force.in_force(phase).get(seat.nation)
    return submission.text if submission is not None else ""


@require_POST
@for_the_listener
def read(
    request: HttpRequest, game: Game, seat: Seat, phase: Phase | None, now: datetime
) -> HttpResponse:
    """Show the read-back of the text and of the line being typed. Nothing is stored.

    That line stands apart, because unfinished it would leave the one above it in doubt.
    """
    if phase is None:
        raise Http404
    text, line = _typed_texts(request)
    context = _reading(
        seat,
        phase,
        f"{text.rstrip()}\n\n{line}",
        now,
        hushed=permissions.lacks_secrets_of(request.user, seat, phase),
    )
    return render(request, "desk/_read_back.html", context | {"game": game, "seat": seat})


def _reading(seat: Seat, phase: Phase, text: str, now: datetime, *, hushed: bool) -> dict[str, Any]:
    if not text.strip():
        return {"back": None, "refused": ""}
    try:
        return {"back": telephone.read_back(seat, phase, text, now, hushed=hushed), "refused": ""}
    except ledger.LedgerError as error:
        return {"back": None, "refused": str(error)}


def _page(
    request: HttpRequest,
    game: Game,
    seat: Seat,
    phase: Phase,
    now: datetime,
    text: str,
    *,
    fault: str = "",
) -> HttpResponse:
    state = positions.state_of(phase)
    people = [telephone_contact(sitting, now) for sitting in _sittings(seat)]
    acts = phase.status == Phase.Status.OPEN and seat.nation in game.rules.acting_nations(state)
    readable = seat.nation in permissions.readable_nations(request.user, game, phase=phase)
    view = game.rules.view(state, seat.nation if readable else None)
    choices = game.rules.planner.choices(view, seat.nation)
    context = {
        "here": "telephone",
        "game": game,
        "seat": seat,
        "phase": phase,
        "now": now,
        "text": text,
        "fault": fault,
        "final": request.POST.get("final") == "on",
        "acts": acts,
        "controller": phase.controllers.get(seat.nation, ""),
        "speaks": _speaks(seat),
        "people": people,
        "caller": request.POST.get("caller", ""),
        "brief": game.rules.planner.brief(view, seat.nation) if acts else (),
        "examples": [choice.line() for choice in choices][:EXAMPLES] if acts else [],
        "standing": in_force.in_force(phase).get(seat.nation),
        "readable": readable,
        "seats": [row.seat for row in call_rows(game, phase, now)],
        "nations": headings(game.card["order"]),
        **_reading(
            seat, phase, text, now, hushed=permissions.lacks_secrets_of(request.user, seat, phase)
        ),
    }
    return render(request, "desk/telephone_seat.html", context)


@require_safe
@for_gamesmasters
def read_out(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the newest result as a script to read out, followed by the board and the deadline."""
    now = clock.now()
    context = {
        "here": "telephone",
        "game": game,
        "now": now,
        "script": telephone_script.make_script(game, bank.companies()),
    }
    return render(request, "desk/telephone_script.html", context)
