"""How bots bargain: the value of a deal to them, and the deals they propose.

Bots do not help nations that are ahead: peace is worth what the other nation would gain by
fighting, less what the bot's own nation would. An alliance is worth the better chance to win, which
each ally has half of.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from ..deals import terms
from ..deals.terms import Clause
from .alliances import may_form
from .outlook import Outlook
from .state import State

#: What two nations at peace each save, and what a promised attack costs.
SAVED, EFFORT = 0.15, 0.2
#: The value of having an area to oneself, as a share of the points for treaty rights there.
ALONE = 0.15
LASTS = 1
#: The lead in points that makes a win certain: at the end, and more for each turn left.
EDGE, WIDENS = 1.5, 0.3
#: The value of winning together, as a share of winning alone.
SHARED = 0.9
#: The value of a certain win, in points.
WIN = 4.0


def bargains(state: State) -> bool:
    return state.is_placing


def seen_alike(state: State) -> bool:
    return not state.secret


def outlook(state: State) -> Outlook:
    return Outlook(state)


def weigh(look: Outlook, nation: str, clauses: Sequence[Clause]) -> float:
    """Return the value of a deal to a nation."""
    weights = look.weights(nation)
    return sum(_worth(look, nation, clause, weights) for clause in clauses)


def _worth(look: Outlook, nation: str, clause: Clause, weights: dict[str, float]) -> float:
    other = clause.other(nation)
    mine, theirs = nation in clause.parties, other in clause.parties
    match clause.verb:
        case terms.PEACE:
            return _peace_worth(look, nation, other, weights, mine, theirs)
        case terms.ALLY:
            if _may_ally(look.state, nation, other):
                return _alliance_worth(look, nation, other, _chance_alone(look, nation))
            return -1.0
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


def _may_ally(state: State, nation: str, other: str) -> bool:
    return may_form(state) and not (state.ally_of(nation) or state.ally_of(other))


def _alliance_worth(look: Outlook, nation: str, other: str, alone: float) -> float:
    """Return the value of an alliance by how much likelier the nation wins with this ally than
    `alone` (A.4)."""
    prospects = look.prospects
    width = EDGE + WIDENS * look.left
    ours = prospects[nation] + prospects[other]
    rest = sum(prospects.values()) - ours
    together = SHARED / (1 + exp((rest - ours) / (2 * width)))
    return WIN * (together - alone)


def _chance_alone(look: Outlook, nation: str) -> float:
    prospects, width = look.prospects, EDGE + WIDENS * look.left
    others = [points for other, points in prospects.items() if other != nation]
    return 1 / (1 + sum(exp((points - prospects[nation]) / width) for points in others))


def ideas(look: Outlook, nation: str) -> tuple[Clause, ...]:
    """Return promises worth proposing now, the best first: an alliance, or peace."""
    state = look.state
    if not state.is_placing:
        return ()
    weights = look.weights(nation)
    proposals: list[tuple[float, str, str]] = []
    ally, alone = state.ally_of(nation), _chance_alone(look, nation)
    for other in weights:
        if other != ally:
            worth = _peace_worth(look, nation, other, weights, True, True)
            proposals.append((worth, other, terms.PEACE))
        if _may_ally(state, nation, other):
            worth = _alliance_worth(look, nation, other, alone)
            proposals.append((worth, other, terms.ALLY))
    proposals = sorted((proposal for proposal in proposals if proposal[0] > 0), key=_worth_key)
    return tuple(_mutual_clause(state, nation, other, verb) for _, other, verb in proposals)


def _mutual_clause(state: State, nation: str, other: str, verb: str) -> Clause:
    last = min(state.turn + LASTS, state.card.turns) if verb == terms.PEACE else state.turn
    return Clause(verb, (nation, other), (nation, other), last)


def _worth_key(bargain: tuple[float, str, str]) -> tuple[float, str]:
    return -bargain[0], bargain[1]
