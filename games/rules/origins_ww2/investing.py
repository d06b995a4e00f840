"""Where the service's own players put their PFs: what could be bought in each area, at which price, and the best bargains first.

An area has several prices: 5 for a counter, more for one that is guarded. A dearer one is taken after the cheaper where something is left.
"""

from __future__ import annotations

from .. import Cell
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
EXPECTED = 2  # PFs that those who want an area may yet send there
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
LUCK = 0.35  # how far two games with the same moves may differ: the wish for an area is that much less, or more

#: What each PF is thought to bring, how many, and the area: plain tuples, for a placement weighs a few dozen.
Bargain = tuple[float, int, str]


def placed(eyes: Eyes, luck: bytes) -> list[tuple[int, str, bool]]:
    """PFs, area, and whether they come from home. What nothing is worth goes home, to be there for the next turn."""
    look, state, nation = eyes.look, eyes.look.state, eyes.nation
    new, at_home = state.allocation(nation), state.home_pf(nation)
    home = state.home(nation)
    bargains = _bargains(eyes, luck)
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
    return _lines(taken, home, new, at_home)


def _lines(taken: dict[str, int], home: str | None, new: int, at_home: int) -> list[tuple[int, str, bool]]:
    """Those at home leave first: the new ones, if they are not needed, take their place."""
    found: list[tuple[int, str, bool]] = []
    at_home -= taken.pop(home, 0) if home else 0  # they are there already
    for area in taken if at_home > 0 else ():
        moved = min(taken[area], at_home)
        at_home -= moved
        taken[area] -= moved
        if moved:
            found.append((moved, area, True))
    for area, pf in taken.items():
        going = pf if pf < new else new
        new -= going
        if going:
            found.append((going, area, False))
    if new and home is not None:
        found.append((new, home, False))
    return found


def _bargains(eyes: Eyes, luck: bytes) -> list[Bargain]:
    """What one nation could buy in one placement."""
    found: list[Bargain] = []
    look, nation = eyes.look, eyes.nation
    closed, there, pf_at = look.closed, look.there, look.cells
    for stake in look.aims.matters[nation]:
        area = stake.area
        if area in closed:
            continue
        here = there.get(area, NOBODY)
        fortune = 1.0 - LUCK + LUCK * luck[stake.number] / 128
        if here:
            _in_company(eyes, stake, here, pf_at.get((area, nation), NOTHING), fortune, found)
        else:
            _alone(eyes, stake, fortune, found)
    _strikes(eyes, found)
    return found


def _strikes(eyes: Eyes, found: list[Bargain]) -> None:
    """PFs against the Understandings of whoever is the most in the way: what is left over may as well stop him."""
    look, nation, weights = eyes.look, eyes.nation, eyes.weights
    leader = max(weights, key=weights.__getitem__)
    shielded = leader in eyes.shielded
    stakes = look.aims.stakes[nation]
    for area in look.seats.get(leader, ()):
        stake = stakes[area]
        if shielded and stake.host != nation:
            continue
        here = look.there[area]
        power, mine = here[leader], here.get(nation, 0)
        value = weights[leader] * stake.seats.get(leader, 0) * STRIKE
        for column in (1, 2, 3):
            price = column * power - mine
            if price > 0:
                found.append((value * REMOVES[column] / price, price, area))


