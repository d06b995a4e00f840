"""The contract of a ruleset: the questions that judging asks of a game, and what pages, letters,
the telephone, rulings and a gamesmaster's reports ask of it beside them.

A module may answer a protocol as well as a class: the games have `speech = spoken` and the like.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Protocol

from . import (
    Attempt,
    Board,
    Cell,
    Choice,
    Json,
    PhaseFacts,
    PhaseId,
    Reading,
    Resolution,
    ResultTable,
    RulesError,
    Sheet,
    Standing,
    Volumes,
)
from .charts import Chart
from .deals.promises import NONE, Promises
from .deals.terms import Clause
from .example import Example
from .lands import Unit
from .plan import Odds, Ordered, Plan
from .risks import Risk


class Speech(Protocol):
    """Orders and events as they are read out on the telephone."""

    def orders(
        self, state: Any, nation: str, text: str, companies: Mapping[str, str]
    ) -> tuple[tuple[int, str], ...]:
        """Each understood line, by number, as a sentence to be read back on the telephone; attacks
        with their odds on this board.

        `companies` has names of stocks by symbol; a stock without one is spelled.
        """
        ...

    def event(self, event: Json, companies: Mapping[str, str]) -> str:
        """An event of a judged phase as it is read out: no figures, no signs."""
        ...


class Planner(Protocol):
    """Help with writing orders: what may be ordered, what a text comes to, and the odds."""

    def choices(self, state: Any, nation: str) -> tuple[Choice, ...]: ...

    def samples(self, state: Any, nation: str, stocks: Sequence[str]) -> tuple[str, ...]:
        """Up to a handful of lines that could be sent together as they stand, by way of example:
        taken without a warning, and nothing that binds for good. `stocks` may be named."""
        ...

    def plan(self, state: Any, nation: str, text: str) -> Plan:
        """What an order text comes to: its accepted lines as values, attacks with their odds on
        this board, and what is left to order."""
        ...

    def revise(
        self, state: Any, nation: str, text: str, ordered: Ordered, drop: bool = False
    ) -> str:
        """The nation's text with one order written into it, or with `drop` taken out of it; every
        other line stays. `ordered` is of a `Choice`."""
        ...

    def chances(self, state: Any, nation: str, area: str, targets: Sequence[str]) -> Odds | None:
        """Return what an attack would come to, as far as the nation knows; None if impossible."""
        ...

    def brief(self, state: Any, nation: str) -> tuple[str, ...]:
        """Tell a nation where it stands in this phase: PFs to place and at home, who is immune."""
        ...


class Guide(Protocol):
    """What the printed game says, and what a phase that was judged meant."""

    def charts(self, state: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the printed charts, nation by nation: allocation and objectives, a line each."""
        ...

    def further_charts(self, card: Json) -> tuple[Chart, ...]:
        """Return what a checked card has beyond areas, allocation and objectives, in words."""
        ...

    def sheet(self, state: Any, nation: str) -> Sheet:
        """A nation's sheet, with what of it is reached as if the game ended here."""
        ...

    def table(self) -> ResultTable: ...

    def forms(self, state: Any) -> tuple[tuple[str, str], ...]:
        """Return every form of order of this game, each with what it does; none where orders are
        free text. A form that begins with a blank goes on the line above."""
        ...

    def notes(self) -> tuple[str, ...]:
        """Return what must be known of attacks beside the table, in sentences."""
        ...

    def draws(self, state: Any) -> tuple[str, ...]:
        """Say in short what is drawn besides the digits of attacks; () where nothing is."""
        ...

    def lots(self, state: Any) -> tuple[str, ...]:
        """Say what is drawn besides the digits of attacks, and how; () where nothing is."""
        ...

    def risks(self, state: Any, events: Sequence[Json]) -> tuple[Risk | None, ...]:
        """For each event of a phase that began with `state`, as anybody may know it: what it might
        have come to; None for no throw."""
        ...

    def replay(self, state: Any, events: Sequence[Json]) -> tuple[Any, ...]:
        """Return the states after each event of a phase begun with `state`, as events tell."""
        ...

    def contradictions(
        self, options: Mapping[str, Any], seats: Collection[str], lent: Collection[str]
    ) -> Iterator[str]:
        """Yield a sentence for each two choices that clash. `lent`: `seats` nobody holds."""
        ...

    def examples(self) -> tuple[Example, ...]:
        """What the page that explains the rules shows, judged by the rules themselves."""
        ...


