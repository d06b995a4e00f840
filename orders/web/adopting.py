"""The button on the order page with which a team's spokesman makes a proposal its orders."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from games.models import Phase, Seat
from games.web.requests import number_in, person_of, tell_refusals
from orders import ledger, proposals
from orders.models import Submission
from orders.web.views import for_the_seated


@require_POST
@for_the_seated
def adopt(
    request: HttpRequest, seat: Seat, phase: Phase, now: datetime, seats: list[Seat]
) -> HttpResponse:
    """The spokesman's button below a proposal: it is sent as the team's orders."""
    number = number_in(request.POST.get("number", ""), 6) or 0
    with tell_refusals(request, ledger.LedgerError):
        proposed = proposals.find([seat], phase, number)
        submission = proposals.adopt(
            proposed, person_of(request), channel=Submission.Channel.WEB, now=now
        )
        return redirect(submission)
    return redirect("orders", seat.game_id, seat.pk)
