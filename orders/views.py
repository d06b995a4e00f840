"""The order page and the receipt.

One form holds the text and the builder, so that without any script each button brings the whole page back with nothing lost: the
builder's button adds a line, the check says what would be understood, and only "Send" writes into the ledger.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games import schedule, sight, turns
from games.models import Game, Person, Phase, Seat
from games.post import silence
from games.rules import Reading
from games.rules.digits import beacon_number
from games.views.boards import grid, headings
from games.views.doors import for_readers, refuse
from gamesmaster import clock
from orders import ledger
from orders.forms import LineError, OrdersForm, as_typed, builders, built_line
from orders.models import Submission

#: Lines are counted as the rules count them.
LINE_END = re.compile(r"\r\n|\r|\n")
Desk = Callable[[HttpRequest, Seat, Phase, datetime], HttpResponse]


def for_the_seated(page: Desk) -> Callable[[HttpRequest, int, int], HttpResponse]:
    """For whoever sits there, while there is something to order. A game that has not begun says so instead."""

    @wraps(page)
    def wrapped(request: HttpRequest, pk: int, seat: int) -> HttpResponse:
        now = clock.now()
        found = get_object_or_404(Seat.objects.select_related("game"), pk=seat, game=pk)
        game = found.game
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path() if request.method in ("GET", "HEAD") else game.get_absolute_url())
        if not sight.may_order(request.user, found):
            refuse(request, game)
        phase = turns.current_phase(game)
        if phase is None or game.status == Game.Status.FINISHED:
            return render(request, "orders/not_now.html", {"game": game, "seat": found, "phase": phase, "now": now})
        phase.game = game
        return page(request, found, phase, now)

    return wrapped


@require_http_methods(["GET", "HEAD", "POST"])
@for_the_seated
def orders(request: HttpRequest, seat: Seat, phase: Phase, now: datetime) -> HttpResponse:
    """The order page. `do` is the button: send, check, or add:VERB."""
    if request.method != "POST":
        standing = ledger.in_force(phase).get(seat.nation)
        form = OrdersForm(initial={"text": standing.text if standing else "", "final": bool(standing and standing.final)})
        return _page(request, seat, phase, now, form, text=standing.text if standing else None, standing=standing)
    form = OrdersForm(request.POST)
    form.is_valid()
    text = as_typed(request.POST.get("text", ""))  # as it came: what is wrong with it the ledger says, and nothing typed is lost
    do = request.POST.get("do", "")
    if do.startswith("add:"):
        text, fault = _with_line(request, seat, phase, text)
        kept = OrdersForm(initial={"text": text, "final": form.cleaned_data["final"]})
        return _page(request, seat, phase, now, kept, text=text, line_fault=fault)
    if do != "send":
        return _page(request, seat, phase, now, form, text=text)
    assert isinstance(request.user, Person)
    try:
        submission = ledger.receive(
            seat,
            text,
            channel=Submission.Channel.WEB,
            person=request.user,
            now=now,
            final=form.cleaned_data["final"],
            meant_for=_meant_for(request, seat),
        )
    except ledger.LedgerError as error:
        return _page(request, seat, phase, now, form, fault=str(error))
    return redirect("receipt", phase.game_id, submission.number)


def _meant_for(request: HttpRequest, seat: Seat) -> Phase | None:
    """The phase that the sender's page showed: it may have been closed while he wrote."""
    number = request.POST.get("phase", "")
    return seat.game.phases.filter(number=int(number)).first() if number.isascii() and number.isdigit() and len(number) < 5 else None


@require_POST
@for_the_seated
def check(request: HttpRequest, seat: Seat, phase: Phase, now: datetime) -> HttpResponse:
    """What would be understood of a text, for the page while it is being written. Nothing is stored."""
    text = as_typed(request.POST.get("text", ""))
    return render(request, "orders/_reading.html", {"lines": _lines(seat, phase, text, now), "checked": True})


@require_POST
@for_the_seated
def add(request: HttpRequest, seat: Seat, phase: Phase, now: datetime) -> HttpResponse:
    """The text with a built line added, and what would be understood of it: the two parts of the page that change."""
    text, fault = _with_line(request, seat, phase, as_typed(request.POST.get("text", "")))
    context = {"form": OrdersForm(initial={"text": text}), "lines": _lines(seat, phase, text, now), "checked": True, "line_fault": fault}
    return render(request, "orders/_added.html", context | {"game": phase.game, "seat": seat, "beside": True})


def _with_line(request: HttpRequest, seat: Seat, phase: Phase, text: str) -> tuple[str, str]:
    """The text with the line that the builder makes, or as it was with the sentence that says why not."""
    key = request.POST.get("do", "").removeprefix("add:")
    choices = phase.game.rules.choices(turns.state_of(phase), seat.nation)
    try:
        line = built_line(choices, key, request.POST)
    except LineError as error:
        return text, str(error)
    return (f"{text.rstrip()}\n{line}\n" if text.strip() else f"{line}\n"), ""


