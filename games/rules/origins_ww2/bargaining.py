"""Deals, whose only joint act is to share CONTROL, and how bots bargain: what a deal brings or
costs them, and the deals they propose.

Peace is worth the points that the other nation could take by attacks while it lasts, less those
that the bot gives up by not attacking. So the weaker of two nations wants peace, and the stronger
one asks a price: an area that the other leaves to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..deals import terms
from ..deals.promises import Part
from ..deals.terms import Clause
from .aims import interest, motive_of
from .card import CONTROL
from .checking import read
from .outlook import AHEAD, FIRST, NOBODY, RIVAL, Outlook
from .reading import Share
from .state import COUNTER_PF, State

#: In points: what two nations at peace each save, and what a promised attack costs.
SAVED, SAVED_IN_AREA, EFFORT = 0.05, 0.02, 0.3
#: The share of the points at stake that attacks of a turn take, and of the attacker's own points
#: there that it wins by them.
TAKEN, WON = 0.05, 0.4
#: The value of an area that the other nation leaves until the end, as a share of its points.
LEFT = 0.2
#: The share of that value that a nation loses by leaving an area: its PFs go elsewhere.
ELSEWHERE = 0.6
#: The number of turns, after the current one, for which bots propose deals.
LASTS = 1
#: The weight of another nation's points from which it is worth fighting for them alone.
MENACE = 0.6

verbs = (terms.PEACE, terms.SHARE, terms.ATTACK, terms.LEAVE)


def has_come_about(state: State, clause: Clause) -> bool:
    return all(state.pieces.cell_at(clause.area, nation).control for nation in clause.pair)


def bar(before: State, after: State, clause: Clause) -> str:
    """Say what kept two nations from sharing CONTROL (T4), judged by the board after the phase."""
    area, here = clause.area, after.pieces.present(clause.area)
    for nation in clause.pair:
        if not after.card.allows(nation, area, "control"):
            return f"{nation}’s objectives allow no CONTROL in {area}."
    if after.pieces.closed(area):
        return f"{area} is closed by CONTROL."
    if here - set(clause.pair):
        return f"Others stood in {area}."
    for nation in clause.pair:
        if after.pieces.strength(area, nation) < COUNTER_PF:
            return f"{nation} had fewer than {COUNTER_PF} PFs in {area}."
    return ""


def orders_it(state: State, nation: str, text: str, clause: Clause) -> bool:
    sent = read(text, nation, state).orders
    other = clause.other(nation)
    return any(
        isinstance(order, Share) and order.area == clause.area and order.partner == other
        for order in sent
    )


# How programs bargain.


def bargains(state: State) -> bool:
    return state.is_placing or state.is_wishing


def seen_alike(state: State) -> bool:
    return bool(state.options["ow2.hidden"] == "off" and state.options["ow2.blind"] == "no")


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
            turns = _turns(look, clause)
            if mine and theirs:
                yield Part(SAVED_IN_AREA if clause.area else SAVED)
            if theirs:
                yield Part(turns * sum(_attacks(look, other, nation, clause.area)[0].values()))
            if mine:
                yield _restraint(look, nation, other, clause.area, turns)
        case terms.ATTACK:
            gain = _rivalry(look, nation, clause.target) * (mine + theirs) / 2
            why = f"Attacking {clause.target} costs me more than it brings."
            yield Part(gain - (EFFORT if mine else 0.0), why)
        case terms.LEAVE:
            yield from _leaving(look, nation, clause)
        case terms.SHARE:
            yield _sharing(look, nation, other, clause.area)


def _turns(look: Outlook, clause: Clause) -> int:
    return max(0, min(clause.until, look.card.turns) - look.state.turn + 1)


def _rivalry(look: Outlook, nation: str, other: str) -> float:
    """Return the value of a point that the other nation loses.

    The further the game, the more a lead counts: in the first turns it is a guess.
    """
    prospects, played = look.prospects, look.state.turn / look.card.turns
    ahead = AHEAD * (prospects[other] - prospects[nation])
    ahead += FIRST if prospects[other] == look.best else 0.0
    return min(1.0, max(0.05, RIVAL + played * ahead))


def _strength(look: Outlook, nation: str, area: str) -> int:
    """Return the PFs that a nation has in an area, or can place there this turn."""
    return look.there.get(area, NOBODY).get(nation, 0) + look.state.allocation(nation)


def _attacks(
    look: Outlook, attacker: str, victim: str, area: str = ""
) -> tuple[dict[str, float], dict[str, float]]:
    """Return what a turn's attacks of one nation on another take from it, and what they bring the
    attacker, by area: in points, each nation's own."""
    if not area and (attacker, victim) in look.attacks:
        return look.attacks[attacker, victim]
    taken: dict[str, float] = {}
    won: dict[str, float] = {}
    there, coming = look.there, look.state.allocation(attacker)
    against = look.state.allocation(victim)
    for where, points, prize in look.aims.quarrels[attacker, victim]:
        if where not in look.closed and area in ("", where):
            here = there.get(where, NOBODY)
            power = here.get(attacker, 0) + coming
            chance = TAKEN * power / max(power + here.get(victim, 0) + against, 1)
            taken[where] = chance * points
            won[where] = chance * WON * prize
    if not area:
        look.attacks[attacker, victim] = taken, won
    return taken, won


