"""Let a team's spokesman adopt a proposal by a button on the order page."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from games.models import Phase, Seat
from games.pages.requests import parse_number, person_of, tell_refusals
from orders.intake import ledger, proposals
from orders.models import Submission
from orders.web.access import require_seated_player


@require_POST
@require_seated_player
def adopt(
    request: HttpRequest, seat: Seat, phase: Phase, now: datetime, seats: list[Seat]
) -> HttpResponse:
    """Adopt a proposal as the team's orders when the spokesman presses the button."""
    number = parse_number(request.POST.get("number", ""), 6) or 0
    with tell_refusals(request, ledger.LedgerError):
        proposal = proposals.find([seat], phase, number)
        arrival = ledger.Arrival(Submission.Channel.WEB, person_of(request), now)
        return redirect(proposals.adopt(proposal, arrival))
    return redirect("orders", seat.game_id, seat.pk)
