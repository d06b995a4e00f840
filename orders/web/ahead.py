"""The page of orders ahead: write, show, replace and cancel orders for phases not open yet."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from games import permissions
from games.models import Phase, Seat
from games.pages.decorators import refuse
from games.pages.requests import person_of
from orders.intake import ahead
from orders.web.access import require_seated_player
from orders.web.forms import restore_line_ends
from orders.web.lines import lines_of


def name_of(later: ahead.LaterPhase) -> str:
    """Return the name of a phase in forms and addresses, such as “3-attacks”."""
    return f"{later.phase.turn}-{later.phase.kind}"


@require_http_methods(["GET", "HEAD", "POST"])
@require_seated_player
def orders_ahead(
    request: HttpRequest, seat: Seat, phase: Phase, now: datetime, seats: list[Seat]
) -> HttpResponse:
    """Show one later phase at a time. The field `do` names the button: keep or cancel."""
    person, game = person_of(request), phase.game
    if not permissions.holds(person, seat):
        refuse(request, game)
    sets_by_phase = {item.row.turn_and_kind: item for item in ahead.own_sets(seat, phase, person)}
    later_phases = ahead.phases(seat, phase)
    requested = request.POST.get("for") or request.GET.get("for")
    chosen = next((item for item in later_phases if name_of(item) == requested), None)
    fault = ""
    if chosen is None and requested:
        fault = "That phase has opened or is over. Choose another one; what you wrote is below."
    chosen = chosen or next(iter(later_phases), None)
    text = restore_line_ends(request.POST.get("text", ""))
    if request.method == "POST" and chosen is not None and not fault:
        try:
            if request.POST.get("do") == "cancel":
                ahead.cancel(seat, phase, person, chosen.phase)
            else:
                ahead.keep(seat, phase, person, chosen.phase, text, now)
            address = reverse("orders-ahead", args=[game.pk, seat.pk])
            return redirect(f"{address}?for={name_of(chosen)}")
        except ahead.OrdersAheadError as error:
            fault = str(error)
    stored = sets_by_phase.get(chosen.phase) if chosen is not None else None
    if stored is not None and request.method != "POST":
        text = stored.row.text
    context = {
        "game": game,
        "seat": seat,
        "phase": phase,
        "phases": [
            (name_of(item), item.title, item.phase in sets_by_phase, item is chosen)
            for item in later_phases
        ],
        "chosen": chosen,
        "name": name_of(chosen) if chosen is not None else "",
        "standing": stored,
        "text": text,
        "fault": fault,
        "lines": (
            lines_of(
                stored.row.text,
                stored.reading.understood,
                [remark.as_json() for remark in stored.reading.remarks],
            )
            if stored is not None
            else []
        ),
    }
    return render(request, "orders/ahead.html", context)
