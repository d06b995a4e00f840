"""A position as the service's own players look at it: who stands where, who is ahead, and what a PF
is still worth."""

from __future__ import annotations

from collections.abc import Mapping

from .. import Cell
from ..deals.promises import NONE as NO_PROMISES
from ..deals.promises import Promises
from .aims import Aims, aims
from .state import COUNTER_PF, State

#: Points that a PF brings in the end, as a rule of thumb: half the price of a counter of 4 or 5
# points, for half of them are lost.
POINTS_A_PF = 0.227
#: What another's point is worth to a nation: of anybody's, more for each point that he is ahead,
# and of whoever is ahead of all.
RIVAL, AHEAD, FIRST = 0.19, 0.174, 0.376
ALLY = 0.35
BRITTLE = 0.386
NOTHING = Cell()
NONE: set[str] = set()
NOBODY: dict[str, int] = {}


class Outlook:
    """Read from one state, for all nations who see the same. `there` has strengths by area and
    nation, `cells` what they are made of."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.card = state.card
        self.placing = state.placing
        self.aims: Aims = aims(state.card)
        self.cells: Mapping[tuple[str, str], Cell] = state.pieces.cells
        self.there: dict[str, dict[str, int]] = {}
        #: What stands in an area altogether.
        self.powers: dict[str, int] = {}
        self.closed: set[str] = set()
        #: By host, who holds an Understanding in his home: those he may attack nowhere else (I1);
        # and by guest, whose guest he is.
        self.guests: dict[str, set[str]] = {}
        self.guest_of: dict[str, set[str]] = {}
        #: Who holds an Understanding, by area; and where, by nation.
        self.seated: dict[str, list[str]] = {}
        self.seats: dict[str, list[str]] = {}
        self._look()
        #: Where more than one nation stands, in the order of the card; the second weakest pile
        # there, for whoever has less is weaker than : all others; and who stands in such areas.
        self.contested: list[str] = []
        self.least: dict[str, int] = {}
        self.rivals: set[str] = set()
        if not self.placing:
            self._compare()
        turns = state.card.turns
        #: PFs are worth nothing once the last attacks have been made.
        self.pf_value = POINTS_A_PF * (turns - state.turn + (0.5 if self.placing else 0.0)) / turns
        #: What each nation may come to: what it has, and what its PFs can still buy of what its
        # card leaves open.
        self.prospects = self._prospects()
        self.best = max(self.prospects.values())

    def _look(self) -> None:
        there, powers, hosts = self.there, self.powers, self.aims.hosts
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
                    self.guest_of.setdefault(nation, set()).add(host)
            if power:
                if area in there:
                    there[area][nation] = power
                    powers[area] += power
                else:
                    there[area] = {nation: power}
                    powers[area] = power

    def _compare(self) -> None:
        for area in self.card.areas:
            here = self.there.get(area, NOBODY)
            if len(here) > 1:
                self.contested.append(area)
                self.least[area] = sorted(here.values())[1]
                self.rivals.update(here)

    def _prospects(self) -> dict[str, float]:
        state, closed, seated, rows = self.state, self.closed, self.seated, self.aims.rows
        first = state.turn - 1 if self.placing else state.turn
        scores = dict.fromkeys(rows, 0)
        taken = dict.fromkeys(rows, 0)  # points of Understandings that stand and may yet be lost
        piles = dict.fromkeys(rows, 0)
        for (area, nation), cell in self.cells.items():
            points = rows[nation].counters.get(area)
            if points is None:
                continue
            if area not in closed:
                piles[nation] += cell.pf
                if cell.understanding:
                    taken[nation] += points[1]
            elif cell.control:
                scores[nation] += points[0]
        #: What others have not taken yet they may still take.
        stays = 1.0 - BRITTLE * (state.card.turns - state.turn + 1) / state.card.turns
        found: dict[str, float] = {}
        for nation, row in rows.items():
            untaken = 0
            for area, points_for_it in row.no_control:
                if area not in closed:
                    untaken += points_for_it
            for area, points_for_it in row.no_understanding:
                if area not in closed and (area not in seated or seated[area] == [nation]):
                    untaken += points_for_it
            prospect = scores[nation] + taken[nation] + stays * untaken
            bought = (row.coming[first] + piles[nation]) * POINTS_A_PF
            if nation in self.aims.known:
                left = row.best - taken[nation]
                for area in closed:
                    if area in row.counters:
                        left -= row.counters[area][2]
                bought = min(float(left), bought)
            found[nation] = prospect + bought
        return found


class Eyes:
    """An outlook as one nation has it; `friend` is the one who sends the orders of an ally that he
    has drawn."""

    def __init__(
        self, look: Outlook, nation: str, friend: str = "", promises: Promises = NO_PROMISES
    ) -> None:
        self.look, self.nation, self.promises = look, nation, promises
        #: What its own points count for: little with whoever has the ally for a turn only.
        self.own = ALLY if friend else 1.0
        self.left = (look.card.turns - look.state.turn) / look.card.turns
        self.weights = _weights(look, nation, friend)
        #: Those who may not attack the nation outside their homes, and those whom it may not
        # attack outside its own.
        self.harmless = look.guest_of.get(nation, NONE)
        if promises.trusted:
            self.harmless = self.harmless | promises.trusted
        self.shielded = look.guests.get(nation, NONE)


def _weights(look: Outlook, nation: str, friend: str) -> dict[str, float]:
    """How much a point that another loses is worth to the nation: much where he is ahead of
    everybody, little where he is behind.

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
