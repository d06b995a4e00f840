"""The gamesmaster's desk: all games, most urgent first, and one page for each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from games import market, permissions, positions
from games.base import clock
from games.desk import empty_seats, nations_to_remind, start
from games.letters import printing
from games.models import Act, Game, Invitation, Letter, Person, Phase, Ruling, Seat, Standby
from games.outbox.messages import KINDS
from games.pages.decorators import for_gamesmasters
from games.pages.forms import RollsForm
from games.pages.headings import headings
from games.pages.requests import person_of, tell_refusals
from games.pages.tags.formatting import zone_name
from games.positions import in_force as orders_in_force
from games.positions import owed
from games.press import conversations
from games.rules.settings import changeable_settings
from games.timing import schedule
from games.turns import figures, late_orders
from games.web.desk import inbox
from games.web.desk.forms import FiguresForm
from games.web.desk.times import more_time
from orders.inbound import set_aside
from orders.inbound.identity import waiting
from orders.inbound.parsing.message import parse
from orders.models import Handling, Submission

ACTS_SHOWN = 12
DESKS_SHOWN = 100  # for an operator, who sees all games
ROWS_SHOWN = 50  # of letters, mail and questions: the desk is not an archive


@require_safe
@login_required
def desks(request: HttpRequest) -> HttpResponse:
    """Show the games that a person runs, most urgent first. With `?all`, operators see all current
    games in which something waits for a gamesmaster."""
    now, person = clock.now(), person_of(request)
    all_games = "all" in request.GET and permissions.operates(person)
    games = person.games_run.all()
    if all_games:
        games = Game.objects.filter(status__in=Game.Status.going_on(), practice=False)
    rows = inbox.desks_of(games.select_related("opened_by"), person, now)
    if all_games:
        rows = [row for row in rows if row.wants][:DESKS_SHOWN]
    context = {"desks": rows, "now": now, "everybodys": all_games}
    context["operates"] = permissions.operates(person)
    return render(request, "desk/desks.html", context)


@dataclass(frozen=True)
class SeatRow:
    """What a seat has sent in this phase. `newest` is the one with the highest number; `readable`
    says whether the gamesmaster may read it. Who may not is told only whether orders are in."""

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
    def shown(self) -> Submission | None:
        """Return what “read” opens: a proposal only if nothing is in force."""
        if self.newest is not None and self.newest.proposal and self.in_force is not None:
            return self.in_force
        return self.newest

    @property
    def rejected(self) -> int:
        """Rejected lines in the orders in force; 0 if the gamesmaster may not read them."""
        if self.in_force is None or not self.readable:
            return 0
        errors = (remark for remark in self.in_force.remarks if remark["severity"] == "error")
        return len({remark["line"] for remark in errors})


@dataclass(frozen=True)
class HeldMail:
    """A message that waits for the gamesmaster or was set aside; without text if they may not read
    it."""

    handling: Handling
    text: str | None


@require_safe
@for_gamesmasters
def desk(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the desk of one game."""
    return render_desk(request, game, clock.now())


@require_POST
@for_gamesmasters
def start_game(request: HttpRequest, game: Game) -> HttpResponse:
    with tell_refusals(request):
        start(game, clock.now(), person_of(request))
        messages.success(
            request,
            "The game has begun. Every player gets a letter with the board and the first deadline.",
        )
    return redirect("desk", game.pk)


