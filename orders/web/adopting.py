"""The button on the order page with which a team's spokesman makes a proposal its orders."""

from __future__ import annotations

from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from games.models import Person, Phase, Seat
from orders import ledger, proposals
from orders.models import Submission
from orders.web.views import for_the_seated


@require_POST
@for_the_seated
def adopt(request: HttpRequest, seat: Seat, phase: Phase, now: datetime) -> HttpResponse:
    """The spokesman's button below a proposal: it is sent as the team's orders."""
    assert isinstance(request.user, Person)
    number = request.POST.get("number", "")
    try:
        proposed = proposals.find(
            [seat],
            phase,
            int(number) if number.isascii() and number.isdigit() and len(number) < 7 else 0,
        )
        submission = proposals.adopt(
            proposed, request.user, channel=Submission.Channel.WEB, now=now
        )
    except ledger.LedgerError as error:
        messages.error(request, str(error))
        return redirect("orders", seat.game_id, seat.pk)
    return redirect("receipt", seat.game_id, submission.number)
