"""The service's own players make deals: they answer proposals, and propose some.

Each has a character, drawn from a secret of the game when it begins, which nobody is told before
the game is over. A bot decides from its nation's view and its own deals alone. In practice it
answers in the next tick; in other games after hours, drawn from the same secret.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db.models import F, Max, OuterRef, Q, Subquery

from games import permissions, positions
from games.models import Game, Phase, Press, Proposal, ProposalAnswer, Seat
from games.press import deals
from games.press.rules import PressError
from games.rules.contract import Deals
from games.rules.deals import bargaining, terms
from games.rules.deals.characters import part_of_ten
from games.rules.deals.promises import NONE, Promises, promises

from .models import Submission

logger = logging.getLogger(__name__)
Kind = ProposalAnswer.Kind
#: How long a bot takes outside practice, and of what is left to the deadline at most so much.
SOONEST, LATEST, AT_MOST = timedelta(hours=1), timedelta(hours=10), 0.5
#: So many proposals are made or answered in one tick.
MOST_A_TICK = 200


def bargain(now: datetime) -> int:
    """Answer what waits for bots and propose what they think of; return how much was done."""
    done = 0
    for proposal in _waiting(now)[:MOST_A_TICK]:
        done += _safely(partial(_answer, proposal, now), proposal.to)
    for seat, phase in _thinking(now)[:MOST_A_TICK]:
        done += _safely(partial(_propose, seat, phase, now), seat)
    return done


def _safely(act: Any, seat: Seat) -> int:
    """Do something for one bot; a fault in one game must not stop the others."""
    try:
        return int(act())
    except PressError:  # the phase has closed meanwhile, or letters are not carried
        return 0
    except Exception:
        logger.exception("the service's player of %s has made no deal", seat)
        return 0


def _open_phases(now: datetime) -> Q:
    return Q(
        game__status=Game.Status.RUNNING,
        phase__status=Phase.Status.OPEN,
        phase__deadline__gt=now,
    )


def _waiting(now: datetime) -> list[Proposal]:
    """Return the proposals that a bot answers now: those of the open phase, when it has thought."""
    rows = Proposal.objects.filter(_open_phases(now), to__bot=True, answer=None)
    found = rows.exclude(game__bots_secret="").select_related("game", "phase", "seat", "to")
    return [
        one
        for one in found.order_by("pk")
        if _due(one.game, one.phase, f"{one.pk}", one.made_at) <= now
    ]


def _thinking(now: datetime) -> list[tuple[Seat, Phase]]:
    """Return the bots that have not thought of deals in the open phase yet, and do so now."""
    phases = {
        phase.game_id: phase
        for phase in Phase.objects.filter(
            status=Phase.Status.OPEN, deadline__gt=now, game__status=Game.Status.RUNNING
        )
        .filter(game__in=Seat.objects.filter(bot=True).values("game"))
        .exclude(game__bots_secret="")
        .select_related("game")
    }
    if not phases:
        return []
    rows = Seat.objects.filter(
        game__in=phases,
        bot=True,
        game__phases__status=Phase.Status.OPEN,
        bargained__lt=F("game__phases__number"),
    )
    found = []
    for seat in rows.select_related("game").order_by("pk"):
        phase = phases[seat.game_id]
        if _due(phase.game, phase, seat.nation, phase.opened_at) <= now:
            found.append((seat, phase))
    return found


def _due(game: Game, phase: Phase, about: str, since: datetime) -> datetime:
    """Return when a bot is ready: at once in practice, else after some hours."""
    if game.practice:
        return since
    part = part_of_ten(game.bots_secret, str(phase.number), about)
    takes = SOONEST + part * (LATEST - SOONEST)
    return since + min(takes, AT_MOST * max(phase.deadline - since, timedelta(0)))


def _answer(proposal: Proposal, now: datetime) -> bool:
    game, seat = proposal.game, proposal.to
    found = game.rules.deals
    character = deals.character_of(game, seat)
    if found is None or character is None:
        return False
    proposal.phase.game = game
    clauses = deals.clauses_of(proposal, deals.ground_of(game, proposal.phase))
    look = _look(found, game, seat, proposal.phase)
    accepts = bargaining.accepts(found, look, seat.nation, character, clauses)
    kind = Kind.ACCEPTED if accepts else Kind.DECLINED
    deals.answer(proposal, seat, kind, None, channel=Press.Channel.PROGRAM, now=now)
    return True


def _propose(seat: Seat, phase: Phase, now: datetime) -> bool:
    game, found = seat.game, seat.game.rules.deals
    character = deals.character_of(game, seat)
    # Noted first: of two ticks at once one proposes.
    rows = Seat.objects.filter(pk=seat.pk, bargained__lt=phase.number)
    if rows.update(bargained=phase.number) != 1 or found is None or character is None:
        return False
    if not deals.are_made(game) or not found.bargains(positions.state_of(phase)):
        return False
    standing = {
        (clause.verb, clause.other(seat.nation), clause.area)
        for clause in deals.accepted(game, seat)
        if clause.until >= phase.turn
    }
    standing |= {
        (clause.verb, one.to.nation, clause.area)
        for one in Proposal.objects.filter(seat=seat, phase__turn=phase.turn).select_related("to")
        for clause in deals.clauses_of(one, deals.ground_of(game, phase))
    }
    clause = bargaining.proposal(
        found,
        partial(_look, found, game, seat, phase),
        seat.nation,
        character,
        game.bots_secret,
        (phase.turn, phase.kind),
        standing,
    )
    to = game.seats.filter(nation=clause.other(seat.nation)).first() if clause else None
    if clause is None or to is None or to.by_table:
        return False
    text = terms.write([clause])
    deals.propose(game, seat, None, to, text, channel=Press.Channel.PROGRAM, now=now)
    return True


def _look(found: Deals, game: Game, seat: Seat, phase: Phase) -> Any:
    """Return the position as a bot's own nation sees it."""
    return found.outlook(permissions.view(game, positions.position_before(phase), seat.nation))


