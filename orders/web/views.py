"""The order page and the receipt.

One form holds the text, the panels of the map and the builder, so each button brings the whole page
back without a script and nothing is lost: pointing edits the text, the check shows what would be
understood, and only “Send” writes to the ledger. With a script the same buttons ask `point` for the
parts that change (static/orders.js). Text that is not sent is saved as a draft.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Any

from django.contrib.auth.views import redirect_to_login
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
from games.rules.plain.facts import is_plain
from games.timing import schedule
from games.turns import figures
from games.web import pictures
from games.web.boards import grid
from games.web.decorators import for_readers, refuse
from games.web.game.live import live
from games.web.headings import headings
from games.web.referee import forms
from games.web.requests import person_of, shown_phase
from gamesmaster import clock
from orders import ahead, drafts, in_force, ledger
from orders.models import Draft, Submission
from orders.web import panels, parts, pointing, team_panel, worth
from orders.web.forms import OrdersForm, builders, built_line, language_of, restore_line_ends

if TYPE_CHECKING:
    from games.rules.ww2_multiplayer.order_forms import OrderForms

#: Lines are counted as the rules count them.
LINE_END = re.compile(r"\r\n|\r|\n")
CLOSED_MEANWHILE = (
    "This phase has closed in the meantime. Load the page again: what you wrote is saved there."
)
CLOSED_UNKEPT = (
    "This phase has closed in the meantime, and what you wrote here is not saved. Copy what you"
    " need and load the page again."
)
#: A page for a seat in a phase; the list holds all seats that the reader may order for.
Desk = Callable[[HttpRequest, Seat, Phase, datetime, list[Seat]], HttpResponse]


def require_seated_player(page: Desk) -> Callable[[HttpRequest, int, int], HttpResponse]:
    """Open a page to the players of the seat while orders are possible.

    Redirect visitors to the login. Refuse people who may not order for the seat. Show “not now”
    before the game has begun and after it is over.
    """

    @wraps(page)
    def wrapped(request: HttpRequest, pk: int, seat: int) -> HttpResponse:
        now = clock.now()
        if not request.user.is_authenticated:
            # Redirect before any lookup, so that strangers do not learn which games exist.
            address = (
                request.get_full_path()
                if request.method in ("GET", "HEAD")
                else reverse("game", args=[pk])
            )
            return redirect_to_login(address)
        phase = positions.annotate_positions(
            Phase.objects.filter(game=pk).select_related("game")
        ).current()
        game = phase.game if phase is not None else get_object_or_404(Game, pk=pk)
        seats = permissions.orderable_seats(request.user, game, phase)
        own_seat = next(
            (candidate for candidate in seats if candidate.pk == seat and not candidate.referee),
            None,
        )
        if own_seat is None:
            own_seat = get_object_or_404(game.seats, pk=seat)
            if not permissions.may_order(request.user, own_seat, phase):
                refuse(request, game)
            if own_seat.referee:  # a referee's orders are reports, which have their own page
                return redirect("referee", game.pk)
        if phase is None or game.status == Game.Status.FINISHED:
            return render(
                request,
                "orders/not_now.html",
                {"game": game, "seat": own_seat, "phase": phase, "now": now},
            )
        return page(request, own_seat, phase, now, seats)

    return wrapped


@require_http_methods(["GET", "HEAD", "POST"])
@gzip_page
@require_seated_player
def orders(
    request: HttpRequest, seat: Seat, phase: Phase, now: datetime, seats: list[Seat]
) -> HttpResponse:
    """Show the order page, and handle its buttons.

    The field `do` names the button: send, send-anyway, check, keep, discard, away, add:VERB, or a
    button of a panel.
    """
    person = person_of(request)
    if request.method != "POST":
        submitted = in_force.submission_in_force(seat, phase)
        draft, left_over = drafts.mine_and_leftover(seat, phase, person)
        text = (draft.text if draft else in_force.own_text(seat, phase, person, submitted)) or None
        form = OrdersForm(
            initial={
                "text": text or "",
                "final": submitted.final if submitted else seat.game.for_trying,
            }
        )
        kept = KeptDraft(draft, left_over=left_over)
        return _page(request, seat, phase, now, form, kept, seats, text=text, standing=submitted)
    form = OrdersForm(request.POST)
    form.is_valid()
    # Use the raw text: the ledger reports what is wrong, and nothing typed is lost.
    text = restore_line_ends(request.POST.get("text", ""))
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
        submission = ledger.receive(
            seat,
            text,
            channel=Submission.Channel.WEB,
            person=person,
            now=now,
            final=form.cleaned_data["final"],
            meant_for=shown_phase(request, seat.game, phase),
            once=True,
            seen=request.POST.get("seen"),
            whole=do == "send",
        )
    except ledger.DuplicateOrders as error:
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
@require_seated_player
def point(
    request: HttpRequest, seat: Seat, phase: Phase, now: datetime, seats: list[Seat]
) -> HttpResponse:
    """Return the text after a button's change, and the parts of the page that change with it.

    JSON for static/orders.js: {"text", "fault", "kept": the draft's time, "parts": {id of an
    element: its HTML}}. Only the draft is stored.
    """
    text = restore_line_ends(request.POST.get("text", ""))
    if (shown_phase(request, phase.game, phase) or phase).pk != phase.pk:
        lost = (
            phase.status != Phase.Status.OPEN
            or keep_draft(request, seat, phase, text, now).elsewhere
        )
        fault = CLOSED_UNKEPT if lost else CLOSED_MEANWHILE
        return JsonResponse({"text": text, "fault": fault, "kept": "", "parts": {}})
    text, fault = _edit(request, seat, phase, text, request.POST.get("do", ""))
    drafted = keep_draft(request, seat, phase, text, now)
    game = phase.game
    shown = _map_and_panels(game, seat, phase, text)
    context: dict[str, Any] = {
        "game": game,
        "seat": seat,
        "lines": _lines(seat, phase, text, now),
        "checked": True,
        "line_fault": fault,
        "pointing": shown.pointing,
        "pointable": True,
        "now": now,
        "draft": drafted.draft,
        "elsewhere": drafted.elsewhere,
    }
    parts = {
        "reading": "orders/_reading.html",
        "totals": "orders/_totals.html",
        "left-to-send": "orders/_left.html",
        "areas": "orders/_areas.html",
        "kept": "orders/_kept.html",
    }
    rendered: dict[str, str] = {
        ident: render_to_string(name, context, request) for ident, name in parts.items()
    }
    rendered |= shown.panels
    rendered["marks"] = shown.marks
    kept_at = drafted.draft.kept_at.isoformat() if drafted.draft else ""
    return JsonResponse({"text": text, "fault": fault, "kept": kept_at, "parts": rendered})


def _edit(request: HttpRequest, seat: Seat, phase: Phase, text: str, do: str) -> tuple[str, str]:
    """Return the text after a button's change, and a sentence if it failed, else "".

    The sentence also reports a change that differs from what was asked.
    """
    if do == "away":
        drafts.discard_leftovers(seat, phase, person_of(request))
    if do.partition(":")[0] not in (*pointing.DEEDS, "drop", "add", "column"):
        return text, ""
    try:
        if (filled := _order_forms(phase.game, phase, seat)) is not None and do.partition(":")[
            0
        ] in (
            "add",
            "column",
        ):
            if do == "column" and filled.column is not None:
                return forms.replace_column(text, filled.column, request.POST), ""
            form = next((form for form in filled.forms if do == f"add:{form.verb}"), None)
            if form is not None:
                return forms.add_line(text, forms.build_line(form, request.POST)), ""
        if do.startswith("add:"):
            choices = phase.game.rules.planner.choices(
                _visible_state(phase.game, phase, seat), seat.nation
            )
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
class KeptDraft:
    """The draft as it is now.

    `elsewhere` is a draft changed on another device since this page saw it; then this page's text
    is not saved. `left_over` is a draft of an earlier phase.
    """

    draft: Draft | None = None
    elsewhere: Draft | None = None
    left_over: Draft | None = None


def keep_draft(
    request: HttpRequest, seat: Seat, phase: Phase, text: str, now: datetime
) -> KeptDraft:
    """Save the text as a draft while the phase is open.

    Text written for a phase that has closed since stays a draft of that phase.
    """
    person, draft_phase = person_of(request), shown_phase(request, phase.game, phase) or phase
    if phase.status != Phase.Status.OPEN:
        return KeptDraft(drafts.own_draft(seat, phase, person))
    try:
        known: datetime | None = datetime.fromisoformat(request.POST.get("kept", ""))
    except ValueError:
        known = None
    anyway = request.POST.get("do") == "keep-this"
    try:
        draft = drafts.keep(seat, draft_phase, person, text, now, known=known, anyway=anyway)
    except drafts.DraftConflict as error:
        return KeptDraft(error.draft, error.draft)
    return KeptDraft(draft if draft_phase.pk == phase.pk else None)


def _state(phase: Phase) -> Any:
    """Return the state in which a phase is played, cached for this request on its phase row."""
    cache = phase.__dict__
    if "state_of_this_request" not in cache:
        cache["state_of_this_request"] = positions.state_of(phase)
    return cache["state_of_this_request"]


def _visible_state(game: Game, phase: Phase, seat: Seat) -> Any:
    """Return the state as the nation of a seat may see it."""
    return game.rules.view(_state(phase), seat.nation)


def _order_forms(game: Game, phase: Phase, seat: Seat) -> OrderForms | None:
    """Return the lines with blanks that the game offers beside its choices, or None."""
    referee = game.rules.referee
    return referee.order_forms(_visible_state(game, phase, seat), seat.nation) if referee else None


#: Verbs without a builder where a game offers lines with blanks: those would list one choice for
#: every other nation, or are chosen on the map.
LISTS_SPARED = ("GRANT", "REVOKE", "MED", "BLEND", "COLUMN", "INVADE", "PASS")


def _verbs_with_forms(filled: OrderForms | None) -> tuple[str, ...]:
    """Return the verbs that have a form with blanks, or a table of their own, on the page."""
    if filled is None:
        return ()
    return tuple({*(form.verb for form in filled.forms), "BLEND", "COLUMN"} - {"MED", "REVOKE"})


def _listed_stocks(game: Game) -> tuple[str, ...]:
    """Return the published list where only its stocks may be named; otherwise nothing."""
    listed = game.options["rng.stock_choice"] == "list_only"
    return tuple(stock for stock in game.reserves if beacon_number(stock) is None) if listed else ()


@dataclass(frozen=True)
class MapWithOrders:
    """The board's picture, and the orders of a text as an SVG overlay."""

    picture: pictures.PagePicture
    marks: str


