"""Choose a bot's attacks: value every possible attack by the table, and keep those worth making."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

from ..deals.promises import NONE
from .aims import Stake
from .outlook import NationOutlook
from .state import COUNTER_PF
from .table import BEST, TABLE

#: The share of digits that give D, X and A, by column; column 0 does not exist.
CHANCES: tuple[tuple[float, float, float], ...] = (
    (0.0, 0.0, 0.0),
    *(
        (row.count("D") / 10, row.count("X") / 10, row.count("A") / 10)
        for row in ([TABLE[digit][column] for digit in range(10)] for column in range(BEST))
    ),
)
#: The least expected gain for which a bot attacks.
DARING = -0.1
#: The value of being free to attack a guest at home, as a share of the points it contests.
LIFTED = 0.3
#: The extra value of a promised attack, in points.
STRIKE = 1.0
#: The gain of an attack that a promise forbids.
NEVER = float("-inf")
NOBODY_ELSE: frozenset[str] = frozenset()
#: The probability that a possible partner for shared CONTROL names the bot's nation back.
WILLING = 0.8


class Assault(NamedTuple):
    worth: float
    area: str
    targets: tuple[str, ...]
    column: int
    needs: frozenset[str]  # immune until the nation's attack at home has succeeded
    clears: frozenset[str]  # guests at home that this attack should remove
    fails: float  # the probability that they stay


def choose_attacks(eyes: NationOutlook, luck: bytes) -> list[Assault]:
    """Return the attacks of a phase in area order, the one at home first."""
    look, nation = eyes.look, eyes.nation
    assaults: list[Assault] = []
    at_home: Assault | None = None
    stakes = look.aims.stakes[nation]
    for area in look.contested:
        here = look.there[area]
        if nation not in here or here[nation] < look.least[area]:
            continue
        stake = stakes[area]
        # Vary the taste for risk from bot to bot.
        best = _best(eyes, stake, here, DARING - luck[stake.number] / 1020)
        if best is not None:
            if best.clears:
                at_home = best
            else:
                assaults.append(best)
    if at_home is not None and not _is_worth_the_bar(at_home, assaults):
        at_home = None
    if at_home is None:
        return [assault for assault in assaults if not assault.needs]
    return [at_home, *(assault for assault in assaults if assault.needs <= at_home.clears)]


def _is_worth_the_bar(at_home: Assault, others: list[Assault]) -> bool:
    """Return whether the attack at home is worth the risk of I7.

    By I7 an attack at home that leaves a guest standing ends the nation's attacks; one that
    succeeds makes other attacks possible.
    """
    without = sum(assault.worth for assault in others if not assault.needs)
    after = sum(assault.worth for assault in others if assault.needs <= at_home.clears)
    return at_home.worth + (1 - at_home.fails) * after > without


def _best(eyes: NationOutlook, stake: Stake, here: dict[str, int], least: float) -> Assault | None:
    """Return the best attack in an area, if it promises more than `least` or clears the nation's
    home of guests; else None."""
    nation = eyes.nation
    mine = here[nation]
    gains: dict[str, float] = {}
    promised = 0.0
    promised_something = eyes.promises is not NONE
    for other, power in here.items():
        if power <= mine and other != nation:
            gain = _gain(eyes, stake, other, power)
            if promised_something:
                gain = _adjust_for_deals(eyes, stake.area, other, gain)
                if gain == NEVER:
                    continue
            gains[other] = gain
            if gain > promised:
                promised = gain
    if not promised:
        return None
    alone = len(here) - 1
    prize = eyes.own * stake.control if stake.control >= stake.understanding else 0.0
    each = eyes.look.pf_value
    counter = _pile_worth(eyes, stake)
    shared = (
        _share_worth(eyes, stake, here)
        if alone == 1 and stake.control and mine >= COUNTER_PF
        else 0.0
    )
    targets: tuple[str, ...] = ()
    column, most = 0, 0.0
    for listed in _lists(gains) if len(gains) > 1 else (tuple(gains),):
        if len(listed) == 1:
            (target,) = listed
            power, gain = here[target], gains[target]
        else:
            power, gain = 0, 0.0
            for target in listed:
                power += here[target]
                gain += gains[target]
            if power > mine:
                continue
        odds = mine // power
        removed, exchanged, lost = CHANCES[odds if odds < BEST else BEST]
        opens = prize if len(listed) == alone else 0.0
        after = mine - power
        worth = (
            removed * (gain + (opens if mine >= COUNTER_PF else 0.0))
            + exchanged
            * (
                gain
                + (opens if after >= COUNTER_PF else 0.0)
                - each * power
                - (counter if after < COUNTER_PF else 0.0)
            )
            - lost * (each * mine + counter)
        )
        if not targets or worth - shared > most:
            most = worth - shared
            targets, column = listed, odds if odds < BEST else BEST
    if not targets:
        return None
    guests = needs = NOBODY_ELSE
    if stake.host == nation:
        guests = frozenset(
            target for target in targets if eyes.look.cells[stake.area, target].understanding
        )
    elif eyes.shielded:
        needs = frozenset(eyes.shielded.intersection(targets))
    if most <= least and not guests:
        return None
    removed, exchanged, _ = CHANCES[column]
    return Assault(most, stake.area, targets, column, needs, guests, 1 - removed - exchanged)


def _adjust_for_deals(eyes: NationOutlook, area: str, other: str, gain: float) -> float:
    """Return a gain adjusted for deals.

    It is higher against a nation the bot promised to attack, lower against one it promised peace,
    and `NEVER` where the bot would not break that promise at any price.
    """
    promises = eyes.promises
    if (other, area) in promises.strikes:
        gain += STRIKE
    if promises.keeps_peace(other, area) or area in promises.away:
        return NEVER if promises.price == float("inf") else gain - promises.price
    return gain


def _share_worth(eyes: NationOutlook, stake: Stake, here: dict[str, int]) -> float:
    """Return the value of sharing CONTROL with the only other nation there; 0 where that nation may
    not have CONTROL or gains too much."""
    other = next(other for other in here if other != eyes.nation)
    if here[other] < COUNTER_PF or other not in stake.claims:
        return 0.0
    return max(
        0.0, WILLING * (eyes.own * stake.control - eyes.weights[other] * stake.claims[other])
    )


def _lists(gains: dict[str, float]) -> Iterable[tuple[str, ...]]:
    """Return the target lists worth comparing: every combination of targets whose loss is a gain,
    and all targets together."""
    rewarding = [other for other, gain in gains.items() if gain > 0]
    target_lists = [
        targets
        for size in range(1, len(rewarding) + 1)
        for targets in combinations(rewarding, size)
    ]
    if len(rewarding) < len(gains):
        target_lists.append(tuple(gains))
    return target_lists


def _pile_worth(eyes: NationOutlook, stake: Stake) -> float:
    """Return the value of the nation's own pile beyond its PFs: the counter that it has or may
    place there in this phase."""
    counter = 0
    if stake.understanding:
        cell = eyes.look.cells[stake.area, eyes.nation]
        if cell.understanding or cell.pf >= COUNTER_PF:
            counter = stake.understanding
    presence = eyes.own * stake.no_control * 0.5 if stake.claims else 0.0
    return eyes.own * counter + presence


def _gain(eyes: NationOutlook, stake: Stake, other: str, power: int) -> float:
    """Return the gain from removing another nation: the counters it has or may place there, as far
    as they matter, and the nation's own objectives that they would spoil."""
    look, own = eyes.look, eyes.own
    if power < COUNTER_PF:  # it has no counter there and can place none
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
