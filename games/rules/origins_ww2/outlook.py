"""A position as the service's own players look at it: who stands where, who is ahead, and what a PF is still worth."""

from __future__ import annotations

from collections.abc import Mapping

from .. import Cell
from .aims import Aims, aims
from .state import COUNTER_PF, State

#: Points that a PF brings in the end, as a rule of thumb: half the price of a counter of 4 or 5 points, for half of them are lost.
POINTS_A_PF = 0.227
#: What another's point is worth to a nation: of anybody's, more for each point that he is ahead, and of whoever is ahead of all.
RIVAL, AHEAD, FIRST = 0.19, 0.174, 0.376
ALLY = 0.35
BRITTLE = 0.386
NOTHING = Cell()
NONE: set[str] = set()
NOBODY: dict[str, int] = {}


class Outlook:
    """Read from one state, for all nations who see the same. `there` has strengths by area and nation, `cells` what they are made of."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.card = state.card
        self.aims: Aims = aims(state.card)
        self.cells: Mapping[tuple[str, str], Cell] = state.pieces.cells
        self.there: dict[str, dict[str, int]] = {}
        self.closed: set[str] = set()
        #: By host, who holds an Understanding in his home: those he may attack nowhere else (I1).
        self.guests: dict[str, set[str]] = {}
        #: Who holds an Understanding, by area; and where, by nation.
        self.seated: dict[str, list[str]] = {}
        self.seats: dict[str, list[str]] = {}
        there, hosts = self.there, self.aims.hosts
        for (area, nation), cell in self.cells.items():
            power = cell.pf
            if cell.control:
                self.closed.add(area)
            if cell.understanding:
                power += COUNTER_PF
                self.seated.setdefault(area, []).append(nation)
                self.seats.setdefault(nation, []).append(area)
                if (host := hosts.get(area)) is not None and host != nation:
                    self.guests.setdefault(host, set()).add(nation)
            if power:
                if area in there:
                    there[area][nation] = power
                else:
                    there[area] = {nation: power}
        #: Where more than one nation stands, in the order of the card.
        self.contested = [area for area in state.card.areas if area in there and len(there[area]) > 1]
        turns = state.card.turns
        #: PFs are worth nothing once the last attacks have been made.
        self.pf_value = POINTS_A_PF * (turns - state.turn + (0.5 if state.placing else 0.0)) / turns
        #: What each nation may come to: what it has, and what its PFs can still buy of what its card leaves open.
        self.prospects = self._prospects()
        self.best = max(self.prospects.values())

    def _prospects(self) -> dict[str, float]:
        state, cells, closed, seated = self.state, self.cells, self.closed, self.seated
        first = state.turn - 1 if state.placing else state.turn
        found: dict[str, float] = {}
        #: What others have not taken yet they may still take.
        stays = 1.0 - BRITTLE * (state.card.turns - state.turn + 1) / state.card.turns
        for nation, allocated in state.card.allocation.items():
            score, left, pile = 0.0, 0, sum(allocated[first:])
            for stake in self.aims.matters[nation]:
                area = stake.area
                cell = cells.get((area, nation))
                if area in closed:
                    if cell is not None and cell.control:
                        score += stake.control
                    continue
                left += stake.best
                score += stays * stake.no_control
                if cell is not None:
                    pile += cell.pf
                    if cell.understanding:
                        score += stake.understanding
                        left -= stake.understanding
                if stake.no_understanding and (area not in seated or seated[area] == [nation]):
                    score += stays * stake.no_understanding
            bought = pile * POINTS_A_PF
            found[nation] = score + (min(float(left), bought) if nation in self.aims.known else bought)
        return found


class Eyes:
    """An outlook as one nation has it; `friend` is the one who sends the orders of an ally that he has drawn."""

    def __init__(self, look: Outlook, nation: str, friend: str = "") -> None:
        self.look, self.nation = look, nation
        #: What its own points count for: little with whoever has the ally for a turn only.
        self.own = ALLY if friend else 1.0
        self.left = (look.card.turns - look.state.turn) / look.card.turns
        self.weights = _weights(look, nation, friend)
        #: Those who may not attack the nation outside their homes, and those whom it may not attack outside its own.
        self.harmless = {host for host, guests in look.guests.items() if nation in guests}
        self.shielded = look.guests.get(nation, NONE)


def _weights(look: Outlook, nation: str, friend: str) -> dict[str, float]:
    """How much a point that another loses is worth to the nation: much where he is ahead of everybody, little where he is behind.

    What harms the friend is a loss.
    """
    prospects = look.prospects
    mine = prospects[friend or nation]
    found = {}
    for other, prospect in prospects.items():
        if other != nation:
            weight = RIVAL + AHEAD * (prospect - mine) + (FIRST if prospect == look.best else 0.0)
            found[other] = 1.0 if weight > 1.0 else 0.05 if weight < 0.05 else weight
    if friend:
        found[friend] = -0.8
    return found
