"""Choose where a bot places its PFs: price what could be bought in each area, and buy the best
bargains first.

An area has several prices: 5 for a counter, more for a guarded one. A higher price is paid after a
lower one where PFs are left.
"""

from __future__ import annotations

from .. import Cell
from .aims import Stake
from .assaults import CHANCES
from .outlook import NOTHING, NationOutlook
from .state import COUNTER_PF

#: The probability that an attack at 1-1 to 5-1 removes its targets (D or X), by column.
REMOVES = tuple(falls + exchange for falls, exchange, _ in CHANCES)
MOST = 200
#: The probability that a pile survives an attack at these odds; below 1-1 there is no attack.
SURVIVES = (0.97, *(1 - removed for removed in REMOVES[1:]), *(0.0,) * MOST)
#: The probability that others leave an empty area alone, by the number of their objectives there.
QUIET = (0.95, 0.75, 0.6, 0.5, 0.45, 0.4)

#: PFs beyond the 5 for CONTROL, and the factor by which they make it safer.
SPARE = ((0, 0.8), (1, 0.9), (3, 1.0))
EXPECTED = 2  # PFs that nations that want an area may still send there
IDLE = 0.15  # share of the danger from nations that could gain little there
CONTESTED = 0.79  # probability that an attack still succeeds though others place PFs meanwhile
JOINED = 0.47  # probability that the nation there will share CONTROL and no other nation comes
STRIKE = 1.5  # factor for attacks; about half the time they cost as much as they remove
GUARDS = (0, 1, 3)  # PFs beyond the 5 for an Understanding
FEET = (1, 2, 4)  # PFs of a nation that can place no counter there but would keep others out
FOOT = 4.5  # PFs in the way of others that reach half of the full value
URGENT = 0.15  # bonus for early CONTROL: it is permanent, and easier before others arrive
DENIED = 0.8  # share of what others lose, because other nations stand in their way too
KEPT_OPEN = 0.71  # share of the card's points for "no CONTROL"
SHIELD = 0.4  # share of the points that its host contests
# How far two games with the same moves may differ: the value of an area varies by this share.
LUCK = 0.35

#: The expected value per PF, the number of PFs, and the area. Plain tuples, because a placement
# compares a few dozen.
Bargain = tuple[float, int, str]
NO_BARGAIN: Bargain = (0.0, 0, "")
ANY_PRICE = 10_000


def choose_placements(eyes: NationOutlook, luck: bytes) -> list[tuple[int, str, bool]]:
    """Return PFs, area, and whether they come from home.

    PFs with no worthwhile use go home, to be there for the next turn.
    """
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
        # Left-over PFs would be lost: reinforce the first area chosen, or else start on the best
        # bargain, though it is too expensive for now.
        area = next(iter(taken), "") or max(_bargains(eyes, luck, ANY_PRICE), default=NO_BARGAIN)[2]
        if area:
            taken[area] = taken.get(area, 0) + left
    return _lines(taken, home, new, at_home)


def _lines(
    taken: dict[str, int], home: str | None, new: int, at_home: int
) -> list[tuple[int, str, bool]]:
    """Return the placements as PFs, area, and whether they come from home.

    PFs at home leave first; new ones that are not needed replace them there.
    """
    lines: list[tuple[int, str, bool]] = []
    at_home -= taken.pop(home, 0) if home else 0  # they are there already
    for area in taken if at_home > 0 else ():
        moved = min(taken[area], at_home)
        at_home -= moved
        taken[area] -= moved
        if moved:
            lines.append((moved, area, True))
    for area, pf in taken.items():
        going = pf if pf < new else new
        new -= going
        if going:
            lines.append((going, area, False))
    if new and home is not None:
        lines.append((new, home, False))
    return lines


