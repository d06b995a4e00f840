"""The gamesmaster's desk: all games, most urgent first; and one page for each."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from games import market, permissions, positions
from games.letters.names import NAMES
from games.models import Act, Game, Letter, Person, Phase, Seat, Sitting, Standby
from games.templatetags.formatting import zone_name
from games.timing import schedule
from games.turns import figures
from games.web.decorators import for_gamesmasters
from games.web.desk import inbox
from games.web.forms import FigureForm, RollsForm
from games.web.headings import headings
from games.web.requests import person_of, tell_refusals
from gamesmaster import clock
from orders import in_force as orders_in_force
from orders.inbound.identity import waiting
from orders.inbound.parsing.message import parse
from orders.models import Handling, Submission

ACTS_SHOWN = 12
ROWS_SHOWN = 50  # of letters, mail and questions: a desk is no archive


@require_safe
@login_required
def desks(request: HttpRequest) -> HttpResponse:
    """All the games that somebody runs, most urgent first."""
    now = clock.now()
    rows = inbox.desks_of(person_of(request).games_run.select_related("opened_by"), now)
    return render(request, "desk/desks.html", {"desks": rows, "now": now})


@dataclass(frozen=True)
class SeatRow:
    """What a seat has sent in this phase; `newest` by its number, for who may read it."""

    seat: Seat
    people: tuple[Person, ...]
    acts: bool
    count: int = 0
    newest: Submission | None = None
    in_force: Submission | None = None
    missed: int = 0
    vacant: bool = False
    readable: bool = False

    @property
    def rejected(self) -> int:
        """Return how many lines of what is in force were rejected, for who may read them."""
        if self.in_force is None or not self.readable:
            return 0
        errors = (one for one in self.in_force.remarks if one["severity"] == "error")
        return len({one["line"] for one in errors})


@dataclass(frozen=True)
class HeldMail:
    """A message that waits for the gamesmaster, with its text where he may read it."""

    handling: Handling
    text: str | None


@require_safe
@for_gamesmasters
def desk(request: HttpRequest, game: Game) -> HttpResponse:
    """The desk of one game."""
    now = clock.now()
    (mine,) = inbox.desks_of([game], now)
    phase = mine.phase
    seated = bool(permissions.seats_held(request.user, game))
    position = positions.position(game)
    state = game.load(position)
    acting = game.rules.acting(state) if phase is not None else ()
    letters = Letter.objects.filter(
        game=game, status__in=(*inbox.UNDELIVERED, Letter.Status.PRINT)
    ).select_related("person", "phase")
    context = {
        "game": game,
        "here": "desk",
        "now": now,
        "desk": mine,
        "phase": phase,
        "seated": seated,
        "nations": headings(game.card["order"]),
        "rows": _seats(request, game, phase, acting),
        "deadline_there": _in_its_zone(game, phase),
        "rule_in_words": schedule.in_words(game.schedule, game.zone),
        "zone_place": schedule.place(game.zone),
        "letters": [
            (letter, NAMES.get(letter.kind, "a letter"))
            for letter in letters.order_by("pk")[:ROWS_SHOWN]
        ],
        "questions": list(inbox.unanswered([game]).select_related("seat")[:ROWS_SHOWN]),
        "mail": _held_mail(
            game, seated=seated or permissions.is_hidden_from_gamesmaster(game, phase)
        ),
        "acts": list(
            Act.objects.filter(game=game).select_related("done_by").order_by("-pk")[:ACTS_SHOWN]
        ),
        "standby": list(
            Standby.objects.filter(until=None, game=game).select_related("person").order_by("since")
        ),
        "gamesmasters": list(game.gamesmasters.order_by("pk")),
        "figure_form": FigureForm(auto_id="figure-%s")
        if phase and phase.session and phase.status in WAITS_FOR_SALES
        else None,
        "rolls_form": RollsForm(auto_id="rolls-%s")
        if phase and _wants_rolls(game, phase)
        else None,
        "throws": _throws(game, phase, seated=seated),
        "waits": figures.waits(phase, now),
        "settled": list(phase.figures.order_by("symbol"))
        if phase and phase.locked_at and phase.draws and not _wants_rolls(game, phase)
        else [],
    }
    return render(request, "desk/desk.html", context)


WAITS_FOR_SALES = (Phase.Status.DRAWING, Phase.Status.HELD)


def _wants_rolls(game: Game, phase: Phase) -> bool:
    return phase.status == Phase.Status.DRAWING and market.source_of(game) == market.GM_DICE


def _throws(game: Game, phase: Phase | None, *, seated: bool) -> figures.Throws | None:
    """Return which attack is rolled for next. A gamesmaster who plays, or from whom the phase is
    hidden, rolls without knowing for what."""
    if phase is None or not _wants_rolls(game, phase) or seated:
        return None
    return None if permissions.is_hidden_from_gamesmaster(game, phase) else figures.throws(phase)


def _in_its_zone(game: Game, phase: Phase | None) -> str:
    """Return the open deadline in the game's zone; a template would turn it into the reader's."""
    if (
        phase is None
        or phase.sheeted
        or phase.status != Phase.Status.OPEN
        or game.status != Game.Status.RUNNING
    ):
        return ""
    local = phase.deadline.astimezone(game.zoneinfo)
    return f"{local:%A} {local.day} {local:%B %Y}, {local:%H:%M} {zone_name(local)}"


def _seats(
    request: HttpRequest, game: Game, phase: Phase | None, acting: tuple[str, ...]
) -> list[SeatRow]:
    """Return who has sent what when, seat by seat: numbers, and not what the orders say."""
    sitting = Prefetch(
        "sittings",
        queryset=Sitting.objects.current().select_related("person"),
        to_attr="sitting_now",
    )
    seats = list(game.seats.nations().order_by("ordinal").prefetch_related(sitting))
    phases = list(game.phases.order_by("number"))
    counted = (
        Submission.objects.filter(game=game, counts=True)
        .values_list("phase", "seat__nation")
        .distinct()
    )
    since = {
        seat.nation: min(one.since for one in _sitting(seat)) for seat in seats if _sitting(seat)
    }
    missed = inbox.missed_in_a_row(seats, phases, counted, since)
    sent: dict[int, list[Submission]] = {}
    if phase is not None:
        for submission in phase.submissions.defer("text", "understood", "remarks").order_by(
            "number"
        ):
            sent.setdefault(submission.seat_id, []).append(submission)
    in_force = orders_in_force.in_force(phase) if phase is not None else {}
    readable = permissions.readable_nations(request.user, game, settled=phase is None, phase=phase)
    limit = game.options["seat.nmr_limit"]
    rows = []
    for seat in seats:
        own = sent.get(seat.pk, [])
        rows.append(
            SeatRow(
                seat=seat,
                people=tuple(one.person for one in _sitting(seat)),
                acts=seat.nation in acting,
                count=len(own),
                newest=own[-1] if own else None,
                in_force=in_force.get(seat.nation),
                missed=missed[seat.nation],
                vacant=bool(limit) and missed[seat.nation] >= limit,
                readable=seat.nation in readable,
            )
        )
    return rows


def _sitting(seat: Seat) -> list[Sitting]:
    found: list[Sitting] = getattr(seat, "sitting_now", [])
    return found


def _held_mail(game: Game, *, seated: bool) -> list[HeldMail]:
    """Return held mail; without text for a gamesmaster who plays: it may be orders."""
    rows = (
        Handling.objects.filter(game=game, status=Handling.Status.HELD)
        .select_related("mail", "person")
        .order_by("pk")[:ROWS_SHOWN]
    )
    return [HeldMail(row, None if seated else _text(row)) for row in rows]


#: The key in an address such as orders+key@example.org, by which we know whose letter is answered:
# nobody else's to read.
_KEY = re.compile(r"\+[A-Za-z0-9_-]{8,}@")


def _text(handling: Handling) -> str:
    """The words of the message with its subject, and without its sender's key."""
    message = parse(bytes(handling.mail.raw), handling.mail.envelope_from)
    return _KEY.sub("+…@", f"Subject: {message.subject}\n\n{message.text}")[:20_000]


#: What may be done with a held message, and what is said of it then.
DECISIONS = {
    "obey": (waiting.let_in, "accepted and counts from the time we received it"),
    "refuse": (waiting.refuse, "refused; it is stored and has no effect"),
}


@require_POST
@for_gamesmasters
def decide_mail(request: HttpRequest, game: Game, handling: int) -> HttpResponse:
    """Let a held message in as of when it came, or refuse it. Its sender is answered."""
    held = get_object_or_404(Handling.objects.select_related("mail"), pk=handling, game=game)
    decision = request.POST.get("decision", "")
    if held.status != Handling.Status.HELD:
        messages.error(request, "This message is already decided.")
    elif decision not in DECISIONS:
        messages.error(request, "Choose whether to accept or refuse the message.")
    else:
        decide, said = DECISIONS[decision]
        with tell_refusals(request, waiting.NotWaiting):
            decide(held, person_of(request), clock.now())
            messages.success(request, f"The message is {said}. We notify the sender.")
    return redirect("desk", game.pk)
