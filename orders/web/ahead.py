"""The page of orders ahead: write, show, replace and cancel orders for phases not open yet.

It is the order page's form. Its text is kept by its button only: what is kept becomes orders.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from games import permissions, positions
from games.models import Phase, Seat
from games.pages.decorators import refuse
from games.pages.requests import person_of
from games.rules import Board, Reading
from orders.intake import ahead
from orders.web.access import require_seated_player
from orders.web.autosave import KeptDraft
from orders.web.drafting import drafting_of
from orders.web.editing import answer_in_parts, edited_text, shows_points
from orders.web.forms import OrdersForm, restore_line_ends
from orders.web.page import OrderPage

#: Values of the field `do` that store or delete a set.
STORING = ("keep-ahead", "cancel-ahead")


@dataclass(frozen=True, kw_only=True)
class AheadPage(OrderPage):
    """The order page for a phase that has not opened yet, on the board as it is now."""

    later: ahead.LaterPhase
    hint: ClassVar[str] = ""
    acts: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return name_of(self.later)

    @property
    def point_address(self) -> str:
        return reverse("orders-ahead-point", args=[self.game.pk, self.seat.pk])

    @property
    def board(self) -> Board:
        """The board as it is now: the picture shows no other."""
        return self.game.rules.board(self.game.rules.view(self.state, self.seat.nation))

    def reading(self, text: str) -> Reading:
        return ahead.reading_ahead(self.seat, self.later, text)


def name_of(later: ahead.LaterPhase) -> str:
    """Return the name of a phase in forms and addresses, such as “3-attacks”."""
    return f"{later.phase.turn}-{later.phase.kind}"


@require_http_methods(["GET", "HEAD", "POST"])
@require_seated_player
def orders_ahead(
    request: HttpRequest, seat: Seat, phase: Phase, now: datetime, seats: list[Seat]
) -> HttpResponse:
    """Show one later phase at a time, and handle its buttons.

    The field `do` names the button: keep-ahead, cancel-ahead, or one that changes the text.
    """
    person = _holder(request, seat)
    later_phases = ahead.phases(seat, phase)
    requested = request.POST.get("for") or request.GET.get("for")
    chosen = next((item for item in later_phases if name_of(item) == requested), None)
    text = restore_line_ends(request.POST.get("text", ""))
    fault = ""
    if chosen is None and requested:
        fault = "That phase has opened or is over. Choose another one"
        fault += "; what you wrote is below." if text else "."
    chosen = chosen or next(iter(later_phases), None)
    if request.POST.get("do") in STORING and chosen is not None and not fault:
        try:
            if request.POST["do"] == "cancel-ahead":
                ahead.cancel(seat, phase, person, chosen.phase)
            else:
                ahead.keep(seat, phase, person, chosen.phase, text, now)
            address = reverse("orders-ahead", args=[phase.game_id, seat.pk])
            return redirect(f"{address}?for={name_of(chosen)}")
        except ahead.OrdersAheadError as error:
            fault = str(error)
    sets = {item.row.turn_and_kind: item for item in ahead.own_sets(seat, phase, person)}
    stored = sets.get(chosen.phase) if chosen is not None else None
    if stored is not None and request.method != "POST":
        text = stored.row.text
    context: dict[str, Any] = {
        "game": phase.game,
        "seat": seat,
        "phase": phase,
        "now": now,
        "phases": [
            (name_of(item), item.title, item.phase in sets, item is chosen) for item in later_phases
        ],
        "page": chosen and _page(request, seat, phase, now, chosen, text),
        "standing": stored,
        "text": text,
        "fault": fault,
    }
    return render(request, "orders/ahead.html", context)


@require_POST
@require_seated_player
def point(
    request: HttpRequest, seat: Seat, phase: Phase, now: datetime, seats: list[Seat]
) -> HttpResponse:
    """Return the text after a button's change, and the parts that change with it; store nothing."""
    _holder(request, seat)
    later_phases = ahead.phases(seat, phase)
    requested = request.POST.get("for")
    chosen = next((item for item in later_phases if name_of(item) == requested), None)
    if chosen is None:  # the script says that it could not be done, and leaves the text alone
        return HttpResponse(status=409)
    text = restore_line_ends(request.POST.get("text", ""))
    return answer_in_parts(request, _page(request, seat, phase, now, chosen, text))


def _holder(request: HttpRequest, seat: Seat) -> Any:
    """Return the reader, who must hold the seat: others only send its orders."""
    person = person_of(request)
    if not permissions.holds(person, seat):
        refuse(request, seat.game)
    return person


def _page(
    request: HttpRequest,
    seat: Seat,
    phase: Phase,
    now: datetime,
    later: ahead.LaterPhase,
    text: str,
) -> AheadPage:
    """Return the page after the change of a button."""
    drafting = drafting_of(phase, seat, later.state)
    text, fault = edited_text(drafting, text, request.POST)
    return AheadPage(
        person=person_of(request),
        seat=seat,
        phase=phase,
        now=now,
        state=positions.state_of(phase),
        drafting=drafting,
        form=OrdersForm(),
        text=text,
        kept=KeptDraft(),
        checked=bool(text),
        typed=request.POST,
        line_fault=fault,
        points=shows_points(request, phase.game),
        later=later,
    )
