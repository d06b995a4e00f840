"""What deals ask of one nation in one phase, for a program that plays it.

Bots see their deals through this; their character decides what they do about them
(`characters.py`). Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from . import terms
from .terms import Clause


class Part(NamedTuple):
    """What one promise brings a nation, in points, or costs it (below 0), and why it costs that."""

    points: float
    why: str = ""


Place = tuple[str, str]  # nation and area; "" for everywhere
NOWHERE: frozenset[Place] = frozenset()


@dataclass(frozen=True)
class Promises:
    """A nation's promises that count now, and what it was promised.

    `price` is what breaking one must be worth, in points: infinite for a nation that never does.
    """

    peace: frozenset[Place] = NOWHERE
    strikes: frozenset[Place] = NOWHERE
    away: frozenset[str] = frozenset()
    shares: frozenset[Place] = NOWHERE
    allies: tuple[str, ...] = ()
    #: Nations that promised not to attack it anywhere.
    trusted: frozenset[str] = frozenset()
    price: float = float("inf")

    def keeps_peace(self, other: str, area: str) -> bool:
        return (other, "") in self.peace or (other, area) in self.peace


#: No promises at all.
NONE = Promises()


def promises(nation: str, clauses: Iterable[Clause], turn: int, price: float) -> Promises:
    """Return what accepted clauses ask of a nation in a turn."""
    peace, strikes, shares = set(), set(), set()
    away, trusted = set(), set()
    allies: list[str] = []
    for clause in clauses:
        if clause.until < turn or nation not in clause.pair:
            continue
        other = clause.other(nation)
        if clause.verb == terms.PEACE and other in clause.parties and not clause.area:
            trusted.add(other)
        if nation not in clause.parties:
            continue
        match clause.verb:
            case terms.PEACE:
                peace.add((other, clause.area))
            case terms.ATTACK:
                strikes.add((clause.target, clause.area))
            case terms.LEAVE:
                away.add(clause.area)
            case terms.SHARE:
                shares.add((other, clause.area))
            case terms.ALLY:
                allies.append(other)
    return Promises(
        frozenset(peace),
        frozenset(strikes),
        frozenset(away),
        frozenset(shares),
        tuple(dict.fromkeys(allies)),
        frozenset(trusted),
        price,
    )
