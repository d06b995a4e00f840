"""Where the service's own players put their PFs: what could be bought in each area, at which price,
and the best bargains first.

An area has several prices: 5 for a counter, more for one that is guarded. A dearer one is taken
after the cheaper where something is left.
"""

from __future__ import annotations

from .. import Cell
from .aims import Stake
from .assaults import CHANCES
from .outlook import NOTHING, Eyes
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
# how far two games with the same moves may differ: the wish for an area is that much less, or more
LUCK = 0.35

#: What each PF is thought to bring, how many, and the area: plain tuples, for a placement weighs a
# few dozen.
Bargain = tuple[float, int, str]
NO_BARGAIN: Bargain = (0.0, 0, "")
ANY_PRICE = 10_000


def choose_placements(eyes: Eyes, luck: bytes) -> list[tuple[int, str, bool]]:
    """PFs, area, and whether they come from home. What nothing is worth goes home, to be there for
    the next turn."""
    look, state, nation = eyes.look, eyes.look.state, eyes.nation
    new, at_home = state.allocation(nation), state.home_pf(nation)
    left = new + at_home
    if not left:
        return []
    home = state.home(nation)
    bargains = _bargains(eyes, luck, left)
    bargains.sort(reverse=True)
    taken: dict[str, int] = {}
    for _, price, area in bargains:
        more = price - taken.get(area, 0)
        if 0 < more <= left:
            taken[area] = price
            left -= more
            if not left:
                break
    if left and (home is None or home in look.closed or state.options["ow2.unplaced"] == "forfeit"):
        # Nobody keeps them: they may as well reinforce, or go where the best thing is that they
        # cannot pay for.
        area = next(iter(taken), "") or max(_bargains(eyes, luck, ANY_PRICE), default=NO_BARGAIN)[2]
        if area:
            taken[area] = taken.get(area, 0) + left
    return _lines(taken, home, new, at_home)


def _lines(
    taken: dict[str, int], home: str | None, new: int, at_home: int
) -> list[tuple[int, str, bool]]:
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


def _bargains(eyes: Eyes, luck: bytes, most: int) -> list[Bargain]:
    """What one nation could buy in one placement with so many PFs."""
    found: list[Bargain] = []
    look, nation = eyes.look, eyes.nation
    closed, there, pf_at = look.closed, look.there, look.cells
    away = eyes.promises.away if eyes.promises.price else None
    for stake in look.aims.matters[nation]:
        area = stake.area
        if area in closed or (away and area in away):
            continue
        fortune = 1.0 - LUCK + LUCK * luck[stake.number] / 128
        if area in there:
            _in_company(eyes, stake, pf_at.get((area, nation), NOTHING), fortune, most, found)
        elif stake.control or stake.understanding or stake.claim_list or stake.no_control:
            _alone(eyes, stake, fortune, most, found)
    _strikes(eyes, most, found)
    return found


def _strikes(eyes: Eyes, most: int, found: list[Bargain]) -> None:
    """PFs against the Understandings of whoever is the most in the way: what is left over may as
    well stop him."""
    look, nation, weights = eyes.look, eyes.nation, eyes.weights
    leader = max(weights, key=weights.__getitem__)
    if leader not in look.seats:
        return
    shielded = leader in eyes.shielded
    stakes = look.aims.stakes[nation]
    for area in look.seats[leader]:
        stake = stakes[area]
        if shielded and stake.host != nation:
            continue
        here = look.there[area]
        power, mine = here[leader], here.get(nation, 0)
        value = weights[leader] * stake.seats.get(leader, 0) * STRIKE
        for column in (1, 2, 3):
            price = column * power - mine
            if price > most:
                break
            if price > 0:
                found.append((value * REMOVES[column] / price, price, area))


