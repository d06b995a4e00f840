"""What a plain line is read against, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ..markets import NEW_YORK, Market
from ..names import Vocabulary

#: The value of orders.language with which a game reads plain lines: the version of this package.
#: Another grammar is another value.
OPTION, PLAIN = "orders.language", "plain"


@dataclass(frozen=True)
class Facts:
    """What of a game and a phase a line may rest on: names, and what its writer has to place.

    `left`: the PFs that the phase gives for PLACE and FROM HOME. `attacking`: a line without a verb
    may be an attack. `form` is how the game writes attacks (`Choice.form`); `verbs` are the first
    words of its orders.
    """

    nation: str
    areas: Vocabulary
    nations: Vocabulary
    verbs: frozenset[str]
    home: str | None = None
    left: Mapping[str, int] = field(default_factory=dict)
    attacking: bool = False
    form: str = "targets"
    example: str = "PLACE 4 Poland"
    market: Market = NEW_YORK


class Draft(NamedTuple):
    """One order in canonical words. `rest`: its number is what is left for that verb, and stands in
    `text` as {}."""

    text: str
    rest: str = ""


class Unclear(Exception):
    """Words that are no order with one meaning. `str()` is half a sentence; `readings` are the
    canonical lines that they may stand for. `stray`: a word in them is unknown, and that is all."""

    def __init__(
        self, said: str = "", readings: tuple[str, ...] = (), *, stray: bool = False
    ) -> None:
        super().__init__(said)
        self.readings = readings
        self.stray = stray