def _bargains(eyes: NationOutlook, luck: bytes, most: int) -> list[Bargain]:
    """Return everything that a nation could buy in one placement with at most this many PFs."""
    bargains: list[Bargain] = []
    look, nation = eyes.look, eyes.nation
    closed, there, pf_at = look.closed, look.there, look.cells
    away = eyes.promises.away if eyes.promises.price else None
    for stake in look.aims.matters[nation]:
        area = stake.area
        if area in closed or (away and area in away):
            continue
        fortune = 1.0 - LUCK + LUCK * luck[stake.number] / 128
        if area in there:
            _add_company_bargains(
                eyes, stake, pf_at.get((area, nation), NOTHING), fortune, most, bargains
            )
        elif stake.control or stake.understanding or stake.claim_list or stake.no_control:
            _add_empty_area_bargains(eyes, stake, fortune, most, bargains)
    _strikes(eyes, most, bargains)
    return bargains


def _strikes(eyes: NationOutlook, most: int, bargains: list[Bargain]) -> None:
    """Add PFs against Understandings of the nation whose losses are worth most: spare PFs can stop
    it."""
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
                bargains.append((value * REMOVES[column] / price, price, area))


def _add_empty_area_bargains(
    eyes: NationOutlook, stake: Stake, fortune: float, most: int, bargains: list[Bargain]
) -> None:
    """Add bargains in an area where nobody stands."""
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
            bargains.append((value * quiet * sure / price, price, area))
    if stake.understanding and stake.control <= stake.understanding:
        value = (_counter(eyes, stake) + kept_open) * fortune
        for guard in GUARDS:
            price = COUNTER_PF + guard
            if price > most:
                break
            bargains.append((value * SURVIVES[danger // price] / price, price, area))
    elif kept_open > 0 and not stake.control:
        _add_blocking_bargains(area, kept_open * fortune, danger, most, bargains)


def _add_blocking_bargains(
    area: str, value: float, danger: int, most: int, bargains: list[Bargain]
) -> None:
    """Add a few PFs where the nation can place no counter but would keep others from CONTROL."""
    for foot in FEET:
        if foot > most:
            break
        bargains.append((value * SURVIVES[danger // foot] / (foot + FOOT), foot, area))


def _add_company_bargains(
    eyes: NationOutlook,
    stake: Stake,
    cell: Cell,
    fortune: float,
    most: int,
    bargains: list[Bargain],
) -> None:
    """Add bargains in an area where others or the nation itself stand; `cell` is its own pile
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
            # One more pile is of less use where others stand in that nation's way already.
            denied += weights[other] * points / (others if other in here else 1 + others)
        kept_open = denied * DENIED + own * stake.no_control * KEPT_OPEN / (1 + others)
    if stake.control:
        value = own * stake.control * (1.0 + URGENT * eyes.left) + denied * DENIED
        for other, points in stake.open_list:
            value += weights[other] * points
        against = eyes.look.powers[area] - mine
        if not against:
            _add_control_bargains(stake, mine, value * fortune, most, bargains)
        elif at_home or not eyes.shielded or eyes.shielded.isdisjoint(here):
            _add_expulsion_bargains(area, mine, against, value * fortune, most, bargains)
        if others == 1 and mine < COUNTER_PF:
            _add_sharing_bargains(eyes, stake, mine, fortune, most, bargains)
    if to_place:
        value = (_counter(eyes, stake) + kept_open) * fortune
        for guard in GUARDS:
            price = COUNTER_PF - cell.pf + guard
            if price > most:
                break
            if price > 0:
                bargains.append((value * SURVIVES[danger // (mine + price)] / price, price, area))
    elif mine:
        if safe:
            return
        # A pile that another nation may attack is worth guarding.
        value = (_counter(eyes, stake) if cell.understanding else 0.0) + kept_open
        _add_guard_bargains(area, mine, danger, value, fortune, most, bargains)
    elif kept_open > 0 and not stake.control:
        _add_blocking_bargains(area, kept_open * fortune, danger, most, bargains)
    if at_home:
        _add_clearing_bargains(eyes, area, mine, here, fortune, bargains)


def _danger(eyes: NationOutlook, stake: Stake, here: dict[str, int]) -> int:
    """Return the most PFs that may attack the nation in an area where others stand."""
    nation, harmless, claims, host = eyes.nation, eyes.harmless, stake.claims, stake.host
    danger = 0
    for other, power in here.items():
        if power > danger and other != nation and other not in harmless:
            if other not in claims and other != host:
                power = int(power * IDLE)  # a nation that can gain little there rarely attacks
                if power <= danger:
                    continue
            danger = power
    if claims:
        danger += EXPECTED
    return danger if danger < MOST else MOST


def _counter(eyes: NationOutlook, stake: Stake) -> float:
    """Return the value of an Understanding: its points, what it spoils for others, and the immunity
    to its host everywhere else (I1)."""
    value = eyes.own * stake.understanding
    for other, points in stake.empty_list:
        value += eyes.weights[other] * points
    if stake.host is not None and stake.host != eyes.nation:
        value += eyes.own * SHIELD * eyes.look.aims.clash[eyes.nation, stake.host] * eyes.left
    return value


def _add_clearing_bargains(
    eyes: NationOutlook,
    home: str,
    mine: int,
    here: dict[str, int],
    fortune: float,
    bargains: list[Bargain],
) -> None:
    """Add PFs at home against guests whose Understandings make them immune everywhere else."""
    guests = [other for other in here if other in eyes.shielded]
    if guests and eyes.left:
        power = sum(here[guest] for guest in guests)
        value = (
            sum(SHIELD * eyes.look.aims.clash[guest, eyes.nation] for guest in guests)
            * eyes.left
            * fortune
        )
        for column in (2, 3, 4):
            # PFs at home count toward the price as if they were placed there, because they stay.
            price = max(column * power, mine)
            bargains.append((value * REMOVES[column] / price, price, home))


def _add_guard_bargains(
    area: str,
    mine: int,
    danger: int,
    value: float,
    fortune: float,
    most: int,
    bargains: list[Bargain],
) -> None:
    """Add a few PFs to a pile of the nation."""
    now = SURVIVES[danger // mine]
    for guard in GUARDS[1:]:
        if guard > most:
            break
        gain = value * (SURVIVES[danger // (mine + guard)] - now)
        if gain > 0:
            bargains.append((gain * fortune / guard, guard, area))


def _add_control_bargains(
    stake: Stake, mine: int, value: float, most: int, bargains: list[Bargain]
) -> None:
    """Add enough for CONTROL where the nation stands alone."""
    quiet = QUIET[min(stake.rivals, 5)]
    for extra, sure in SPARE:
        price = COUNTER_PF + extra - mine
        if price > most:
            break
        if price > 0:
            bargains.append((value * quiet * sure / price, price, stake.area))


def _add_expulsion_bargains(
    area: str, mine: int, against: int, value: float, most: int, bargains: list[Bargain]
) -> None:
    """Add enough to stand alone with 5 PFs after an attack at good odds on the others there."""
    for column in (2, 3, 4, 5):
        price = max(column * against, against + COUNTER_PF) - mine
        if price > most:
            break
        if price > 0:
            bargains.append((value * REMOVES[column] * CONTESTED / price, price, area))


def _add_sharing_bargains(
    eyes: NationOutlook, stake: Stake, mine: int, fortune: float, most: int, bargains: list[Bargain]
) -> None:
    """Add enough to share CONTROL with the only other nation there, where both may have it and it
    is worth more than it gives away."""
    partner = next(other for other in eyes.look.there[stake.area] if other != eyes.nation)
    price = COUNTER_PF - mine
    if price <= most and partner in stake.claims:
        value = eyes.own * stake.control - eyes.weights[partner] * stake.claims[partner]
        if value > 0:
            bargains.append((value * JOINED * fortune / price, price, stake.area))
