"""The telephone game: whom to ring, taking orders down while listening, reading them back, and the
newest result as a script.

Without scripts every button brings the page back with nothing lost; with them what is typed is
understood while it is typed.
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
from games.desk import telephone_script
from games.game_templates import template_of
from games.market import bank
from games.models import Call, Game, Person, Phase, Seat, Sitting
from games.seats import teams
from games.timing import local_time as moments
from games.timing import schedule
from games.web.decorators import for_gamesmasters
from games.web.headings import headings
from games.web.requests import person_of, phase_shown, tell_refusals
from gamesmaster import clock
from orders import in_force, ledger, telephone
from orders.models import Submission
from orders.web.forms import as_typed, language_of

EXAMPLES = 300
SeatPage = Callable[[HttpRequest, Game, Seat, Phase | None, datetime], HttpResponse]


@dataclass(frozen=True)
class CallRow:
    """A seat on the call sheet."""

    seat: Seat
    #: Of a nation that nobody holds those of the nation that sends its orders this turn.
    people: tuple[Reached, ...]
    controller: str  # that nation; empty where the seat is anybody's
    owes: bool
    acts: bool
    sent: Submission | None
    call: Call | None


@dataclass(frozen=True)
class Reached:
    """How somebody in a seat is reached by telephone."""

    sitting: Sitting
    number: str  # the gamesmaster's note of it, else the player's own; "" where nobody knows one
    time: str  # local time there now

    @property
    def person(self) -> Person:
        return self.sitting.person

    @property
    def dialled(self) -> str:
        return dialled(self.number)


def reached(sitting: Sitting, now: datetime) -> Reached:
    person = sitting.person
    return Reached(sitting, sitting.telephone or person.telephone, local_time(person.zone, now))


def dialled(number: str) -> str:
    """A number as a link has it: a plus and digits."""
    digits = "".join(sign for sign in number if sign.isascii() and (sign.isdigit() or sign in "*#"))
    return ("+" if number.strip().startswith("+") else "") + digits


def for_the_listener(page: SeatPage) -> Callable[..., HttpResponse]:
    """For whoever may take down the orders of this seat."""

    @wraps(page)
    @for_gamesmasters
    def wrapped(request: HttpRequest, game: Game, seat: int) -> HttpResponse:
        found = get_object_or_404(Seat.objects.select_related("game"), pk=seat, game=game)
        if not permissions.may_take_down(request.user, found):
            raise Http404
        phase = game.phases.current()
        return page(request, game, found, phase, clock.now())

    return wrapped


@require_safe
@for_gamesmasters
def sheet(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the call sheet: who owes orders, where they are, the time there, the last call."""
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
    """Every seat that people play, in card order."""
    is_open = phase is not None and phase.status == Phase.Status.OPEN
    acting = game.rules.acting(positions.state_of(phase)) if phase is not None and is_open else ()
    sent = in_force.in_force(phase) if phase is not None and is_open else {}
    calls = telephone.last_calls(phase) if phase is not None else {}
    sitting: dict[int, list[Sitting]] = {}
    for each in (
        Sitting.objects.current().filter(seat__game=game).select_related("person").order_by("pk")
    ):
        sitting.setdefault(each.seat_id, []).append(each)
    rows = []
    seats = {seat.nation: seat for seat in game.seats.nations().order_by("ordinal")}
    for seat in seats.values():
        controller = phase.controllers.get(seat.nation, "") if phase is not None else ""
        sender = seats.get(controller, seat)
        if sender.bot:
            continue
        sittings = tuple(sitting.get(sender.pk, ()))
        acts = seat.nation in acting
        submission = sent.get(seat.nation)
        owes = acts and submission is None and bool(sittings)
        people = tuple(reached(each, now) for each in sittings)
        rows.append(CallRow(seat, people, controller, owes, acts, submission, calls.get(seat.pk)))
    return rows


