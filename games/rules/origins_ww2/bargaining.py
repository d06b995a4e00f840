"""How bots bargain: the value of a deal to them, and the deals they propose.

Bots do not help nations that are ahead: peace is worth what the other nation would gain by
fighting, less what the bot's own nation would. So nations that are behind make peace with each
other.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..deals import terms
from ..deals.terms import Clause
from .card import CONTROL
from .outlook import NationOutlook, Outlook
from .state import COUNTER_PF, State

#: In points: what two nations at peace each save, and what a promised attack costs.
SAVED, EFFORT = 0.12, 0.3
#: The value of having an area to oneself, as a share of the points for its counters.
ALONE = 0.4
#: The number of turns, after the current one, for which bots propose peace.
LASTS = 1


def bargains(state: State) -> bool:
    return state.is_placing or state.is_wishing


def outlook(state: State) -> Outlook:
    return Outlook(state)


def weigh(look: Outlook, nation: str, clauses: Sequence[Clause]) -> float:
    """Return the value of a deal to a nation, in points."""
    eyes = NationOutlook(look, nation)
    return sum(_worth(eyes, clause) for clause in clauses)


def _worth(eyes: NationOutlook, clause: Clause) -> float:
    look, nation = eyes.look, eyes.nation
    other = clause.other(nation)
    mine, theirs = nation in clause.parties, other in clause.parties
    match clause.verb:
        case terms.PEACE:
            return _peace_worth(eyes, other, mine, theirs)
        case terms.ATTACK:
            gain = eyes.weights.get(clause.target, 0.0)
            return gain * (mine + theirs) / 2 - (EFFORT if mine else 0.0)
        case terms.LEAVE:
            stake = look.aims.stakes[nation][clause.area]
            worth = ALONE * max(stake.control, stake.understanding, 1 if stake.claim_list else 0)
            return -worth if mine else worth
        case terms.SHARE:
            return _share_worth(eyes, clause.area, other)
    return 0.0


def _peace_worth(eyes: NationOutlook, other: str, mine: bool, theirs: bool) -> float:
    worth = SAVED if mine and theirs else 0.0
    if theirs:
        worth += eyes.look.weights(other)[eyes.nation]
    if mine:
        worth -= eyes.weights[other]
    return worth


def _share_worth(eyes: NationOutlook, area: str, other: str) -> float:
    stake = eyes.look.aims.stakes[eyes.nation][area]
    if not eyes.look.card.allows(eyes.nation, area, CONTROL):
        return -1.0
    return 0.5 * (stake.control - eyes.weights[other] * stake.claims.get(other, 0))


def ideas(look: Outlook, nation: str) -> tuple[Clause, ...]:
    """Return promises worth proposing now, the best first.

    Bots propose peace before PFs are placed, and shared CONTROL before attacks.
    """
    eyes, state = NationOutlook(look, nation), look.state
    proposals: list[tuple[float, str, Clause]] = []
    if look.is_placing:
        until = min(state.turn + LASTS, state.card.turns)
        for other in eyes.weights:
            if other in look.aims.stakes:
                pair = (nation, other)
                clause = Clause(terms.PEACE, pair, pair, until)
                proposals.append((_peace_worth(eyes, other, True, True), other, clause))
    elif state.is_wishing:
        for area in look.contested:
            here = look.there[area]
            if len(here) == 2 and here.get(nation, 0) >= COUNTER_PF and area not in look.closed:
                other = next(owner for owner in here if owner != nation)
                if here[other] >= COUNTER_PF and look.card.allows(other, area, CONTROL):
                    pair = (nation, other)
                    clause = Clause(terms.SHARE, pair, pair, state.turn, area)
                    proposals.append((_share_worth(eyes, area, other), other, clause))
    return tuple(clause for worth, _, clause in sorted(proposals, key=_worth_key) if worth > 0)


def _worth_key(bargain: tuple[float, str, Clause]) -> tuple[float, str]:
    return -bargain[0], bargain[1]
