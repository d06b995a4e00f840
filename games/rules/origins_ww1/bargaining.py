"""How the service's own players bargain: what a deal is worth to them, and what they propose.

They help nobody who is ahead: peace is worth what the other gains by fighting, less what oneself
would. An alliance is worth the better chance to win, of which each ally has half.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from ..deals import terms
from ..deals.terms import Clause
from .alliances import may_form
from .outlook import Outlook
from .state import State

#: What both save who do not fight each other; and what a promised attack costs.
SAVED, EFFORT = 0.15, 0.2
#: What an area is worth to who may have it alone, of what treaty rights there pay.
ALONE = 0.15
LASTS = 1
#: How many points make a chance to win certain, in the end and for each turn to come.
EDGE, WIDENS = 1.5, 0.3
#: What it is worth to win together, of what it is worth to win alone.
SHARED = 0.9
#: What a chance to win is worth beside points.
WIN = 4.0


def bargains(state: State) -> bool:
    return state.placing


def seen_alike(state: State) -> bool:
    return not state.secret


def outlook(state: State) -> Outlook:
    return Outlook(state)


def weigh(look: Outlook, nation: str, clauses: Sequence[Clause]) -> float:
    """Return what a deal is worth to a nation."""
    weights = look.weights(nation)
    return sum(_worth(look, nation, clause, weights) for clause in clauses)


def _worth(look: Outlook, nation: str, clause: Clause, weights: dict[str, float]) -> float:
    other = clause.other(nation)
    mine, theirs = nation in clause.parties, other in clause.parties
    match clause.verb:
        case terms.PEACE:
            return _peace_worth(look, nation, other, weights, mine, theirs)
        case terms.ALLY:
            return _alliance_worth(look, nation, other)
        case terms.ATTACK:
            gain = weights.get(clause.target, 0.0)
            return gain * (mine + theirs) / 2 - (EFFORT if mine else 0.0)
        case terms.LEAVE:
            stake = look.aims.at[clause.area].get(nation)
            worth = ALONE * (stake.points if stake is not None else 0)
            return -worth if mine else worth
    return 0.0


def _peace_worth(
    look: Outlook, nation: str, other: str, weights: dict[str, float], mine: bool, theirs: bool
) -> float:
    worth = SAVED if mine and theirs else 0.0
    if theirs:
        worth += look.weights(other)[nation]
    if mine:
        worth -= weights[other]
    return worth


def _alliance_worth(look: Outlook, nation: str, other: str) -> float:
    """Return how much likelier a nation wins with an ally than alone (A.4)."""
    state, prospects = look.state, look.prospects
    if state.ally_of(nation) or state.ally_of(other) or not may_form(state):
        return -1.0
    width = EDGE + WIDENS * look.left
    ours = prospects[nation] + prospects[other]
    rest = sum(prospects.values()) - ours
    together = SHARED / (1 + exp((rest - ours) / (2 * width)))
    others = [points for one, points in prospects.items() if one != nation]
    alone = 1 / (1 + sum(exp((points - prospects[nation]) / width) for points in others))
    return WIN * (together - alone)


def ideas(look: Outlook, nation: str) -> tuple[Clause, ...]:
    """Return promises worth proposing now, the best first: an alliance, or peace."""
    state = look.state
    if not state.placing:
        return ()
    weights = look.weights(nation)
    until = min(state.turn + LASTS, state.card.turns)
    found: list[tuple[float, str, Clause]] = []
    for other in weights:
        pair = (nation, other)
        allied = state.ally_of(nation) == other
        if not allied:
            worth = _peace_worth(look, nation, other, weights, True, True)
            found.append((worth, other, Clause(terms.PEACE, pair, pair, until)))
        worth = _alliance_worth(look, nation, other)
        found.append((worth, other, Clause(terms.ALLY, pair, pair, state.turn)))
    return tuple(clause for worth, _, clause in sorted(found, key=_by_worth) if worth > 0)


def _by_worth(found: tuple[float, str, Clause]) -> tuple[float, str]:
    return -found[0], found[1]
