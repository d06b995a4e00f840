"""The order page.

One form holds the text, the panels of the map and the builder, so each button brings the whole page
back without a script and nothing is lost: pointing edits the text, the check shows what would be
understood, and only “Send” writes to the ledger. With a script the same buttons ask `point` for the
parts that change (static/orders.js). Text that is not sent is saved as a draft.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods, require_POST

from games import permissions
from games.base import clock
from games.game_templates import template_of
from games.letters import silence
from games.models import Phase, Seat
from games.pages import line_forms
from games.pages.boards import grid
from games.pages.live import live
from games.pages.requests import person_of, shown_number, shown_phase
from games.positions import in_force
from games.rules import Reading
from games.rules.plain.facts import is_plain
from games.timing import schedule
from games.turns import figures
from orders.intake import ahead, drafts, ledger
from orders.models import Submission
from orders.web import pointing, team_panel
from orders.web.access import require_seated_player
from orders.web.autosave import CLOSED_MEANWHILE, CLOSED_UNKEPT, KeptDraft, keep_draft
from orders.web.board import (
    desk_for,
    map_and_panels,
    order_forms_for,
    state_of_request,
    visible_state,
)
from orders.web.forms import OrdersForm, builders, built_line, restore_line_ends
from orders.web.lines import Line, lines_of
from orders.web.parts import builders_in_html

#: Values of the field `do` that send the orders.
SENDING = ("send", "send-anyway")


@require_http_methods(["GET", "HEAD", "POST"])
@gzip_page
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
            return redirect(_send(request, pk, seat))
        except ledger.LedgerError as error:
            return _show(request, pk, seat, refusal=error)
    return _show(request, pk, seat)


def _send(request: HttpRequest, pk: int, seat_id: int) -> Submission:
    """Write the posted orders to the ledger, unless they are there already. Raise `LedgerError`."""
    seat = Seat.objects.select_related("game").filter(pk=seat_id, game=pk, referee=False).first()
    if seat is None:  # the page answers: it redirects to reports, or does not exist
        raise ledger.LedgerError("There are no orders to send here.")
    form = OrdersForm(request.POST)
    form.is_valid()
    try:
        return ledger.receive(
            seat,
            _posted_text(request),
            ledger.Arrival(
                Submission.Channel.WEB,
                person_of(request),
                clock.now(),
                shown_number(request),
                page=ledger.SentPage(request.POST.get("seen"), request.POST["do"] == "send"),
            ),
            final=form.cleaned_data["final"],
        )
    except ledger.DuplicateOrders as error:
        drafts.discard(seat, error.submission.phase, person_of(request))
        return error.submission


def _posted_text(request: HttpRequest) -> str:
    """Return the text as typed: the ledger says what is wrong with it, and nothing is lost."""
    return restore_line_ends(request.POST.get("text", ""))


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
    """Show the order page, after the change of a button or with why the orders were refused."""
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
    text = _posted_text(request)
    do = request.POST.get("do", "")
    if refusal is not None:
        kept = keep_draft(request, seat, phase, text, now)
        why = _refusal_facts(refusal)
        return _page(request, seat, phase, now, form, kept, seats, text=text, **why)
    if do == "discard":
        drafts.discard(seat, phase, person)
        return redirect("orders", phase.game_id, seat.pk)
    text, fault = _edit(request, seat, phase, text, do)
    form = OrdersForm(initial={"text": text, "final": form.cleaned_data["final"]})
    kept = keep_draft(request, seat, phase, text, now)
    return _page(request, seat, phase, now, form, kept, seats, text=text, line_fault=fault)


def _refusal_facts(refusal: ledger.LedgerError) -> dict[str, Any]:
    """Return the arguments of `_page` that say why orders were refused."""
    if isinstance(refusal, ledger.NewerOrders):
        return {"newer": refusal.newer}
    if isinstance(refusal, ledger.RefusedLines):
        return {"refused": str(refusal)}
    return {"fault": str(refusal)}


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
    shown = map_and_panels(game, seat, phase, text)
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
        "kept": "orders/_kept.html",
    }
    rendered: dict[str, str] = {
        ident: render_to_string(name, context, request) for ident, name in parts.items()
    }
    rendered |= shown.panels
    rendered["areas"] = shown.areas
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
        if (filled := order_forms_for(phase.game, phase, seat)) is not None and do.partition(":")[
            0
        ] in (
            "add",
            "column",
        ):
            if do == "column" and filled.column is not None:
                return line_forms.replace_column(text, filled.column, request.POST), ""
            form = next((form for form in filled.forms if do == f"add:{form.verb}"), None)
            if form is not None:
                return line_forms.add_line(text, line_forms.build_line(form, request.POST)), ""
        if do.startswith("add:"):
            choices = phase.game.rules.planner.choices(
                visible_state(phase.game, phase, seat), seat.nation
            )
            line = built_line(
                choices, do.removeprefix("add:"), request.POST, phase.game.stock_market
            )
            return (f"{text.rstrip()}\n{line}\n" if text.strip() else f"{line}\n"), ""
        return pointing.apply_button(desk_for(phase.game, seat, phase), text, do, request.POST), ""
    except pointing.PointingError as error:
        return text if error.text is None else error.text, str(error)
    except line_forms.FormError as error:
        return text, str(error)


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
    state, seen = state_of_request(phase), visible_state(game, phase, seat)
    acts = seat.nation in game.rules.acting_nations(state)
    shown = map_and_panels(game, seat, phase, text or "")
    person, order_forms = person_of(request), order_forms_for(game, phase, seat)
    choices = game.rules.planner.choices(seen, seat.nation)
    verbs = game.rules.verbs
    listed = [choice for choice in choices if verbs[choice.verb].in_lists and not choice.hopeless]
    in_plain_words = is_plain(game.options) and not game.rules.verbs.free_text
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
            builders_in_html(
                builders(verbs, listed, game.rules.nations(seen), request.POST, shown.listed),
                game,
                shown.nations,
            )
            if acts
            else ""
        ),
        "filled": order_forms,
        "line_forms": line_forms.fill_forms(order_forms.forms, request.POST)
        if order_forms and acts
        else [],
        "column": (
            line_forms.column(order_forms.column, text or "")
            if order_forms and order_forms.column
            else None
        ),
        "instructions": game.rules.writing.instructions(state),
        "shown": shown,
        "pointing": shown.pointing,
        "panels": shown.boxes,
        "pointable": acts,
        "draft": kept.draft,
        "elsewhere": kept.elsewhere,
        "left_over": left_over,
        "ahead": ahead.own_sets(seat, phase, person),
        # Only a seat of the ally table has orders sent by a person who does not hold it.
        "may_order_ahead": game.rules.foreseeable
        and (not seat.by_table or permissions.holds(person, seat)),
        "company": team_panel.company_of(person, seat, phase),
        "others": [other_seat for other_seat in seats if other_seat.pk != seat.pk],
        "grid": grid(game.rules.board(seen), None, game.card),
        "nations": shown.nations,
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
        "plain": game.card["areas"][-2:] if in_plain_words else (),
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


def _lines(seat: Seat, phase: Phase, text: str, now: datetime) -> list[Line]:
    if why := ledger.refusal(text):
        return [Line(1, "", (), ({"severity": "error", "message": why},))]
    parsed: Reading = ledger.reading(seat, phase, text, now, state=state_of_request(phase))
    checked_lines = lines_of(
        text, parsed.understood, [remark.as_json() for remark in parsed.remarks]
    )
    return (
        checked_lines
        if order_forms_for(seat.game, phase, seat) is None
        else _lines_with_meanings(checked_lines, seat, phase, text)
    )


def _lines_with_meanings(found: list[Line], seat: Seat, phase: Phase, text: str) -> list[Line]:
    """Return the lines with their meanings, and mark those in the sender's own words."""
    rules, seen = phase.game.rules, visible_state(phase.game, phase, seat)
    numbers_of_own, meanings = (
        set(rules.writing.own_words(seen, seat.nation, text)),
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