def local_time(zone: str, now: datetime) -> str:
    """“Tuesday 21:40 in Berlin”."""
    try:
        there = now.astimezone(ZoneInfo(zone))
    except (KeyError, ValueError, OSError):
        return ""
    return f"{there:%A %H:%M}" + (
        "" if zone in moments.UNIVERSAL else f" in {schedule.place(zone)}"
    )


@require_POST
@for_the_listener
def call(
    request: HttpRequest, game: Game, seat: Seat, phase: Phase | None, now: datetime
) -> HttpResponse:
    """Notes a call about the phase that is played."""
    if phase is None:
        messages.error(request, "The game has not begun. You can note calls once it has.")
        return redirect("desk-telephone", game.pk)
    with tell_refusals(request, ledger.LedgerError):
        made = telephone.note_call(
            seat,
            phase,
            request.POST.get("outcome", ""),
            person_of(request),
            now,
            person=_caller(request, seat),
            note=request.POST.get("note", ""),
        )
        messages.success(request, f"Noted: {seat.nation}, {made.get_outcome_display()}.")
        if made.outcome in (Call.Outcome.REACHED, Call.Outcome.CALLED_US):
            return redirect("desk-telephone-seat", game.pk, seat.pk)
    return redirect("desk-telephone", game.pk)


def _sittings(seat: Seat) -> list[Sitting]:
    """Who may speak for a seat: those who sit there, and for one that nobody holds those of the
    nation that controls it this turn."""
    sender = next(iter(permissions.controlling(seat)), seat)
    return list(sender.sittings.current().select_related("person").order_by("pk"))


@require_POST
@for_the_listener
def number(
    request: HttpRequest, game: Game, seat: Seat, phase: Phase | None, now: datetime
) -> HttpResponse:
    """Write down, for this game alone, the number under which somebody in the seat is reached."""
    sitting = next(
        (each for each in _sittings(seat) if str(each.pk) == request.POST.get("sitting", "")), None
    )
    if sitting is None:
        raise Http404
    with tell_refusals(request):
        desk.note_number(sitting, request.POST.get("number", ""))
        messages.success(request, f"The number for {seat.nation} is saved.")
    return redirect("desk-telephone", game.pk)


def _caller(request: HttpRequest, seat: Seat) -> Person | None:
    """Return who is on the line; nobody need be chosen where one person sits there."""
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
    """Take orders while listening. `do` is the button: add (by Enter), read, down."""
    if phase is None or game.is_over:
        said = (
            "The game has not begun: there is nothing to order yet."
            if phase is None
            else "The game is over: there is nothing to order."
        )
        messages.error(request, said)
        return redirect("desk-telephone", game.pk)
    if request.method != "POST":
        return _page(request, game, seat, phase, now, _in_force(request, game, seat, phase))
    text, line = _typed(request)
    do = request.POST.get("do", "")
    if do != "down":
        return _page(request, game, seat, phase, now, _with_line(text, line))
    if request.POST.get("leave_out") != "on" and (
        said := _unread(request, game, seat, phase, _with_line(text, line), now)
    ):
        return _page(request, game, seat, phase, now, _with_line(text, line), fault=said)
    try:
        submission = telephone.take_down(
            seat,
            _with_line(text, line),
            person_of(request),
            now,
            caller=_caller(request, seat),
            read_back=request.POST.get("read_back") == "on",
            final=request.POST.get("final") == "on",
            meant_for=phase_shown(request, game),
            heard=request.POST.get("heard", ""),
        )
    except ledger.LedgerError as error:
        return _page(request, game, seat, phase, now, _with_line(text, line), fault=str(error))
    _tell(request, submission)
    return redirect("desk-telephone", game.pk)


def _unread(
    request: HttpRequest, game: Game, seat: Seat, phase: Phase, text: str, now: datetime
) -> str:
    """Return why a text is not taken down yet: a line in it would be lost without a word."""
    if phase_shown(request, game) not in (None, phase):
        return ""  # of a phase that has closed everything is kept as it is, and changes nothing
    hushed = permissions.lacks_secrets_of(request.user, seat, phase)
    back = _reading(seat, phase, text, now, hushed=hushed)["back"]
    if back is None or not back.remarks:
        return ""
    lines = " and ".join(str(remark.line) for remark in back.remarks)
    which = f"Lines {lines} do" if len(back.remarks) > 1 else f"Line {lines} does"
    return (
        f"Nothing is taken down yet: {which} not count as written. Correct what is named under"
        " “Read back”, or tick “Leave out what does not count”."
    )


