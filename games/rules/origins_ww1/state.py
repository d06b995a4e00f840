"""The state of a game of Origins of World War I: the piles, whose turn it is, alliances, and what
earlier orders leave behind.

A board has a text form that round-trips, used as `repr`, in tests and in bug reports:
`Serbia: Russia 12, Germany 3; Africa: France 10`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from .. import Json
from ..boards import board_line, entries_by_place, pf_of
from ..markets import Market, market_of
from ..names import slug
from .card import Card

PLACEMENT, ATTACKS, ORDERS, OVER = "placement", "attacks", "orders", "over"
ONE_DEADLINE, SEQUENTIAL = "one_deadline", "sequential"  # wwi.phasing (A.8)
_TURN_OF = "turn-"
Pair = tuple[str, str]


class Piles:
    """PFs by area and nation. Immutable: `add` returns a new board."""

    __slots__ = ("_pf",)

    def __init__(self, pf: Mapping[Pair, int] | None = None) -> None:
        self._pf = {place: number for place, number in (pf or {}).items() if number}

    @classmethod
    def from_pf(cls, pf: dict[Pair, int]) -> Piles:
        """Return a board that takes over the dictionary. It must not contain empty piles."""
        board = object.__new__(cls)
        board._pf = pf
        return board

    @property
    def pf(self) -> Mapping[Pair, int]:
        """Nonempty piles by area and nation. Do not change the mapping."""
        return self._pf

    def pf_at(self, area: str, nation: str) -> int:
        return self._pf.get((area, nation), 0)

    def with_pf(self, area: str, nation: str, pf: int) -> Piles:
        board = object.__new__(Piles)
        board._pf = self._pf.copy()
        if pf:
            board._pf[area, nation] = pf
        else:
            board._pf.pop((area, nation), None)
        return board

    def add(self, area: str, nation: str, pf: int) -> Piles:
        return self.with_pf(area, nation, self.pf_at(area, nation) + pf)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Piles) and self._pf == other._pf

    def __hash__(self) -> int:
        return hash(frozenset(self._pf.items()))

    def __repr__(self) -> str:
        return to_text(self)

    def as_json(self, areas: Iterable[str], nations: Iterable[str]) -> Json:
        """Return the form of situations: areas and nations in card order, empty ones left out;
        entries have PFs only."""
        nations = tuple(nations)
        tree = {
            area: {nation: {"pf": pf} for nation in nations if (pf := self.pf_at(area, nation))}
            for area in areas
        }
        return {area: here for area, here in tree.items() if here}


def to_text(piles: Piles, areas: Iterable[str] = ()) -> str:
    """Return the board in one line, with areas in the given order, or else in their own order."""
    by_area: dict[str, list[str]] = {area: [] for area in areas}
    for (area, nation), pf in piles.pf.items():
        by_area.setdefault(area, []).append(f"{nation} {pf}")
    return board_line(by_area)


def piles_of(tree: object, card: Card) -> Piles:
    """Return the board of a situation. Raise `RulesError` naming the key at fault."""
    return Piles(
        entries_by_place(
            tree, card.areas, card.order, "board", lambda pile, key: pf_of(pile, key, ("pf",))
        )
    )


@dataclass(frozen=True)
class State:
    card: Card
    options: Mapping[str, Any]
    turn: int
    step: str  # PLACEMENT, ATTACKS; ORDERS; "turn-britain" and so on; OVER
    piles: Piles = field(default_factory=Piles)
    seats: tuple[str, ...] = ()
    #: A nation's last placement lines (A13, wwi.nmr = repeat_last).
    placed: Mapping[str, str] = field(default_factory=dict)
    alliances: tuple[Pair, ...] = ()  # in card order; in a view, only those its reader may know
    premade: tuple[Pair, ...] = ()  # those made before the game, which never end (A.5)
    #: The nations that each nation's last ALLY lines named, until its next turn (sequential
    # phasing).
    offers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: Nations that have ever given or received treaty rights (A5, wwi.bonus_time = ever).
    tied: tuple[str, ...] = ()
    points: Mapping[str, int] = field(default_factory=dict)  # added to scores by rulings

    @property
    def market(self) -> Market:
        """The market whose sales decide."""
        return market_of(self.options)

    @property
    def is_placing(self) -> bool:
        """Whether PFs are placed in this phase; some phases have both placement and attacks."""
        return self.step not in (ATTACKS, OVER)

    @property
    def is_attacking(self) -> bool:
        return self.step not in (PLACEMENT, OVER)

    @property
    def is_choosing(self) -> bool:
        """Whether attacks are written before others have placed, so that an order may have
        alternatives (A.8)."""
        return self.step == ORDERS

    @property
    def mover(self) -> str | None:
        """The only nation whose turn it is; None where all act."""
        if not self.step.startswith(_TURN_OF):
            return None
        return next((nation for nation in self.card.order if self.step == turn_of(nation)), None)

    @property
    def movers(self) -> tuple[str, ...]:
        """The nations that are judged in this phase, in card order."""
        mover = self.mover
        return (mover,) if mover else self.card.order

    @property
    def secret(self) -> bool:
        """Whether only their members know alliances until the end (A8)."""
        return bool(self.options["wwi.alliance_secrecy"] == "until_end") and self.step != OVER

    def home(self, nation: str) -> str | None:
        return self.card.home.get(nation)

    def allocation(self, nation: str) -> int:
        return self.card.allocation[nation][self.turn - 1]

    def ally_of(self, nation: str) -> str | None:
        for first, second in self.alliances:
            if nation in (first, second):
                return second if nation == first else first
        return None

    def treaty(self, area: str, nation: str) -> bool:
        """Return whether the nation's pile there gives it treaty rights: ten or more PFs, and not
        at home (A.2)."""
        enough = self.piles.pf_at(area, nation) >= self.card.treaty_at
        return enough and self.card.home.get(nation) != area

    def __repr__(self) -> str:
        allied = "".join(f" {nation}+{other}" for nation, other in self.alliances)
        return f"<turn {self.turn}, {self.step}: {to_text(self.piles, self.card.areas)}{allied}>"


@lru_cache(maxsize=64)
def turn_of(nation: str) -> str:
    return f"{_TURN_OF}{slug(nation)}"


def first_step(card: Card, options: Mapping[str, Any]) -> str:
    """Return the first step of a turn (A.8)."""
    phasing = options["wwi.phasing"]
    if phasing == ONE_DEADLINE:
        return ORDERS
    return turn_of(card.order[0]) if phasing == SEQUENTIAL else PLACEMENT


def next_step(state: State) -> tuple[int, str]:
    """Return the turn and step that follow."""
    if state.step == PLACEMENT:
        return state.turn, ATTACKS
    mover, order = state.mover, state.card.order
    if mover and mover != order[-1]:
        return state.turn, turn_of(order[order.index(mover) + 1])
    if state.turn == state.card.turns:
        return state.turn, OVER
    return state.turn + 1, first_step(state.card, state.options)