@dataclass(frozen=True)
class MapAndPanels(MapWithOrders):
    """The map and the panels for a text.

    `hits` and `points` are SVG overlays for the picture. `panels` are HTML by id in the page.
    """

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
    seen = _visible_state(game, phase, seat)
    return pointing.Desk(game.rules, seen, seat.nation, _listed_stocks(game), game.stock_market)


def _map_with_orders(game: Game, seat: Seat, phase: Phase, text: str) -> MapWithOrders:
    """Return the map as the phase began, with the orders of a text, without any buttons."""
    desk = _desk(game, seat, phase)
    ground = overlay.ground(game.ruleset_id, game.card, game.rules.board(desk.state))
    marks = panels.marks(desk, desk.plan(text), game.card.get("home", {}).get(seat.nation))
    return MapWithOrders(pictures.start_picture(game, phase), overlay.marks(ground, marks))


def _map_and_panels(game: Game, seat: Seat, phase: Phase, text: str) -> MapAndPanels:
    desk = _desk(game, seat, phase)
    board, nations = game.rules.board(desk.state), game.rules.nations(desk.state)
    parts_for_text = panels.pointing(
        desk,
        board,
        text,
        game.card.get("home", {}).get(seat.nation),
        _verbs_with_forms(_order_forms(game, phase, seat)),
    )
    ground = overlay.ground(game.ruleset_id, game.card, board)
    links = {panel.area: f"#{panel.anchor}" for panel in parts_for_text.panels}
    facts = {area: overlay.sentence_of(board, area) for area in board.areas}
    worths = worth.area_worths(game.rules, desk.state, seat.nation, nations)
    nation_headings = headings(nations)
    return MapAndPanels(
        pictures.phase_picture(game, phase, None, changes=False),
        overlay.marks(ground, parts_for_text.marks),
        parts_for_text,
        parts.panels_in_html(
            parts_for_text.panels,
            game,
            seat.nation,
            nations=nation_headings,
            worth=worths,
            listed=desk.listed,
        ),
        overlay.hits(ground, links, facts),
        nation_headings,
        desk.listed,
        overlay.marks(ground, worth.marks(worths)) if worths else "",
    )


