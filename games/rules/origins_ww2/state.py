"""The state of a game of Origins of World War II: the pieces, whose turn it is, and what earlier
orders leave behind.

A board has a text form that round-trips, used as `repr`, in tests and in bug reports:
`Poland: Germany 8+U, Russia 3; Austria: Germany C`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from .. import Cell, Json, RulesError
from ..boards import board_line, entries_by_place, pf_of
from ..markets import Market, market_of
from ..names import slug
from .card import Card
from .face_down import FACE_DOWN, OFF, FaceDownCounters

# An Understanding is worth 5 PFs (K16) and takes 5 to place (T1); CONTROL needs 5 too (T2).
COUNTER_PF = 5
PLACEMENT, ATTACKS, COUNTERS, OVER = "placement", "attacks", "counters", "over"
SEQUENTIAL = "sequential"  # ow2.attacks: a phase of attacks for each nation, then one of counters
# Phases in which something is drawn and nobody acts: the charts of the blind game, and the
# controllers of unheld nations.
CHARTS, ALLIES = "charts", "allies"
DRAWN = frozenset((CHARTS, ALLIES))
#: Steps that do not belong to one nation.
TOGETHER = frozenset((PLACEMENT, ATTACKS, COUNTERS, OVER, CHARTS, ALLIES))
cell_of = lru_cache(maxsize=4096)(Cell)  # the same few values recur all the time
_NOTHING = cell_of()


def strength(cell: Cell) -> int:
    """Return the strength for attack and defense: PFs, and 5 for an Understanding (K16); CONTROL
    has none (K18)."""
    return cell.pf + (COUNTER_PF if cell.understanding else 0)


class Pieces:
    """All pieces by area and nation. Immutable: `put` returns a new board."""

    __slots__ = ("_cells", "_closed")

    def __init__(self, cells: Mapping[tuple[str, str], Cell] | None = None) -> None:
        self._cells = {place: cell for place, cell in (cells or {}).items() if cell != _NOTHING}
        self._closed: frozenset[str] | None = None  # computed on first use

    @property
    def cells(self) -> Mapping[tuple[str, str], Cell]:
        """Nonempty cells by area and nation. Do not change the mapping."""
        return self._cells

    def cell_at(self, area: str, nation: str) -> Cell:
        return self._cells.get((area, nation), _NOTHING)

    def with_cell(self, area: str, nation: str, cell: Cell) -> Pieces:
        board = object.__new__(Pieces)  # skip __init__: the existing cells are filtered already
        board._cells = self._cells.copy()
        if cell == _NOTHING:
            board._cells.pop((area, nation), None)
        else:
            board._cells[area, nation] = cell
        board._closed = None if cell.control or self.cell_at(area, nation).control else self._closed
        return board

    def add(self, area: str, nation: str, pf: int) -> Pieces:
        cell = self.cell_at(area, nation)
        return self.with_cell(
            area, nation, cell_of(cell.pf + pf, cell.understanding, cell.control, cell.face_down)
        )

    def add_all(self, moves: Iterable[tuple[str, str, int]]) -> Pieces:
        """Return the board with PFs added or removed, in order: area, nation, number."""
        board = object.__new__(Pieces)
        cells = board._cells = self._cells.copy()
        for area, nation, pf in moves:
            place = area, nation
            cell = cells.get(place, _NOTHING)
            cell = cell_of(cell.pf + pf, cell.understanding, cell.control, cell.face_down)
            if cell == _NOTHING:
                cells.pop(place, None)
            else:
                cells[place] = cell
        board._closed = self._closed  # PFs neither close nor open an area
        return board

    def strength(self, area: str, nation: str) -> int:
        cell = self._cells.get((area, nation))
        return strength(cell) if cell is not None else 0

    def closed(self, area: str) -> bool:
        """Return whether an area is closed; a CONTROL counter closes it permanently (K18)."""
        if self._closed is None:
            self._closed = frozenset(
                where for (where, _), cell in self._cells.items() if cell.control
            )
        return area in self._closed

    def present(self, area: str) -> set[str]:
        """Return the nations with anything there, PFs or counters."""
        return {nation for where, nation in self._cells if where == area}

    def __iter__(self) -> Iterator[tuple[str, str, Cell]]:
        return ((area, nation, cell) for (area, nation), cell in self._cells.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pieces) and self._cells == other._cells

    def __hash__(self) -> int:
        return hash(frozenset(self._cells.items()))

    def __repr__(self) -> str:
        return to_text(self)

    def as_json(self, areas: Iterable[str], nations: Iterable[str]) -> Json:
        """Return the form of situations: areas and nations in card order, empty ones left out."""
        nations = tuple(nations)
        tree: Json = {}
        for area in areas:
            here = {
                nation: _cell_json(self.cell_at(area, nation))
                for nation in nations
                if (area, nation) in self._cells
            }
            if here:
                tree[area] = here
        return tree


def _cell_json(cell: Cell) -> Json:
    return {"pf": cell.pf, "understanding": cell.understanding, "control": cell.control}


def to_text(pieces: Pieces, areas: Iterable[str] = ()) -> str:
    """Return the board in one line, with areas in the given order, or else in their own order."""
    by_area: dict[str, list[str]] = {area: [] for area in areas}
    for area, nation, cell in pieces:
        parts = [str(cell.pf)] if cell.pf else []
        parts += ["U"] * cell.understanding + ["C"] * cell.control
        by_area.setdefault(area, []).append(f"{nation} {'+'.join(parts)}")
    return board_line(by_area)


def pieces_of(tree: object, card: Card) -> Pieces:
    """Return the board of a situation. Raise `RulesError` naming the key at fault."""
    return Pieces(entries_by_place(tree, card.areas, card.order, "board", _cell))


def _cell(given: object, where: str) -> Cell:
    pf = pf_of(given, where, ("pf", "understanding", "control"))
    assert isinstance(given, dict)
    for key in ("understanding", "control"):
        if not isinstance(given.get(key, False), bool):
            raise RulesError(f"{where}.{key} must be true or false")
    return Cell(pf, given.get("understanding", False), given.get("control", False))


@dataclass(frozen=True)
class Memory:
    """What earlier orders leave behind: nations' last placement lines, and nations with a standing
    wish."""

    placed: Mapping[str, str] = field(default_factory=dict)
    standing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Charts:
    """The draws of the blind game (F3, F4): each nation's slip, and what controllers may know (F7).

    In a view, `objectives` has only those that the viewer may know; `allowed` has the counters that
    a nation may place, by area.
    """

    allocation: Mapping[str, str] = field(default_factory=dict)
    objectives: Mapping[str, str] = field(default_factory=dict)
    allowed: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)


@dataclass(frozen=True)
class State:
    card: Card
    options: Mapping[str, Any]
    turn: int
    step: str  # PLACEMENT, ATTACKS, OVER, or with ow2.placement = ordered "placement-usa" and so on
    pieces: Pieces = field(default_factory=Pieces)
    seats: tuple[str, ...] = ()
    memory: Memory = field(default_factory=Memory)
    scores_hidden: bool = False  # set by `view` under ow2.running_score = hidden
    points: Mapping[str, int] = field(default_factory=dict)  # added to scores by rulings
    #: Unheld nations, each with the nation that controls it this turn (N3).
    controllers: Mapping[str, str] = field(default_factory=dict)
    # For the blind game (ow2.blind): the card as printed, from which `card` is dealt as drawn, and
    # the secret of the second draw.
    printed: Card | None = None
    charts: Charts = field(default_factory=Charts)
    secret: str = ""
    #: New counters not yet turned up (F9); `pieces` counts none of them.
    face_down: FaceDownCounters = field(default_factory=FaceDownCounters)

    @property
    def lays_face_down(self) -> bool:
        """Whether new PFs are laid face down in this game (F9)."""
        return bool(self.options["ow2.hidden"] != OFF)

    @property
    def fights_face_down(self) -> bool:
        """Whether they stay face down until they are attacked; then an attacker below 1-1 loses."""
        return bool(self.options["ow2.hidden"] == FACE_DOWN)

    @property
    def has_loss_orders(self) -> bool:
        """Whether orders may say that a partial loss takes the Understanding first (K17)."""
        return bool(self.options["ow2.u_loss"] == "owner_says")

    def replace(self, **changes: Any) -> State:
        """Return a copy like `dataclasses.replace`, but without looking at each field: every phase
        of every simulated game makes a new state."""
        state = object.__new__(State)
        state.__dict__.update(self.__dict__)
        state.__dict__.update(changes)
        return state

    def view_for(self, nation: str | None) -> State:
        """Return the state without the values of other nations' face-down counters."""
        return replace(self, face_down=self.face_down.view_for(nation)) if self.face_down else self

    @property
    def face_up_pieces(self) -> Pieces:
        """Return the board with every face-down counter whose value is known turned up."""
        pieces = self.pieces
        for area, nation in self.face_down:
            if value := self.face_down.value(area, nation):
                pieces = pieces.add(area, nation, value)
        return pieces

    @property
    def market(self) -> Market:
        """The market whose sales decide."""
        return market_of(self.options)

    @property
    def is_placing(self) -> bool:
        return self.step.startswith(PLACEMENT)

    @property
    def is_attacking(self) -> bool:
        return self.step.startswith(ATTACKS)

    @property
    def is_wishing(self) -> bool:
        """Whether counters are placed in this phase."""
        return self.step in (ATTACKS, COUNTERS)

    @property
    def drawing(self) -> bool:
        """Whether this is a phase in which something is drawn and nobody acts."""
        return self.step in DRAWN

    @property
    def blind(self) -> bool:
        return self.printed is not None

    def knows(self, nation: str) -> bool:
        """Return whether this state contains a nation's allowed counters; some blind views do
        not."""
        charts = self.charts
        return self.printed is None or nation in charts.objectives or nation in charts.allowed

    @property
    def out(self) -> tuple[str, ...]:
        """Nations that are not in this game: the USA where four play without it (N6). Its area
        stays."""
        four = len(self.seats) == 4 and "USA" in self.card.order and "USA" not in self.seats
        return ("USA",) if four and self.options["ow2.four_without_usa"] == "yes" else ()

    @property
    def in_play(self) -> tuple[str, ...]:
        """The nations that are in this game, in card order."""
        out, order = self.out, self.card.order
        return tuple(nation for nation in order if nation not in out) if out else order

    @property
    def unheld(self) -> tuple[str, ...]:
        """The nations in play that nobody holds; each turn a die decides who controls them (N2)."""
        if not self.seats or len(self.seats) == len(self.card.order):
            return ()
        return tuple(nation for nation in self.in_play if nation not in self.seats)

    @property
    def mover(self) -> str | None:
        """The only nation that places or attacks in this phase; None where all do."""
        if self.step in TOGETHER:
            return None
        kind = PLACEMENT if self.is_placing else ATTACKS
        return next(
            (nation for nation in self.card.order if self.step == own_step(kind, nation)), None
        )

    @property
    def movers(self) -> tuple[str, ...]:
        """The nations that are judged in this phase, in card order."""
        if self.step in DRAWN:
            return ()
        mover = self.mover
        return (mover,) if mover else self.in_play

    def home(self, nation: str) -> str | None:
        return self.card.home.get(nation)

    def allocation(self, nation: str) -> int:
        return self.card.allocation[nation][self.turn - 1]

    def home_pf(self, nation: str) -> int:
        """Return the PFs that may leave home: those that were there when this placement began
        (P4)."""
        home = self.home(nation)
        return self.pieces.cell_at(home, nation).pf if home else 0

    def immune(self, target: str, attacker: str) -> bool:
        """Return whether the target holds an Understanding in the attacker's home area (I1)."""
        home = self.home(attacker)
        return home is not None and self.pieces.cell_at(home, target).understanding

    def __repr__(self) -> str:
        lying = f" {self.face_down!r}" if self.face_down else ""
        return f"<turn {self.turn}, {self.step}: {to_text(self.pieces, self.card.areas)}{lying}>"


