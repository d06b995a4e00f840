"""The contract of a ruleset, and the registry of the games.

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
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .charts import Chart
from .lands import PF, Land, Unit
from .plan import Odds, Ordered, Plan
from .risks import Risk

Json = dict[str, Any]

#: Under this name a gamesmaster's sheets stand among the orders of a refereed game. No nation can
# have it.
REFEREE_SEAT = "Referee"


class RulesError(Exception):
    """Something that the rules cannot decide, or input that is not of the agreed form. `str()` is
    one clear sentence."""


class NotKnown(Exception):
    """What `Volumes.get` raises for a figure that its caller does not know yet: `resolve` lets it
    through, to be asked again."""


class PhaseId(NamedTuple):
    """A phase of a game: unique in it."""

    turn: int
    kind: str  # "placement", "attacks"; with ow2.placement = ordered "placement-usa" and so on


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
    conditions: bool = (
        False  # whether an attack may have ELSE and MIN; one of the form "in" MIN alone
    )
    # How the game writes an attack: "targets" (ATTACK Poland: Germany, Russia) or "in" (ATTACK
    # Russia IN Serbia).
    form: str = "targets"

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
    alliances: tuple[
        tuple[str, str], ...
    ] = ()  # pairs in card order, as the reader of the view may know them
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
    alliances: tuple[
        tuple[str, str], ...
    ] = ()  # pairs whose scores count together, as the reader may know them

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


class Volumes(Protocol):
    """Shares sold in the session, by symbol in capitals. None, 0 and less mean that there is no
    usable report.

    A caller who does not know a figure yet passes an object whose `get` raises `NotKnown`:
    `resolve` asks for figures strictly in the order of use and only for those that matter, and lets
    the exception through.
    """

    def get(self, symbol: str, /) -> int | None: ...


class Tried(NamedTuple):
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


class Ruleset(Protocol):
    """The questions that a game answers. `State` is the ruleset's own frozen type; nobody else
    looks inside it."""

    id: str  # "origins-ww2"
    title: str
    option_groups: tuple[
        str, ...
    ]  # prefixes of the options that mean something to this game: ("rng", "orders", "seat", "ow2")
    counters: tuple[
        str, ...
    ]  # counters that stand beside PFs: ("understanding", "control"); () where there are none
    rulable: tuple[
        str, ...
    ]  # the kinds of rulings that mean something to this game (games/rules/rulings.py)
    unit: Unit  # what the numbers on its board count
    playable: bool  # whether programs can play it: for practice, empty seats, whole games on trial
    # whether a gamesmaster plays out a map and says in sheets what came of it: they stand among the
    # orders, as REFEREE_SEAT
    refereed: bool

    def check_card(self, tree: Json) -> None:
        """Raises `cards.CardError` (key and fault) where the tree is not a card of this game."""
        ...

    def setup(
        self, card: Json, options: Mapping[str, Any], seats: Sequence[str], secret: str = ""
    ) -> Any:
        """The first state. `seats` are the nations that people (or programs) play; `RulesError`
        where these cannot play alone.

        `secret`, 64 hexadecimal digits, is what secret draws are computed from, where the options
        have any; without it nothing is drawn.
        """
        ...

    def dump(self, state: Any) -> Json:
        """The position as JSON: everything in the state but card and options."""
        ...

    def load(self, card: Json, options: Mapping[str, Any], position: Json) -> Any: ...

    def phase(self, state: Any) -> PhaseId | None:
        """Which phase comes now; None when the game is over."""
        ...

    def phase_title(self, phase: PhaseId, options: Mapping[str, Any]) -> str:
        """In words, for people: "Turn 3, placement"."""
        ...

    def draws(self, phase: PhaseId) -> bool:
        """Whether digits may be needed in this phase (attacks): then a market session belongs to
        it."""
        ...

    def idle(self, phase: PhaseId) -> bool:
        """Whether nobody may order anything in this phase: something is drawn in it, and that is
        all."""
        ...

    def sheeted(self, phase: PhaseId) -> bool:
        """Whether a phase waits for a gamesmaster's sheet instead of a deadline, and closes once he
        has sent one."""
        ...

    def referee_table(self, state: Any, sheet: str = "") -> Any | None:
        """What a gamesmaster needs to see for his sheet, once the lines of `sheet` stand; None in a
        game without sheets."""
        ...

    def order_forms(self, state: Any, nation: str) -> Any | None:
        """Order lines with blanks to be filled in, and what else is chosen from lists; None where
        `choices` offers all there is."""
        ...

    def voluntary(self, phase: PhaseId) -> bool:
        """Whether to send nothing is ordinary play in this phase, and no turn missed."""
        ...

    def negotiation_days(self, phase: PhaseId, options: Mapping[str, Any]) -> int | None:
        """How many days a phase lasts, where the rules say so and not the schedule; None where they
        do not."""
        ...

    def hides_from_gamesmaster(self, phase: PhaseId) -> bool:
        """Whether orders of this phase may hold what not even the gamesmaster may know before the
        game is over."""
        ...

    def secretive(self, options: Mapping[str, Any]) -> bool:
        """Whether a game with these options draws something in secret: then it needs a secret,
        whose SHA-256 is published."""
        ...

    def lots(self, state: Any) -> tuple[str, ...]:
        """What is drawn in this game besides the digits of attacks, and how, in sentences; none
        where nothing is."""
        ...

    def controllers(self, state: Any) -> Mapping[str, str]:
        """Nations that nobody holds, each with the nation that sends its orders now."""
        ...

    def nations(self, state: Any) -> tuple[str, ...]:
        """All nations in card order."""
        ...

    def acting(self, state: Any) -> tuple[str, ...]:
        """The nations that may send orders in this phase, in card order."""
        ...

    def view(self, state: Any, nation: str | None) -> Any:
        """The state as that nation may see it (None: the public). Everything that anybody is ever
        shown comes from here."""
        ...

    def board(self, state: Any) -> Board: ...

    def choices(self, state: Any, nation: str) -> tuple[Choice, ...]: ...

    def plan(self, state: Any, nation: str, text: str) -> Plan:
        """What an order text comes to: its accepted lines as values, attacks with their odds on
        this board, and what is left to order."""
        ...

    def revise(self, state: Any, text: str, ordered: Ordered, drop: bool = False) -> str:
        """The text with one order written into it, or with `drop` taken out of it; every other line
        stays. `ordered` is of a `Choice`."""
        ...

    def chances(self, state: Any, nation: str, area: str, targets: Sequence[str]) -> Odds | None:
        """What an attack would come to on this board, as far as the nation knows it. None where it
        cannot be made."""
        ...

    def brief(self, state: Any, nation: str) -> tuple[str, ...]:
        """Sentences that tell a nation where it stands in this phase: PFs to place, PFs at home,
        who is immune to it."""
        ...

    def charts(self, state: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The printed charts in words, nation by nation: allocation and objectives as one line
        each."""
        ...

    def read(self, text: str, nation: str, state: Any) -> Reading: ...

    def spoken(
        self, state: Any, nation: str, text: str, companies: Mapping[str, str]
    ) -> tuple[tuple[int, str], ...]:
        """Each understood line, by number, as a sentence to be read back on the telephone; attacks
        with their odds on this board.

        `companies` has names of stocks by symbol; a stock without one is spelt.
        """
        ...

    def told_aloud(self, event: Json, companies: Mapping[str, str]) -> str:
        """An event of a judged phase as it is read out: no figures, no signs."""
        ...

    def in_force(self, state: Any, sent: Mapping[str, str]) -> dict[str, str]:
        """Order texts as they stand once standing wishes and the options for silent nations are
        added: nation to text.

        `sent` holds the newest text of each nation that sent one. What comes back goes to `resolve`
        and into the record, so that a stranger needs nothing else to judge the phase.
        """
        ...

    def merge(self, earlier: str, later: str, nation: str, state: Any) -> str:
        """orders.amend = merge_lines: the earlier text with the later one's lines added, and put in
        place of those about the same thing."""
        ...

    def bot(self, state: Any, nation: str, salt: str) -> str:
        """Legal, sensible orders for a nation that the service plays. The same state and salt give
        the same text."""
        ...

    def played(
        self, state: Any, salt: str, volumes: Volumes, reserves: Sequence[str]
    ) -> Resolution:
        """A phase in which programs send all orders, naming no stocks: what `bot` and `resolve`
        come to, as quickly as may be."""
        ...

    def stocks(self, state: Any, orders: Mapping[str, str]) -> tuple[str, ...]:
        """The stocks that the orders name, in order of first use, without the reserve list."""
        ...

    def resolve(
        self,
        state: Any,
        orders: Mapping[str, str],
        volumes: Volumes,
        reserves: Sequence[str],
        results: Mapping[tuple[str, int], str] | None = None,
    ) -> Resolution:
        """The phase judged. `results` sets what attacks come to, by nation and line: a result of
        the table, or "void".

        Only an attack that comes to a throw takes such a result. It uses its digit up as ever,
        where that is known, so that no other attack gets another one for it; where it is not
        (`NotKnown`), it does without. Its event has `ruled`.
        """
        ...

    def tried(
        self,
        state: Any,
        orders: Mapping[str, str],
        volumes: Volumes,
        reserves: Sequence[str],
        results: Mapping[tuple[str, int], str] | None = None,
    ) -> Mapping[tuple[str, int], tuple[Tried, ...]]:
        """For every attack that came to a throw, by nation and line: the stocks that it came to, up
        to the one that decided.

        Asked as `resolve` is, and of the same orders.
        """
        ...

    def unplaced(self, state: Any, orders: Mapping[str, str]) -> Mapping[str, int]:
        """What nations have left to be placed by the gamesmaster before the phase is published, in
        card order; {} where nothing is.

        Asked of the texts in force, as `resolve` is. `resolve` itself does with it what it does
        where nobody places it.
        """
        ...

    # Rulings on a position: each raises `RulesError` with a sentence where the board could not
    # stand so.

    def edit(self, state: Any, cells: Mapping[str, Mapping[str, Cell]]) -> Any:
        """The state with these cells as given, by area and nation, and everything else as it
        was."""
        ...

    def counter(self, state: Any, nation: str, area: str, counter: str, given: bool) -> Any:
        """The state with a counter ("understanding", "control") given to a nation or taken from
        it."""
        ...

    def ally(self, state: Any, a: str, b: str, allied: bool) -> Any:
        """The state with two nations allied, or not allied any more."""
        ...

    def hand_over(self, state: Any, nation: str, controller: str) -> Any:
        """The state in which another nation sends the orders of one that nobody holds, until that
        is decided anew."""
        ...

    def adjust(self, state: Any, nation: str, points: int) -> Any:
        """The state with points added to, or taken from, a nation's score from here on."""
        ...

    def kept_until(self, phase: PhaseId, options: Mapping[str, Any]) -> PhaseId | None:
        """The phase with whose result the orders of this one may first be read by others; None
        where that is its own result.

        A phase that no game comes to ("over", in turn 0): not before the game is over.
        """
        ...

    def table(self) -> ResultTable: ...

    def sheet(self, state: Any, nation: str) -> Sheet:
        """A nation's sheet, with what of it is reached as if the game ended here."""
        ...

    def awaited(self, phase: PhaseId) -> str:
        """Of a phase that waits for a sheet: what the gamesmaster is doing, as a sentence for
        everybody. "" of every other."""
        ...

    def owed(self, state: Any) -> tuple[str, ...]:
        """In a refereed game: what dice are thrown for next, in the order in which they are read;
        () where none are asked for."""
        ...

    def looked_up(self, state: Any, events: Sequence[Json]) -> tuple[str, ...]:
        """Tables other than that of attacks by which digits were read in a phase that began with
        `state`, each as a sentence."""
        ...

    def own_words(self, state: Any, nation: str, text: str) -> tuple[int, ...]:
        """The numbers of the lines of a text that were taken as free text, for the gamesmaster to
        judge."""
        ...

    def verbs(self, nation: str) -> tuple[str, ...]:
        """The words with which lines of a nation's text begin, free text apart; () where they are
        those that all games know."""
        ...

    def instructions(self, state: Any) -> tuple[str, ...]:
        """How orders are written in this phase, in sentences; () where `choices` and examples say
        enough."""
        ...

    def samples(self, state: Any, nation: str) -> tuple[str, ...]:
        """Lines that would be taken as they stand, where orders are written and not chosen; ()
        where `choices` shows enough."""
        ...

    def risks(self, state: Any, events: Sequence[Json]) -> tuple[Risk | None, ...]:
        """For each event of a phase that began with `state`, as anybody may know it: what it might
        have come to; None for no throw."""
        ...

    def replayed(self, state: Any, events: Sequence[Json]) -> tuple[Any, ...]:
        """The states after each event of a judged phase that began with `state`, as far as the
        events tell."""
        ...

    def standing(self, state: Any) -> Standing: ...

    def further_charts(self, card: Json) -> tuple[Chart, ...]:
        """What the printed sheet of a card that has been checked has beyond areas, allocation and
        objectives, in words."""
        ...

    def score_sheets(self, state: Any) -> tuple[Any, ...]:
        """Each player's sheet with every entry judged and its case cited; () where the rules have
        no such thing, or a view tells none."""
        ...

    def examples(self) -> tuple[Example, ...]:
        """What the page that explains the rules shows, judged by the rules themselves."""
        ...

    def situation(self, tree: Json, card: Json, options: Mapping[str, Any]) -> Any:
        """The state described by `turn`, `phase`, `board` (and what else the game has) of a
        situation of contract.md 4.

        Raises `RulesError` that names the key at fault.
        """
        ...

    def answer(self, before: Any, resolution: Resolution) -> Json:
        """The resolution in the JSON form of contract.md 4, without `id`."""
        ...


if TYPE_CHECKING:
    from .example import Example


def ruleset(game: str) -> Ruleset:
    """The ruleset of a game by its id. Raises `RulesError` for an unknown one."""
    from .registry import RULESETS

    if game not in RULESETS:
        raise RulesError(f"unknown game “{game}”; known are {', '.join(RULESETS)}")
    return RULESETS[game]
