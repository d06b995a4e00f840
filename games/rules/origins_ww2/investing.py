"""Where the service's own players put their PFs: what could be bought in each area, at which price, and the best bargains first.

An area has several prices: 5 for a counter, more for one that is guarded. A dearer one is taken after the cheaper where something is left.
"""

from __future__ import annotations

from collections.abc import Iterator

from .aims import Stake
from .assaults import CHANCES
from .outlook import NOBODY, NOTHING, Eyes
from .state import COUNTER_PF

#: How likely an attack at 1-1 to 5-1 removes its targets (D or X), by column.
REMOVES = tuple(falls + exchange for falls, exchange, _ in CHANCES)
#: How likely a pile survives an attack at these odds; below 1-1 there is none.
MOST = 200
SURVIVES = (0.97, *(1 - removed for removed in REMOVES[1:]), *(0.0,) * MOST)
#: How likely an area is left alone where nobody stands yet, by how many others want to control it.
QUIET = (0.95, 0.75, 0.6, 0.5, 0.45, 0.4)

#: PFs beyond the 5 of CONTROL, and how much surer they make it.
SPARE = ((0, 0.8), (1, 0.9), (3, 1.0))
IDLE = 0.15  # of the danger from those who could gain little there
CONTESTED = 0.79  # others will not stand still meanwhile
JOINED = 0.47  # the one who stands there is willing to share CONTROL, and nobody else comes
STRIKE = 1.5  # an attack costs as much as it removes, as often as not
GUARDS = (0, 1, 3)  # PFs beyond the 5 of an Understanding
FEET = (1, 2, 4)  # PFs of a nation that has nothing to place there but would keep others from it
FOOT = 4.5  # of so many PFs in somebody's way half are worth their while
URGENT = 0.15  # CONTROL is for good, and easier to have before the others have come
DENIED = 0.8  # of what others lose, for whoever stands in their way is not alone with it
KEPT_OPEN = 0.71  # of what the card promises for the want of CONTROL
SHIELD = 0.4  # of the points that its host contests
LUCK = 0.425  # how far two games with the same moves may differ: the wish for an area is that much less, or more

#: What each PF is thought to bring, how many, and the area: plain tuples, for a placement weighs a few dozen.
Bargain = tuple[float, int, str]


def placed(eyes: Eyes, luck: bytes) -> Iterator[tuple[int, str, bool]]:
    """PFs, area, and whether they come from home. What nothing is worth goes home, to be there for the next turn."""
    look, state, nation = eyes.look, eyes.look.state, eyes.nation
    new, at_home = state.allocation(nation), state.home_pf(nation)
    home = state.home(nation)
    bargains = _Market(eyes, luck).bargains()
    bargains.sort(reverse=True)
    taken: dict[str, int] = {}
    left = new + at_home
    for _, price, area in bargains:
        more = price - taken.get(area, 0)
        if 0 < more <= left:
            taken[area] = price
            left -= more
            if not left:
                break
    if left and bargains and (home is None or home in look.closed or state.options["ow2.unplaced"] == "forfeit"):
        # Nobody keeps them: they may as well reinforce.
        area = next(iter(taken), bargains[0][2])
        taken[area] = taken.get(area, 0) + left
    yield from _lines(taken, home, new, at_home)


def _lines(taken: dict[str, int], home: str | None, new: int, at_home: int) -> Iterator[tuple[int, str, bool]]:
    """Those at home leave first: the new ones, if they are not needed, take their place."""
    rest: list[tuple[int, str]] = []
    at_home -= taken.pop(home, 0) if home else 0  # they are there already
    for area, pf in taken.items():
        moved = max(0, min(pf, at_home))
        at_home -= moved
        if moved:
            yield moved, area, True
        if pf > moved:
            rest.append((pf - moved, area))
    for pf, area in rest:
        going = min(pf, new)
        new -= going
        if going:
            yield going, area, False
    if new and home is not None:
        yield new, home, False


