"""Deals with other nations: read, proposed and answered by programs."""

from __future__ import annotations

from typing import Annotated, Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from ninja import Router, Status
from ninja.errors import HttpError
from pydantic import Field

from games import permissions
from games.accounts import rate_limits
from games.models import AccessToken, Game, Press, ProposalAnswer, Seat
from games.press import deals
from games.press.rules import PressError
from gamesmaster import clock

from . import answers
from .access import Token, game_of, token_of
from .phases import GameNumber
from .refusals import READ, WRITE

DealNumber = Annotated[int, Field(ge=1, le=2**31 - 1)]
Kind = ProposalAnswer.Kind
router = Router(tags=["deals"], auth=Token())


@router.get("/games/{game}/deals", response={200: list[answers.Deal], **READ})
def deals_of(request: HttpRequest, game: GameNumber) -> list[dict[str, Any]]:
    """Return the deals that you may read, oldest first, and what came of each promise."""
    row, person = game_of(request, game), token_of(request).person
    return [_facts(one) for one in deals.Book(person, row).deals]


@router.post("/games/{game}/deals", response={201: answers.Deal, **WRITE})
def propose(request: HttpRequest, game: GameNumber, new: answers.NewDeal) -> Status[dict[str, Any]]:
    """Propose a deal for one nation to another. Needs a token that sends orders.

    `counters` is the number of the deal that it answers instead of accepting.
    """
    token, row = _sender(request, game)
    seat = _own_seat(token, row, new.nation)
    try:
        counters = None
        if new.counters is not None:
            counters, _ = deals.find(token.person, row, [seat], new.counters)
        to = counters.seat if counters is not None else deals.partner(row, seat, new.to)
        made = deals.propose(
            row,
            seat,
            token.person,
            to,
            new.text,
            channel=Press.Channel.API,
            now=clock.now(),
            counters=counters,
        )
    except PressError as error:
        raise HttpError(409, str(error)) from error
    return Status(201, _told(token, row, made.pk))


@router.post("/games/{game}/deals/{number}", response={200: answers.Deal, **WRITE})
def answer(
    request: HttpRequest, game: GameNumber, number: DealNumber, new: answers.DealAnswer
) -> dict[str, Any]:
    """Accept, decline or withdraw the deal that your nation knows by a number."""
    token, row = _sender(request, game)
    seat = _own_seat(token, row, new.nation)
    try:
        proposal, _ = deals.find(token.person, row, [seat], number)
        kind = Kind(new.answer)
        deals.answer(proposal, seat, kind, token.person, channel=Press.Channel.API, now=clock.now())
    except PressError as error:
        raise HttpError(409, str(error)) from error
    return _told(token, row, proposal.pk)


def _sender(request: HttpRequest, game: int) -> tuple[AccessToken, Game]:
    token = token_of(request)
    if not token.sends_orders:
        raise PermissionDenied("This token may only read. Make one that sends orders.")
    row = game_of(request, game)
    rate_limits.count(rate_limits.ORDERS, token.person.pk, clock.now())
    return token, row


def _own_seat(token: AccessToken, game: Game, nation: str) -> Seat:
    """Return the asker's own seat; deals are made by who sits there. Raises `PermissionDenied`."""
    for seat in permissions.seats_held(token.person, game):
        if seat.nation == nation:
            return seat
    raise PermissionDenied(f"You do not play {nation}.")


def _told(token: AccessToken, game: Game, pk: int) -> dict[str, Any]:
    found = deals.Book(token.person, game).deals
    return _facts(next(one for one in found if one.proposal.pk == pk))


def _facts(deal: deals.Deal) -> dict[str, Any]:
    proposal = deal.proposal
    countered = proposal.counters
    return {
        "number": deal.number,
        "by": proposal.seat.nation,
        "to": proposal.to.nation,
        "text": proposal.text,
        "promises": [one.sentence() for one in deal.clauses],
        "made_at": proposal.made_at,
        "phase": proposal.phase.number,
        "status": deal.status,
        "counters": countered.number_for(deal.own.pk) if countered and deal.own else None,
        "outcomes": [
            {
                "nation": one.nation,
                "promise": one.clause.words(),
                "result": one.result,
                "why": one.why,
            }
            for one in deal.outcomes
        ],
    }
