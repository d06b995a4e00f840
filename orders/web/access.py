"""Open pages of orders only to people who may order for the seat."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.views import redirect_to_login
from django.db.models import BooleanField
from django.db.models.expressions import RawSQL
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from games import permissions, positions
from games.base import clock
from games.models import Game, Phase, Seat
from games.pages.decorators import refuse

P = ParamSpec("P")
#: A page for a seat in a phase; the list holds all seats that the reader may order for.
SeatPage = Callable[Concatenate[HttpRequest, Seat, Phase, datetime, list[Seat], P], HttpResponse]

#: Whether a person has written for a seat what they have not sent: a draft, or orders for a later
#: phase. Read with the phase, because mostly there is neither, and a page need not ask for them.
_UNSENT = """EXISTS (SELECT 1 FROM orders_draft draft
        WHERE draft.seat_id = %s AND draft.person_id = %s)
    OR EXISTS (SELECT 1 FROM orders_ordersahead ahead
        WHERE ahead.seat_id = %s AND ahead.person_id = %s)"""


def require_seated_player(page: SeatPage[P]) -> Callable[..., HttpResponse]:
    """Open a page to the players of the seat while orders are possible.

    Redirect visitors to the login. Refuse people who may not order for the seat. Show “not now”
    before the game has begun and after it is over. `phase.unsent` says whether the reader has
    drafts or orders for later phases.
    """

    @wraps(page)
    def wrapped(
        request: HttpRequest, pk: int, seat: int, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        now = clock.now()
        if not request.user.is_authenticated:
            # Redirect before any lookup, so that strangers do not learn which games exist.
            address = (
                request.get_full_path()
                if request.method in ("GET", "HEAD")
                else reverse("game", args=[pk])
            )
            return redirect_to_login(address)
        phases = positions.annotate_positions(Phase.objects.filter(game=pk).select_related("game"))
        unsent = RawSQL(_UNSENT, [seat, request.user.pk] * 2, BooleanField())
        phase = phases.annotate(unsent=unsent).current()
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
        if phase is None or game.is_over:
            return render(
                request,
                "orders/not_now.html",
                {"game": game, "seat": own_seat, "phase": phase, "now": now},
            )
        return page(request, own_seat, phase, now, seats, *args, **kwargs)

    return wrapped