class _Market:
    """What one nation could buy in one placement."""

    def __init__(self, eyes: Eyes, luck: bytes) -> None:
        self.look, self.nation, self.luck = eyes.look, eyes.nation, luck
        self.weights, self.own, self.left = eyes.weights, eyes.own, eyes.left
        self.harmless, self.shielded = eyes.harmless, eyes.shielded

    def bargains(self) -> list[Bargain]:
        found: list[Bargain] = []
        closed = self.look.closed
        for stake in self.look.aims.matters[self.nation]:
            if stake.area not in closed:
                self._of(stake, found)
        self._strikes(found)
        return found

    def _strikes(self, found: list[Bargain]) -> None:
        """PFs against the Understandings of whoever is the most in the way: what is left over may as well stop him."""
        leader = max(self.weights, key=lambda other: self.weights[other])
        for stake in self.look.aims.stakes[self.nation].values():
            cell = self.look.cells.get((stake.area, leader))
            if cell is None or not cell.understanding or (leader in self.shielded and stake.host != self.nation):
                continue
            here = self.look.there[stake.area]
            value = self.weights[leader] * stake.seats.get(leader, 0) * STRIKE
            for column in (1, 2, 3):
                price = column * here[leader] - here.get(self.nation, 0)
                if price > 0:
                    found.append((value * REMOVES[column] / price, price, stake.area))

    def _of(self, stake: Stake, found: list[Bargain]) -> None:
        look, nation, weights, own = self.look, self.nation, self.weights, self.own
        here = look.there.get(stake.area, NOBODY)
        mine = here.get(nation, 0)
        against = danger = others = 0
        barred = False
        at_home = stake.host == nation
        if len(here) > (mine > 0):
            for other, power in here.items():
                if other != nation:
                    against += power
                    others += 1
                    if other in self.shielded and not at_home:
                        barred = True
                    if other not in stake.claims and other != stake.host:
                        power = int(power * IDLE)  # who can gain little there attacks seldom
                    if power > danger and other not in self.harmless:
                        danger = power
        claimed = bool(stake.claims)
        if claimed:
            danger += 2  # those who want the area may yet send some
        danger = min(danger, MOST)
        fortune = 1.0 - LUCK + LUCK * self.luck[stake.number] / 128
        denied = 0.0
        for other, points in stake.claims.items():
            # Where others stand in his way already, one more is of less use.
            denied += weights[other] * points / (1 + others - (other in here))
        kept_open = denied * DENIED + (own * stake.no_control * KEPT_OPEN / (1 + others) if stake.claims else 0.0)
        if stake.control:
            value = own * stake.control * (1.0 + URGENT * self.left) + denied * DENIED
            for other, points in stake.open.items():
                value += weights[other] * points
            _to_control(stake, mine, against, barred, value * fortune, found)
            if others == 1 and mine < COUNTER_PF:
                partner = next(other for other in here if other != nation)
                if partner in stake.claims and (value := own * stake.control - weights[partner] * stake.claims[partner]) > 0:
                    price = COUNTER_PF - mine
                    found.append((value * JOINED * fortune / price, price, stake.area))
        cell = look.cells.get((stake.area, nation), NOTHING)
        if stake.understanding and not cell.understanding and stake.control <= stake.understanding:
            value = self._counter(stake) + kept_open
            value *= fortune
            for guard in GUARDS:
                price = COUNTER_PF - cell.pf + guard
                if price > 0:
                    found.append((value * SURVIVES[danger // (mine + price)] / price, price, stake.area))
        elif mine:
            if danger < mine and not at_home:
                return
            # What stands there already is worth a guard where somebody may attack it.
            value = (self._counter(stake) if cell.understanding else 0.0) + kept_open
            now = SURVIVES[danger // mine]
            for guard in GUARDS[1:]:
                gain = value * (SURVIVES[danger // (mine + guard)] - now)
                if gain > 0:
                    found.append((gain * fortune / guard, guard, stake.area))
        elif kept_open > 0 and not stake.control:
            value = kept_open * fortune
            for foot in FEET:
                found.append((value * SURVIVES[danger // foot] / (foot + FOOT), foot, stake.area))
        if at_home:
            self._to_clear(mine, here, fortune, found)

    def _counter(self, stake: Stake) -> float:
        """What an Understanding is worth: its points, what it spoils, and that its host can attack its owner nowhere else (I1)."""
        value = self.own * stake.understanding
        for other, points in stake.empty.items():
            value += self.weights[other] * points
        if stake.host is not None and stake.host != self.nation:
            value += self.own * SHIELD * self.look.aims.clash[self.nation, stake.host] * self.left
        return value

    def _to_clear(self, mine: int, here: dict[str, int], fortune: float, found: list[Bargain]) -> None:
        """PFs at home against guests whose Understandings bind the nation everywhere else."""
        guests = [other for other in here if other in self.shielded]
        if guests and self.left:
            power = sum(here[guest] for guest in guests)
            value = sum(SHIELD * self.look.aims.clash[guest, self.nation] for guest in guests) * self.left * fortune
            home = self.look.card.home[self.nation]
            for column in (2, 3, 4):
                # What stands at home is paid for as if it were placed there: it stays.
                price = max(column * power, mine)
                found.append((value * REMOVES[column] / price, price, home))


def _to_control(stake: Stake, mine: int, against: int, barred: bool, value: float, found: list[Bargain]) -> None:
    """Enough to stand alone with 5, by an attack at fair odds where others stand there."""
    if not against:
        quiet = QUIET[min(len(stake.claims) + len(stake.seats), 5)]
        for extra, sure in SPARE:
            price = COUNTER_PF + extra - mine
            if price > 0:
                found.append((value * quiet * sure / price, price, stake.area))
    elif not barred:
        for column in (2, 3, 4, 5):
            price = max(column * against, against + COUNTER_PF) - mine
            if price > 0:
                found.append((value * REMOVES[column] * CONTESTED / price, price, stake.area))
