"""Proposals of deals, and the answers to them, as letters: short, and what to write back."""

from __future__ import annotations

from games.models import Proposal, ProposalAnswer, people
from games.outbox.messages.deals import ANSWERED, PROPOSAL
from games.press import deals
from gamesmaster import links

from . import headers
from .context import Build, Context, Facts

Kind = ProposalAnswer.Kind
_VERBS = {
    Kind.ACCEPTED: "accepts",
    Kind.DECLINED: "declines",
    Kind.WITHDRAWN: "withdraws",
}


def _proposal(context: Context) -> Facts:
    proposal = _row(context)
    own = proposal.seat_id in context.about["seats"]
    reader = proposal.seat_id if own else proposal.to_id
    number = proposal.number_for(reader)
    return {
        **_facts(context, proposal),
        "number": number,
        "own": own,
        "who": people.who(proposal.person) if own else "",
        "counters": proposal.counters.number_for(reader) if proposal.counters else None,
        "counter_example": f"COUNTER {number}: {proposal.text.partition(';')[0]}",
        "mine": proposal.seat.nation,
        "other": proposal.to.nation,
    }


def _answered(context: Context) -> Facts:
    proposal = _row(context)
    answer: ProposalAnswer = proposal.answer
    withdrawn = answer.kind == Kind.WITHDRAWN
    by, told = (proposal.seat, proposal.to) if withdrawn else (proposal.to, proposal.seat)
    own = by.pk in context.about["seats"] and told.pk not in context.about["seats"]
    return {
        **_facts(context, proposal),
        "number": proposal.number_for(by.pk if own else told.pk),
        "nation": by.nation,
        "own": own,
        "who": people.who(answer.person) if own else "",
        "verb": _VERBS[Kind(answer.kind)],
        "accepted": answer.kind == Kind.ACCEPTED,
        "withdrawn": withdrawn,
    }


def _row(context: Context) -> Proposal:
    rows = Proposal.objects.select_related("seat", "to", "phase", "person", "counters", "answer")
    found: Proposal = rows.get(pk=context.about["proposal"])
    assert context.letter.game is not None
    found.game = found.phase.game = context.letter.game
    return found


def _facts(context: Context, proposal: Proposal) -> Facts:
    ground = deals.ground_of(proposal.game, proposal.phase)
    return {
        "sentences": [one.sentence() for one in deals.clauses_of(proposal, ground)],
        "by_mail": headers.answerable(context.letter),
        "deals_link": links.link("deals", proposal.game_id),
    }


BUILDERS: dict[str, Build] = {PROPOSAL: _proposal, ANSWERED: _answered}