def _page(
    request: HttpRequest,
    seat: Seat,
    phase: Phase,
    now: datetime,
    form: OrdersForm,
    kept: KeptDraft,
    seats: list[Seat],
    *,
    text: str | None = None,
    standing: Submission | None = None,
    fault: str = "",
    refused: str = "",
    line_fault: str = "",
    newer: Submission | None = None,
) -> HttpResponse:
    """Show the order page; where `text` is given, with a check of it."""
    game = phase.game
    state, seen = _state(phase), _visible_state(game, phase, seat)
    acts = seat.nation in game.rules.acting_nations(state)
    shown = _map_and_panels(game, seat, phase, text or "")
    person, order_forms = person_of(request), _order_forms(game, phase, seat)
    choices = game.rules.planner.choices(seen, seat.nation)
    spared_verbs = LISTS_SPARED if order_forms else ()
    offered_choices = [
        choice
        for choice in choices
        if choice.verb.partition(" ")[0] not in spared_verbs and not choice.hopeless
    ]
    in_plain_words = is_plain(game.options) and not game.rules.referee
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
            builders(offered_choices, game.rules.nations(seen), request.POST, shown.listed)
            if acts
            else []
        ),
        "filled": order_forms,
        "line_forms": forms.fill_forms(order_forms.forms, request.POST)
        if order_forms and acts
        else [],
        "column": (
            forms.column(order_forms.column, text or "")
            if order_forms and order_forms.column
            else None
        ),
        "instructions": game.rules.referee.instructions(state) if game.rules.referee else (),
        "verbs_offered": {form.verb for form in order_forms.forms} if order_forms else set(),
        "shown": shown,
        "pointing": shown.pointing,
        "panels": shown.boxes,
        "pointable": acts,
        "draft": kept.draft,
        "elsewhere": kept.elsewhere,
        "left_over": left_over,
        "ahead": ahead.own_sets(seat, phase, person),
        # Only a seat of the ally table has orders sent by a person who does not hold it.
        "may_order_ahead": not game.rules.referee
        and (not seat.by_table or permissions.holds(person, seat)),
        "company": team_panel.company_of(person, seat, phase),
        "others": [other_seat for other_seat in seats if other_seat.pk != seat.pk],
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
        "waits": figures.waiting_stocks(phase, now),
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
    """Return the hash of the newest orders that the reader has been shown.

    The page sends it along, so that it replaces no newer orders that the reader has not seen.
    """
    if newer is not None:
        return newer.hash
    if request.method == "POST" and "seen" in request.POST:
        return request.POST["seen"]
    newest = standing
    if seat.team or seat.by_table:  # a team member's own orders may differ from those in force
        sender = in_force.member_of(seat, phase, person_of(request))
        newest = in_force.newest(seat, phase, sender)
    return newest.hash if newest is not None else ""