def _restraint(look: Outlook, nation: str, other: str, area: str, turns: int) -> Part:
    """Return the cost of not attacking a nation, and where it is highest."""
    weight = _rivalry(look, nation, other)
    taken, won = _attacks(look, nation, other, area)
    costs = {where: turns * (weight * taken[where] + won[where]) for where in taken}
    if not costs:
        return Part(0.0)
    if weight >= MENACE:
        why = "Not while you are ahead."
    else:
        where = max(costs, key=lambda name: (costs[name], name))
        there = other in look.there.get(where, NOBODY)
        why = f"Not while you stand in {where}." if there else f"We may both want {where}."
    return Part(-sum(costs.values()), why)


def _leaving(look: Outlook, nation: str, clause: Clause) -> Iterator[Part]:
    area, other = clause.area, clause.other(nation)
    if area in look.closed:
        return
    share = LEFT * _turns(look, clause) / (look.card.turns - look.state.turn + 1)
    own, theirs = look.aims.stakes[nation][area], look.aims.stakes[other][area]
    for leaver in clause.parties:
        if leaver == nation:
            if points := interest(look.aims, nation, own, theirs):
                yield Part(-ELSEWHERE * share * points, f"I want {area} myself.")
        elif motive := motive_of(other, own, theirs):
            power, against = _strength(look, nation, area), _strength(look, other, area)
            gained = interest(look.aims, nation, own, theirs) * motive * against
            denied = _rivalry(look, nation, other) * interest(look.aims, other, theirs, own)
            yield Part(share * (gained / max(power + against, 1) + denied))


def _sharing(look: Outlook, nation: str, other: str, area: str) -> Part:
    stake = look.aims.stakes[nation][area]
    if not look.card.allows(nation, area, CONTROL):
        return Part(-1.0, f"My objectives allow no CONTROL in {area}.")
    gain = stake.control - _rivalry(look, nation, other) * stake.claims.get(other, 0)
    return Part(0.5 * gain, f"CONTROL in {area} helps you more than me.")


def wants(look: Outlook, nation: str, other: str) -> tuple[str, ...]:
    """Return the areas that a nation would have another leave to it, the best first."""
    quarrels = look.aims.quarrels[other, nation]
    open_areas = [
        (-points, area)
        for area, points, _ in quarrels
        if area not in look.closed and look.aims.hosts.get(area) not in (nation, other)
    ]
    return tuple(area for _, area in sorted(open_areas))


def ideas(look: Outlook, nation: str) -> tuple[tuple[Clause, ...], ...]:
    """Return deals worth proposing now, the best first: each pays both nations.

    Bots propose peace before PFs are placed, and shared CONTROL before attacks.
    """
    candidates: list[tuple[Clause, ...]] = []
    if look.is_placing:
        until = min(look.state.turn + LASTS, look.card.turns)
        pairs = [(nation, other) for other in look.aims.stakes if other != nation]
        candidates += [(Clause(terms.PEACE, pair, pair, until),) for pair in pairs]
    elif look.state.is_wishing:
        candidates += _shares(look, nation)
    worths = [
        (mine, deal[0].other(nation), deal)
        for deal in candidates
        if (mine := _worth(look, nation, deal)) > 0
        and _worth(look, deal[0].other(nation), deal) > 0
    ]
    return tuple(deal for *_, deal in sorted(worths, key=lambda idea: (-idea[0], idea[1])))


def _worth(look: Outlook, nation: str, deal: Sequence[Clause]) -> float:
    return sum(part.points for clause in deal for part in _parts(look, nation, clause))


def _shares(look: Outlook, nation: str) -> Iterator[tuple[Clause, ...]]:
    for area in look.contested:
        here = look.there[area]
        if len(here) == 2 and here.get(nation, 0) >= COUNTER_PF and area not in look.closed:
            other = next(owner for owner in here if owner != nation)
            if here[other] >= COUNTER_PF and look.card.allows(other, area, CONTROL):
                pair = (nation, other)
                yield (Clause(terms.SHARE, pair, pair, look.state.turn, area),)
