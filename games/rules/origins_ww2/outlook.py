"""A position from a bot's point of view: who stands where, who is ahead, and what a PF is still
worth."""

from __future__ import annotations

from collections.abc import Mapping

from .. import Cell
from ..deals.promises import NONE as NO_PROMISES
from ..deals.promises import Promises
from .aims import Aims, aims
from .state import COUNTER_PF, State

#: Points that a PF brings in the end, as a rule of thumb: half its share of a counter worth 4 or 5
# points, because half of the PFs are lost.
POINTS_A_PF = 0.227
#: The value of a point that another nation loses: for any nation, more for each point that it is
# ahead, and more for the leader.
RIVAL, AHEAD, FIRST = 0.19, 0.174, 0.376
ALLY = 0.35
BRITTLE = 0.386
NOTHING = Cell()
NONE: set[str] = set()
NOBODY: dict[str, int] = {}


class Outlook:
    """A reading of one state, for all nations that see the same.

    `there` has strengths by area and nation, `cells` the pieces that they consist of.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.card = state.card
        self.is_placing = state.is_placing
        self.aims: Aims = aims(state.card)
        self.cells: Mapping[tuple[str, str], Cell] = state.pieces.cells
        self.there: dict[str, dict[str, int]] = {}
        #: The total strength in each area.
        self.powers: dict[str, int] = {}
        self.closed: set[str] = set()
        #: By host, the nations with an Understanding in its home, which it may attack nowhere else
        # (I1); and by guest, its hosts.
        self.guests: dict[str, set[str]] = {}
        self.guest_of: dict[str, set[str]] = {}
        #: Holders of Understandings by area; and their areas by nation.
        self.seated: dict[str, list[str]] = {}
        self.seats: dict[str, list[str]] = {}
        self._look()
        #: Areas where more than one nation stands, in card order; the second weakest pile in each,
        # because a nation with less is weaker than all others; and the nations in such areas.
        self.contested: list[str] = []
        self.least: dict[str, int] = {}
        self.rivals: set[str] = set()
        if not self.is_placing:
            self._compare()
        turns = state.card.turns
        #: PFs are worth nothing after the last attacks.
        self.pf_value = (
            POINTS_A_PF * (turns - state.turn + (0.5 if self.is_placing else 0.0)) / turns
        )
        #: Each nation's expected final score: what it has, and what its PFs can still buy of the
        # objectives that its card leaves open.
        self.prospects = self._prospects()
        self.best = max(self.prospects.values())
        #: Cached by nation and friend, because orders and deals need the same weights.
        self._weights: dict[tuple[str, str], dict[str, float]] = {}
        #: What attacks of one nation take from another (`bargaining`), cached by the pair.
        self.attacks: dict[tuple[str, str], tuple[dict[str, float], dict[str, float]]] = {}

    def weights(self, nation: str, friend: str = "") -> dict[str, float]:
        """Return how much a point that another nation loses is worth to the nation."""
        if (nation, friend) not in self._weights:
            self._weights[nation, friend] = _weigh(self, nation, friend)
        return self._weights[nation, friend]

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
        first = state.turn - 1 if self.is_placing else state.turn
        scores = dict.fromkeys(rows, 0)
        taken = dict.fromkeys(rows, 0)  # points of Understandings, which may still be lost
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
        #: The share of "no counter" objectives that last: others may still take those areas.
        stays = 1.0 - BRITTLE * (state.card.turns - state.turn + 1) / state.card.turns
        prospects: dict[str, float] = {}
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
            prospects[nation] = prospect + bought
        return prospects


class NationOutlook:
    """An outlook from one nation's side.

    `friend` is the nation that sends the orders where this one is a drawn ally.
    """

    def __init__(
        self, look: Outlook, nation: str, friend: str = "", promises: Promises = NO_PROMISES
    ) -> None:
        self.look, self.nation, self.promises = look, nation, promises
        #: The weight of the nation's own points: low for an ally, because its controller has it
        # for one turn only.
        self.own = ALLY if friend else 1.0
        self.left = (look.card.turns - look.state.turn) / look.card.turns
        self.weights = look.weights(nation, friend)
        #: Nations that may attack this one only in their own homes, and nations that it may
        # attack only in its own.
        self.harmless = look.guest_of.get(nation, NONE)
        if promises.trusted:
            self.harmless = self.harmless | promises.trusted
        self.shielded = look.guests.get(nation, NONE)


def _weigh(look: Outlook, nation: str, friend: str) -> dict[str, float]:
    """Return a high weight for nations that are ahead, a low one for those behind.

    The friend's weight is negative: harming it is a loss.
    """
    prospects = look.prospects
    mine = prospects[friend or nation]
    weights = {}
    for other, prospect in prospects.items():
        if other != nation:
            weight = RIVAL + AHEAD * (prospect - mine) + (FIRST if prospect == look.best else 0.0)
            weights[other] = 1.0 if weight > 1.0 else 0.05 if weight < 0.05 else weight
    if friend:
        weights[friend] = -0.8
    return weights