@dataclass(frozen=True)
class Line:
    """A line of an order text, with what was understood of it and the remarks on it."""

    number: int
    text: str
    understood: tuple[str, ...]
    remarks: tuple[dict[str, Any], ...]
    meaning: str = ""  # in words, where orders are typed and not chosen
    own_words: bool = False  # free text for the gamesmaster to judge

    @property
    def written(self) -> str:
        """Return the sender's words where the service understood the line in other words; or ""."""
        reworded = is_reworded(self.text, self.understood)
        return self.text if reworded and not self.own_words else ""

    @property
    def state(self) -> str:
        """Return "rejected", "warned", "noted" or "understood", by the worst remark on the line."""
        severities = {remark["severity"] for remark in self.remarks}
        if "error" in severities:
            return "rejected"
        if "warning" in severities:
            return "warned"
        return "understood" if self.understood else "noted"


def _lines(seat: Seat, phase: Phase, text: str, now: datetime) -> list[Line]:
    if why := ledger.refusal(text):
        return [Line(1, "", (), ({"severity": "error", "message": why},))]
    parsed: Reading = ledger.reading(seat, phase, text, now, state=_state(phase))
    checked_lines = lines_of(
        text, parsed.understood, [remark.as_json() for remark in parsed.remarks]
    )
    return (
        checked_lines
        if _order_forms(seat.game, phase, seat) is None
        else _lines_with_meanings(checked_lines, seat, phase, text)
    )


def _lines_with_meanings(found: list[Line], seat: Seat, phase: Phase, text: str) -> list[Line]:
    """Return the lines with their meanings, and mark those in the sender's own words."""
    rules, seen = phase.game.rules, _visible_state(phase.game, phase, seat)
    numbers_of_own, meanings = (
        set(referee_of(rules).own_words(seen, seat.nation, text)),
        dict(rules.speech.orders(seen, seat.nation, text, {})),
    )
    return [
        replace(
            line,
            meaning="" if line.number in numbers_of_own else meanings.get(line.number, ""),
            own_words=line.number in numbers_of_own,
        )
        for line in found
    ]