class Editor(Protocol):
    """What rulings need. Edits raise `RulesError` where the board could not stand so."""

    @property
    def ruling_kinds(self) -> tuple[str, ...]:
        """The kinds of rulings that mean something to this game (games/rules/rulings.py)."""
        ...

    def edit(self, state: Any, cells: Mapping[str, Mapping[str, Cell]]) -> Any:
        """Return the state with these cells, by area and nation, and all else as it was."""
        ...

    def counter(self, state: Any, nation: str, area: str, counter: str, given: bool) -> Any:
        """Return the state with a counter ("understanding", "control") given or taken."""
        ...

    def ally(self, state: Any, a: str, b: str, allied: bool) -> Any:
        """The state with two nations allied, or not allied any more."""
        ...

    def hand_over(self, state: Any, nation: str, controller: str) -> Any:
        """Return the state in which another nation sends an unheld one's orders for now."""
        ...

    def adjust(self, state: Any, nation: str, points: int) -> Any:
        """The state with points added to, or taken from, a nation's score from here on."""
        ...

    def attempts(
        self,
        state: Any,
        orders: Mapping[str, str],
        volumes: Volumes,
        reserves: Sequence[str],
        results: Mapping[tuple[str, int], str] | None = None,
    ) -> Mapping[tuple[str, int], tuple[Attempt, ...]]:
        """For every attack that came to a throw, by nation and line: the stocks that it came to, up
        to the one that decided.

        Asked as `resolve` is, and of the same orders.
        """
        ...


class Bot(Protocol):
    """A program that plays: for practice, empty seats, whole games on trial."""

    def orders(self, state: Any, nation: str, salt: str, promises: Promises = NONE) -> str:
        """Return legal, sensible orders for a nation, the same for the same state and salt.

        `promises` are what its deals ask of it; whether it keeps them their price says.
        """
        ...

    def play(
        self,
        state: Any,
        salt: str,
        volumes: Volumes,
        reserves: Sequence[str],
        promises: Mapping[str, Promises] = {},
        look: Any = None,
    ) -> Resolution:
        """A phase in which programs send all orders, naming no stocks: what `orders` and
        `Ruleset.resolve` come to, as quickly as may be. `promises` by nation; `look` is the
        `Deals.outlook` of the state, where it is made already."""
        ...


class Deals(Protocol):
    """What a game says about deals between two nations (games/rules/deals), where games differ."""

    @property
    def verbs(self) -> tuple[str, ...]:
        """The promises that mean something in this game (`terms.FORMS`)."""
        ...

    def turns(self, state: Any) -> int:
        """Return how many turns the game has."""
        ...

    def has_come_about(self, state: Any, clause: Clause) -> bool:
        """Return whether the board shows what two have promised to do together."""
        ...

    def bar(self, before: Any, after: Any, clause: Clause) -> str:
        """Say why two could not do together what they promised, "" where they could have.

        `before` is the first phase in which it counted, `after` what the last one left.
        """
        ...

    def orders_it(self, state: Any, nation: str, text: str, clause: Clause) -> bool:
        """Return whether an order text does the nation's part of what two do together."""
        ...

    # How programs bargain.

    def bargains(self, state: Any) -> bool:
        """Return whether programs propose anything in this phase."""
        ...

    def seen_alike(self, state: Any) -> bool:
        """Return whether the outlook of every nation's view is that of the state."""
        ...

    def outlook(self, state: Any) -> Any:
        """Return a position as programs look at it, for `ideas` and `weigh`: of a nation's view."""
        ...

    def ideas(self, look: Any, nation: str) -> tuple[Clause, ...]:
        """Return promises worth proposing in this phase, each by itself, the best first."""
        ...

    def weigh(self, look: Any, nation: str, clauses: Sequence[Clause]) -> float:
        """Return what a deal is worth to a nation, in points; below 0 it costs more."""
        ...


class Referee(Protocol):
    """What a game adds in which a gamesmaster plays out a map and says in reports what came of it.

    The reports stand among the orders, as `REFEREE_SEAT`. `PhaseFacts.awaited` tells which phases
    wait for one. Orders of such a game may be free text.
    """

    def table(self, state: Any, sheet: str = "") -> Any | None:
        """What a gamesmaster needs to see for his sheet, once the lines of `sheet` stand."""
        ...

    def owed(self, state: Any) -> tuple[str, ...]:
        """In a refereed game: what dice are thrown for next, in the order in which they are read;
        () where none are asked for."""
        ...

    def tables_used(self, state: Any, events: Sequence[Json]) -> tuple[str, ...]:
        """Tables other than that of attacks by which digits were read in a phase that began with
        `state`, each as a sentence."""
        ...

    def order_forms(self, state: Any, nation: str) -> Any | None:
        """Order lines with blanks to be filled in, and what else is chosen from lists; None where
        `choices` offers all there is."""
        ...

    def own_words(self, state: Any, nation: str, text: str) -> tuple[int, ...]:
        """Return the numbers of lines taken as free text, for the gamesmaster to judge."""
        ...

    def verbs(self, nation: str) -> tuple[str, ...]:
        """The words with which lines of a nation's text begin, free text apart; () where they are
        those that all games know."""
        ...

    def instructions(self, state: Any) -> tuple[str, ...]:
        """Say how orders are written in this phase; () where `choices` say enough."""
        ...

    def score_sheets(self, state: Any) -> tuple[Any, ...]:
        """Each player's sheet with every entry judged and its case cited; () where the rules have
        no such thing, or a view tells none."""
        ...