def _alone(eyes: Eyes, stake: Stake, fortune: float, most: int, found: list[Bargain]) -> None:
    """What may be had of an area where nobody stands."""
    area, weights, own = stake.area, eyes.weights, eyes.own
    danger, denied, kept_open = 0, 0.0, 0.0
    if stake.claim_list:
        danger = EXPECTED
        for other, points in stake.claim_list:
            denied += weights[other] * points
        kept_open = denied * DENIED + own * stake.no_control * KEPT_OPEN
    if stake.control and most >= COUNTER_PF:
        value = own * stake.control * (1.0 + URGENT * eyes.left) + denied * DENIED
        for other, points in stake.open_list:
            value += weights[other] * points
        value *= fortune
        quiet = QUIET[min(stake.rivals, 5)]
        for extra, sure in SPARE:
            price = COUNTER_PF + extra
            if price > most:
                break
            found.append((value * quiet * sure / price, price, area))
    if stake.understanding and stake.control <= stake.understanding:
        value = (_counter(eyes, stake) + kept_open) * fortune
        for guard in GUARDS:
            price = COUNTER_PF + guard
            if price > most:
                break
            found.append((value * SURVIVES[danger // price] / price, price, area))
    elif kept_open > 0 and not stake.control:
        _in_the_way(area, kept_open * fortune, danger, most, found)


def _in_the_way(area: str, value: float, danger: int, most: int, found: list[Bargain]) -> None:
    """A few PFs where the nation has nothing to place but would keep others from CONTROL."""
    for foot in FEET:
        if foot > most:
            break
        found.append((value * SURVIVES[danger // foot] / (foot + FOOT), foot, area))


def _in_company(
    eyes: Eyes, stake: Stake, cell: Cell, fortune: float, most: int, found: list[Bargain]
) -> None:
    """What may be had of an area where somebody stands, or the nation itself; `cell` is what it has
    there."""
    nation, area, weights, own = eyes.nation, stake.area, eyes.weights, eyes.own
    here = eyes.look.there[area]
    at_home = stake.host == nation
    mine = here.get(nation, 0)
    others = len(here) - 1 if mine else len(here)
    to_place = (
        stake.understanding and not cell.understanding and stake.control <= stake.understanding
    )
    danger = _danger(eyes, stake, here) if to_place or mine or not stake.control else 0
    safe = danger < mine and not at_home
    if safe and not to_place and not stake.control:
        return
    denied = kept_open = 0.0
    if stake.claim_list:
        for other, points in stake.claim_list:
            # Where others stand in his way already, one more is of less use.
            denied += weights[other] * points / (others if other in here else 1 + others)
        kept_open = denied * DENIED + own * stake.no_control * KEPT_OPEN / (1 + others)
    if stake.control:
        value = own * stake.control * (1.0 + URGENT * eyes.left) + denied * DENIED
        for other, points in stake.open_list:
            value += weights[other] * points
        against = eyes.look.powers[area] - mine
        if not against:
            _to_keep(stake, mine, value * fortune, most, found)
        elif at_home or not eyes.shielded or eyes.shielded.isdisjoint(here):
            _to_drive_out(area, mine, against, value * fortune, most, found)
        if others == 1 and mine < COUNTER_PF:
            _to_share(eyes, stake, mine, fortune, most, found)
    if to_place:
        value = (_counter(eyes, stake) + kept_open) * fortune
        for guard in GUARDS:
            price = COUNTER_PF - cell.pf + guard
            if price > most:
                break
            if price > 0:
                found.append((value * SURVIVES[danger // (mine + price)] / price, price, area))
    elif mine:
        if safe:
            return
        # What stands there already is worth a guard where somebody may attack it.
        value = (_counter(eyes, stake) if cell.understanding else 0.0) + kept_open
        _to_guard(area, mine, danger, value, fortune, most, found)
    elif kept_open > 0 and not stake.control:
        _in_the_way(area, kept_open * fortune, danger, most, found)
    if at_home:
        _to_clear(eyes, area, mine, here, fortune, found)


def _danger(eyes: Eyes, stake: Stake, here: dict[str, int]) -> int:
    """The most PFs that may attack the nation in an area where others stand."""
    nation, harmless, claims, host = eyes.nation, eyes.harmless, stake.claims, stake.host
    danger = 0
    for other, power in here.items():
        if power > danger and other != nation and other not in harmless:
            if other not in claims and other != host:
                power = int(power * IDLE)  # who can gain little there attacks seldom
                if power <= danger:
                    continue
            danger = power
    if claims:
        danger += EXPECTED
    return danger if danger < MOST else MOST


def _counter(eyes: Eyes, stake: Stake) -> float:
    """What an Understanding is worth: its points, what it spoils, and that its host can attack its
    owner nowhere else (I1)."""
    value = eyes.own * stake.understanding
    for other, points in stake.empty_list:
        value += eyes.weights[other] * points
    if stake.host is not None and stake.host != eyes.nation:
        value += eyes.own * SHIELD * eyes.look.aims.clash[eyes.nation, stake.host] * eyes.left
    return value


def _to_clear(
    eyes: Eyes, home: str, mine: int, here: dict[str, int], fortune: float, found: list[Bargain]
) -> None:
    """PFs at home against guests whose Understandings bind the nation everywhere else."""
    guests = [other for other in here if other in eyes.shielded]
    if guests and eyes.left:
        power = sum(here[guest] for guest in guests)
        value = (
            sum(SHIELD * eyes.look.aims.clash[guest, eyes.nation] for guest in guests)
            * eyes.left
            * fortune
        )
        for column in (2, 3, 4):
            # What stands at home is paid for as if it were placed there: it stays.
            price = max(column * power, mine)
            found.append((value * REMOVES[column] / price, price, home))


def _to_guard(
    area: str, mine: int, danger: int, value: float, fortune: float, most: int, found: list[Bargain]
) -> None:
    """A few PFs more beside those that stand there."""
    now = SURVIVES[danger // mine]
    for guard in GUARDS[1:]:
        if guard > most:
            break
        gain = value * (SURVIVES[danger // (mine + guard)] - now)
        if gain > 0:
            found.append((gain * fortune / guard, guard, area))


def _to_keep(stake: Stake, mine: int, value: float, most: int, found: list[Bargain]) -> None:
    """Enough for CONTROL where the nation stands alone."""
    quiet = QUIET[min(stake.rivals, 5)]
    for extra, sure in SPARE:
        price = COUNTER_PF + extra - mine
        if price > most:
            break
        if price > 0:
            found.append((value * quiet * sure / price, price, stake.area))


def _to_drive_out(
    area: str, mine: int, against: int, value: float, most: int, found: list[Bargain]
) -> None:
    """Enough to stand alone with 5, by an attack at fair odds on whoever stands there."""
    for column in (2, 3, 4, 5):
        price = max(column * against, against + COUNTER_PF) - mine
        if price > most:
            break
        if price > 0:
            found.append((value * REMOVES[column] * CONTESTED / price, price, area))


def _to_share(
    eyes: Eyes, stake: Stake, mine: int, fortune: float, most: int, found: list[Bargain]
) -> None:
    """Enough to share CONTROL with the one other nation there, where both may and it is worth more
    than it gives away."""
    partner = next(other for other in eyes.look.there[stake.area] if other != eyes.nation)
    price = COUNTER_PF - mine
    if price <= most and partner in stake.claims:
        value = eyes.own * stake.control - eyes.weights[partner] * stake.claims[partner]
        if value > 0:
            found.append((value * JOINED * fortune / price, price, stake.area))