def promises_of(seat: Seat, phase: Phase) -> Promises:
    """Return what a seat's deals ask of the bot that plays it; nothing of a stand-in."""
    game = seat.game
    character, found = deals.character_of(game, seat), game.rules.deals
    if character is None or found is None:
        return NONE
    clauses = deals.accepted(game, seat)
    if not any(clause.until >= phase.turn for clause in clauses):
        return NONE
    turns = found.turns(positions.state_of(phase))
    return promises(seat.nation, clauses, phase.turn, character.price_in(phase.turn, turns))


def agreed_since_orders(now: datetime) -> list[tuple[Seat, datetime]]:
    """Return bots whose newest deal came after their orders for the open phase, with its time."""
    newest = (
        Submission.objects.filter(seat=OuterRef("pk"), phase__status=Phase.Status.OPEN)
        .order_by("-received_at")
        .values("received_at")[:1]
    )
    open_games = Phase.objects.filter(
        status=Phase.Status.OPEN, deadline__gt=now, game__status=Game.Status.RUNNING
    )
    accepted = (
        ProposalAnswer.objects.filter(kind=Kind.ACCEPTED)
        .filter(Q(proposal__seat__bot=True) | Q(proposal__to__bot=True))
        .filter(
            proposal__game__phases__in=open_games,
            made_at__gte=F("proposal__game__phases__opened_at"),
        )
    )
    agreed: dict[int, datetime] = {}
    for row in accepted.values("proposal__seat", "proposal__to").annotate(at=Max("made_at")):
        for seat in (row["proposal__seat"], row["proposal__to"]):
            agreed[seat] = max(row["at"], agreed.get(seat, row["at"]))
    if not agreed:
        return []
    seats = Seat.objects.filter(pk__in=agreed, bot=True).annotate(ordered=Subquery(newest))
    behind = {
        pk
        for pk, ordered in seats.values_list("pk", "ordered")
        if ordered is not None and ordered < agreed[pk]
    }
    rows = Seat.objects.filter(pk__in=behind).select_related("game")
    return [(seat, agreed[seat.pk]) for seat in rows.order_by("pk")]
