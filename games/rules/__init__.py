"""Rules shared by all games, and the values that rulesets take and return (`contract`).

A ruleset is a set of pure functions over frozen values that round-trip to JSON. Nothing in this
package reads a clock, a random number, a network or a database, and it imports only Python's
standard library: a stranger may copy it into their own program and check our results with it.

Besides its orders, the record of a game stores three things: the card (a JSON tree), the options
(id to value) and, for each phase, the *position* (`Ruleset.dump`). `Ruleset.load` makes a `State`
from the three.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from .lands import PF, Land, Unit
from .orders import write_line

Json = dict[str, Any]

#: The name under which a gamesmaster's reports are stored among the orders of a refereed game. No
#: nation can have it.
REFEREE_SEAT = "Referee"


class RulesError(Exception):
    """Malformed input, or something that the rules cannot decide. `str()` is one clear sentence."""


class UnknownFigure(Exception):
    """Raised by `Volumes.get` for a figure that the caller does not know yet.

    `resolve` does not catch it, so that the caller can call `resolve` again later.
    """


class PhaseId(NamedTuple):
    """Turn and kind of a phase, unique within a game."""

    turn: int
    kind: str  # "placement", "attacks"; with ow2.placement = ordered "placement-usa" and so on


@dataclass(frozen=True)
class PhaseFacts:
    """Facts about a phase that do not depend on the state."""

    title: str  # for people: "Turn 3, placement"
    #: Whether digits may be needed (attacks). Such a phase has a market session.
    draws: bool = False
    #: Whether PFs may be placed, so that options about placement apply.
    places: bool = True
    #: Whether counters of understanding and control may be placed.
    counters: bool = False
    #: Whether nobody may order anything, because the phase only draws something.
    idle: bool = False
    #: The phase whose result first lets others read the orders; None: its own result. A phase that
    #: no game reaches ("over", in turn 0): not before the game is over.
    kept_until: PhaseId | None = None
    #: Whether sending nothing is normal play and not a missed turn.
    voluntary: bool = False
    #: The only nation that orders anything, as phases name it (`names.slug`); "" where all do.
    mover: str = ""
    #: Its length in days, where the rules set it and not the schedule.
    days: int | None = None
    #: Whether orders may contain secrets that even the gamesmaster may not see until the game is
    #: over.
    sealed: bool = False
    #: A public sentence about what the gamesmaster is doing, for a phase that has no deadline and
    #: closes when the gamesmaster sends a report; "" for all others.
    awaited: str = ""


@dataclass(frozen=True)
class Remark:
    """A remark about one line of an order text.

    `code` is for programs and never shown to a player; `message` is one sentence that quotes the
    line and says what to do.
    """

    line: int
    severity: str  # "error": the line does nothing; "warning": it may do nothing; "note"
    code: str
    message: str
    #: Whether PFs or an order come to nothing on the board as its nation knows it. A page asks its
    #: sender once before it sends such orders.
    wasted: bool = False

    def as_json(self) -> Json:
        return {
            "line": self.line,
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
        }


@dataclass(frozen=True)
class Doubt:
    """What would be ordered by a text that is asked about before it counts.

    `lines`: all of the text's orders in canonical words; empty where it has no one reading.
    `may_count`: they count at the deadline for a nation with no other orders in force, because they
    have exactly one reading and nothing that cannot be taken back (`orders.in_doubt`).
    """

    lines: tuple[str, ...]
    may_count: bool


@dataclass(frozen=True)
class Reading:
    """An order text as the rules read it.

    `understood` has each accepted line in canonical words, with its line number. `sent` is False
    for a text of blank lines and comments, which counts as no orders. `orders` are the ruleset's
    own frozen values. A text with a `doubt` has no orders: its sender is asked first.
    """

    orders: tuple[Any, ...]
    understood: tuple[tuple[int, str], ...]
    remarks: tuple[Remark, ...]
    sent: bool
    doubt: Doubt | None = None


@dataclass(frozen=True)
class Choice:
    """One order that a nation may give now; every line from `line()` is accepted without an error.

    `most` is the largest number for a verb that takes one. `nations` may be named (targets, or
    partners to share with); if there are any, the order must name at least one. `stock`: the order
    may name stocks. `counters` are the values of the counters in which the number may be placed
    face down; `blanks` is how many blank counters there are, for the verb that places them.
    """

    verb: str  # a name in the game's `Verbs`, or a whole line that begins with one
    area: str | None = None
    most: int | None = None
    nations: tuple[str, ...] = ()
    stock: bool = False
    counters: tuple[int, ...] = ()
    blanks: int = 0
    conditions: bool = False  # whether an attack may name minimum odds and alternatives
    # The text of a button or field, with "{}" for the named nation; empty: the verb.
    label: str = field(default="", compare=False)
    # Why the order would certainly do nothing, by the nation it names ("" if it names none).
    barred: Mapping[str, str] = field(default_factory=dict, compare=False)
    # The line with its places (`orders.write_line`); empty: verb and area.
    pattern: str = ""

    @property
    def many(self) -> bool:
        """Whether the order may name several nations."""
        return "{nations}" in self.pattern

    @property
    def hopeless(self) -> bool:
        """Whether the order would do nothing, whichever nation it names."""
        return all(name in self.barred for name in self.nations or ("",))

    def line(
        self,
        number: int = 1,
        nations: Sequence[str] = (),
        stocks: Sequence[str] = (),
        counters: Sequence[int] = (),
    ) -> str:
        """Return the order line for this choice.

        `number` is from 1 to `most`. `nations` are some of `self.nations`; default: the first.
        `counters` are some of `self.counters` and must add up to `number`; default: the fewest.
        """
        names = list(nations) or list(self.nations[:1])
        if not self.pattern:
            return self.verb if self.area is None else f"{self.verb} {self.area}"
        return write_line(
            self.pattern,
            {
                "number": str(number),
                "area": self.area or "",
                "nation": "".join(names[:1]),
                "nations": ", ".join(names),
                "stocks": "/".join(stocks),
                "counters": "+".join(map(str, counters)) if self.counters else "",
            },
        )


@dataclass(frozen=True)
class Cell:
    """What one nation has in one area, for drawing the board.

    `pf` counts only what lies open; `face_down` is how many new counters lie there face down,
    whatever their value. `treaty`: the pile gives treaty rights, in games that have them; it
    follows from the PFs, and nobody sets it. `cut_off` is how many of the points are out of supply,
    in games that know supply.
    """

    pf: int = 0
    understanding: bool = False
    control: bool = False
    face_down: int = 0
    treaty: bool = False
    cut_off: int = 0

    def __str__(self) -> str:
        """Return the cell in short.

        "8+U+2?": eight PFs, an Understanding, and two counters face down. "12T": twelve PFs that
        give treaty rights. "5-2": five points, two of them out of supply. "C+5": control, and five
        points.
        """
        if self.control:
            return f"C+{self.pf}" if self.pf else "C"
        if self.cut_off:
            return f"{self.pf}-{self.cut_off}"
        if self.treaty:
            return f"{self.pf}T"
        open_pf, face_down = (
            str(self.pf) if self.pf else "",
            f"{self.face_down}?" if self.face_down else "",
        )
        return "+".join(
            part for part in (open_pf, "U" if self.understanding else "", face_down) if part
        )


#: What a nation has where it has nothing.
NOTHING = Cell()


@dataclass(frozen=True)
class Board:
    """The board, ready to be drawn: areas down, nations across.

    `cells[area][nation]` exists only where a nation has something. `lands` is the state of each
    area in games where areas have one, else {}. `at_odds` and `hands` are pairs of nations in card
    order: `at_odds` where one is hostile to the other, `hands` where one person plays both.
    """

    areas: tuple[str, ...]
    nations: tuple[str, ...]
    cells: Mapping[str, Mapping[str, Cell]]
    #: Pairs in card order, as far as the reader of the view may know them.
    alliances: tuple[tuple[str, str], ...] = ()
    unit: Unit = PF
    lands: Mapping[str, Land] = field(default_factory=dict)
    at_odds: tuple[tuple[str, str], ...] = ()
    hands: tuple[tuple[str, str], ...] = ()

    @property
    def relations(self) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
        """The pairs of nations by relation; relations without pairs are left out."""
        relations = (
            ("Allied", self.alliances),
            ("Hostile to each other", self.at_odds),
            ("Same player", self.hands),
        )
        return tuple((name, pairs) for name, pairs in relations if pairs)

    def cell(self, area: str, nation: str) -> Cell:
        """Return what a nation has in an area."""
        return self.cells.get(area, {}).get(nation, NOTHING)

    def differences(self, other: Board) -> tuple[tuple[str, str, Cell, Cell], ...]:
        """Return area, nation, and the content here and there wherever two boards differ."""
        cells = (
            (area, nation, self.cell(area, nation), other.cell(area, nation))
            for area in other.areas
            for nation in other.nations
        )
        return tuple(place for place in cells if place[2] != place[3])


@dataclass(frozen=True)
class Standing:
    """Scores as if the game ended now.

    `winners` are in card order, None until the game is over. `remark` is a closing sentence, where
    the rules have one.
    """

    scores: Mapping[str, int]
    winners: tuple[str, ...] | None = None
    remark: str = ""  # Origins of World War II: "war has broken out" (F14)
    #: Pairs whose scores count together, as far as the reader may know them.
    alliances: tuple[tuple[str, str], ...] = ()

    def sums(self) -> tuple[tuple[tuple[str, str], int, int], ...]:
        """Return each alliance with the points of its two nations and the points of all others.

        Return nothing where scores are not shown.
        """
        total = sum(self.scores.values())
        together = [
            (pair, sum(self.scores[nation] for nation in pair))
            for pair in self.alliances
            if self.scores
        ]
        return tuple((pair, points, total - points) for pair, points in together)


@dataclass(frozen=True)
class Resolution:
    """A judged phase.

    `events` and `remarks` have the JSON form of answers to situations; every event has `rule` and
    `message`.
    """

    state: Any
    events: tuple[Json, ...]
    remarks: Mapping[str, tuple[Remark, ...]] = field(default_factory=dict)


def event(kind: str, rule: str, message: str, **more: object) -> Json:
    """Return an event in the form of records, with `more` in the order given."""
    return {"kind": kind, **more, "rule": rule, "message": message}


#: Kinds of events that quote a gamesmaster's own words.
QUOTING = ("note", "ruled")


def facts(event: Json) -> Json:
    """Return an event's facts: its kind, nations, areas and numbers.

    Our wording is left out, because it may change.
    """
    return {key: event[key] for key in event if key != "message" or event["kind"] in QUOTING}


def resolution_json(resolution: Resolution, standing: Standing) -> Json:
    """Return the part of an answer to a situation that all games share."""
    return {
        "events": list(resolution.events),
        "remarks": {
            nation: [remark.as_json() for remark in remarks]
            for nation, remarks in resolution.remarks.items()
        },
        "scores": dict(standing.scores),
        "winners": None if standing.winners is None else list(standing.winners),
    }


class Volumes(Protocol):
    """Shares sold in the session, by symbol in capitals; None, 0 and less mean no usable report.

    A caller who does not know a figure yet passes an object whose `get` raises `UnknownFigure`:
    `resolve` asks for figures strictly in the order of use, only for those that matter, and does
    not catch the exception.
    """

    def get(self, symbol: str, /) -> int | None: ...


class Attempt(NamedTuple):
    """A stock that an attack tried: `passed` says why it did not decide, "" if it did.

    "no_report", "duplicate" (an earlier line names it), "elsewhere" (rng.market), "not_listed"
    (rng.stock_choice), "used_up" (a reserve), "no_die" (a digit that is no die).
    """

    stock: str
    passed: str


@dataclass(frozen=True)
class ResultTable:
    """The printed table that decides attacks.

    `columns` are odds as events write them; each of `rows` is a digit and its results.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    meanings: Mapping[str, str]

    @property
    def thrown(self) -> str:
        """The throw that selects the row: "digit", or "die" for one made of digits (rng.d6)."""
        return "die" if len(self.rows) == 6 else "digit"


class Objective(NamedTuple):
    """An objective of a nation, and whether the board meets it now.

    `reached` is None where nobody may know before the end.
    """

    area: str
    # "control", "understanding", "no_control", "no_understanding", or what else the game has
    kind: str
    points: int
    reached: bool | None
    words: str = ""  # the condition of an objective without an area (`area` is "")


@dataclass(frozen=True)
class NationFacts:
    """What a scenario gives to one nation, as it stands in a game.

    `objectives` is empty in a view that may not see them.
    """

    home: str | None
    allocation: tuple[int, ...]  # new PFs, turn by turn
    objectives: tuple[Objective, ...]
    ruled: int = 0  # points added (or taken, if negative) by rulings
