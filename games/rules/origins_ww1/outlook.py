"""A position as the service's own players look at it: who stands where, what each pile promises,
and who is ahead."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from .aims import MOST, Aims, aims, hopes
from .state import State

#: What another's point is worth to a nation: of anybody's, more for each point that he is ahead,
# and of whoever is ahead of all.
RIVAL, FURTHER, FIRST = 0.17, 0.04, 0.34
#: No point of another is worth more than this to a nation.
MOST_WEIGHT = 1.0
#: What a point of an ally is worth: nearly as much as one's own, for they count together.
ALLY = -0.7
#: What it adds that another may come above the limit of the nation's own bonus (Britain's 12).
SPOILER = 0.3
#: What it takes away that another may spoil the bonus of whoever is ahead, for each twelve points
# that he has in prospect.
USEFUL = 0.54
#: What it adds that another must have no treaties for the nation's own bonus.
WITHOUT = 0.17
#: Numbers of luck for one nation and phase.
LUCK = 12
#: What it is thought to be worth to be alone, of a line that pays only then, while others are
# there.
ALONE = 0.83
NOBODY: dict[str, float] = {}
EMPTY: dict[str, int] = {}


#: Somebody with PFs in an area: nation, PFs, and `value`, what his treaty rights there pay him.
# They spoil what the sheet of `owner` pays : that one for being alone there: `spoils` as it stands,
# `hoped` in the owner's own eyes. A plain tuple: there are many of them.
Mark = tuple[str, int, float, str, float, float]
#: The same by what it promises: area, nation, value, owner, and what it spoils in the owner's own
# eyes.
Prey = tuple[str, str, float, str, float]


class Outlook:
    """Read from one state, for all nations; alliances that are secret matter only to their members,
    who ask `weights`."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.card = card = state.card
        self.aims: Aims = aims(card)
        self.left = card.turns - state.turn
        #: What a pile promises as it stands, and what it does once this turn's attacks are over.
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
        #: By area and nation, how likely it is alone there in the end: where its sheet asks for
        # that.
        self.free: dict[tuple[str, str], float] = {}
        self.prospects = self._prospects()
        self.marks, self.prey = self._survey()
        self._luck: tuple[str, bytes] = ("", b"")
        self._weights: dict[str, dict[str, float]] = {}  # orders and deals ask for the same
        self.best = max(self.prospects.values())

    def _prospects(self) -> dict[str, float]:
        """What each nation may come to by its objectives, and by a bonus that no other's points
        spoil, if that lasts."""
        found = {}
        empty, promise = self.hope[0], self.promise
        for nation, stakes in self.aims.stakes.items():
            score = float(self.state.points.get(nation, 0))
            for stake in stakes:
                here = promise.get(stake.area, NOBODY)
                worth = float(stake.treaty)
                if stake.alone:
                    worth += stake.alone * self._alone(stake.area, nation, here)
                score += here.get(nation, empty) * worth
            found[nation] = score
        for nation, bonus in self.card.bonus.items():
            # Britain's ten points, the surer the further all others are from spoiling them.
            if bonus.limit is not None:
                highest = max(points for other, points in found.items() if other != nation)
                found[nation] += bonus.points * min(1.0, max(0.0, (bonus.limit + 3 - highest) / 5))
        return found

    def _alone(self, area: str, nation: str, here: Mapping[str, float]) -> float:
        """How likely nobody else has treaty rights there in the end."""
        free, homes = 1.0, self.aims.homes
        for other, hope in here.items():
            if other != nation and homes.get(other) != area:
                free *= 1.0 - hope
        self.free[area, nation] = free
        return free

    def _survey(self) -> tuple[dict[str, list[Mark]], list[Prey]]:
        """By area, those whose treaty rights there matter to somebody: to be attacked, or to be
        ready for it."""
        found: dict[str, list[Mark]] = {}
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
            found[area] = listed = []
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
        return found, prey

    def strongest(self, area: str, nation: str) -> int:
        """The largest pile in an area that is neither the nation's nor its ally's."""
        friend = self.state.ally_of(nation) if self.state.alliances else None
        most = 0
        for other, pf in self.there.get(area, EMPTY).items():
            if pf > most and other not in (nation, friend):
                most = pf
        return most

    def luck(self, nation: str, salt: str) -> bytes:
        """Some numbers from 0 to 255, the same for the same phase, nation and salt: no two games
        with the same moves need be the same."""
        if self._luck[0] != salt or not self._luck[1]:
            said = f"{salt}\x1f{self.state.turn}\x1f{self.state.step}".encode(
                "utf-8", "surrogatepass"
            )
            self._luck = salt, hashlib.sha512(said).digest()
        begin = self.card.order.index(nation) * LUCK % (len(self._luck[1]) - LUCK)
        return self._luck[1][begin : begin + LUCK]

    def weights(self, nation: str) -> dict[str, float]:
        """How much a point that another loses is worth to the nation."""
        if nation not in self._weights:
            self._weights[nation] = self._weigh(nation)
        return self._weights[nation]

    def _weigh(self, nation: str) -> dict[str, float]:
        prospects, best = self.prospects, self.best
        mine = prospects[nation]
        bonus = self.card.bonus.get(nation)
        limit = bonus.limit if bonus is not None else None
        ally = self.state.ally_of(nation) if self.state.alliances else None
        limited = (one for one, its in self.card.bonus.items() if its.limit is not None)
        spoiled = next((one for one in limited if one != nation), None)
        if spoiled is not None and prospects[spoiled] < best:
            spoiled = None
        found = {}
        for other, prospect in prospects.items():
            if other == nation:
                continue
            weight = RIVAL + FURTHER * (prospect - mine) + (FIRST if prospect == best else 0.0)
            if limit is not None and prospect > limit - 3:
                weight += SPOILER
            elif bonus is not None and bonus.nation == other:
                weight += WITHOUT
            # Whoever comes above it takes ten points from the one who is ahead.
            if spoiled is not None and other != spoiled:
                weight -= USEFUL * prospect / 12
            within = MOST_WEIGHT if weight > MOST_WEIGHT else 0.05 if weight < 0.05 else weight
            found[other] = ALLY if other == ally else within
        return found
