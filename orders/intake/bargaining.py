"""Make deals for bots: answer proposals, and make some.

Each bot has a character, drawn from a secret of the game when it begins and told to nobody until
the game is over. A bot decides from its nation's view and its own deals alone. In practice games
and demonstrations it answers at once; in other games after some hours, drawn from the same secret,
or when the phase of the proposal is over. Neither depends on what it decides.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db.models import Exists, F, Max, OuterRef, Q, Subquery

from games import permissions, positions
from games.models import Game, Phase, Press, Proposal, ProposalAnswer, Seat
from games.press import deals
from games.press.book import character_of
from games.rules.contract import Deals
from games.rules.deals import bargaining, terms
from games.rules.deals.characters import part_of_ten
from games.rules.deals.promises import NONE, Promises, promises
from games.seats.press_rules import PressError
from orders.models import Submission

logger = logging.getLogger(__name__)
Kind = ProposalAnswer.Kind
#: Bounds for a bot's thinking time outside practice games, and the largest part of the time left to
#: the deadline that it may take.
SOONEST, LATEST, AT_MOST = timedelta(hours=1), timedelta(hours=10), 0.5
#: The most proposals answered and made in one tick.
MOST_A_TICK = 200


def bargain(now: datetime) -> int:
    """Answer the proposals that wait for bots, and make their own. Return how many were handled."""
    bots = Exists(Seat.objects.filter(game=OuterRef("pk"), bot=True))
    if not Game.objects.filter(bots, status=Game.Status.RUNNING).exists():
        return 0  # most ticks of most services: to ask for proposals and bots costs far more
    deeds = [(partial(_answer, proposal, now), proposal.to) for proposal in _waiting(now)]
    deeds += [(partial(_propose, seat, phase, now), seat) for seat, phase in _thinking(now)]
    handled = 0
    for act, seat in deeds:
        # Only what was done counts: bots that fail must not delay the others.
        if handled >= MOST_A_TICK:
            break
        handled += _safely(act, seat)
    return handled


def answer_at_once(game: Game, now: datetime) -> None:
    """Let bots answer the proposals in a game for which they need not think."""
    for proposal in _waiting(now, game):
        _safely(partial(_answer, proposal, now), proposal.to)


def _safely(act: Callable[[], bool], seat: Seat) -> int:
    """Call `act` for one bot; log an error in one game so that it does not stop the others."""
    try:
        return int(act())
    except PressError:  # the phase has closed, or letters are not delivered
        return 0
    except Exception:
        logger.exception("the service's player of %s has made no deal", seat)
        return 0


def _waiting(now: datetime, game: Game | None = None) -> list[Proposal]:
    """Return the proposals whose bot has finished thinking, in open phases; of all games or one.

    A phase may end early, when all orders are final: its proposals are answered in the next.
    """
    open_now = Phase.objects.filter(
        game=OuterRef("game"), status=Phase.Status.OPEN, deadline__gt=now
    )
    unanswered = (
        Proposal.objects.filter(game__status=Game.Status.RUNNING, to__bot=True, answer=None)
        .annotate(now_played=Subquery(open_now.values("turn")[:1]))
        .exclude(game__bots_secret="")
        .select_related("game", "phase", "seat", "to", "counters")
    )
    if game is not None:
        unanswered = unanswered.filter(game=game)
    return [
        proposal
        for proposal in unanswered.filter(now_played__isnull=False).order_by("pk")
        if terms.last_turn(proposal.text) >= proposal.now_played
        and (
            proposal.phase.status != Phase.Status.OPEN
            or _due(proposal.game, proposal.phase, f"{proposal.pk}", proposal.made_at) <= now
        )
    ]


def _thinking(now: datetime) -> list[tuple[Seat, Phase]]:
    """Return the bots that have not considered deals in the open phase, and are due to now."""
    # Asked of each running game: a list of all seats of bots would grow with the finished games.
    with_bots = Exists(Seat.objects.filter(game=OuterRef("game"), bot=True))
    phases = {
        phase.game_id: phase
        for phase in Phase.objects.filter(
            with_bots,
            status=Phase.Status.OPEN,
            deadline__gt=now,
            game__status=Game.Status.RUNNING,
        )
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
    ready = []
    for seat in rows.select_related("game").order_by("pk"):
        phase = phases[seat.game_id]
        if _due(phase.game, phase, seat.nation, phase.opened_at) <= now:
            ready.append((seat, phase))
    # Where all are due at once, no nation is always the first to find a partner.
    ready.sort(key=lambda due: _thinking_fraction(due[0].game, due[1], due[0].nation))
    return ready


def _due(game: Game, phase: Phase, about: str, since: datetime) -> datetime:
    """Return when a bot is ready: at once in practice games and demonstrations, otherwise after
    some hours."""
    if game.for_trying:
        return since
    thinking_time = SOONEST + _thinking_fraction(game, phase, about) * (LATEST - SOONEST)
    return since + min(thinking_time, AT_MOST * max(phase.deadline - since, timedelta(0)))


def _thinking_fraction(game: Game, phase: Phase, about: str) -> float:
    return part_of_ten(game.bots_secret, str(phase.number), about)


def _answer(proposal: Proposal, now: datetime) -> bool:
    """Let a bot answer a proposal. Return whether it did.

    A bot that does not accept says why, and what it would accept instead; it answers such an offer
    of another program by yes or no, so that two of them come to an end.
    """
    game, seat = proposal.game, proposal.to
    deal_rules, phase = game.rules.deals, game.phases.current()
    character = character_of(game, seat)
    if deal_rules is None or character is None or phase is None:
        return False
    phase.game = game
    reply = bargaining.reply(
        deal_rules,
        _look(deal_rules, game, seat, phase),
        seat.nation,
        character,
        deals.clauses_of(proposal, deals.ground_of(game, phase)),
        phase.turn,
        standing=_standing(game, seat, phase),
        may_counter=not (proposal.seat.bot and proposal.counters),
    )
    how: dict[str, Any] = {"channel": Press.Channel.PROGRAM, "now": now, "reason": reply.reason}
    if reply.counter:
        offer = terms.write(reply.counter)
        deals.propose(game, seat, None, proposal.seat, offer, counters=proposal, **how)
    else:
        kind = Kind.ACCEPTED if reply.accepts else Kind.DECLINED
        deals.answer(proposal, seat, kind, None, **how)
    return True


def _propose(seat: Seat, phase: Phase, now: datetime) -> bool:
    """Let a bot make its proposals of a phase. Return whether it made any."""
    game, deal_rules = seat.game, seat.game.rules.deals
    character = character_of(game, seat)
    # Note it first, so that of two concurrent ticks only one proposes.
    rows = Seat.objects.filter(pk=seat.pk, bargained__lt=phase.number)
    if rows.update(bargained=phase.number) != 1 or deal_rules is None or character is None:
        return False
    if not deals.has_deals(game) or not deal_rules.bargains(positions.state_of(phase)):
        return False
    agreed_or_proposed = _standing(game, seat, phase) | {
        (clause.verb, proposal.to.nation, clause.area)
        for proposal in Proposal.objects.filter(seat=seat, phase__turn=phase.turn).select_related(
            "to"
        )
        for clause in deals.clauses_of(proposal, deals.ground_of(game, phase))
    }
    seats = {
        other.nation: other
        for other in game.seats.nations()
        if not (other.by_table or other == seat)
    }
    chosen = bargaining.proposals(
        deal_rules,
        partial(_look, deal_rules, game, seat, phase),
        seat.nation,
        character,
        game.bots_secret,
        (phase.turn, phase.kind),
        agreed_or_proposed,
        [nation for nation, other in seats.items() if not other.bot],
    )
    for deal in chosen:
        if (to := seats.get(deal[0].other(seat.nation))) is not None:
            how: dict[str, Any] = {"channel": Press.Channel.PROGRAM, "now": now}
            deals.propose(game, seat, None, to, terms.write(deal), **how)
    return bool(chosen)


def _standing(game: Game, seat: Seat, phase: Phase) -> set[bargaining.Standing]:
    return {
        (clause.verb, clause.other(seat.nation), clause.area)
        for clause in deals.accepted_clauses(game, seat)
        if clause.until >= phase.turn
    }


def _look(deals: Deals, game: Game, seat: Seat, phase: Phase) -> Any:
    """Return the position as the bot's nation sees it."""
    return deals.outlook(permissions.view(game, positions.position_before(phase), seat.nation))