def _alone(eyes: Eyes, stake: Stake, fortune: float, found: list[Bargain]) -> None:
    """What may be had of an area where nobody stands."""
    area, weights, own = stake.area, eyes.weights, eyes.own
    danger, denied, kept_open = 0, 0.0, 0.0
    if stake.claim_list:
        danger = EXPECTED
        for other, points in stake.claim_list:
            denied += weights[other] * points
        kept_open = denied * DENIED + own * stake.no_control * KEPT_OPEN
    if stake.control:
        value = own * stake.control * (1.0 + URGENT * eyes.left) + denied * DENIED
        for other, points in stake.open_list:
            value += weights[other] * points
        value *= fortune
        quiet = QUIET[min(stake.rivals, 5)]
        for extra, sure in SPARE:
            price = COUNTER_PF + extra
            found.append((value * quiet * sure / price, price, area))
    if stake.understanding and stake.control <= stake.understanding:
        value = (_counter(eyes, stake) + kept_open) * fortune
        for guard in GUARDS:
            price = COUNTER_PF + guard
            found.append((value * SURVIVES[danger // price] / price, price, area))
    elif kept_open > 0 and not stake.control:
        value = kept_open * fortune
        for foot in FEET:
            found.append((value * SURVIVES[danger // foot] / (foot + FOOT), foot, area))


def _in_company(eyes: Eyes, stake: Stake, here: dict[str, int], cell: Cell, fortune: float, found: list[Bargain]) -> None:
    """What may be had of an area where somebody stands, or the nation itself; `cell` is what it has there."""
    nation, area, weights, own = eyes.nation, stake.area, eyes.weights, eyes.own
    harmless, shielded, host = eyes.harmless, eyes.shielded, stake.host
    at_home = host == nation
    against = danger = others = mine = 0
    barred = False
    claims = stake.claims
    for other, power in here.items():
        if other == nation:
            mine = power
            continue
        against += power
        others += 1
        if other in shielded and not at_home:
            barred = True
        if other not in claims and other != host:
            power = int(power * IDLE)  # who can gain little there attacks seldom
        if power > danger and other not in harmless:
            danger = power
    if claims:
        danger += EXPECTED
    if danger > MOST:
        danger = MOST
    to_place = stake.understanding and not cell.understanding and stake.control <= stake.understanding
    safe = danger < mine and not at_home
    if safe and not to_place and not stake.control:
        return
    denied = kept_open = 0.0
    if claims:
        for other, points in stake.claim_list:
            # Where others stand in his way already, one more is of less use.
            denied += weights[other] * points / (1 + others - (other in here))
        kept_open = denied * DENIED + own * stake.no_control * KEPT_OPEN / (1 + others)
    if stake.control:
        value = own * stake.control * (1.0 + URGENT * eyes.left) + denied * DENIED
        for other, points in stake.open_list:
            value += weights[other] * points
        _to_control(stake, mine, against, barred, value * fortune, found)
        if others == 1 and mine < COUNTER_PF:
            partner = next(other for other in here if other != nation)
            if partner in claims and (value := own * stake.control - weights[partner] * claims[partner]) > 0:
                price = COUNTER_PF - mine
                found.append((value * JOINED * fortune / price, price, area))
    if to_place:
        value = (_counter(eyes, stake) + kept_open) * fortune
        for guard in GUARDS:
            price = COUNTER_PF - cell.pf + guard
            if price > 0:
                found.append((value * SURVIVES[danger // (mine + price)] / price, price, area))
    elif mine:
        if safe:
            return
        # What stands there already is worth a guard where somebody may attack it.
        value = (_counter(eyes, stake) if cell.understanding else 0.0) + kept_open
        now = SURVIVES[danger // mine]
        for guard in GUARDS[1:]:
            gain = value * (SURVIVES[danger // (mine + guard)] - now)
            if gain > 0:
                found.append((gain * fortune / guard, guard, area))
    elif kept_open > 0 and not stake.control:
        value = kept_open * fortune
        for foot in FEET:
            found.append((value * SURVIVES[danger // foot] / (foot + FOOT), foot, area))
    if at_home:
        _to_clear(eyes, area, mine, here, fortune, found)


def _counter(eyes: Eyes, stake: Stake) -> float:
    """What an Understanding is worth: its points, what it spoils, and that its host can attack its owner nowhere else (I1)."""
    value = eyes.own * stake.understanding
    for other, points in stake.empty_list:
        value += eyes.weights[other] * points
    if stake.host is not None and stake.host != eyes.nation:
        value += eyes.own * SHIELD * eyes.look.aims.clash[eyes.nation, stake.host] * eyes.left
    return value


def _to_clear(eyes: Eyes, home: str, mine: int, here: dict[str, int], fortune: float, found: list[Bargain]) -> None:
    """PFs at home against guests whose Understandings bind the nation everywhere else."""
    guests = [other for other in here if other in eyes.shielded]
    if guests and eyes.left:
        power = sum(here[guest] for guest in guests)
        value = sum(SHIELD * eyes.look.aims.clash[guest, eyes.nation] for guest in guests) * eyes.left * fortune
        for column in (2, 3, 4):
            # What stands at home is paid for as if it were placed there: it stays.
            price = max(column * power, mine)
            found.append((value * REMOVES[column] / price, price, home))


def _to_control(stake: Stake, mine: int, against: int, barred: bool, value: float, found: list[Bargain]) -> None:
    """Enough to stand alone with 5, by an attack at fair odds where others stand there."""
    if not against:
        quiet = QUIET[min(stake.rivals, 5)]
        for extra, sure in SPARE:
            price = COUNTER_PF + extra - mine
            if price > 0:
                found.append((value * quiet * sure / price, price, stake.area))
    elif not barred:
        for column in (2, 3, 4, 5):
            price = max(column * against, against + COUNTER_PF) - mine
            if price > 0:
                found.append((value * REMOVES[column] * CONTESTED / price, price, stake.area))