class Ruleset(Protocol):
    """The questions that judging asks of a game, and its parts. `State` is the ruleset's own frozen
    type; nobody else looks inside it."""

    id: str  # "origins-ww2"
    title: str
    #: Prefixes of the options that mean something to this game: ("rng", "orders", "seat", "ow2").
    option_groups: tuple[str, ...]
    #: Counters that stand beside PFs: ("understanding", "control"); () where there are none.
    counters: tuple[str, ...]
    unit: Unit  # what the numbers on its board count
    playable: bool  # whether programs can play it well enough to be sat down with people

    @property
    def speech(self) -> Speech: ...

    @property
    def planner(self) -> Planner: ...

    @property
    def guide(self) -> Guide: ...

    @property
    def editor(self) -> Editor: ...

    @property
    def bot(self) -> Bot: ...

    @property
    def deals(self) -> Deals | None:
        """None in a game whose orders are free text: no program can say what came of a deal."""
        ...

    @property
    def referee(self) -> Referee | None:
        """None in a game that is judged by orders alone."""
        ...

    def check_card(self, tree: Json) -> None:
        """Raises `cards.CardError` (key and fault) where the tree is not a card of this game."""
        ...

    def scenarios(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of shipped scenarios that a game with these options draws from, all of
        which its card must have (`registry.add_scenarios`); () where one card is all."""
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

    def facts(self, phase: PhaseId, options: Mapping[str, Any]) -> PhaseFacts:
        """What is so of a phase whatever the state."""
        ...

    def needs_secret(self, options: Mapping[str, Any]) -> bool:
        """Whether a game with these options draws something in secret: then it needs a secret,
        whose SHA-256 is published."""
        ...

    def nations(self, state: Any) -> tuple[str, ...]:
        """All nations in card order."""
        ...

    def acting(self, state: Any) -> tuple[str, ...]:
        """The nations that may send orders in this phase, in card order."""
        ...

    def controllers(self, state: Any) -> Mapping[str, str]:
        """Nations that nobody holds, each with the nation that sends its orders now."""
        ...

    def view(self, state: Any, nation: str | None) -> Any:
        """The state as that nation may see it (None: the public). Everything that anybody is ever
        shown comes from here."""
        ...

    def board(self, state: Any) -> Board: ...

    def read(self, text: str, nation: str, state: Any) -> Reading: ...

    def merge(self, earlier: str, later: str, nation: str, state: Any) -> str:
        """orders.amend = merge_lines: the earlier text with the later one's lines added, and put in
        place of those about the same thing."""
        ...

    def in_force(self, state: Any, sent: Mapping[str, str]) -> dict[str, str]:
        """Order texts as they stand once standing wishes and the options for silent nations are
        added: nation to text.

        `sent` holds the newest text of each nation that sent one. What comes back goes to `resolve`
        and into the record, so that a stranger needs nothing else to judge the phase.
        """
        ...

    def stocks(self, state: Any, orders: Mapping[str, str]) -> tuple[str, ...]:
        """The stocks that the orders name, in order of first use, without the reserve list."""
        ...

    def pf_to_place(self, state: Any, orders: Mapping[str, str]) -> Mapping[str, int]:
        """What nations have left to be placed by the gamesmaster before the phase is published, in
        card order; {} where nothing is.

        Asked of the texts in force, as `resolve` is. `resolve` itself does with it what it does
        where nobody places it.
        """
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

    def standing(self, state: Any) -> Standing: ...

    def situation(self, tree: Json, card: Json, options: Mapping[str, Any]) -> Any:
        """The state described by `turn`, `phase`, `board` (and what else the game has) of a
        situation of contract.md 4.

        Raises `RulesError` that names the key at fault.
        """
        ...

    def answer(self, before: Any, resolution: Resolution) -> Json:
        """The resolution in the JSON form of contract.md 4, without `id`."""
        ...


def referee_of(rules: Ruleset) -> Referee:
    """Return what a refereed game adds. Raises `RulesError` for a game that has no referee."""
    if rules.referee is None:
        raise RulesError(f"{rules.title} has no referee")
    return rules.referee
