"""What each area is worth to each nation, by the card: one `Stake` per nation and area.

Bots read it; it is computed once per card. Objectives that a nation may not see (blind game) are
empty; bots assume that such a nation may want anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations

from .card import CONTROL, NO_CONTROL, NO_UNDERSTANDING, UNDERSTANDING, Card

#: Points assumed for each counter in each area, for a nation whose objectives are unknown.
UNKNOWN_POINTS = 2
#: How often a nation attacks another in an area: to have CONTROL, to keep others from it or out of
#: its home, or to have an Understanding.
FOR_CONTROL, FOR_OTHERS, FOR_UNDERSTANDING = 1.0, 0.5, 0.25


@dataclass(frozen=True, slots=True)
class Stake:
    """What one area is worth to one nation, and to the others.

    `claims` and `seats` map other nations to their points for CONTROL and for an Understanding.
    """

    number: int
    area: str
    control: int
    understanding: int
    no_control: int
    no_understanding: int
    claims: Mapping[str, int]  # others' CONTROL
    seats: Mapping[str, int]  # others' Understandings
    host: str | None  # the nation whose home this is
    best: int  # the most that one of the nation's own counters pays
    # Plain tuples, because bots loop over them thousands of times a second.
    claim_list: tuple[tuple[str, int], ...]
    open_list: tuple[tuple[str, int], ...]  # others' points for "no CONTROL"
    empty_list: tuple[tuple[str, int], ...]  # others' points for "no Understanding"
    rivals: int  # how many objectives of others are here


@dataclass(frozen=True)
class Aims:
    """All stakes of a card.

    `stakes` has them by nation and area. `matters` has those a bot looks at: the nation can gain
    something there, or keep others from gaining. `wants` has those where it can gain something.
    `clash` maps a pair of nations to the first one's points that the second one's CONTROL contests.
    """

    stakes: Mapping[str, Mapping[str, Stake]]
    matters: Mapping[str, tuple[Stake, ...]]
    wants: Mapping[str, tuple[Stake, ...]]
    known: frozenset[str]
    hosts: Mapping[str, str]  # area to the nation whose home it is
    clash: Mapping[tuple[str, str], int]
    rows: Mapping[str, Row]
    #: By attacker and victim: areas, the victim's points there, and the attacker's for CONTROL,
    #: both times how often it attacks there.
    quarrels: Mapping[tuple[str, str], tuple[tuple[str, float, float], ...]]


@dataclass(frozen=True, slots=True)
class Row:
    """What a nation can hope for on an empty board, added up."""

    coming: tuple[int, ...]  # PFs still to be allocated before turns 1, 2 and so on
    best: int  # the points of all counters it may place, the more valuable one of each area
    #: For every area that matters: points for CONTROL, for an Understanding, the higher of both.
    counters: Mapping[str, tuple[int, int, int]]
    no_control: tuple[tuple[str, int], ...]
    no_understanding: tuple[tuple[str, int], ...]


class _CardKey:
    """A card as a cache key, compared by identity: cards contain dictionaries and have no hash."""

    __slots__ = ("card",)

    def __init__(self, card: Card) -> None:
        self.card = card

    def __hash__(self) -> int:
        return id(self.card)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _CardKey) and other.card is self.card


def aims(card: Card) -> Aims:
    return _aims(_CardKey(card))


@lru_cache(maxsize=64)
def _aims(same: _CardKey) -> Aims:
    card = same.card
    known = frozenset(nation for nation in card.order if card.objectives.get(nation))
    stakes = {
        nation: {
            area: _stake(card, known, nation, number) for number, area in enumerate(card.areas)
        }
        for nation in card.order
    }
    matters = {
        nation: tuple(
            s for s in row.values() if s.best or s.no_control or s.claims or s.host == nation
        )
        for nation, row in stakes.items()
    }
    clash = {
        (nation, other): sum(
            s.best
            for s in stakes[nation].values()
            if other in s.claims and s.host not in (nation, other)
        )
        for nation in card.order
        for other in card.order
        if nation != other
    }
    wants = {nation: tuple(stake for stake in row if stake.best) for nation, row in matters.items()}
    rows = {nation: _row(card.allocation[nation], row) for nation, row in matters.items()}
    found = Aims(
        stakes,
        matters,
        wants,
        known,
        {area: nation for nation, area in card.home.items()},
        clash,
        rows,
        {},
    )
    pairs = permutations(card.order, 2)
    return replace(found, quarrels={pair: tuple(_quarrels(found, *pair)) for pair in pairs})


def interest(aims: Aims, nation: str, stake: Stake, seen_by: Stake) -> int:
    """Return a nation's points in an area. Those of an unknown nation are as others assume."""
    if nation in aims.known:
        return max(stake.best, stake.no_control)
    return max(seen_by.claims.get(nation, 0), seen_by.seats.get(nation, 0))


def motive_of(attacker: str, victim: Stake, own: Stake) -> float:
    """Return how often a nation attacks the one whose stake is `victim` there."""
    if attacker in victim.claims:
        return FOR_CONTROL
    if victim.host == attacker or own.no_control:
        return FOR_OTHERS
    return FOR_UNDERSTANDING if attacker in victim.seats else 0.0


def _quarrels(aims: Aims, attacker: str, victim: str) -> Iterator[tuple[str, float, float]]:
    for stake in aims.matters[victim]:
        own = aims.stakes[attacker][stake.area]
        motive = motive_of(attacker, stake, own)
        if motive and (points := interest(aims, victim, stake, own)):
            yield stake.area, motive * points, motive * own.control


def _row(allocation: Sequence[int], matters: Sequence[Stake]) -> Row:
    return Row(
        tuple(sum(allocation[first:]) for first in range(len(allocation) + 1)),
        sum(stake.best for stake in matters),
        {stake.area: (stake.control, stake.understanding, stake.best) for stake in matters},
        tuple((stake.area, stake.no_control) for stake in matters if stake.no_control),
        tuple((stake.area, stake.no_understanding) for stake in matters if stake.no_understanding),
    )


def _stake(card: Card, known: frozenset[str], nation: str, number: int) -> Stake:
    area = card.areas[number]
    others = [other for other in card.order if other != nation]
    host = next((other for other in card.order if card.home.get(other) == area), None)

    def worth(kind: str) -> dict[str, int]:
        points = {
            other: card.points(other, area, kind) if other in known else UNKNOWN_POINTS
            for other in others
            if other != host
        }
        return {other: paid for other, paid in points.items() if paid}

    control, understanding, no_control, no_understanding = (
        card.points(nation, area, kind)
        for kind in (CONTROL, UNDERSTANDING, NO_CONTROL, NO_UNDERSTANDING)
    )
    claims, seats = worth(CONTROL), worth(UNDERSTANDING)
    return Stake(
        number,
        area,
        control,
        understanding,
        no_control,
        no_understanding,
        claims,
        seats,
        host=host,
        best=max(control, understanding),
        claim_list=tuple(claims.items()),
        open_list=tuple(
            (other, paid) for other in others if (paid := card.points(other, area, NO_CONTROL))
        ),
        empty_list=tuple(
            (other, paid)
            for other in others
            if (paid := card.points(other, area, NO_UNDERSTANDING))
        ),
        rivals=len(claims) + len(seats),
    )