def render_desk(
    request: HttpRequest,
    game: Game,
    now: datetime,
    sales: FiguresForm | None = None,
    rolls: RollsForm | None = None,
) -> HttpResponse:
    """Render the desk of one game. `sales`, `rolls`: forms that were filled in wrongly."""
    (this_desk,) = inbox.desks_of([game], person_of(request), now)
    phase = this_desk.phase
    reads = permissions.reads_mail(request.user, game, phase)
    position = positions.position(game)
    state = game.load(position)
    acting = owed.asked_nations(game, state) if phase is not None else ()
    letters = Letter.objects.filter(
        Q(pk__in=inbox.undelivered(game).values("pk"))
        | Q(pk__in=printing.letters_to_post(game).order_by().values("pk"))
    ).select_related("person", "phase")
    names = Invitation.objects.filter(seat__game=game).names()
    waits = figures.waiting_stocks(phase, now)
    wants_rolls = phase is not None and _wants_rolls(game, phase)
    context = {
        "game": game,
        "here": "desk",
        "now": now,
        "desk": this_desk,
        "phase": phase,
        "secret": not permissions.reads_secret_orders(request.user, game),
        "seated": bool(permissions.held_seats(request.user, game)),
        "nations": headings(game.card["order"]),
        "rows": _seats(request, game, phase, acting),
        "deadline_there": _deadline_in_zone(game, phase),
        "rule_in_words": schedule.in_words(game.schedule, game.zone),
        "zone_place": schedule.place(game.zone),
        "settings": [
            setting.row(value)
            for setting in changeable_settings(game.rules)
            if (value := game.setting(setting.id)) != setting.usual
        ],
        "letters": [
            (letter, KINDS[letter.kind].name, names.get(letter.address, letter.address))
            for letter in letters.order_by("pk")[:ROWS_SHOWN]
        ],
        "questions": (
            list(conversations.unanswered_questions([game]).select_related("seat")[:ROWS_SHOWN])
            if permissions.answers_questions(request.user, game)
            else []
        ),
        "mail": _held_mail(game, reads=reads),
        "aside": _mail_set_aside(game, now, reads=reads),
        "late": [
            (row, permissions.reads_orders(request.user, row))
            for row in (late_orders.late_orders(game, phase) if phase is not None else ())
        ],
        "acts": _recent_actions(game),
        "standby": list(
            Standby.objects.filter(until=None, game=game).select_related("person").order_by("since")
        ),
        "gamesmasters": list(game.gamesmasters.order_by("pk")),
        "figure_form": sales or _figure_form(phase, now),
        "rolls_form": rolls or (RollsForm(auto_id="rolls-%s") if wants_rolls else None),
        "rolled": len(market.entered_rolls(phase)) if phase is not None and wants_rolls else 0,
        "throws": _throws(game, phase) if reads else None,
        "waits": waits,
        "complete": game.status == Game.Status.FORMING and not empty_seats(game),
        "remindable": nations_to_remind(phase) if phase is not None else [],
        **more_time(game, phase, now),
        "settled": list(phase.figures.order_by("symbol"))
        if phase and phase.locked_at and phase.draws and not wants_rolls
        else [],
    }
    return render(request, "desk/desk.html", context)


def _recent_actions(game: Game) -> list[tuple[Act | Ruling, datetime, Person | None]]:
    """Return the newest acts and rulings, newest first, each with its time and who did it."""
    acts = Act.objects.filter(game=game).select_related("done_by").order_by("-pk")
    rulings = game.rulings.select_related("made_by").order_by("-number")
    actions: list[tuple[Act | Ruling, datetime, Person | None]] = [
        *((ruling, ruling.made_at, ruling.made_by) for ruling in rulings[:ACTS_SHOWN]),
        *((act, act.done_at, act.done_by) for act in acts[:ACTS_SHOWN]),
    ]
    return sorted(actions, key=itemgetter(1), reverse=True)[:ACTS_SHOWN]


def _figure_form(phase: Phase | None, now: datetime) -> FiguresForm | None:
    """Return the form for the sales of the stocks that the phase waits for, once they are known."""
    if phase is None or not figures.may_be_entered(phase, now):
        return None
    return FiguresForm(figures.stocks_to_enter([phase], now).get(phase.pk, []))


def _wants_rolls(game: Game, phase: Phase) -> bool:
    return phase.status == Phase.Status.DRAWING and game.digit_source == market.GM_DICE


def _throws(game: Game, phase: Phase | None) -> figures.Throws | None:
    """Return which attack the next roll is for. Who may not read orders rolls without knowing."""
    return figures.throws(phase) if phase is not None and _wants_rolls(game, phase) else None


