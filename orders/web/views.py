"""The order page and the receipt.

One form holds the text, the panels of the map and the builder, so that without any script each
button brings the whole page back with nothing lost: pointing edits the text, the check says what
would be understood, and only "Send" writes into the ledger. With a script the same buttons ask
`point` for the parts that change (static/orders.js). What is written and not sent is kept as a
draft.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Any

from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games import permissions, positions
from games.boards import overlay
from games.game_templates import template_of
from games.letters import silence
from games.models import Game, Phase, Seat
from games.rules import Reading
from games.rules.contract import referee_of
from games.rules.digits import beacon_number
from games.rules.names import all_of
from games.rules.orders import is_reworded
from games.rules.plain.facts import OPTION, PLAIN
from games.timing import schedule
from games.turns import figures
from games.web import pictures
from games.web.boards import grid
from games.web.decorators import for_readers, refuse
from games.web.game.live import live
from games.web.headings import headings
from games.web.referee import forms
from games.web.requests import person_of, phase_shown
from gamesmaster import clock
from orders import ahead, drafts, in_force, ledger
from orders.models import Draft, Submission
from orders.web import panels, parts, pointing, team_panel, worth
from orders.web.forms import OrdersForm, as_typed, builders, built_line, language_of

if TYPE_CHECKING:
    from games.rules.ww2_multiplayer.order_forms import OrderForms

#: Lines are counted as the rules count them.
LINE_END = re.compile(r"\r\n|\r|\n")
CLOSED_MEANWHILE = (
    "This phase has been closed meanwhile. Load the page again: what you have written is kept, and"
    " shown there."
)
CLOSED_UNKEPT = (
    "This phase has been closed meanwhile, and what stands here is not kept. Copy what you need of"
    " it and load the page again."
)
#: Of a seat in a phase; with all seats that the reader may order for in it.
Desk = Callable[[HttpRequest, Seat, Phase, datetime, list[Seat]], HttpResponse]


def for_the_seated(page: Desk) -> Callable[[HttpRequest, int, int], HttpResponse]:
    """For whoever sits there, while there is something to order. A game that has not begun says so
    instead."""

    @wraps(page)
    def wrapped(request: HttpRequest, pk: int, seat: int) -> HttpResponse:
        now = clock.now()
        if not request.user.is_authenticated:
            # Before anything is looked up: no stranger learns which games there are.
            there = (
                request.get_full_path()
                if request.method in ("GET", "HEAD")
                else reverse("game", args=[pk])
            )
            return redirect_to_login(there)
        phase = positions.with_positions(
            Phase.objects.filter(game=pk).select_related("game")
        ).current()
        game = phase.game if phase is not None else get_object_or_404(Game, pk=pk)
        seats = permissions.seats_ordered(request.user, game, phase)
        found = next((one for one in seats if one.pk == seat and not one.referee), None)
        if found is None:
            found = get_object_or_404(game.seats, pk=seat)
            if not permissions.may_order(request.user, found, phase):
                refuse(request, game)
            if found.referee:  # his orders are sheets, and have a page of their own
                return redirect("referee", game.pk)
        if phase is None or game.status == Game.Status.FINISHED:
            return render(
                request,
                "orders/not_now.html",
                {"game": game, "seat": found, "phase": phase, "now": now},
            )
        return page(request, found, phase, now, seats)

    return wrapped


@require_http_methods(["GET", "HEAD", "POST"])
@gzip_page
@for_the_seated
def orders(
    request: HttpRequest, seat: Seat, phase: Phase, now: datetime, seats: list[Seat]
) -> HttpResponse:
    """The order page. `do` is the button: send, send-anyway, check, keep, discard, away, add:VERB,
    or something pointed at."""
    person = person_of(request)
    if request.method != "POST":
        standing = in_force.in_force_of(seat, phase)
        draft, left_over = drafts.mine_and_leftover(seat, phase, person)
        text = (draft.text if draft else in_force.own_text(seat, phase, person, standing)) or None
        form = OrdersForm(
            initial={
                "text": text or "",
                "final": standing.final if standing else seat.game.for_trying,
            }
        )
        kept = Kept(draft, left_over=left_over)
        return _page(request, seat, phase, now, form, kept, seats, text=text, standing=standing)
    form = OrdersForm(request.POST)
    form.is_valid()
    # As it came: what is wrong with it the ledger says, and nothing typed is lost.
    text = as_typed(request.POST.get("text", ""))
    do = request.POST.get("do", "")
    if do == "discard":
        drafts.discard(seat, phase, person)
        return redirect("orders", phase.game_id, seat.pk)
    if do not in ("send", "send-anyway"):
        text, fault = _edit(request, seat, phase, text, do)
        form = OrdersForm(initial={"text": text, "final": form.cleaned_data["final"]})
        kept = keep_draft(request, seat, phase, text, now)
        return _page(request, seat, phase, now, form, kept, seats, text=text, line_fault=fault)
    try:
        with transaction.atomic():
            submission = ledger.receive(
                seat,
                text,
                channel=Submission.Channel.WEB,
                person=person,
                now=now,
                final=form.cleaned_data["final"],
                meant_for=phase_shown(request, seat.game, phase),
                once=True,
                seen=request.POST.get("seen"),
                whole=do == "send",
            )
            drafts.discard(seat, submission.phase, person)
    except ledger.SentAlready as error:
        submission = error.submission
        drafts.discard(seat, submission.phase, person)
    except ledger.NewerOrders as error:
        kept = keep_draft(request, seat, phase, text, now)
        return _page(request, seat, phase, now, form, kept, seats, text=text, newer=error.newer)
    except ledger.RefusedLines as error:
        kept = keep_draft(request, seat, phase, text, now)
        return _page(request, seat, phase, now, form, kept, seats, text=text, refused=str(error))
    except ledger.LedgerError as error:
        kept = keep_draft(request, seat, phase, text, now)
        return _page(request, seat, phase, now, form, kept, seats, text=text, fault=str(error))
    return redirect(submission)


@require_POST
@for_the_seated
def point(
    request: HttpRequest, seat: Seat, phase: Phase, now: datetime, seats: list[Seat]
) -> HttpResponse:
    """The text after what was pointed at, and the parts of the page that change with it, as JSON:
    for static/orders.js.

    {"text", "fault", "kept": the draft's time, "parts": {id of an element: its HTML}}. Only the
    draft is stored.
    """
    text = as_typed(request.POST.get("text", ""))
    if (phase_shown(request, phase.game, phase) or phase).pk != phase.pk:
        lost = (
            phase.status != Phase.Status.OPEN
            or keep_draft(request, seat, phase, text, now).elsewhere
        )
        fault = CLOSED_UNKEPT if lost else CLOSED_MEANWHILE
        return JsonResponse({"text": text, "fault": fault, "kept": "", "parts": {}})
    text, fault = _edit(request, seat, phase, text, request.POST.get("do", ""))
    told = keep_draft(request, seat, phase, text, now)
    game = phase.game
    shown = _shown(game, seat, phase, text)
    context: dict[str, Any] = {
        "game": game,
        "seat": seat,
        "lines": _lines(seat, phase, text, now),
        "checked": True,
        "line_fault": fault,
        "pointing": shown.pointing,
        "pointable": True,
        "now": now,
        "draft": told.draft,
        "elsewhere": told.elsewhere,
    }
    parts = {
        "reading": "orders/_reading.html",
        "totals": "orders/_totals.html",
        "left-to-send": "orders/_left.html",
        "areas": "orders/_areas.html",
        "kept": "orders/_kept.html",
    }
    found: dict[str, str] = {
        ident: render_to_string(name, context, request) for ident, name in parts.items()
    }
    found |= shown.panels
    found["marks"] = shown.marks
    kept = told.draft.kept_at.isoformat() if told.draft else ""
    return JsonResponse({"text": text, "fault": fault, "kept": kept, "parts": found})


def _edit(request: HttpRequest, seat: Seat, phase: Phase, text: str, do: str) -> tuple[str, str]:
    """The text after what a button does to it, and a sentence where that is not what was asked."""
    if do == "away":
        drafts.discard_leftovers(seat, phase, person_of(request))
    if do.partition(":")[0] not in (*pointing.DEEDS, "drop", "add", "column"):
        return text, ""
    try:
        if (filled := _filled_in(phase.game, phase, seat)) is not None and do.partition(":")[0] in (
            "add",
            "column",
        ):
            if do == "column" and filled.column is not None:
                return forms.with_column(text, filled.column, request.POST), ""
            form = next((form for form in filled.forms if do == f"add:{form.verb}"), None)
            if form is not None:
                return forms.with_line(text, forms.built(form, request.POST)), ""
        if do.startswith("add:"):
            choices = phase.game.rules.planner.choices(_seen(phase.game, phase, seat), seat.nation)
            line = built_line(
                choices, do.removeprefix("add:"), request.POST, phase.game.stock_market
            )
            return (f"{text.rstrip()}\n{line}\n" if text.strip() else f"{line}\n"), ""
        return pointing.apply_button(_desk(phase.game, seat, phase), text, do, request.POST), ""
    except pointing.PointingError as error:
        return text if error.text is None else error.text, str(error)
    except forms.FormError as error:
        return text, str(error)


@dataclass(frozen=True)
class Kept:
    """The draft as it is now; `elsewhere` where it was written on another device, so that this text
    is not kept; `left_over` from an earlier phase."""

    draft: Draft | None = None
    elsewhere: Draft | None = None
    left_over: Draft | None = None


def keep_draft(request: HttpRequest, seat: Seat, phase: Phase, text: str, now: datetime) -> Kept:
    """Keep what has been written, while it can still become orders. What was written for a phase
    closed by now stays that phase's."""
    person, meant = person_of(request), phase_shown(request, phase.game, phase) or phase
    if phase.status != Phase.Status.OPEN:
        return Kept(drafts.mine(seat, phase, person))
    try:
        known: datetime | None = datetime.fromisoformat(request.POST.get("kept", ""))
    except ValueError:
        known = None
    anyway = request.POST.get("do") == "keep-this"
    try:
        draft = drafts.keep(seat, meant, person, text, now, known=known, anyway=anyway)
    except drafts.Elsewhere as error:
        return Kept(error.draft, error.draft)
    return Kept(draft if meant.pk == phase.pk else None)


def _state(phase: Phase) -> Any:
    """The state in which a phase is played: read once for each request, whose row of the phase this
    is."""
    kept = phase.__dict__
    if "state_of_this_request" not in kept:
        kept["state_of_this_request"] = positions.state_of(phase)
    return kept["state_of_this_request"]


def _seen(game: Game, phase: Phase, seat: Seat) -> Any:
    """The same, as the nation of a seat sees it."""
    return game.rules.view(_state(phase), seat.nation)


def _filled_in(game: Game, phase: Phase, seat: Seat) -> OrderForms | None:
    """Lines with blanks that the game offers beside its choices; None where it has none."""
    referee = game.rules.referee
    return referee.order_forms(_seen(game, phase, seat), seat.nation) if referee else None


#: Where a game offers lines with blanks: what would be a list of one for every other nation, or
# is chosen on the map.
LISTS_SPARED = ("GRANT", "REVOKE", "MED", "BLEND", "COLUMN", "INVADE", "PASS")


def _by_form(filled: OrderForms | None) -> tuple[str, ...]:
    """Return what has a form with blanks, or a table of its own, beside the choices of the page."""
    if filled is None:
        return ()
    return tuple({*(form.verb for form in filled.forms), "BLEND", "COLUMN"} - {"MED", "REVOKE"})


def _listed_stocks(game: Game) -> tuple[str, ...]:
    """The published list, where no other stock may be named."""
    listed = game.options["rng.stock_choice"] == "list_only"
    return tuple(stock for stock in game.reserves if beacon_number(stock) is None) if listed else ()


@dataclass(frozen=True)
class Laid:
    """The board's picture, and what a text orders as SVG that lies on it."""

    picture: pictures.Shown
    marks: str


@dataclass(frozen=True)
class Shown(Laid):
    """The map and the panels for a text. `hits` and `points` are SVG that lies on the picture;
    `panels` are HTML by their places in the page."""

    pointing: panels.Pointing
    panels: dict[str, SafeString]
    hits: str
    nations: dict[str, Any]
    listed: tuple[str, ...]
    points: str

    @property
    def boxes(self) -> SafeString:
        return parts.boxes(self.pointing.panels, self.panels)


def _desk(game: Game, seat: Seat, phase: Phase) -> pointing.Desk:
    seen = _seen(game, phase, seat)
    return pointing.Desk(game.rules, seen, seat.nation, _listed_stocks(game), game.stock_market)


def _laid(game: Game, seat: Seat, phase: Phase, text: str) -> Laid:
    """The map with what a text orders, to look at."""
    desk = _desk(game, seat, phase)
    ground = overlay.ground(game.ruleset_id, game.card, game.rules.board(desk.state))
    marks = panels.marks(desk, desk.plan(text), game.card.get("home", {}).get(seat.nation))
    return Laid(pictures.of_phase(game, phase, None, changes=False), overlay.marks(ground, marks))


def _shown(game: Game, seat: Seat, phase: Phase, text: str) -> Shown:
    desk = _desk(game, seat, phase)
    board, nations = game.rules.board(desk.state), game.rules.nations(desk.state)
    found = panels.pointing(
        desk,
        board,
        text,
        game.card.get("home", {}).get(seat.nation),
        _by_form(_filled_in(game, phase, seat)),
    )
    ground = overlay.ground(game.ruleset_id, game.card, board)
    links = {panel.area: f"#{panel.anchor}" for panel in found.panels}
    told = {area: overlay.sentence_of(board, area) for area in board.areas}
    worths = worth.of_areas(game.rules, desk.state, seat.nation, nations)
    known = headings(nations)
    return Shown(
        pictures.of_phase(game, phase, None, changes=False),
        overlay.marks(ground, found.marks),
        found,
        parts.panels_in_html(
            found.panels, game, seat.nation, nations=known, worth=worths, listed=desk.listed
        ),
        overlay.hits(ground, links, told),
        known,
        desk.listed,
        overlay.marks(ground, worth.marks(worths)) if worths else "",
    )


def _page(
    request: HttpRequest,
    seat: Seat,
    phase: Phase,
    now: datetime,
    form: OrdersForm,
    kept: Kept,
    seats: list[Seat],
    *,
    text: str | None = None,
    standing: Submission | None = None,
    fault: str = "",
    refused: str = "",
    line_fault: str = "",
    newer: Submission | None = None,
) -> HttpResponse:
    """The order page as it stands, with a check of the text where one was asked for."""
    game = phase.game
    state, seen = _state(phase), _seen(game, phase, seat)
    acts = seat.nation in game.rules.acting(state)
    shown = _shown(game, seat, phase, text or "")
    person, filled = person_of(request), _filled_in(game, phase, seat)
    choices = game.rules.planner.choices(seen, seat.nation)
    spared = LISTS_SPARED if filled else ()
    offered = [
        choice
        for choice in choices
        if choice.verb.partition(" ")[0] not in spared and not choice.hopeless
    ]
    in_plain_words = game.options.get(OPTION) == PLAIN and not game.rules.referee
    if standing is None and request.method == "POST":
        standing = in_force.in_force(phase).get(seat.nation)
    left_over = kept.left_over
    if request.method == "POST":
        _, left_over = drafts.mine_and_leftover(seat, phase, person)
    context = {
        "game": game,
        "seat": seat,
        "phase": phase,
        "now": now,
        "live": live(game, phase, now),
        "form": form,
        "text": text or "",
        "acts": acts,
        "brief": game.rules.planner.brief(state, seat.nation),
        "chart": dict(game.rules.guide.charts(seen)).get(seat.nation, ()),
        "primer": template_of(game.ruleset_id, "games/primer/*.html"),
        "examples": silence.examples(game, seen, seat.nation)[:2] if acts and not text else [],
        "builders": (
            builders(offered, game.rules.nations(seen), request.POST, shown.listed) if acts else []
        ),
        "filled": filled,
        "line_forms": forms.filled(filled.forms, request.POST) if filled and acts else [],
        "column": (forms.column(filled.column, text or "") if filled and filled.column else None),
        "instructions": game.rules.referee.instructions(state) if game.rules.referee else (),
        "verbs_offered": {form.verb for form in filled.forms} if filled else set(),
        "shown": shown,
        "pointing": shown.pointing,
        "panels": shown.boxes,
        "pointable": acts,
        "draft": kept.draft,
        "elsewhere": kept.elsewhere,
        "left_over": left_over,
        "ahead": ahead.mine(seat, phase, person),
        # Only a seat of the ally table is ordered for by somebody who does not hold it.
        "may_order_ahead": not game.rules.referee
        and (not seat.by_table or permissions.holds(person, seat)),
        "company": team_panel.company_of(person, seat, phase),
        "others": [one for one in seats if one.pk != seat.pk],
        "grid": grid(game.rules.board(seen), None, game.card),
        "nations": headings(game.rules.nations(state)),
        "lines": _lines(seat, phase, text, now) if text is not None else [],
        "checked": text is not None,
        "merges": game.options["orders.amend"] == "merge_lines",
        "standing": standing,
        "fault": fault,
        "refused": refused,
        "line_fault": line_fault,
        "newer": newer,
        "reads_newer": newer is not None and permissions.reads_orders(person, newer),
        "seen": _seen_orders(request, seat, phase, newer, standing),
        "rule_in_words": schedule.in_words(game.schedule, game.zone),
        "waits": figures.waits(phase, now),
        "language": template_of(game.ruleset_id, "orders/language/*.html"),
        "owner_says": game.options.get("ow2.u_loss") == "owner_says",
        "plain": game.card["areas"][-2:] if in_plain_words else (),
        **language_of(choices),
    }
    return render(request, "orders/orders.html", context)


def _seen_orders(
    request: HttpRequest,
    seat: Seat,
    phase: Phase,
    newer: Submission | None,
    standing: Submission | None,
) -> str:
    """Return the hash of the newest orders that the reader has been shown: this page, once sent,
    replaces no newer ones unless they have been shown too."""
    if newer is not None:
        return newer.hash
    if request.method == "POST" and "seen" in request.POST:
        return request.POST["seen"]
    newest = standing
    if seat.team or seat.by_table:  # somebody of a team may send, whose own orders are others
        sender = in_force.member_of(seat, phase, person_of(request))
        newest = in_force.newest(seat, phase, sender)
    return newest.hash if newest is not None else ""


@dataclass(frozen=True)
class Line:
    """A line of an order text with what was understood of it and what is to be said about it."""

    number: int
    text: str
    understood: tuple[str, ...]
    remarks: tuple[dict[str, Any], ...]
    meaning: str = ""  # in words, where orders are written and not chosen
    own_words: bool = False  # taken as free text, for the gamesmaster to judge

    @property
    def written(self) -> str:
        """What the sender wrote, where the service reads it in other words."""
        other = is_reworded(self.text, self.understood)
        return self.text if other and not self.own_words else ""

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
    read: Reading = ledger.reading(seat, phase, text, now, state=_state(phase))
    found = lines_of(text, read.understood, [remark.as_json() for remark in read.remarks])
    return (
        found if _filled_in(seat.game, phase, seat) is None else _in_words(found, seat, phase, text)
    )


def _in_words(found: list[Line], seat: Seat, phase: Phase, text: str) -> list[Line]:
    """The lines with what they mean, and which of them are in the sender's own words."""
    rules, seen = phase.game.rules, _seen(phase.game, phase, seat)
    own, meant = (
        set(referee_of(rules).own_words(seen, seat.nation, text)),
        dict(rules.speech.orders(seen, seat.nation, text, {})),
    )
    return [
        replace(
            line,
            meaning="" if line.number in own else meant.get(line.number, ""),
            own_words=line.number in own,
        )
        for line in found
    ]


def lines_of(text: str, understood: Any, remarks: list[dict[str, Any]]) -> list[Line]:
    """The lines of a text that say something, and lines that are only remarked upon."""
    meant: dict[int, list[str]] = {}
    for number, words in understood:
        meant.setdefault(number, []).append(words)
    said: dict[int, list[dict[str, Any]]] = {}
    for remark in remarks:
        said.setdefault(remark["line"], []).append(remark)
    written = dict(enumerate(LINE_END.split(text), start=1))
    numbers = sorted(
        {number for number, line in written.items() if line.strip()} | set(meant) | set(said)
    )
    return [
        Line(
            number,
            written.get(number, "").strip(),
            tuple(meant.get(number, ())),
            tuple(said.get(number, ())),
        )
        for number in numbers
    ]


@require_safe
@for_readers
def receipt(request: HttpRequest, game: Game, seat: int, number: int) -> HttpResponse:
    """What was received, line by line, and what holds now. For whoever may read these orders."""
    submission = (
        Submission.objects.select_related("seat", "phase", "person")
        .filter(game=game, seat=seat, seat_number=number)
        .first()
    )
    if submission is not None:
        submission.game = submission.phase.game = submission.seat.game = game
    if submission is None or not permissions.reads_orders(request.user, submission):
        if not request.user.is_authenticated:
            # Whether there is such a number or not: how many there are is nobody's business.
            return redirect_to_login(request.get_full_path())
        raise Http404
    phase = submission.phase
    standing = in_force.in_force(phase).get(submission.seat.nation)
    now = clock.now()
    lines = lines_of(submission.text, submission.understood, _remarks(submission, now))
    context = {
        "game": game,
        "submission": submission,
        "seat": submission.seat,
        "phase": phase,
        "now": now,
        "live": live(game, phase, now, follow=True, reload=True),
        "waits_for": _not_final(phase),
        "lines": lines,
        "refused": sum(1 for line in lines if line.state == "refused"),
        "standing": standing,
        "closed": submission.late and submission.received_at <= phase.closes_at,
        "said": team_panel.receipt_sentences(submission),
        "replaced": in_force.replaced_submission(submission),
        "in_force": standing is not None and standing.number == submission.number,
        "may_order": permissions.may_order(request.user, submission.seat, phase),
        "runs": permissions.runs(request.user, game),
        "merges": game.options["orders.amend"] == "merge_lines",
        "silence": (
            None
            if standing or phase.status != Phase.Status.OPEN
            else silence.means(game, positions.state_of(phase), submission.seat.nation)
        ),
        "nations": headings(game.card["order"]),
        "rule_in_words": schedule.in_words(game.schedule, game.zone),
        "shown": (
            _laid(game, submission.seat, phase, submission.text) if submission.understood else None
        ),
        "waits": figures.waits(phase, now),
    }
    return render(request, "orders/receipt.html", context)


def _not_final(phase: Phase) -> str:
    """Return the nations whose orders are not final yet, where the phase ends once all are."""
    if phase.status != Phase.Status.OPEN or not phase.game.may_lock_early:
        return ""
    final = {nation for nation, one in in_force.in_force(phase).items() if one.final}
    return all_of([one for one in phase.game.rules.acting(_state(phase)) if one not in final])


def _remarks(submission: Submission, now: datetime) -> list[dict[str, Any]]:
    """What was said when the orders arrived, and what has been found out of their stocks since,
    while they can be changed."""
    if submission.phase.status != Phase.Status.OPEN or not submission.counts:
        return list(submission.remarks)
    phase = submission.phase
    read = ledger.reading(submission.seat, phase, submission.text, now, state=_state(phase))
    said = {remark["message"] for remark in submission.remarks}
    return [
        *submission.remarks,
        *(remark.as_json() for remark in read.remarks if remark.message not in said),
    ]
