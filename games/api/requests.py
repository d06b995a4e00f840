"""Receive orders and deals from programs once, however often a request is repeated."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from games.models import Game, Person, Phase, Press, Proposal, Seat
from games.positions import game_row
from games.press import deals
from games.rules.deals import terms
from orders.intake import chain, ledger
from orders.models import Submission


class OtherRequest(Exception):
    """The Idempotency-Key was used for another request. `str()` is one sentence for the sender."""


def receive_orders(
    seat: Seat,
    text: str,
    *,
    person: Person,
    now: datetime,
    final: bool,
    meant_for: Phase | None,
    key: str,
) -> tuple[Submission, bool]:
    """Receive orders as the page does. Return them, and whether they are new.

    `key` is the sender's Idempotency-Key for this request, or "". A request repeated under its key
    returns what was received first. Raise `OtherRequest` if the key belongs to another request, and
    `ledger.LedgerError`.
    """
    with transaction.atomic():
        held = chain.take(seat.game, seat, several=True)
        rows = Submission.objects.select_related("seat", "phase", "game")
        first = rows.filter(game=seat.game, person=person, request_key=key).first() if key else None
        if first is not None:
            if not _are_same_orders(first, seat, text, final=final, meant_for=meant_for):
                raise OtherRequest(
                    "You have sent other orders under this Idempotency-Key. Use a new key for new"
                    " orders."
                )
            return first, False
        arrival = ledger.Arrival(
            Submission.Channel.API, person, now, meant_for=meant_for, request_key=key
        )
        return ledger.receive(seat, text, arrival, final=final, held=held), True


def propose_deal(
    game: Game,
    seat: Seat,
    person: Person,
    to: Seat,
    text: str,
    *,
    now: datetime,
    counters: Proposal | None,
    key: str,
) -> tuple[Proposal, bool]:
    """Propose a deal as the page does. Return it, and whether it is new.

    `key` as for orders. Raise `OtherRequest`, and what `deals.propose` raises.
    """
    with transaction.atomic():
        game_row.take_row(game)
        rows = Proposal.objects.select_related("seat", "to", "phase")
        first = rows.filter(game=game, person=person, request_key=key).first() if key else None
        if first is not None:
            if not _is_same_deal(first, seat, to, text, counters):
                raise OtherRequest(
                    "You have proposed another deal under this Idempotency-Key. Use a new key for a"
                    " new deal."
                )
            return first, False
        proposal = deals.propose(
            game,
            seat,
            person,
            to,
            text,
            channel=Press.Channel.API,
            now=now,
            counters=counters,
            request_key=key,
        )
        return proposal, True


def _are_same_orders(
    first: Submission, seat: Seat, text: str, *, final: bool, meant_for: Phase | None
) -> bool:
    return (
        first.seat_id == seat.pk
        and first.text == text
        and first.final == final
        and (meant_for is None or first.phase_id == meant_for.pk)
    )


def _is_same_deal(
    first: Proposal, seat: Seat, to: Seat, text: str, counters: Proposal | None
) -> bool:
    first.game = first.phase.game = seat.game
    try:
        ground = deals.ground_of(seat.game, first.phase)  # as it was when the deal was proposed
        written = terms.write(terms.read(text, seat.nation, to.nation, ground))
    except terms.DealFault:
        return False
    requested = (seat.pk, to.pk, written, counters.pk if counters is not None else None)
    return requested == (first.seat_id, first.to_id, first.text, first.counters_id)
