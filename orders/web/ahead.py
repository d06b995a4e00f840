"""The page of orders for later phases: written, shown, replaced and taken back before they open."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from games import permissions
from games.game_templates import template_of
from games.models import Phase, Seat
from games.web.decorators import refuse
from games.web.requests import person_of
from orders import ahead
from orders.web.forms import as_typed
from orders.web.views import for_the_seated, lines_of


def name_of(later: ahead.Later) -> str:
    """A phase as forms and addresses name it: 3-attacks."""
    return f"{later.phase.turn}-{later.phase.kind}"


@require_http_methods(["GET", "HEAD", "POST"])
@for_the_seated
def orders_ahead(
    request: HttpRequest, seat: Seat, phase: Phase, now: datetime, seats: list[Seat]
) -> HttpResponse:
    """One later phase at a time. `do` is the button: keep or cancel."""
    person, game = person_of(request), phase.game
    if not permissions.holds(person, seat):
        refuse(request, game)
    kept = {one.row.turn_and_kind: one for one in ahead.mine(seat, phase, person)}
    offered = ahead.phases(seat, phase)
    wanted = request.POST.get("for") or request.GET.get("for")
    chosen = next((one for one in offered if name_of(one) == wanted), None)
    fault = ""
    if chosen is None and wanted:
        fault = "That phase has opened or is over. Choose another one; what you wrote stands below."
    chosen = chosen or next(iter(offered), None)
    text = as_typed(request.POST.get("text", ""))
    if request.method == "POST" and chosen is not None and not fault:
        try:
            if request.POST.get("do") == "cancel":
                ahead.cancel(seat, phase, person, chosen.phase)
            else:
                ahead.keep(seat, phase, person, chosen.phase, text, now)
            there = reverse("orders-ahead", args=[game.pk, seat.pk])
            return redirect(f"{there}?for={name_of(chosen)}")
        except ahead.NotKept as error:
            fault = str(error)
    standing = kept.get(chosen.phase) if chosen is not None else None
    if standing is not None and request.method != "POST":
        text = standing.row.text
    context = {
        "game": game,
        "seat": seat,
        "phase": phase,
        "phases": [(name_of(one), one.title, one.phase in kept, one is chosen) for one in offered],
        "chosen": chosen,
        "name": name_of(chosen) if chosen is not None else "",
        "standing": standing,
        "text": text,
        "fault": fault,
        "lines": (
            lines_of(
                standing.row.text,
                standing.reading.understood,
                [remark.as_json() for remark in standing.reading.remarks],
            )
            if standing is not None
            else []
        ),
        "language": template_of(game.ruleset_id, "orders/language/*.html"),
    }
    return render(request, "orders/ahead.html", context)