def promises_of(seat: Seat, phase: Phase) -> Promises:
    """Return what a seat's deals ask of its bot; nothing for a stand-in."""
    game = seat.game
    character = character_of(game, seat)
    if character is None or game.rules.deals is None:
        return NONE
    clauses = deals.accepted_clauses(game, seat)
    if not any(clause.until >= phase.turn for clause in clauses):
        return NONE
    turns = game.rules.turns(positions.state_of(phase))
    return promises(seat.nation, clauses, phase.turn, character.price_in(phase.turn, turns))


def bots_with_newer_deals(now: datetime) -> list[tuple[Seat, datetime]]:
    """Return bots with a deal newer than their orders for the open phase, and the deal's time."""
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
    agreed_at: dict[int, datetime] = {}
    for row in accepted.values("proposal__seat", "proposal__to").annotate(at=Max("made_at")):
        for seat in (row["proposal__seat"], row["proposal__to"]):
            agreed_at[seat] = max(row["at"], agreed_at.get(seat, row["at"]))
    if not agreed_at:
        return []
    seats = Seat.objects.filter(pk__in=agreed_at, bot=True).annotate(ordered=Subquery(newest))
    behind = {
        pk
        for pk, ordered in seats.values_list("pk", "ordered")
        if ordered is not None and ordered < agreed_at[pk]
    }
    rows = Seat.objects.filter(pk__in=behind).select_related("game")
    return [(seat, agreed_at[seat.pk]) for seat in rows.order_by("pk")]