@lru_cache(maxsize=64)
def own_step(kind: str, nation: str) -> str:
    """Return the step in which only this nation places or attacks."""
    return f"{kind}-{slug(nation)}"


def first_step(state: State) -> str:
    """Return the first step of a game: the draw of the charts, of the allies, or placement."""
    if state.blind:
        return CHARTS
    return ALLIES if state.unheld else _placement(state)


def _placement(state: State) -> str:
    ordered = state.options["ow2.placement"] == "ordered"
    return own_step(PLACEMENT, state.in_play[0]) if ordered else PLACEMENT


def _attacks(state: State) -> str:
    sequential = state.options["ow2.attacks"] == SEQUENTIAL
    return own_step(ATTACKS, state.in_play[0]) if sequential else ATTACKS


def next_step(state: State) -> tuple[int, str]:
    """Return the turn and step that follow.

    A game has six turns of placement and attacks (C.1). Ordered placement has one step per nation
    (P1), and so have sequential attacks, which a step for counters follows (lines 88-96). The
    allies are drawn before the first placement, and before every placement where the draw has a
    session of its own (N2).
    """
    if state.step == CHARTS:
        return state.turn, ALLIES if state.unheld else _placement(state)
    if state.step == ALLIES:
        return state.turn, _placement(state)
    mover, nations = state.mover, state.in_play
    if mover and mover != nations[-1]:
        kind = PLACEMENT if state.is_placing else ATTACKS
        return state.turn, own_step(kind, nations[nations.index(mover) + 1])
    if state.is_placing:
        return state.turn, _attacks(state)
    if mover:
        return state.turn, COUNTERS
    if state.turn == state.card.turns:
        return state.turn, OVER
    own_session = state.unheld and state.options["ow2.ally_draw"] == "own_session"
    return state.turn + 1, ALLIES if own_session else _placement(state)


def acting_nations(state: State) -> tuple[str, ...]:
    if state.step == OVER:
        return ()
    return tuple(
        nation for nation in state.movers if nation in state.seats or nation in state.controllers
    )
