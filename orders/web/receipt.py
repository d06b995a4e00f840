"""The receipt of an order set."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games import permissions, positions
from games.base import clock
from games.letters import in_doubt, silence
from games.models import Game, Phase
from games.outbox.messages import game_letters
from games.pages.decorators import for_readers
from games.pages.headings import headings
from games.pages.live import live
from games.pages.requests import person_of
from games.positions import final_marks, in_force
from games.rules.names import all_of
from games.turns import figures, ruling_plan
from orders.intake import ledger
from orders.models import Submission
from orders.web import team_panel
from orders.web.board import map_with_orders
from orders.web.drafting import drafting_of
from orders.web.lines import lines_of


@require_safe
@for_readers
def receipt(request: HttpRequest, game: Game, seat: int, number: int) -> HttpResponse:
    """Show what was received, line by line, and which orders are in force now.

    For everybody who may read these orders.
    """
    rows = Submission.objects.filter(game=game, seat=seat, seat_number=number)
    submission = next(iter(rows.select_related("phase").order_by()), None)
    if submission is not None:
        submission.game = submission.phase.game = game
        submission.seat = next(row for row in game.seats.all() if row.pk == seat)
    if submission is None or not permissions.reads_orders(request.user, submission):
        if not request.user.is_authenticated:
            # Redirect whether or not the number exists: how many orders there are is private.
            return redirect_to_login(request.get_full_path())
        raise Http404
    phase = submission.phase
    state = positions.state_of(phase)
    in_force_now, replaced = in_force.standing_and_replaced(submission)
    now = clock.now()
    # The receipt of a resolved phase says so itself and needs no live updates about later phases.
    current = phase if phase.status != Phase.Status.RESOLVED else game.phases.current()
    lines = lines_of(submission.text, submission.understood, _remarks(submission, state, now))
    context = {
        "game": game,
        "submission": submission,
        "seat": submission.seat,
        "phase": phase,
        "now": now,
        "live": live(game, current, now, request.user, follow=True, reload=True),
        "waits_for": _not_final(phase, state),
        "lines": lines,
        "asked": in_doubt.question(
            submission, state, in_force_now.seat_number if in_force_now else None
        ),
        "binding": (
            in_doubt.binding(
                game,
                game.rules.view(state, submission.seat.nation),
                submission.seat.nation,
                [words for _, words in submission.understood],
            )
            if phase.takes_orders
            else []
        ),
        "open_question": (
            in_force.open_question(submission.seat, phase, submission.person)
            if submission.question is not None
            else None
        ),
        "refused": sum(1 for line in lines if line.state == "rejected"),
        "standing": in_force_now,
        "closed": submission.late and submission.received_at <= phase.closes_at,
        "said": team_panel.receipt_sentences(submission),
        "replaced": replaced,
        "in_force": in_force_now is not None and in_force_now.number == submission.number,
        "may_order": permissions.may_order(request.user, submission.seat, phase),
        "runs": (runs := permissions.runs(request.user, game)),
        "rules_on_it": runs and ruling_plan.may_be_ruled_on(phase),
        "merges": game.options["orders.amend"] == "merge_lines",
        "silence": (
            None
            if in_force_now or not phase.takes_orders
            else silence.means(game, state, submission.seat.nation)
        ),
        "nations": headings(game.card["order"]),
        "shown": (
            map_with_orders(drafting_of(phase, submission.seat, state), phase, submission.judged)
            if submission.understood
            else None
        ),
        "waits": figures.waiting_stocks(phase, now),
        "has_letter": (
            request.user.is_authenticated
            and game_letters.has_receipt_letter(submission, person_of(request))
        ),
    }
    return render(request, "orders/receipt.html", context)


def _not_final(phase: Phase, state: Any) -> str:
    """Return the nations whose orders are not final yet, where the phase closes once all are."""
    if not phase.takes_orders or not phase.game.may_lock_early:
        return ""
    final = {nation for nation, item in in_force.in_force(phase).items() if item.final}
    seats = final_marks.seats_waited_for(phase, state)
    return all_of([seat.nation for seat in seats if seat.nation not in final])


def _remarks(submission: Submission, state: Any, now: datetime) -> list[dict[str, Any]]:
    """Return the remarks from when the orders arrived, and newer ones about their stocks.

    New remarks are added only while the orders can be changed.
    """
    if not submission.phase.takes_orders or not submission.counts:
        return list(submission.remarks)
    phase = submission.phase
    parsed = ledger.reading(submission.seat, phase, submission.judged, now, state=state)
    messages = {remark["message"] for remark in submission.remarks}
    return [
        *submission.remarks,
        *(remark.as_json() for remark in parsed.remarks if remark.message not in messages),
    ]
