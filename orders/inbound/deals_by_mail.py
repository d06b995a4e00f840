"""Deals by mail: PROPOSE, COUNTER, ACCEPT, DECLINE, WITHDRAW, and the list that DEALS asks for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from games import permissions
from games.models import Game, Person, Press, Proposal, ProposalAnswer, Seat
from games.press import deals

from .parsing import commands
from .replies.outcome import Section

Kind = ProposalAnswer.Kind
#: How many deals the answer to DEALS lists, newest first; the page has all.
LISTED = 20


class UnclearDeal(Exception):
    """The answer does not say which deal it is about. `str()` is one sentence for its sender."""


def do(
    item: commands.Propose | commands.AnswerDeal,
    game: Game,
    person: Person,
    seats: Sequence[Seat],
    about: int | None,
    now: datetime,
) -> tuple[Section, str]:
    """Do what a line asks. Return the section for the answer, and words for the log.

    `about` is the proposal in the letter that the message replies to. Raise `UnclearDeal`, and
    `PressError` for something that cannot be proposed or answered.
    """
    if isinstance(item, commands.Propose):
        return _propose(item, game, person, seats, now)
    proposal, seat = _proposal_and_seat(item, game, person, seats, about)
    kind = Kind(item.kind)
    deals.answer(proposal, seat, kind, person, channel=Press.Channel.MAIL, now=now)
    number = proposal.number_for(seat.pk)
    deal = next(one for one in deals.Book(person, game).deals if one.proposal.pk == proposal.pk)
    sentences = [
        f"You have {kind.value} No. {number}; {deal.other.nation} is told.",
        *(one.sentence() for one in deal.clauses if kind == Kind.ACCEPTED),
    ]
    return Section(f"Deal No. {number}", sentences), f"{kind.value} deal No. {number}"


def _propose(
    item: commands.Propose, game: Game, person: Person, seats: Sequence[Seat], now: datetime
) -> tuple[Section, str]:
    counters = None
    if item.n is not None:
        counters, seat = deals.find(person, game, seats, item.n)
        if counters.to_id != seat.pk:
            raise UnclearDeal(
                f"You proposed No. {item.n} yourself. Withdraw it with WITHDRAW {item.n} and"
                " propose another."
            )
        to = counters.seat
    else:
        seat = seats[0]
        to = deals.partner(game, seat, item.to)
    proposal = deals.propose(
        game, seat, person, to, item.terms, channel=Press.Channel.MAIL, now=now, counters=counters
    )
    deal = next(one for one in deals.Book(person, game).deals if one.proposal.pk == proposal.pk)
    sentences = [
        f"Proposed to {to.nation} as your No. {proposal.number}:",
        *(one.sentence() for one in deal.clauses),
        f"WITHDRAW {proposal.number} takes it back until {to.nation} answers.",
    ]
    return Section(f"Deal No. {proposal.number}", sentences), f"proposal No. {proposal.number}"


def _proposal_and_seat(
    item: commands.AnswerDeal,
    game: Game,
    person: Person,
    seats: Sequence[Seat],
    about: int | None,
) -> tuple[Proposal, Seat]:
    """Return the proposal that an answer is about, and the person's seat. Raise `UnclearDeal`."""
    if item.n is not None:
        return deals.find(person, game, seats, item.n)
    for proposal in permissions.readable_deals(person, game) if about is not None else ():
        for seat in seats:
            if proposal.pk == about and seat.pk in (proposal.seat_id, proposal.to_id):
                return proposal, seat
    verb = {"accepted": "ACCEPT", "declined": "DECLINE", "withdrawn": "WITHDRAW"}[item.kind]
    raise UnclearDeal(f"“{verb}” does not say which deal. Write its number, such as {verb} 3.")


def summary(game: Game, person: Person) -> Section:
    """Return a person's deals, newest first, with their outcomes."""
    own_deals = deals.Book(person, game).deals
    if not own_deals:
        return Section("Your deals", ["You have no deals in this game."])
    return Section("Your deals", points=[describe_deal(deal) for deal in own_deals[::-1][:LISTED]])


def describe_deal(deal: deals.Deal) -> str:
    """Return a deal in one line: number, both nations, promises, status and outcome."""
    proposal = deal.proposal
    text = " ".join(one.sentence() for one in deal.clauses)
    outcomes = "; ".join(f"{one.nation}: {one.words}" for one in deal.outcomes)
    number = f"No. {deal.number}, " if deal.number is not None else ""
    return f"{number}{proposal.seat.nation} to {proposal.to.nation}, {deal.status}: {text}" + (
        f" What came of it: {outcomes}." if outcomes else ""
    )
