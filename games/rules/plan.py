"""What an order text comes to while it is being written: its orders as values that a page can show
and change, and the odds of attacks.

The text stays the only truth. A page asks `Ruleset.plan` what it says, and `Ruleset.revise` to
write one order into it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: An attack that is not made at all: the fifth thing that it can come to, beside the four of the
# printed table.
VOID = "void"


@dataclass(frozen=True)
class Outcome:
    """One thing that an attack may come to, and what it costs whom there."""

    result: str  # as the printed table has it, or VOID
    words: str
    percent: int
    losses: Mapping[str, int] = field(default_factory=dict)

    @property
    def chance(self) -> float:
        return self.percent / 100


@dataclass(frozen=True)
class Odds:
    """An attack on the present board, as far as its nation knows it.

    `targets` are those who would really be attacked. `outcomes` are all that it can come to; their
    chances sum to 1. There are none where counters lie face down (`unknown` of them), whose values
    nobody but their owners knows: then `least` and `best` are the odds between which the attack
    must lie. Odds are written "2-1", and "" below 1-1.

    `guests` are those of the targets whose immunity a success would end; `bars`: a failure leaves
    them, and ends the nation's attacks.
    """

    targets: tuple[str, ...]
    attacker: int
    defender: int
    odds: str
    outcomes: tuple[Outcome, ...]
    immune: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    unknown: int = 0
    least: str = ""
    best: str = ""
    guests: tuple[str, ...] = ()
    bars: bool = False


@dataclass(frozen=True)
class Ordered:
    """An accepted line as a value. `line` is its number; 0 for one yet to be written."""

    verb: str  # as in `Choice`
    area: str | None = None
    number: int = 0
    nations: tuple[str, ...] = ()  # targets, or the partner of a share
    stocks: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()  # targets if the first cannot be attacked
    minimum: int | None = None  # "MIN 2-1" is 2
    counters: tuple[int, ...] = ()  # in which PFs are laid face down; none: the fewest
    line: int = 0
    odds: Odds | None = None  # of an attack that could be made on the present board
    other_odds: Odds | None = None  # of `otherwise`


@dataclass(frozen=True)
class Total:
    """How much of something there is to order, and how much of it the text uses."""

    verb: str
    of: int
    used: int
    words: str  # "new PFs to place"

    @property
    def left(self) -> int:
        return max(0, self.of - self.used)

    @property
    def over(self) -> int:
        return max(0, self.used - self.of)


@dataclass(frozen=True)
class Plan:
    ordered: tuple[Ordered, ...]
    totals: tuple[Total, ...]

    def total(self, verb: str) -> Total | None:
        return next((total for total in self.totals if total.verb == verb), None)
