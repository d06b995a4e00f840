"""Build the context of letters about proposed deals and the answers to them, including how to
reply."""

from __future__ import annotations

from games.base import links
from games.models import Proposal, ProposalAnswer, people
from games.outbox.messages.deal_letters import ANSWERED, PROPOSAL
from games.press import deals

from . import headers
from .context import Context, Facts, builds

Kind = ProposalAnswer.Kind


@builds(PROPOSAL)
def _proposal(context: Context) -> Facts:
    proposal = _row(context)
    from_own_team = proposal.seat_id in context.about["seats"]
    reader = proposal.seat_id if from_own_team else proposal.to_id
    number = proposal.number_for(reader)
    return {
        **_facts(context, proposal),
        "number": number,
        "own": from_own_team,
        "who": people.who(proposal.person) or "A member of your team",
        "counters": proposal.counters.number_for(reader) if proposal.counters else None,
        "reason": proposal.counters.answer.reason if proposal.counters else "",
        "counter_example": f"COUNTER {number}: {proposal.text.partition(';')[0]}",
        "mine": proposal.seat.nation,
        "other": proposal.to.nation,
    }


@builds(ANSWERED)
def _answer_facts(context: Context) -> Facts:
    proposal = _row(context)
    answer: ProposalAnswer = proposal.answer
    withdrawn = answer.kind == Kind.WITHDRAWN
    by, recipient = (proposal.seat, proposal.to) if withdrawn else (proposal.to, proposal.seat)
    by_own_team = by.pk in context.about["seats"] and recipient.pk not in context.about["seats"]
    return {
        **_facts(context, proposal),
        "number": proposal.number_for(by.pk if by_own_team else recipient.pk),
        "nation": by.nation,
        "own": by_own_team,
        "who": people.who(answer.person) or "A member of your team",
        "verb": answer.verb,
        "accepted": answer.kind == Kind.ACCEPTED,
        "withdrawn": withdrawn,
        "reason": answer.reason,
    }


def _row(context: Context) -> Proposal:
    rows = Proposal.objects.select_related(
        "seat", "to", "phase", "person", "counters__answer", "answer"
    )
    proposal: Proposal = rows.get(pk=context.about["proposal"])
    assert context.letter.game is not None
    proposal.game = proposal.phase.game = context.letter.game
    return proposal


def _facts(context: Context, proposal: Proposal) -> Facts:
    clauses = deals.clauses_of(proposal, deals.ground_of(proposal.game, proposal.phase))
    more = f" and {len(clauses) - 1} more" if len(clauses) > 1 else ""
    return {
        "sentences": [clause.sentence() for clause in clauses],
        "terms": f"{clauses[0].brief()}{more}" if clauses else "",
        "by_mail": headers.answerable(context.letter),
        "deals_link": links.link("deals", proposal.game_id),
    }