def _speaks(seat: Seat) -> str:
    """Of a team with a spokesman his name: what another one says is taken down as a proposal to
    him. Empty where anybody's words count."""
    sender = next(iter(permissions.controlling(seat)), seat)
    spokesman = teams.spokesman(sender) if sender.team and teams.has_spokesman(seat.game) else None
    return (spokesman.person.name or "the first of them") if spokesman is not None else ""


def _tell(request: HttpRequest, submission: Submission) -> None:
    """What became of orders that were taken down."""
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
    elif not submission.counts:
        messages.error(
            request,
            f"{who} are stored, but no line in them is valid: the earlier orders stay in force.",
        )
    elif submission.member and teams.by_vote(submission.game):
        messages.success(
            request, f"{who} are kept{under} as one vote of the team, which gets the transcript."
        )
    else:
        messages.success(request, f"{who} are in force{under}. The player gets the transcript.")


def _typed(request: HttpRequest) -> tuple[str, str]:
    return as_typed(request.POST.get("text", "")), as_typed(request.POST.get("line", ""))


def _with_line(text: str, line: str) -> str:
    """The text with the line that is being typed at its end."""
    if not line.strip():
        return text
    return f"{text.rstrip()}\n{line}\n" if text.strip() else f"{line}\n"


def _in_force(request: HttpRequest, game: Game, seat: Seat, phase: Phase) -> str:
    """Return what the seat has in force, unless a gamesmaster who plays may not read it."""
    if phase.status != Phase.Status.OPEN or seat.nation not in permissions.readable_nations(
        request.user, game, phase=phase
    ):
        return ""
    standing = in_force.in_force(phase).get(seat.nation)
    return standing.text if standing is not None else ""


@require_POST
@for_the_listener
def read(
    request: HttpRequest, game: Game, seat: Seat, phase: Phase | None, now: datetime
) -> HttpResponse:
    """Return what is read back of the text and the line being typed. Nothing is stored."""
    if phase is None:
        raise Http404
    told = _reading(
        seat,
        phase,
        _with_line(*_typed(request)),
        now,
        hushed=permissions.lacks_secrets_of(request.user, seat, phase),
    )
    return render(request, "desk/_read_back.html", told | {"game": game, "seat": seat})


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
    people = [reached(each, now) for each in _sittings(seat)]
    acts = phase.status == Phase.Status.OPEN and seat.nation in game.rules.acting(state)
    readable = seat.nation in permissions.readable_nations(request.user, game, phase=phase)
    seen = game.rules.view(state, seat.nation if readable else None)
    choices = game.rules.planner.choices(seen, seat.nation)
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
        "brief": game.rules.planner.brief(seen, seat.nation) if acts else (),
        "examples": [choice.line() for choice in choices][:EXAMPLES] if acts else [],
        "standing": in_force.in_force(phase).get(seat.nation),
        "readable": readable,
        "seats": [row.seat for row in call_rows(game, phase, now)],
        "nations": headings(game.card["order"]),
        "language": template_of(game.ruleset_id, "orders/language/*.html"),
        "owner_says": game.options.get("ow2.u_loss") == "owner_says",
        **language_of(choices),
        **_reading(
            seat, phase, text, now, hushed=permissions.lacks_secrets_of(request.user, seat, phase)
        ),
    }
    return render(request, "desk/telephone_seat.html", context)


@require_safe
@for_gamesmasters
def read_out(request: HttpRequest, game: Game) -> HttpResponse:
    """The newest result as a script to read out, then the board and the deadline."""
    now = clock.now()
    context = {
        "here": "telephone",
        "game": game,
        "now": now,
        "script": telephone_script.make_script(game, bank.companies()),
    }
    return render(request, "desk/telephone_script.html", context)