def _deadline_in_zone(game: Game, phase: Phase | None) -> str:
    """Return the open deadline in the game's zone; a template would convert it to the reader's."""
    if phase is None or not phase.is_timed or game.status != Game.Status.RUNNING:
        return ""
    local = phase.deadline.astimezone(game.zoneinfo)
    return f"{local:%A} {local.day} {local:%B %Y}, {local:%H:%M} {zone_name(local)}"


def _seats(
    request: HttpRequest, game: Game, phase: Phase | None, acting: tuple[str, ...]
) -> list[SeatRow]:
    """Return, for each seat, how many orders were sent and when, but not what they say."""
    permissions.load_seats(game)
    seats = permissions.nations_of(game)
    phases = list(game.phases.order_by("number"))
    counted = (
        Submission.objects.filter(game=game, counts=True)
        .values_list("phase", "seat__nation")
        .distinct()
    )
    since = {
        seat.nation: min(sitting.since for sitting in seat.sitting_now)
        for seat in seats
        if seat.sitting_now
    }
    missed = inbox.count_missed(seats, phases, counted, since)
    sent: dict[int, list[Submission]] = {}
    if phase is not None:
        for submission in phase.submissions.defer("understood", "remarks").order_by("number"):
            sent.setdefault(submission.seat_id, []).append(submission)
    in_force = orders_in_force.in_force(phase) if phase is not None else {}
    readable = permissions.readable_nations(request.user, game, settled=phase is None, phase=phase)
    limit = game.options["seat.nmr_limit"]
    rows = []
    for seat in seats:
        own = sent.get(seat.pk, []) if seat.nation in readable else []
        rows.append(
            SeatRow(
                seat=seat,
                people=tuple(sitting.person for sitting in seat.sitting_now or ()),
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


def _held_mail(game: Game, *, reads: bool) -> list[HeldMail]:
    """Return held mail, without text for those who may not read it: it may be orders."""
    rows = (
        Handling.objects.filter(game=game, status=Handling.Status.HELD)
        .select_related("mail", "person")
        .order_by("pk")[:ROWS_SHOWN]
    )
    return [HeldMail(row, _text(row) if reads else None) for row in rows]


def _mail_set_aside(game: Game, now: datetime, *, reads: bool) -> list[HeldMail]:
    """Return mail that was set aside, without text as in `_held_mail`, or if it names no game."""
    rows = set_aside.listed(game, now)[:ROWS_SHOWN]
    return [
        HeldMail(row, _text(row) if reads and row.game_id is not None else None) for row in rows
    ]


#: The token in an address such as orders+key@example.org. It tells us whose letter is answered, so
# nobody else may read it.
_KEY = re.compile(r"\+[A-Za-z0-9_-]{8,}@")


def _text(handling: Handling) -> str:
    """Return the message's subject and text, without its sender's token."""
    message = parse(bytes(handling.mail.raw), handling.mail.envelope_from)
    return _KEY.sub("+…@", f"Subject: {message.subject}\n\n{message.text}")[:20_000]


#: What a gamesmaster may do with a held message, and how the page reports it.
DECISIONS = {
    "obey": (waiting.let_in, "accepted and counts from the time we received it"),
    "refuse": (waiting.refuse, "refused; it is stored and has no effect"),
}


@require_POST
@for_gamesmasters
def decide_mail(request: HttpRequest, game: Game, handling: str) -> HttpResponse:
    """Accept a held message as of the time it came, or refuse it. Its sender gets an answer."""
    held = get_object_or_404(Handling.objects.select_related("mail"), code=handling, game=game)
    decision = request.POST.get("decision", "")
    if held.status != Handling.Status.HELD:
        messages.error(request, "This message has already been accepted or refused.")
    elif decision not in DECISIONS:
        messages.error(request, "Choose whether to accept or refuse the message.")
    else:
        decide, outcome = DECISIONS[decision]
        with tell_refusals(request, waiting.NotWaitingError):
            decide(held, person_of(request), clock.now())
            messages.success(request, f"The message is {outcome}. We notify the sender.")
    return redirect("desk", game.pk)
