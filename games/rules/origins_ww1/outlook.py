"""A position from a bot's point of view: who stands where, what each pile promises, and who is
ahead."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from .aims import MOST, Aims, aims, hopes
from .state import State

#: The value of a point that another nation loses: for any nation, more for each point that it is
# ahead, and more for the leader.
RIVAL, FURTHER, FIRST = 0.17, 0.04, 0.34
#: The highest weight of another nation's point.
MOST_WEIGHT = 1.0
#: The weight of an ally's point: it is worth nearly as much as one's own, because they are added
# together. Taking it away is a loss, hence the sign.
ALLY = -0.7
#: Added for a nation that may exceed the limit of the nation's own bonus (Britain's 12).
SPOILER = 0.3
#: Subtracted for a nation that may spoil the leader's bonus, for each 12 points of its prospects.
USEFUL = 0.54
#: Added for the nation that must have no treaties for this nation's own bonus.
WITHOUT = 0.17
#: The number of random bytes for one nation and phase.
LUCK = 12
#: The assumed value of a line that pays only one nation alone while others are there, as a share
# of its points.
ALONE = 0.83
NOBODY: dict[str, float] = {}
EMPTY: dict[str, int] = {}


#: A nation with PFs in an area: nation, PFs, value, owner, spoils, hoped. `value` is what its
# treaty rights there pay it. They spoil the points that `owner` gets for being alone there:
# `spoils` on the current board, `hoped` by the owner's own estimate. Plain tuples, because there
# are many of them.
Mark = tuple[str, int, float, str, float, float]
#: The same weighted by its probability: area, nation, value, owner, and what it spoils by the
# owner's own estimate.
Prey = tuple[str, str, float, str, float]


class Outlook:
    """A reading of one state, for all nations.

    Secret alliances matter only in `weights`, which their members call.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.card = card = state.card
        self.aims: Aims = aims(card)
        self.left = card.turns - state.turn
        #: The probability that a pile gives treaty rights, now and after this turn's attacks.
        self.hope = hopes(card.treaty_at, self.left, False)
        self.after = hopes(card.treaty_at, self.left, True)
        there: dict[str, dict[str, int]] = {}
        for (area, nation), pf in state.piles.pf.items():
            if area in there:
                there[area][nation] = pf
            else:
                there[area] = {nation: pf}
        self.there = there
        self.promise = {
            area: {nation: self.hope[pf if pf < MOST else MOST] for nation, pf in here.items()}
            for area, here in there.items()
        }
        #: The probability that a nation is finally alone in an area, where its card pays for that;
        # by area and nation.
        self.free: dict[tuple[str, str], float] = {}
        self.prospects = self._prospects()
        self.marks, self.prey = self._survey()
        self._luck: tuple[str, bytes] = ("", b"")
        self._weights: dict[str, dict[str, float]] = {}  # cached: orders and deals need the same
        self.best = max(self.prospects.values())

    def _prospects(self) -> dict[str, float]:
        """Return each nation's expected final score: its objectives, and a bonus that no other
        nation's points spoil, as far as it is likely to last."""
        prospects = {}
        empty, promise = self.hope[0], self.promise
        for nation, stakes in self.aims.stakes.items():
            score = float(self.state.points.get(nation, 0))
            for stake in stakes:
                here = promise.get(stake.area, NOBODY)
                worth = float(stake.treaty)
                if stake.alone:
                    worth += stake.alone * self._chance_alone_there(stake.area, nation, here)
                score += here.get(nation, empty) * worth
            prospects[nation] = score
        for nation, bonus in self.card.bonus.items():
            # Britain's ten points are safer the further all others are from spoiling them.
            if bonus.limit is not None:
                highest = max(points for other, points in prospects.items() if other != nation)
                prospects[nation] += bonus.points * min(
                    1.0, max(0.0, (bonus.limit + 3 - highest) / 5)
                )
        return prospects

    def _chance_alone_there(self, area: str, nation: str, here: Mapping[str, float]) -> float:
        """Return the probability that no other nation finally has treaty rights there."""
        free, homes = 1.0, self.aims.homes
        for other, hope in here.items():
            if other != nation and homes.get(other) != area:
                free *= 1.0 - hope
        self.free[area, nation] = free
        return free

    def _survey(self) -> tuple[dict[str, list[Mark]], list[Prey]]:
        """Return the nations whose treaty rights matter to another: marks by area for attacks now,
        and prey for building up to an attack."""
        marks: dict[str, list[Mark]] = {}
        prey: list[Prey] = []
        at, owners, homes = self.aims.at, self.aims.owners, self.aims.homes
        for area, here in self.there.items():
            stakes, owner, promise = at[area], owners.get(area, ""), self.promise[area]
            if not stakes:
                continue
            spoils = hoped = 0.0
            if owner:
                alone = stakes[owner].alone
                spoils = alone * promise.get(owner, 0.0)
                hoped = ALONE * alone if self.left and spoils < ALONE * alone else spoils
            marks[area] = listed = []
            for other, pf in here.items():
                if homes.get(other) == area:
                    continue
                value = 0.0
                if (stake := stakes.get(other)) is not None:
                    value = stake.treaty + (
                        stake.alone * self.free[area, other] if stake.alone else 0.0
                    )
                if owner and other != owner:
                    listed.append((other, pf, value, owner, spoils, hoped))
                    prey.append(
                        (area, other, value * promise[other], owner, hoped * promise[other])
                    )
                elif value:
                    listed.append((other, pf, value, "", 0.0, 0.0))
                    prey.append((area, other, value * promise[other], "", 0.0))
        return marks, prey

    def strongest(self, area: str, nation: str) -> int:
        """Return the largest pile in an area that is neither the nation's nor its ally's."""
        friend = self.state.ally_of(nation) if self.state.alliances else None
        most = 0
        for other, pf in self.there.get(area, EMPTY).items():
            if pf > most and other not in (nation, friend):
                most = pf
        return most

    def luck(self, nation: str, salt: str) -> bytes:
        """Return pseudo-random bytes, the same for the same phase, nation and salt, so that two
        games with the same moves can differ."""
        if self._luck[0] != salt or not self._luck[1]:
            seed = f"{salt}\x1f{self.state.turn}\x1f{self.state.step}".encode(
                "utf-8", "surrogatepass"
            )
            self._luck = salt, hashlib.sha512(seed).digest()
        begin = self.card.order.index(nation) * LUCK % (len(self._luck[1]) - LUCK)
        return self._luck[1][begin : begin + LUCK]

    def weights(self, nation: str) -> dict[str, float]:
        """Return how much a point that another nation loses is worth to the nation."""
        if nation not in self._weights:
            self._weights[nation] = self._weigh(nation)
        return self._weights[nation]

    def _weigh(self, nation: str) -> dict[str, float]:
        prospects, best = self.prospects, self.best
        mine = prospects[nation]
        bonus = self.card.bonus.get(nation)
        limit = bonus.limit if bonus is not None else None
        ally = self.state.ally_of(nation) if self.state.alliances else None
        limited = (holder for holder, its in self.card.bonus.items() if its.limit is not None)
        spoiled = next((holder for holder in limited if holder != nation), None)
        if spoiled is not None and prospects[spoiled] < best:
            spoiled = None
        weights = {}
        for other, prospect in prospects.items():
            if other == nation:
                continue
            weight = RIVAL + FURTHER * (prospect - mine) + (FIRST if prospect == best else 0.0)
            if limit is not None and prospect > limit - 3:
                weight += SPOILER
            elif bonus is not None and bonus.nation == other:
                weight += WITHOUT
            # A nation that exceeds the limit takes ten points from the leader.
            if spoiled is not None and other != spoiled:
                weight -= USEFUL * prospect / 12
            within = MOST_WEIGHT if weight > MOST_WEIGHT else 0.05 if weight < 0.05 else weight
            weights[other] = ALLY if other == ally else within
        return weights
