"""Whom the service's own players attack: what each attack that could be made is worth by the table, and those that are worth it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

from .aims import Stake
from .outlook import Eyes
from .state import COUNTER_PF
from .table import BEST, TABLE

#: Of ten digits so many give D, X and A, by column; column 0 does not exist.
CHANCES: tuple[tuple[float, float, float], ...] = (
    (0.0, 0.0, 0.0),
    *(
        (row.count("D") / 10, row.count("X") / 10, row.count("A") / 10)
        for row in ([TABLE[digit][column] for digit in range(10)] for column in range(BEST))
    ),
)
#: An attack must promise so much.
DARING = -0.1
#: Of the points that a guest at home contests, what it is worth to be free to attack him.
LIFTED = 0.3
NOBODY_ELSE: frozenset[str] = frozenset()
#: How likely it is that whoever could share CONTROL names the nation back.
WILLING = 0.8


class Assault(NamedTuple):
    worth: float
    area: str
    targets: tuple[str, ...]
    column: int
    needs: frozenset[str]  # immune until the nation's attack at home has succeeded
    clears: frozenset[str]  # guests at home whom this attack is to remove
    fails: float  # how likely it leaves them standing


def chosen(eyes: Eyes, luck: bytes) -> list[Assault]:
    """The attacks of a phase, in the order of the areas, the one at home first."""
    look, nation = eyes.look, eyes.nation
    found: list[Assault] = []
    at_home: Assault | None = None
    stakes = look.aims.stakes[nation]
    for area in look.contested:
        here = look.there[area]
        if nation not in here:
            continue
        stake = stakes[area]
        best = _best(eyes, stake, here)
        if best is None:
            continue
        if best.clears:
            at_home = best
        elif best.worth > DARING - luck[stake.number] / 1020:  # some like a risk more than others
            found.append(best)
    if at_home is not None and not _worth_the_bar(at_home, found):
        at_home = None
    if at_home is None:
        return [assault for assault in found if not assault.needs]
    return [at_home, *(assault for assault in found if assault.needs <= at_home.clears)]


def _worth_the_bar(at_home: Assault, others: list[Assault]) -> bool:
    """I7: an attack at home that leaves a guest standing ends the nation's attacks. Is what it opens worth that?"""
    without = sum(assault.worth for assault in others if not assault.needs)
    after = sum(assault.worth for assault in others if assault.needs <= at_home.clears)
    return at_home.worth + (1 - at_home.fails) * after > without


def _best(eyes: Eyes, stake: Stake, here: dict[str, int]) -> Assault | None:
    nation = eyes.nation
    mine = here[nation]
    gains: dict[str, float] = {}
    for other, power in here.items():
        if power <= mine and other != nation:
            gains[other] = _gain(eyes, stake, other, power)
    if not gains or max(gains.values()) <= 0:
        return None
    alone = len(here) - 1
    prize = eyes.own * stake.control if stake.control >= stake.understanding else 0.0
    each, counter = _kept(eyes, stake)
    shared = _share_worth(eyes, stake, here) if alone == 1 else 0.0
    found: tuple[tuple[str, ...], int, float] | None = None
    most = 0.0
    for targets in _lists(gains):
        power = 0
        gain = 0.0
        for target in targets:
            power += here[target]
            gain += gains[target]
        column = min(BEST, mine // power)
        if not column:
            continue
        removed, exchanged, lost = CHANCES[column]
        opens = prize if len(targets) == alone else 0.0
        after = mine - power
        worth = (
            removed * (gain + (opens if mine >= COUNTER_PF else 0.0))
            + exchanged * (gain + (opens if after >= COUNTER_PF else 0.0) - each * power - (counter if after < COUNTER_PF else 0.0))
            - lost * (each * mine + counter)
        )
        if found is None or worth - shared > most:
            most = worth - shared
            found = targets, column, 1 - removed - exchanged
    if found is None:
        return None
    targets, column, fails = found
    if stake.host == nation:
        guests = frozenset(target for target in targets if eyes.look.cells[stake.area, target].understanding)
        return Assault(most, stake.area, targets, column, NOBODY_ELSE, guests, fails)
    needs = eyes.shielded.intersection(targets) if eyes.shielded else NOBODY_ELSE
    return Assault(most, stake.area, targets, column, frozenset(needs), NOBODY_ELSE, fails)


def _share_worth(eyes: Eyes, stake: Stake, here: dict[str, int]) -> float:
    """What it is worth to share CONTROL with the one other nation there is, where both may; nothing where it helps him too much."""
    if not stake.control or here[eyes.nation] < COUNTER_PF:
        return 0.0
    other = next(other for other in here if other != eyes.nation)
    if here[other] < COUNTER_PF or other not in stake.claims:
        return 0.0
    return max(0.0, WILLING * (eyes.own * stake.control - eyes.weights[other] * stake.claims[other]))


def _lists(gains: dict[str, float]) -> Iterable[tuple[str, ...]]:
    """The lists worth weighing: each alone, and together those whose loss is a gain; and all of them."""
    if len(gains) == 1:
        return (tuple(gains),)
    wanted = [other for other, gain in gains.items() if gain > 0]
    found = [targets for size in range(1, len(wanted) + 1) for targets in combinations(wanted, size)]
    if len(wanted) < len(gains):
        found.append(tuple(gains))
    return found


def _kept(eyes: Eyes, stake: Stake) -> tuple[float, float]:
    """What the nation's own pile is worth: a PF of it, and the counter that it is or may become in this phase."""
    cell = eyes.look.cells[stake.area, eyes.nation]
    counter = stake.understanding if cell.understanding or cell.pf >= COUNTER_PF else 0
    presence = eyes.own * stake.no_control * 0.5 if stake.claims else 0.0
    return eyes.look.pf_value, eyes.own * counter + presence


def _gain(eyes: Eyes, stake: Stake, other: str, power: int) -> float:
    """What it brings that another is gone: what he has or may place there, as far as that matters, and what he would spoil."""
    look, own = eyes.look, eyes.own
    if power < COUNTER_PF:  # he has no counter there and can place none
        return eyes.weights[other] * (look.pf_value * power)
    seat, claim = stake.seats.get(other, 0), stake.claims.get(other, 0)
    points = seat + 0.6 * (claim - seat) if claim > seat else seat
    gain = eyes.weights[other] * (points + look.pf_value * power)
    if seat:
        gain += own * stake.no_understanding
    if claim:
        gain += own * stake.no_control * 0.6
    if stake.host == eyes.nation and look.cells[stake.area, other].understanding:
        gain += own * LIFTED * look.aims.clash[other, eyes.nation] * eyes.left
    return gain
