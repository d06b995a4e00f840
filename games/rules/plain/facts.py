"""The facts that plain lines are read against, and the results of reading them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..markets import NEW_YORK, Market
from ..names import Vocabulary
from ..verbs import Kind, Verbs

#: The option that says whether plain words are read, and its values.
OPTION, PLAIN, CANONICAL = "orders.language", "plain", "canonical"


@dataclass(frozen=True)
class Facts:
    """The facts of a game and phase that a line may depend on: names, and PFs to place.

    `left`: the writer's PFs for PLACE and FROM HOME in this phase. `attacking`: a line without a
    verb may be an attack. `turn` is the one that is played. `verbs` are the game's orders.
    `conditional`: ELSE and MIN are obeyed, and not ignored.
    """

    nation: str
    areas: Vocabulary
    nations: Vocabulary
    verbs: Verbs
    home: str | None = None
    left: Mapping[str, int] = field(default_factory=dict)
    attacking: bool = False
    turn: int = 0
    conditional: bool = True
    example: str = "PLACE 4 Poland"
    market: Market = NEW_YORK
    options: Mapping[str, Any] | None = None  # by which examples are written (`Verb.example_in`)
    ally: str | None = None  # the only nation that an order to leave an alliance may name
    idle: frozenset[int] = frozenset()  # refused lines of the text that mention no PFs

    @property
    def one_opponent(self) -> bool:
        """Whether each attack names one nation: ATTACK Russia IN Serbia."""
        return not any("{nations}" in verb.pattern for verb in self.verbs.of_kind(Kind.ATTACK))


def is_plain(options: Mapping[str, Any]) -> bool:
    """Return whether a game reads plain words."""
    return options.get(OPTION) == PLAIN


class Draft(NamedTuple):
    """One order in canonical words.

    `rest`: the verb of which it takes all that is left; its number is then {} in `text`, and
    `expected` is the number that the writer expects, if any. `is_total`: it is no order, and
    `expected` is what all placements come to.
    """

    text: str
    rest: str = ""
    expected: int | None = None
    is_total: bool = False


class Look(NamedTuple):
    """What a line without an order looks like, for the orders beside it.

    `idle`: it names no PFs, area, nation or stock. `like_order`: it begins like an order.
    `continues`: it begins like the end of one. `headed`: its last sentence is a heading of orders.
    `foreign`: it names another nation. `denies`: it has a condition, a choice or a denial.
    """

    idle: bool = False
    like_order: bool = False
    continues: bool = False
    headed: bool = False
    foreign: bool = False
    denies: bool = False


class UnclearLine(Exception):
    """Words that are not an order with one meaning. `str()` is half a sentence.

    `readings` are the canonical lines that they may mean. `stray` is an unknown word that is the
    only fault. `example`: the sentence needs an example order of the phase.
    """

    def __init__(
        self,
        message: str = "",
        readings: tuple[str, ...] = (),
        *,
        stray: str = "",
        example: bool = False,
    ) -> None:
        super().__init__(message)
        self.readings = readings
        self.stray = stray
        self.example = example
        self.look = Look()