def _page(
    request: HttpRequest,
    seat: Seat,
    phase: Phase,
    now: datetime,
    form: OrdersForm,
    *,
    text: str | None = None,
    standing: Submission | None = None,
    fault: str = "",
    line_fault: str = "",
) -> HttpResponse:
    """The order page as it stands, with a check of the text where one was asked for."""
    game = phase.game
    state = turns.state_of(phase)
    seen = sight.view(game, game.rules.dump(state), seat.nation)
    acts = seat.nation in game.rules.acting(state)
    listed = [stock for stock in game.reserves if beacon_number(stock) is None] if game.options["rng.stock_choice"] == "list_only" else ()
    context = {
        "game": game,
        "seat": seat,
        "phase": phase,
        "now": now,
        "form": form,
        "acts": acts,
        "brief": game.rules.brief(state, seat.nation),
        "chart": dict(game.rules.charts(seen)).get(seat.nation, ()),
        "primer": f"games/primer/{game.ruleset_id}.html",
        "examples": silence.examples(game, seen, seat.nation)[:2] if acts and not text else [],
        "builders": builders(game.rules.choices(state, seat.nation), game.rules.nations(state), request.POST, listed) if acts else [],
        "grid": grid(game.rules.board(seen), None, game.card),
        "nations": headings(game.rules.nations(state)),
        "lines": _lines(seat, phase, text, now) if text is not None else [],
        "checked": text is not None,
        "merges": game.options["orders.amend"] == "merge_lines",
        "standing": standing if standing is not None or request.method != "POST" else ledger.in_force(phase).get(seat.nation),
        "fault": fault,
        "line_fault": line_fault,
        "rule_in_words": schedule.in_words(game.schedule, game.zone),
        "language": f"orders/language/{game.ruleset_id}.html",
    }
    return render(request, "orders/orders.html", context)


@dataclass(frozen=True)
class Line:
    """A line of an order text with what was understood of it and what is to be said about it."""

    number: int
    text: str
    understood: tuple[str, ...]
    remarks: tuple[dict[str, Any], ...]

    @property
    def state(self) -> str:
        """ "refused", "doubtful", "noted" or "accepted": the worst that is said about it."""
        severities = {remark["severity"] for remark in self.remarks}
        if "error" in severities:
            return "refused"
        if "warning" in severities:
            return "doubtful"
        return "accepted" if self.understood else "noted"


def _lines(seat: Seat, phase: Phase, text: str, now: datetime) -> list[Line]:
    if why := ledger.refusal(text):
        return [Line(1, "", (), ({"severity": "error", "message": why},))]
    read: Reading = ledger.reading(seat, phase, text, now)
    return lines_of(text, read.understood, [remark.as_json() for remark in read.remarks])


def lines_of(text: str, understood: Any, remarks: list[dict[str, Any]]) -> list[Line]:
    """The lines of a text that say something, and lines that are only remarked upon."""
    meant: dict[int, list[str]] = {}
    for number, words in understood:
        meant.setdefault(number, []).append(words)
    said: dict[int, list[dict[str, Any]]] = {}
    for remark in remarks:
        said.setdefault(remark["line"], []).append(remark)
    written = dict(enumerate(LINE_END.split(text), start=1))
    numbers = sorted({number for number, line in written.items() if line.strip()} | set(meant) | set(said))
    return [Line(number, written.get(number, "").strip(), tuple(meant.get(number, ())), tuple(said.get(number, ()))) for number in numbers]


@require_safe
@for_readers
def receipt(request: HttpRequest, game: Game, number: int) -> HttpResponse:
    """What was received, line by line, and what holds now. For whoever may read these orders."""
    submission = get_object_or_404(Submission.objects.select_related("seat", "phase", "person", "game"), game=game, number=number)
    if not request.user.is_authenticated and not sight.reads_orders(request.user, submission):
        return redirect_to_login(request.get_full_path())
    if not sight.reads_orders(request.user, submission):
        raise Http404
    phase = submission.phase
    phase.game = submission.game = game
    standing = ledger.in_force(phase).get(submission.seat.nation)
    lines = lines_of(submission.text, submission.understood, _remarks(submission, clock.now()))
    context = {
        "game": game,
        "submission": submission,
        "seat": submission.seat,
        "phase": phase,
        "now": clock.now(),
        "lines": lines,
        "refused": sum(1 for line in lines if line.state == "refused"),
        "standing": standing,
        "closed": submission.late and ledger.in_time(submission.received_at, phase.deadline, game),
        "in_force": standing is not None and standing.number == submission.number,
        "may_order": sight.may_order(request.user, submission.seat),
        "runs": sight.runs(request.user, game),
        "merges": game.options["orders.amend"] == "merge_lines",
        "silence": None if standing or phase.status != Phase.Status.OPEN else _silence(submission.seat, phase),
        "nations": headings(game.card["order"]),
        "rule_in_words": schedule.in_words(game.schedule, game.zone),
    }
    return render(request, "orders/receipt.html", context)


def _remarks(submission: Submission, now: datetime) -> list[dict[str, Any]]:
    """What was said when the orders arrived, and what has been found out of their stocks since, while they can be changed."""
    if submission.phase.status != Phase.Status.OPEN or not submission.counts:
        return list(submission.remarks)
    read = ledger.reading(submission.seat, submission.phase, submission.text, now)
    said = {remark["message"] for remark in submission.remarks}
    return [*submission.remarks, *(remark.as_json() for remark in read.remarks if remark.message not in said)]


def _silence(seat: Seat, phase: Phase) -> silence.Silence:
    """What becomes of a nation without orders, as the letters tell it."""
    return silence.means(phase.game, turns.state_of(phase), seat.nation)
