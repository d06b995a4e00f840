"""An order text as values while it is being written, so that pages can show and change it.

Attacks have their odds. The text stays the only source of truth: a page gets its values from
`Planner.plan`, and writes one order into it with `Planner.revise`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

#: An attack that is not made at all: its fifth possible result, besides the four of the printed
#: table.
VOID = "void"


@dataclass(frozen=True)
class Outcome:
    """One possible result of an attack, and what each nation would lose there."""

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

    `targets` are the nations that would really be attacked. `outcomes` are all possible results;
    their chances sum to 1. There are none where `unknown` counters lie face down, since only their
    owners know the values: then the odds are between `least` and `best`. Odds are written "2-1",
    and "" below 1-1.

    `guests` are the targets whose immunity a success would end; `bars`: a failure changes nothing
    for them and ends the nation's attacks.
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
class PlannedOrder:
    """An accepted line as a value. `line` is its number; 0 for one that is not written yet."""

    verb: str  # as in `Choice`
    area: str | None = None
    number: int = 0
    nations: tuple[str, ...] = ()  # targets, or the partner of a share
    stocks: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()  # targets if the first cannot be attacked
    minimum: int | None = None  # "MIN 2-1" is 2
    counters: tuple[int, ...] = ()  # in which PFs are placed face down; empty: the fewest
    line: int = 0
    placed: int | None = None  # how many there is room for, if fewer than `number`
    odds: Odds | None = None  # of an attack that could be made on the present board
    other_odds: Odds | None = None  # of `otherwise`

    def within(self, room: int) -> PlannedOrder:
        """Return the same order, with `placed` set if there is room for fewer than its number."""
        return self if self.number <= room else replace(self, placed=room)


@dataclass(frozen=True)
class Total:
    """How much of something can be ordered, and how much of that the text uses."""

    verb: str
    of: int
    used: int
    words: str  # "new PFs left to place"

    @property
    def left(self) -> int:
        return max(0, self.of - self.used)

    @property
    def over(self) -> int:
        return max(0, self.used - self.of)


@dataclass(frozen=True)
class Plan:
    ordered: tuple[PlannedOrder, ...]
    totals: tuple[Total, ...]

    def total(self, verb: str) -> Total | None:
        return next((total for total in self.totals if total.verb == verb), None)
