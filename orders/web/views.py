"""The order page.

One form holds the text, the panels of the map and the builder, so each button brings the whole page
back without a script and nothing is lost: pointing edits the text, the check shows what would be
understood, and only “Send” writes to the ledger. With a script the same buttons ask `point` for the
parts that change (static/orders.js). Text that is not sent is saved as a draft.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from games import positions
from games.base import clock
from games.letters import in_doubt
from games.models import Phase, Seat
from games.pages.live import live
from games.pages.requests import person_of, shown_number, shown_phase
from games.positions import in_force
from games.rules import doubts
from games.rules.orders import PASS, lines
from orders.intake import ahead, drafts, from_page, ledger
from orders.models import Submission
from orders.web.access import require_seated_player
from orders.web.autosave import CLOSED_MEANWHILE, CLOSED_UNKEPT, KeptDraft, keep_draft
from orders.web.drafting import drafting_of
from orders.web.editing import answer_in_parts, edited_text, shows_points
from orders.web.forms import OrdersForm, restore_line_ends
from orders.web.page import OrderPage, digest

#: Values of the field `do` that send the orders.
SENDING = ("send", "send-anyway")


@require_http_methods(["GET", "HEAD", "POST"])
def orders(request: HttpRequest, pk: int, seat: int) -> HttpResponse:
    """Show the order page, and handle its buttons.

    The field `do` names the button: send, send-anyway, check, keep, discard, away, add:VERB, or a
    button of a panel. The ledger decides who may send, so that nothing is loaded for the page
    unless it is shown again.
    """
    if (
        request.method == "POST"
        and request.POST.get("do") in SENDING
        and request.user.is_authenticated
    ):
        try:
            submission = _send(request, pk, seat)
            shows_points(request, submission.game)
            return redirect(submission)
        except ledger.LedgerError as error:
            return _show(request, pk, seat, refusal=error)
    return _show(request, pk, seat)


def _send(request: HttpRequest, pk: int, seat_id: int) -> Submission:
    """Write the posted orders to the ledger, unless they are there already. Raise `LedgerError`.

    A text without orders that is sent anyway says so with PASS.
    """
    rows = Seat.objects.filter(pk=seat_id, game=pk, referee=False).select_related("game")
    seat = next(iter(rows.order_by()), None)
    if seat is None:  # the page answers: it redirects to reports, or does not exist
        raise ledger.LedgerError("There are no orders to send here.")
    form = OrdersForm(request.POST)
    form.is_valid()
    # As typed: the ledger says what is wrong with it, and nothing is lost.
    text = restore_line_ends(request.POST.get("text", ""))
    # What has changed since the page asked is asked about again.
    changed = request.POST.get("asked", digest(text)) != digest(text)
    asks = changed or request.POST["do"] == "send"
    arrival = ledger.Arrival(
        Submission.Channel.WEB,
        person_of(request),
        clock.now(),
        shown_number(request),
        page=from_page.SentPage(request.POST.get("seen"), asks),
    )
    if not asks and not lines(text):
        text = f"{text}\n{PASS}".lstrip()
    try:
        return ledger.receive(seat, text, arrival, final=form.cleaned_data["final"])
    except from_page.DuplicateOrders as error:
        drafts.discard(seat, error.submission.phase, person_of(request))
        return error.submission


@require_seated_player
def _show(
    request: HttpRequest,
    seat: Seat,
    phase: Phase,
    now: datetime,
    seats: list[Seat],
    *,
    refusal: ledger.LedgerError | None = None,
) -> HttpResponse:
    """Show the order page, after the change of a button or with why the orders were refused.

    Orders in doubt fill the form as we read them: those just sent, and those that the address names
    by number, to which links in letters lead. Only the button sends them.
    """
    person, unsent = person_of(request), phase.__dict__["unsent"]
    standing, asked = in_force.standing_and_question(seat, phase, person)
    draft, left_over = None, None
    if request.method != "POST":
        state = positions.state_of(phase)
        if unsent:
            draft, left_over = drafts.mine_and_leftover(seat, phase, person)
        text = draft.text if draft else in_force.own_text(seat, phase, person, standing)
        if asked is not None and request.GET.get("question") == str(asked.seat_number):
            text = "\n".join(in_doubt.lines(asked)) or asked.text
        final = standing.final if standing else phase.game.for_trying
        page = OrderPage(
            person=person,
            seat=seat,
            phase=phase,
            now=now,
            state=state,
            drafting=drafting_of(phase, seat, state),
            form=OrdersForm(initial={"final": final}),
            text=text,
            kept=KeptDraft(draft),
            checked=bool(text),
        )
    elif request.POST.get("do") == "discard":
        drafts.discard(seat, phase, person)
        return redirect("orders", phase.game_id, seat.pk)
    else:
        page = _edited_page(request, seat, phase, now)
        if unsent:
            _, left_over = drafts.mine_and_leftover(seat, phase, person)
    page = replace(
        page,
        seats=seats,
        standing=standing,
        left_over=left_over,
        refusal=refusal,
        asked=asked,
        points=shows_points(request, phase.game),
        sets_ahead=ahead.own_sets(seat, phase, person) if unsent else [],
    )
    if page.doubt is not None and page.doubt.lines:
        page = replace(page, text=doubts.text_of(page.doubt))  # one more click sends these
    context = {
        "page": page,
        "game": phase.game,
        "seat": seat,
        "phase": phase,
        "now": now,
        "live": live(phase.game, phase, now, request.user),
    }
    return render(request, "orders/orders.html", context)


@require_POST
@require_seated_player
def point(
    request: HttpRequest, seat: Seat, phase: Phase, now: datetime, seats: list[Seat]
) -> HttpResponse:
    """Return the text after a button's change, and the parts of the page that change with it.

    Only the draft is stored.
    """
    text = restore_line_ends(request.POST.get("text", ""))
    if (shown_phase(request, phase.game, phase) or phase).pk != phase.pk:
        lost = not phase.takes_orders or keep_draft(request, seat, phase, text, now).elsewhere
        fault = CLOSED_UNKEPT if lost else CLOSED_MEANWHILE
        return JsonResponse({"text": text, "fault": fault, "kept": "", "parts": {}})
    page = _edited_page(request, seat, phase, now)
    page = replace(page, points=shows_points(request, phase.game))
    return answer_in_parts(request, page)


def _edited_page(request: HttpRequest, seat: Seat, phase: Phase, now: datetime) -> OrderPage:
    """Return the page after the change of a button, and save its text as a draft."""
    person, state = person_of(request), positions.state_of(phase)
    drafting = drafting_of(phase, seat, state)
    if request.POST.get("do") == "away":
        drafts.discard_leftovers(seat, phase, person)
    text, fault = edited_text(
        drafting, restore_line_ends(request.POST.get("text", "")), request.POST
    )
    return OrderPage(
        person=person,
        seat=seat,
        phase=phase,
        now=now,
        state=state,
        drafting=drafting,
        form=OrdersForm(request.POST),
        text=text,
        kept=keep_draft(request, seat, phase, text, now),
        typed=request.POST,
        line_fault=fault,
    )
