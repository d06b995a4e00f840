"""Deals, whose only joint act is to ally, and how bots bargain: what a deal is worth to them, and
the deals they propose.

Peace is worth what the other nation would gain by fighting, less what the bot's own nation would;
the longer it lasts, the more a lead counts in that. An alliance is worth the better chance to win,
among the alliances that stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp

from ..deals import terms
from ..deals.promises import Part
from ..deals.terms import Clause
from .alliances import may_form
from .checking import read
from .outlook import EMPTY, RIVAL, Outlook
from .reading import Ally
from .state import Pair, State

#: What two nations at peace each save, and what a promised attack costs.
SAVED, EFFORT = 0.05, 0.2
#: The value of having an area to oneself, as a share of the points for treaty rights there.
ALONE = 0.15
#: Peace in one area as a share of peace everywhere.
IN_AREA = 0.25
LASTS = 1
#: The lead in points that makes a win certain: at the end, and more for each turn left.
EDGE, WIDENS = 1.5, 0.3
#: The value of winning together, as a share of winning alone.
SHARED = 0.8
#: What allies win in a whole game by helping each other, as a share of their points.
HELP = 0.37
#: The value of a certain win, in points.
WIN = 4.0

verbs = (terms.PEACE, terms.ALLY, terms.ATTACK, terms.LEAVE)


def has_come_about(state: State, clause: Clause) -> bool:
    return state.ally_of(clause.pair[0]) == clause.pair[1]


def bar(before: State, after: State, clause: Clause) -> str:
    """Say what kept two nations from allying: each nation is in one alliance at most (A.4)."""
    for nation in clause.pair:
        if ally := before.ally_of(nation):
            return f"{nation} was already allied with {ally}."
    return ""


def orders_it(state: State, nation: str, text: str, clause: Clause) -> bool:
    ordered = read(text, nation, state).orders
    other = clause.other(nation)
    return any(isinstance(order, Ally) and order.partner == other for order in ordered)


# How programs bargain.


def bargains(state: State) -> bool:
    return state.is_placing


def seen_alike(state: State) -> bool:
    return not state.secret


def outlook(state: State) -> Outlook:
    return Outlook(state)


def parts(look: Outlook, nation: str, clauses: Sequence[Clause]) -> tuple[Part, ...]:
    """Return what a deal brings a nation and what it costs, in points."""
    return tuple(part for clause in clauses for part in _parts(look, nation, clause))


def _parts(look: Outlook, nation: str, clause: Clause) -> Iterator[Part]:
    other = clause.other(nation)
    mine, theirs = nation in clause.parties, other in clause.parties
    match clause.verb:
        case terms.PEACE:
            share = IN_AREA if clause.area else 1.0
            if mine and theirs:
                yield Part(share * SAVED)
            if theirs:
                yield Part(share * _rivalry(look, other, nation, clause.until))
            if mine:
                weight = _rivalry(look, nation, other, clause.until)
                yield Part(-share * weight, _why_fight(look, nation, other))
        case terms.ALLY:
            if not _may_ally(look.state, nation, other):
                yield Part(-1.0, "We cannot become allies now.")
            else:
                worth = _alliance_worth(look, nation, other)
                yield Part(worth, "I am likelier to win without this alliance.")
        case terms.ATTACK:
            rivalry = _rivalry(look, nation, clause.target, clause.until)
            gain = rivalry * (mine + theirs) / 2
            why = f"Attacking {clause.target} costs me more than it brings."
            yield Part(gain - (EFFORT if mine else 0.0), why)
        case terms.LEAVE:
            stake = look.aims.at[clause.area].get(nation)
            worth = ALONE * (stake.points if stake is not None else 0)
            if mine and worth:
                yield Part(-worth, f"I want {clause.area} myself.")
            elif theirs and worth and _may_come(look, other, clause.area):
                yield Part(worth)


def _rivalry(look: Outlook, nation: str, other: str, until: int) -> float:
    """Return the value of a point that the other nation loses until the end of a turn.

    The further the game, the more a lead counts: in the first turns it is a guess.
    """
    weight = look.weights(nation)[other]
    if weight < 0:  # an ally's
        return weight
    return RIVAL + (weight - RIVAL) * (until - 1) / look.card.turns


def _why_fight(look: Outlook, nation: str, other: str) -> str:
    """Return what gives the other nation its weight (`Outlook.weights`)."""
    bonus = look.card.bonus.get(nation)
    if look.prospects[other] == look.best:
        return "Not while you are ahead."
    if bonus is not None and bonus.limit is not None and look.prospects[other] > bonus.limit - 3:
        return f"Not while you may score more than {bonus.limit}."
    if bonus is not None and bonus.nation == other:
        return "Not while my bonus depends on your treaty rights."
    return "Fighting you brings me more."


def _may_come(look: Outlook, nation: str, area: str) -> bool:
    return nation in look.aims.at[area] or nation in look.there.get(area, EMPTY)


def wants(look: Outlook, nation: str, other: str) -> tuple[str, ...]:
    """Return the areas that a nation would have another leave to it, the best first."""
    stakes = [
        stake
        for stake in look.aims.stakes[nation]
        if stake.points and look.aims.homes.get(other) != stake.area
    ]
    stakes.sort(key=lambda stake: (-stake.points, stake.area))
    return tuple(stake.area for stake in stakes if _may_come(look, other, stake.area))


def _may_ally(state: State, nation: str, other: str) -> bool:
    return may_form(state) and not (state.ally_of(nation) or state.ally_of(other))


def _alliance_worth(look: Outlook, nation: str, other: str) -> float:
    """Return the value of an alliance by how much likelier the nation wins with it (A.4)."""
    standing = look.state.alliances
    return WIN * (
        _chance(look, nation, (*standing, (nation, other))) - _chance(look, nation, standing)
    )


def _chance(look: Outlook, nation: str, alliances: Sequence[Pair]) -> float:
    """Return a nation's chance to win if these alliances stand to the end.

    An alliance wins if it has more points than all others; if none does, the best nation wins
    (A.4).
    """
    prospects, width = look.prospects, EDGE + WIDENS * look.left
    gain = 1 + HELP * (look.left + 1) / look.card.turns
    points = dict(prospects)
    for a, b in alliances:
        points[a] *= gain
        points[b] *= gain
    total, chance, nobody = sum(points.values()), 0.0, 1.0
    for pair in alliances:
        passes = 1 / (1 + exp((total - 2 * sum(points[ally] for ally in pair)) / width))
        if nation in pair:
            chance = SHARED * passes
        nobody *= 1 - passes
    free = [rival for rival in prospects if not any(rival in pair for pair in alliances)]
    if look.state.options["wwi.failed_alliance"] == "all_five":
        free = list(prospects)
    if nation in free:
        lead = sum(exp((prospects[rival] - prospects[nation]) / width) for rival in free)
        chance += nobody / lead
    return chance


def ideas(look: Outlook, nation: str) -> tuple[tuple[Clause, ...], ...]:
    """Return deals worth proposing now, the best first: an alliance, or peace."""
    state = look.state
    if not state.is_placing:
        return ()
    ally = state.ally_of(nation)
    proposals: list[tuple[float, str, Clause]] = []
    for other in look.weights(nation):
        if other == ally:
            continue
        verbs = (terms.PEACE, terms.ALLY) if _may_ally(state, nation, other) else (terms.PEACE,)
        for verb in verbs:
            clause = _mutual_clause(state, nation, other, verb)
            worth = sum(part.points for part in _parts(look, nation, clause))
            if worth > 0:
                proposals.append((worth, other, clause))
    proposals.sort(key=lambda idea: (-round(idea[0], 6), idea[1]))
    return tuple((clause,) for *_, clause in proposals)


def _mutual_clause(state: State, nation: str, other: str, verb: str) -> Clause:
    last = min(state.turn + LASTS, state.card.turns) if verb == terms.PEACE else state.turn
    return Clause(verb, (nation, other), (nation, other), last)
