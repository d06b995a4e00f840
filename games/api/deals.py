"""Operations on deals with other nations: read, propose and answer."""

from __future__ import annotations

from typing import Annotated, Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from ninja import Header, Router, Status
from ninja.errors import HttpError
from pydantic import Field

from games import permissions
from games.accounts import rate_limits
from games.base import clock
from games.models import AccessToken, Game, Press, ProposalAnswer, Seat
from games.press import deals
from games.press.book import Book, Deal
from games.seats.press_rules import PressError

from . import answers, requests
from .access import Token, game_of, token_of
from .orders import Key
from .phases import GameNumber

DealNumber = Annotated[int, Field(ge=1, le=2**31 - 1)]
Kind = ProposalAnswer.Kind
router = Router(tags=["deals"], auth=Token())


@router.get("/games/{game}/deals", response={200: list[answers.Deal], **answers.READ})
def deals_of(request: HttpRequest, game: GameNumber) -> list[dict[str, Any]]:
    """Return the deals that you may read, oldest first, with the outcome of each promise."""
    row, person = game_of(request, game), token_of(request).person
    return [_facts(deal) for deal in Book(person, row).deals]


@router.post(
    "/games/{game}/deals", response={200: answers.Deal, 201: answers.Deal, **answers.WRITE}
)
def propose(
    request: HttpRequest,
    game: GameNumber,
    new: answers.NewDeal,
    idempotency_key: Annotated[Key | None, Header(alias="Idempotency-Key")] = None,
) -> Status[dict[str, Any]]:
    """Propose a deal for one nation to another. Needs a token that sends orders.

    `counters` is the number of the deal that it answers instead of accepting. 201: proposed. 200:
    proposed before under the same Idempotency-Key.
    """
    token, row = _sender(request, game)
    seat = _own_seat(token, row, new.nation)
    try:
        counters = None
        if new.counters is not None:
            counters, _ = deals.find(token.person, row, [seat], new.counters)
        to = counters.seat if counters is not None else deals.partner(row, seat, new.to)
        proposal, is_new = requests.propose_deal(
            row,
            seat,
            token.person,
            to,
            new.text,
            now=clock.now(),
            counters=counters,
            key=idempotency_key or "",
        )
    except PressError as error:
        raise HttpError(409, str(error)) from error
    except requests.OtherRequest as error:
        raise HttpError(422, str(error)) from error
    return Status(201 if is_new else 200, _told(token, row, proposal.pk))


@router.post("/games/{game}/deals/{number}", response={200: answers.Deal, **answers.WRITE})
def answer(
    request: HttpRequest, game: GameNumber, number: DealNumber, new: answers.DealAnswer
) -> dict[str, Any]:
    """Accept, decline or withdraw the deal that your nation knows by a number.

    Repeating your answer changes nothing and returns the deal.
    """
    token, row = _sender(request, game)
    seat = _own_seat(token, row, new.nation)
    try:
        proposal, _ = deals.find(token.person, row, [seat], number)
        kind = Kind(new.answer)
        earlier_answers = ProposalAnswer.objects.filter(
            proposal=proposal, kind=kind, person=token.person
        )
        if earlier_answers.exists():
            return _told(token, row, proposal.pk)
        deals.answer(proposal, seat, kind, token.person, channel=Press.Channel.API, now=clock.now())
    except PressError as error:
        raise HttpError(409, str(error)) from error
    return _told(token, row, proposal.pk)


def _sender(request: HttpRequest, game: int) -> tuple[AccessToken, Game]:
    """Count a request that writes, and return its token and game. Raise `PermissionDenied`."""
    token = token_of(request)
    if not token.sends_orders:
        raise PermissionDenied("This token may only read. Make one that sends orders.")
    row = game_of(request, game)
    rate_limits.count(rate_limits.ORDERS, token.person.pk, clock.now())
    return token, row


def _own_seat(token: AccessToken, game: Game, nation: str) -> Seat:
    """Return the seat of a nation that the token's owner plays.

    Deals are made by those who hold the seat. Raise `PermissionDenied` for other nations.
    """
    for seat in permissions.held_seats(token.person, game):
        if seat.nation == nation:
            return seat
    raise PermissionDenied(f"You do not play {nation}.")


def _told(token: AccessToken, game: Game, pk: int) -> dict[str, Any]:
    own_deals = Book(token.person, game).deals
    return _facts(next(deal for deal in own_deals if deal.proposal.pk == pk))


def _facts(deal: Deal) -> dict[str, Any]:
    proposal = deal.proposal
    countered = proposal.counters
    return {
        "number": deal.number,
        "by": proposal.seat.nation,
        "to": proposal.to.nation,
        "text": proposal.text,
        "promises": [clause.sentence() for clause in deal.clauses],
        "made_at": proposal.made_at,
        "phase": proposal.phase.number,
        "status": deal.status,
        "reason": deal.answer.reason if deal.answer else "",
        "counters": countered.number_for(deal.own.pk) if countered and deal.own else None,
        "outcomes": [
            {
                "nation": outcome.nation,
                "promise": outcome.clause.words(),
                "result": outcome.result,
                "why": outcome.why,
            }
            for outcome in deal.outcomes
        ],
    }
