"""Write letters about proposed deals and the answers to them."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings

from games.models import Block, Letter, Proposal, ProposalAnswer, Seat
from games.outbox import rows
from games.outbox.kinds import Kind
from games.outbox.outgoing import Outgoing

PROPOSAL = Kind("proposal", "a proposal of a deal", between_people=True, replies="words")
ANSWERED = Kind(
    "proposal_answer", "an answer to a proposed deal", between_people=True, replies="words"
)


def announce_proposal(proposal: Proposal, now: datetime) -> None:
    """Send a proposal to the players of the seat it is addressed to, and a copy to the proposer's
    team."""
    _write(PROPOSAL, proposal, proposal.person_id, now, (proposal.to, proposal.seat))


def report_answer(answer: ProposalAnswer, now: datetime) -> None:
    """Tell the other side, and the team of the person who answered, the answer to a proposal."""
    proposal = answer.proposal
    ours, theirs = proposal.to, proposal.seat
    if answer.kind == ProposalAnswer.Kind.WITHDRAWN:
        ours, theirs = theirs, ours
    _write(ANSWERED, proposal, answer.person_id, now, (theirs, ours))


def _write(
    kind: Kind, proposal: Proposal, writer: int | None, now: datetime, seats: tuple[Seat, Seat]
) -> None:
    """Write to everybody in two seats, except the writer and people who blocked the writer."""
    blocks = Block.objects.in_effect(proposal.game).filter(blocked=writer)
    blocking = set(blocks.values_list("person", flat=True)) if writer else set()
    players = Outgoing([proposal.game]).players(proposal.game, seats)
    rows.write(
        [
            _row(kind, proposal, reader, now)
            for reader in players
            if reader.person.pk not in {writer, *blocking}
        ]
    )


def _row(kind: Kind, proposal: Proposal, reader: rows.Reader, now: datetime) -> Letter:
    person = reader.person
    # Use the reader's own count, because the key is visible in the Message-ID.
    number = proposal.number_for(reader.seats[0])
    letter = rows.row(
        f"game-{proposal.game_id}/seat-{reader.seats[0]}/{kind.id}-{number}/person-{person.pk}",
        kind,
        now,
        person,
        game=proposal.game,
        phase=proposal.phase,
        about={"proposal": proposal.pk, "seats": reader.seats},
    )
    # All deals of two nations refer to this Message-ID, so that they form a thread.
    first, second = sorted((proposal.seat_id, proposal.to_id))
    letter.in_reply_to = f"<game-{proposal.game_id}.deals-{first}-{second}@{settings.MAIL_DOMAIN}>"
    return letter
