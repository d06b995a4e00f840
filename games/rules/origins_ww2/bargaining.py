"""How the service's own players bargain: what a deal is worth to them, and what they propose.

They help nobody who is ahead: peace is worth what the other gains by fighting, less what oneself
would. So those who are behind make peace with each other.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..deals import terms
from ..deals.terms import Clause
from .card import CONTROL
from .outlook import Eyes, Outlook
from .state import COUNTER_PF, State

#: What both save who do not fight each other, in points; and what a promised attack costs.
SAVED, EFFORT = 0.12, 0.3
#: What an area is worth to who may have it alone, of its counters.
ALONE = 0.4
#: So many turns a peace is proposed for, beside the present one.
LASTS = 1


def bargains(state: State) -> bool:
    return state.placing or state.wishing


def outlook(state: State) -> Outlook:
    return Outlook(state)


def weigh(look: Outlook, nation: str, clauses: Sequence[Clause]) -> float:
    """Return what a deal is worth to a nation, in points."""
    eyes = Eyes(look, nation)
    return sum(_worth(eyes, clause) for clause in clauses)


def _worth(eyes: Eyes, clause: Clause) -> float:
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


def _peace_worth(eyes: Eyes, other: str, mine: bool, theirs: bool) -> float:
    worth = SAVED if mine and theirs else 0.0
    if theirs:
        worth += Eyes(eyes.look, other).weights[eyes.nation]
    if mine:
        worth -= eyes.weights[other]
    return worth


def _share_worth(eyes: Eyes, area: str, other: str) -> float:
    stake = eyes.look.aims.stakes[eyes.nation][area]
    if not eyes.look.card.allows(eyes.nation, area, CONTROL):
        return -1.0
    return 0.5 * (stake.control - eyes.weights[other] * stake.claims.get(other, 0))


def ideas(look: Outlook, nation: str) -> tuple[Clause, ...]:
    """Return promises worth proposing now, the best first: peace before PFs are placed, and
    CONTROL to share before attacks."""
    eyes, state = Eyes(look, nation), look.state
    found: list[tuple[float, str, Clause]] = []
    if look.placing:
        until = min(state.turn + LASTS, state.card.turns)
        for other in eyes.weights:
            if other in look.aims.stakes:
                pair = (nation, other)
                clause = Clause(terms.PEACE, pair, pair, until)
                found.append((_peace_worth(eyes, other, True, True), other, clause))
    elif state.wishing:
        for area in look.contested:
            here = look.there[area]
            if len(here) == 2 and here.get(nation, 0) >= COUNTER_PF and area not in look.closed:
                other = next(one for one in here if one != nation)
                if here[other] >= COUNTER_PF and look.card.allows(other, area, CONTROL):
                    pair = (nation, other)
                    clause = Clause(terms.SHARE, pair, pair, state.turn, area)
                    found.append((_share_worth(eyes, area, other), other, clause))
    return tuple(clause for worth, _, clause in sorted(found, key=_by_worth) if worth > 0)


def _by_worth(found: tuple[float, str, Clause]) -> tuple[float, str]:
    return -found[0], found[1]
