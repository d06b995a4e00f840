"""The rules: what all games share, and the values in which rulesets answer (`contract`).

A ruleset is a set of pure functions over frozen values that round-trip to JSON. Nothing in this
package reads a clock, a random number, a network or a database, and nothing in it imports anything
but Python's standard library: a stranger may copy it into a program of his own and check our
results with it.

The record stores three things of a game apart from its orders: the card (a JSON tree), the options
(id to value) and, for each phase, the *position* (`Ruleset.dump`). From the three a `State` comes
back (`Ruleset.load`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from .lands import PF, Land, Unit

Json = dict[str, Any]

#: Under this name a gamesmaster's sheets stand among the orders of a refereed game. No nation can
# have it.
REFEREE_SEAT = "Referee"


class RulesError(Exception):
    """Something that the rules cannot decide, or malformed input. `str()` is one clear sentence."""


class NotKnown(Exception):
    """What `Volumes.get` raises for a figure that its caller does not know yet: `resolve` lets it
    through, to be asked again."""


class PhaseId(NamedTuple):
    """A phase of a game: unique in it."""

    turn: int
    kind: str  # "placement", "attacks"; with ow2.placement = ordered "placement-usa" and so on


@dataclass(frozen=True)
class PhaseFacts:
    """What is so of a phase whatever the state."""

    title: str  # for people: "Turn 3, placement"
    #: Digits may be needed (attacks): then a market session belongs to it.
    draws: bool = False
    #: PFs may be placed in it: options about placing mean something to it.
    places: bool = True
    #: Nobody may order anything: something is drawn in it, and that is all.
    idle: bool = False
    #: The phase with whose result its orders may first be read by others; None: its own result. One
    #: that no game comes to ("over", in turn 0): not before the game is over.
    kept_until: PhaseId | None = None
    #: To send nothing is ordinary play, and no turn missed.
    voluntary: bool = False
    #: How many days it lasts, where the rules say so and not the schedule.
    days: int | None = None
    #: Its orders may hold what not even the gamesmaster may know before the game is over.
    sealed: bool = False
    #: Where it waits for a gamesmaster's report instead of a deadline, and closes once one was
    #: sent: what the gamesmaster is doing, as a sentence for everybody.
    awaited: str = ""

    @property
    def sheeted(self) -> bool:
        return bool(self.awaited)


@dataclass(frozen=True)
class Remark:
    """What is to be said about one line of an order text (contract.md 3).

    `code` is for programs and never shown to a player; `message` is one sentence that quotes the
    line and says what to do.
    """

    line: int
    severity: str  # "error": the line does nothing; "warning": it may come to nothing; "note"
    code: str
    message: str

    def as_json(self) -> Json:
        return {
            "line": self.line,
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
        }


@dataclass(frozen=True)
class Reading:
    """An order text as understood: `understood` says each accepted line in canonical words, with
    its line number.

    `sent` is False for a text of nothing but blanks and comments, which counts as no orders at all.
    `orders` are the ruleset's own frozen values.
    """

    orders: tuple[Any, ...]
    understood: tuple[tuple[int, str], ...]
    remarks: tuple[Remark, ...]
    sent: bool


@dataclass(frozen=True)
class Choice:
    """One thing that a nation may order now. Every line that `line()` can make of it is accepted
    without an error.

    `most` is the largest number for a verb that takes one; `nations` are those who may be named
    (targets, or partners to share with), at least one of which must be; a verb with `stock` may
    name stocks. `counters` are the values of the counters in which the number may be laid face
    down; `blanks` is how many blank ones there are, for the verb that lays them.
    """

    # "PLACE", "FROM HOME", "BLANKS", "ATTACK", "UNDERSTANDING", "CONTROL", "SHARE", "STANDING
    # UNDERSTANDING ALL", "ALLY", "LEAVE ALLIANCE", "PASS", …
    verb: str
    area: str | None = None
    most: int | None = None
    nations: tuple[str, ...] = ()
    stock: bool = False
    counters: tuple[int, ...] = ()
    blanks: int = 0
    conditions: bool = False  # whether an attack may have ELSE and MIN; the form "in" MIN alone
    # What a button or a field says, "{}" for the nation that is named; empty: the verb.
    label: str = field(default="", compare=False)
    # Why it would certainly come to nothing, by the nation that is named, "" where none is.
    barred: Mapping[str, str] = field(default_factory=dict, compare=False)
    # How the game writes an attack: "targets" (ATTACK Poland: Germany, Russia) or "in" (ATTACK
    # Russia IN Serbia).
    form: str = "targets"

    @property
    def hopeless(self) -> bool:
        """Whether it would come to nothing whoever is named."""
        return all(name in self.barred for name in self.nations or ("",))

    def line(
        self,
        number: int = 1,
        nations: Sequence[str] = (),
        stocks: Sequence[str] = (),
        counters: Sequence[int] = (),
    ) -> str:
        """The order line for this choice: `number` from 1 to `most`, `nations` out of `nations`
        (the first where none is given).

        `counters` out of `counters`, which must come to `number`; none: the fewest.
        """
        named = list(nations) or list(self.nations[:1])
        if self.verb in ("PLACE", "FROM HOME", "BLANKS"):
            laid = f" AS {'+'.join(map(str, counters))}" if counters and self.counters else ""
            return f"{self.verb} {number} {self.area}{laid}"
        if self.verb == "ATTACK":
            said = (
                f"{named[0]} IN {self.area}"
                if self.form == "in"
                else f"{self.area}: {', '.join(named)}"
            )
            return f"ATTACK {said}" + (f" STOCK {'/'.join(stocks)}" if stocks else "")
        if self.verb == "ALLY":
            return f"ALLY {named[0]}"
        if self.verb == "SHARE":
            return f"SHARE {self.area} WITH {named[0]}"
        return self.verb if self.area is None else f"{self.verb} {self.area}"


@dataclass(frozen=True)
class Cell:
    """What one nation has in one area, for whoever draws the board.

    `face_down` is how many new counters lie there face down, whatever they are worth: `pf` is what
    lies open, and counts none of them. `treaty`: the pile gives treaty rights, where the game has
    them; it follows from the PFs and is nobody's to set. `cut_off` is how many of the points are
    out of supply, where the game knows that.
    """

    pf: int = 0
    understanding: bool = False
    control: bool = False
    face_down: int = 0
    treaty: bool = False
    cut_off: int = 0

    def __str__(self) -> str:
        """ "8+U+2?": eight PFs, an Understanding, and two counters face down; "12T": twelve PFs
        that give treaty rights; "5-2": five points, two of them out of supply; "C+5": control, and
        five points."""
        if self.control:
            return f"C+{self.pf}" if self.pf else "C"
        if self.cut_off:
            return f"{self.pf}-{self.cut_off}"
        if self.treaty:
            return f"{self.pf}T"
        plain, lying = (
            str(self.pf) if self.pf else "",
            f"{self.face_down}?" if self.face_down else "",
        )
        return "+".join(part for part in (plain, "U" if self.understanding else "", lying) if part)


@dataclass(frozen=True)
class Board:
    """The board as anybody may draw it: areas down, nations across; `cells[area][nation]` only
    where something stands.

    `lands` is the state of each area in a game where areas have one, {} in all others. `at_odds`
    and `hands` are pairs of nations in card order: one of which is hostile to the other, and both
    of which one person plays.
    """

    areas: tuple[str, ...]
    nations: tuple[str, ...]
    cells: Mapping[str, Mapping[str, Cell]]
    #: Pairs in card order, as the reader of the view may know them.
    alliances: tuple[tuple[str, str], ...] = ()
    unit: Unit = PF
    lands: Mapping[str, Land] = field(default_factory=dict)
    at_odds: tuple[tuple[str, str], ...] = ()
    hands: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Standing:
    """Scores as if the game ended here; winners in card order once it has, and a closing remark
    where the rules have one."""

    scores: Mapping[str, int]
    winners: tuple[str, ...] | None = None
    remark: str = ""  # Origins of World War II: "war has broken out" (F14)
    #: Pairs whose scores count together, as the reader may know them.
    alliances: tuple[tuple[str, str], ...] = ()

    def sums(self) -> tuple[tuple[tuple[str, str], int, int], ...]:
        """Each alliance with what its two nations have together, and what all others have; none
        where no scores are told."""
        whole = sum(self.scores.values())
        together = [
            (pair, sum(self.scores[nation] for nation in pair))
            for pair in self.alliances
            if self.scores
        ]
        return tuple((pair, points, whole - points) for pair, points in together)


@dataclass(frozen=True)
class Resolution:
    """A phase judged. `events` and `remarks` have the JSON form of contract.md 4; every event
    carries `rule` and `message`."""

    state: Any
    events: tuple[Json, ...]
    remarks: Mapping[str, tuple[Remark, ...]] = field(default_factory=dict)


def event(kind: str, rule: str, message: str, **more: object) -> Json:
    """Return an event in the form that records have; `more` in the order in which it is given."""
    return {"kind": kind, **more, "rule": rule, "message": message}


#: Kinds of events that consist of what a gamesmaster wrote.
QUOTING = ("note", "ruled")


def facts(event: Json) -> Json:
    """Return an event without our wording, which may change: its kind, nations, areas, numbers."""
    return {key: event[key] for key in event if key != "message" or event["kind"] in QUOTING}


def judged_json(resolution: Resolution, standing: Standing) -> Json:
    """Return what the answers of all games to a situation have (contract.md 4)."""
    return {
        "events": list(resolution.events),
        "remarks": {
            nation: [remark.as_json() for remark in said]
            for nation, said in resolution.remarks.items()
        },
        "scores": dict(standing.scores),
        "winners": None if standing.winners is None else list(standing.winners),
    }


class Volumes(Protocol):
    """Shares sold in the session, by symbol in capitals. None, 0 and less mean that there is no
    usable report.

    A caller who does not know a figure yet passes an object whose `get` raises `NotKnown`:
    `resolve` asks for figures strictly in the order of use and only for those that matter, and lets
    the exception through.
    """

    def get(self, symbol: str, /) -> int | None: ...


class Attempt(NamedTuple):
    """A stock that an attack came to: `passed` says why it did not decide, "" that it did.

    "no_report", "duplicate" (an earlier line names it), "elsewhere" (rng.market), "not_listed"
    (rng.stock_choice), "used_up" (a reserve), "no_die" (a digit that is no die).
    """

    stock: str
    passed: str


@dataclass(frozen=True)
class ResultTable:
    """The printed table by which attacks are decided: `columns` are odds as events write them,
    `rows` digit and results."""

    columns: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    meanings: Mapping[str, str]

    @property
    def thrown(self) -> str:
        """What finds the row: a digit, or a die made of digits (rng.d6)."""
        return "die" if len(self.rows) == 6 else "digit"


class Objective(NamedTuple):
    """What a nation's sheet pays it for in an area, and whether the board pays it now; None where
    nobody is told before the end."""

    area: str
    # "control", "understanding", "no_control", "no_understanding", or what else the game has
    kind: str
    points: int
    reached: bool | None
    words: str = ""  # of one that is no area's (`area` is ""): what it asks for


@dataclass(frozen=True)
class Sheet:
    """A nation's own part of the printed sheet beside the board. Of a view in which it is not to be
    seen `objectives` is empty."""

    home: str | None
    allocation: tuple[int, ...]  # new PFs, turn by turn
    objectives: tuple[Objective, ...]
    ruled: int = 0  # points that rulings have added or taken
