"""Operations on a player's orders: send, and read."""

from __future__ import annotations

from typing import Annotated, Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from ninja import Header, Router, Status
from ninja.errors import HttpError
from pydantic import Field

from games import permissions, positions
from games.accounts import rate_limits
from games.base import clock
from games.models import Game, Phase, Seat
from games.positions import final_marks, in_force, owed
from games.rules.names import all_of
from orders.intake import drafts, ledger
from orders.models import Submission

from . import answers, requests
from .access import Token, game_of, token_of
from .phases import GameNumber, phase_facts

SubmissionNumber = Annotated[int, Field(ge=1, le=2**31 - 1)]
Key = Annotated[str, Field(max_length=64, pattern=r"^[!-~]+$")]
router = Router(tags=["orders"], auth=Token())


@router.get("/games/{game}/orders", response={200: answers.Orders, **answers.READ})
def orders(request: HttpRequest, game: GameNumber) -> dict[str, Any]:
    """Return what you may send in the present phase, and what was sent that you may read."""
    row, person = game_of(request, game), token_of(request).person
    phase = row.phases.current()
    if phase is None:
        return {"phase": None, "own": [], "submissions": []}
    phase.game = row
    in_force_now = in_force.in_force(phase)
    is_open = phase.status == Phase.Status.OPEN
    acting = row.rules.acting_nations(positions.state_of(phase)) if is_open else ()
    due = owed.nations_owed_by(person, phase) if is_open else []
    readable = permissions.readable_nations(
        person, row, settled=permissions.is_settled(phase), phase=phase
    )
    rows = phase.submissions.filter(seat__nation__in=readable).select_related("seat")
    sent = list(rows.order_by("number"))
    final_marks.lapse(sent)
    return {
        "phase": phase_facts(phase),
        "own": [
            {
                "nation": seat.nation,
                "acts": seat.nation in acting,
                "due": seat.nation in due,
                "in_force": (
                    in_force_now[seat.nation].seat_number if seat.nation in in_force_now else None
                ),
            }
            for seat in permissions.orderable_seats(person, row, phase)
        ],
        "submissions": [_submission_facts(item, in_force_now) for item in sent],
    }


@router.get("/games/{game}/orders/{number}", response={200: answers.Submission, **answers.READ})
def submission(
    request: HttpRequest, game: GameNumber, number: SubmissionNumber, nation: str = ""
) -> dict[str, Any]:
    """Return one set of orders as it was received, if you may read it.

    Each nation's orders are numbered by themselves: give `nation` where you read several.
    """
    row = game_of(request, game)
    rows = row.submissions.select_related("seat", "phase", "game").filter(seat_number=number)
    if nation:
        rows = rows.filter(seat=_seat(row, nation))
    readable = [item for item in rows if permissions.reads_orders(request.user, item)]
    if not readable:
        raise Http404
    if len(readable) > 1:
        nations = all_of([item.seat.nation for item in readable])
        raise HttpError(422, f"nation: {nations} have orders No. {number}; name the one you mean.")
    final_marks.lapse(readable)
    return _submission_facts(readable[0], in_force.in_force(readable[0].phase))


@router.post(
    "/games/{game}/orders",
    response={200: answers.Submission, 201: answers.Submission, **answers.WRITE},
)
def send(
    request: HttpRequest,
    game: GameNumber,
    new: answers.NewOrders,
    idempotency_key: Annotated[Key | None, Header(alias="Idempotency-Key")] = None,
) -> Status[dict[str, Any]]:
    """Send orders for one nation, as by page or mail. Needs a token that sends orders.

    201: received; the answer is the receipt. 200: received before under the same Idempotency-Key.
    """
    token, now = token_of(request), clock.now()
    if not token.sends_orders:
        raise PermissionDenied("This token may only read. Make one that sends orders.")
    row = game_of(request, game)
    seat = _seat(row, new.nation)
    if not permissions.may_order(token.person, seat) or seat.referee:
        raise PermissionDenied(f"You do not send orders for {seat.nation}.")
    rate_limits.count(rate_limits.ORDERS, token.person.pk, now)
    meant_for = None
    if new.phase is not None:
        meant_for = row.phases.filter(number=new.phase).first()
        if meant_for is None:
            raise HttpError(422, f"phase: this game has no phase {new.phase}.")
    try:
        received, is_new = requests.receive_orders(
            seat,
            new.text,
            person=token.person,
            now=now,
            final=new.final,
            meant_for=meant_for,
            key=idempotency_key or "",
        )
    except ledger.LedgerError as error:
        raise HttpError(409, str(error)) from error
    except requests.OtherRequest as error:
        raise HttpError(422, str(error)) from error
    if is_new:
        drafts.discard(seat, received.phase, token.person)
    facts = _submission_facts(received, in_force.in_force(received.phase))
    return Status(201 if is_new else 200, facts)


def _seat(game: Game, nation: str) -> Seat:
    """Return a nation's seat. Raise `HttpError` for a nation that is not in the game."""
    seats = list(game.seats.nations().order_by("ordinal"))
    for seat in seats:
        if seat.nation == nation:
            seat.game = game
            return seat
    names = ", ".join(seat.nation for seat in seats)
    raise HttpError(422, f"nation: this game has no such nation. Its nations: {names}.")


def _submission_facts(row: Submission, standing: dict[str, Submission]) -> dict[str, Any]:
    counting_row = standing.get(row.seat.nation)
    return {
        "number": row.seat_number,
        "nation": row.seat.nation,
        "phase": row.phase.number,
        "received_at": row.received_at,
        "channel": str(row.channel),
        "text": row.text,
        "understood": [{"line": line, "order": order} for line, order in row.understood],
        "remarks": row.remarks,
        "doubt": row.doubt,
        "final": row.final,
        "proposal": row.proposal,
        "late": row.late,
        "counts": row.counts,
        "in_force": counting_row is not None and counting_row.number == row.number,
        "hash": row.hash,
    }