def lines_of(text: str, understood: Any, remarks: list[dict[str, Any]]) -> list[Line]:
    """Return the nonblank lines of a text, and other lines that have remarks."""
    words_by_line: dict[int, list[str]] = {}
    for number, words in understood:
        words_by_line.setdefault(number, []).append(words)
    remarks_by_line: dict[int, list[dict[str, Any]]] = {}
    for remark in remarks:
        remarks_by_line.setdefault(remark["line"], []).append(remark)
    text_by_line = dict(enumerate(LINE_END.split(text), start=1))
    numbers = sorted(
        {number for number, line in text_by_line.items() if line.strip()}
        | set(words_by_line)
        | set(remarks_by_line)
    )
    return [
        Line(
            number,
            text_by_line.get(number, "").strip(),
            tuple(words_by_line.get(number, ())),
            tuple(remarks_by_line.get(number, ())),
        )
        for number in numbers
    ]


@require_safe
@for_readers
def receipt(request: HttpRequest, game: Game, seat: int, number: int) -> HttpResponse:
    """Show what was received, line by line, and which orders are in force now.

    For everybody who may read these orders.
    """
    submission = (
        Submission.objects.select_related("seat", "phase", "person")
        .filter(game=game, seat=seat, seat_number=number)
        .first()
    )
    if submission is not None:
        submission.game = submission.phase.game = submission.seat.game = game
    if submission is None or not permissions.reads_orders(request.user, submission):
        if not request.user.is_authenticated:
            # Redirect whether or not the number exists: how many orders there are is private.
            return redirect_to_login(request.get_full_path())
        raise Http404
    phase = submission.phase
    in_force_now = in_force.in_force(phase).get(submission.seat.nation)
    now = clock.now()
    # The receipt of a resolved phase says so itself and needs no live updates about later phases.
    current = phase if phase.status != Phase.Status.RESOLVED else game.phases.current()
    lines = lines_of(submission.text, submission.understood, _remarks(submission, now))
    context = {
        "game": game,
        "submission": submission,
        "seat": submission.seat,
        "phase": phase,
        "now": now,
        "live": live(game, current, now, follow=True, reload=True),
        "waits_for": _not_final(phase),
        "lines": lines,
        "refused": sum(1 for line in lines if line.state == "rejected"),
        "standing": in_force_now,
        "closed": submission.late and submission.received_at <= phase.closes_at,
        "said": team_panel.receipt_sentences(submission),
        "replaced": in_force.replaced_submission(submission),
        "in_force": in_force_now is not None and in_force_now.number == submission.number,
        "may_order": permissions.may_order(request.user, submission.seat, phase),
        "runs": permissions.runs(request.user, game),
        "merges": game.options["orders.amend"] == "merge_lines",
        "silence": (
            None
            if in_force_now or phase.status != Phase.Status.OPEN
            else silence.means(game, positions.state_of(phase), submission.seat.nation)
        ),
        "nations": headings(game.card["order"]),
        "rule_in_words": schedule.in_words(game.schedule, game.zone),
        "shown": (
            _map_with_orders(game, submission.seat, phase, submission.text)
            if submission.understood
            else None
        ),
        "waits": figures.waiting_stocks(phase, now),
    }
    return render(request, "orders/receipt.html", context)


def _not_final(phase: Phase) -> str:
    """Return the nations whose orders are not final yet, where the phase closes once all are."""
    if phase.status != Phase.Status.OPEN or not phase.game.may_lock_early:
        return ""
    final = {nation for nation, item in in_force.in_force(phase).items() if item.final}
    return all_of(
        [item for item in phase.game.rules.acting_nations(_state(phase)) if item not in final]
    )


def _remarks(submission: Submission, now: datetime) -> list[dict[str, Any]]:
    """Return the remarks from when the orders arrived, and newer ones about their stocks.

    New remarks are added only while the orders can be changed.
    """
    if submission.phase.status != Phase.Status.OPEN or not submission.counts:
        return list(submission.remarks)
    phase = submission.phase
    parsed = ledger.reading(submission.seat, phase, submission.text, now, state=_state(phase))
    messages = {remark["message"] for remark in submission.remarks}
    return [
        *submission.remarks,
        *(remark.as_json() for remark in parsed.remarks if remark.message not in messages),
    ]
