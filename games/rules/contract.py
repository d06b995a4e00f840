"""The contract of a ruleset: the questions that judging, pages, letters and rulings ask of a game.

They cover the telephone and a gamesmaster's reports, too. A module may implement a protocol just as
a class may: the games have `speech = spoken` and the like.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Protocol

from . import (
    Attempt,
    Board,
    Choice,
    Json,
    NationFacts,
    PhaseFacts,
    PhaseId,
    Reading,
    Resolution,
    ResultTable,
    Standing,
    Volumes,
)
from .deals.promises import NONE, Part, Promises
from .deals.terms import Clause
from .explaining import Chart, Example, Risk
from .lands import Unit
from .plain.editions import NOTHING_BEFORE, Understood
from .plan import Odds, Plan, PlannedOrder
from .verbs import Verbs


class Speech(Protocol):
    """Spoken forms of orders and events, for the telephone."""

    def orders(
        self, state: Any, nation: str, text: str, companies: Mapping[str, str]
    ) -> tuple[tuple[int, str], ...]:
        """Return each understood line, by number, as a sentence to read back on the telephone.

        Attacks have their odds on this board. `companies` has names of stocks by symbol; a stock
        without one is spelled.
        """
        ...

    def event(self, event: Json, companies: Mapping[str, str]) -> str:
        """Return an event of a judged phase as it is read aloud, without numerals and symbols."""
        ...


class Planner(Protocol):
    """Help with writing orders: possible orders, the meaning of a text, and odds."""

    def choices(self, state: Any, nation: str) -> tuple[Choice, ...]: ...

    def samples(self, state: Any, nation: str, stocks: Sequence[str]) -> tuple[str, ...]:
        """Return a few example lines that could be sent together as they are.

        They are accepted without a warning and commit the nation to nothing lasting. `stocks` may
        be named.
        """
        ...

    def plan(self, state: Any, nation: str, text: str) -> Plan:
        """Return an order text as values: accepted lines, and how much is left to order.

        Attacks have their odds on this board.
        """
        ...

    def revise(
        self, state: Any, nation: str, text: str, ordered: PlannedOrder, drop: bool = False
    ) -> str:
        """Return the nation's text with one order written into it or, with `drop`, removed from it.

        Every other line stays. `ordered` comes from a `Choice`.
        """
        ...

    def chances(self, state: Any, nation: str, area: str, targets: Sequence[str]) -> Odds | None:
        """Return the odds and results of an attack as the nation knows them; None if impossible."""
        return None

    def brief(self, state: Any, nation: str) -> tuple[str, ...]:
        """Return a nation's situation in this phase: PFs to place and at home, who is immune."""
        ...


class Guide(Protocol):
    """The contents of the printed game in words, and explanations of judged phases.

    The answers here are those of a game with nothing to explain beyond its table.
    """

    def charts(self, state: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the printed charts by nation: allocation and objectives, a line each."""
        ...

    def further_charts(self, card: Json) -> tuple[Chart, ...]:
        """Return in words what a checked card has beyond areas, allocation and objectives."""
        return ()

    def nation_facts(self, state: Any, nation: str) -> NationFacts:
        """Return a nation's home, new PFs and objectives, marked as if the game ended now."""
        ...

    def table(self) -> ResultTable: ...

    def notes(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        """Return sentences with what a player must know about attacks besides the table.

        They are true under these options: a sentence that an option changes looks at it.
        """
        return ()

    def draws(self, state: Any) -> tuple[str, ...]:
        """Return briefly what is drawn besides the digits of attacks."""
        return ()

    def lots(self, state: Any) -> tuple[str, ...]:
        """Return what is drawn besides the digits of attacks, and how."""
        return ()

    def risks(self, state: Any, events: Sequence[Json]) -> tuple[Risk | None, ...]:
        """Return the possible results of each event of a phase; None for an event without a throw.

        `state` is the state in which the phase began, as far as anybody may know it.
        """
        return tuple(None for _ in events)

    def replay(self, state: Any, events: Sequence[Json]) -> tuple[Any, ...]:
        """Return the states after each event of a phase, as the events tell.

        `state` is the state in which the phase began.
        """
        return tuple(state for _ in events)

    def contradictions(
        self, options: Mapping[str, Any], seats: Collection[str], lent: Collection[str]
    ) -> Iterator[str]:
        """Yield a sentence for each pair of choices that clash.

        `lent` are the `seats` that nobody holds.
        """
        yield from ()

    def examples(self) -> tuple[Example, ...]:
        """Return the examples of the page that explains the rules, judged by the engine."""
        return ()


class Editor(Protocol):
    """Rulings on a game, and the edits that they make.

    The answers here are those of a game whose board no ruling changes, and whose attacks try no
    stocks.
    """

    @property
    def ruling_kinds(self) -> tuple[str, ...]:
        """The kinds of rulings in this game that neither every game has nor `edits` lists."""
        return ()

    @property
    def edits(self) -> Mapping[str, Callable[..., Any]]:
        """What each kind of ruling on the board does in this game, by kind.

        Each takes the state and, by name, what is ruled (games/rules/ruling_kinds.py), with `Cell`
        for cells. It returns the state after, or raises `RulesError` where the resulting board is
        impossible.
        """
        return {}

    def attempts(
        self,
        state: Any,
        orders: Mapping[str, str],
        volumes: Volumes,
        reserves: Sequence[str],
        results: Mapping[tuple[str, int], str] | None = None,
    ) -> Mapping[tuple[str, int], tuple[Attempt, ...]]:
        """Return the stocks that each attack with a throw tried, up to the one that decided.

        Keys are nation and line. The arguments are those of `resolve`, with the same orders.
        """
        return {}


class Bot(Protocol):
    """A program that plays: practice games, vacant seats, and whole games for testing."""

    def orders(self, state: Any, nation: str, salt: str, promises: Promises = NONE) -> str:
        """Return legal, sensible orders for a nation, the same for the same state and salt.

        `promises` are what its deals ask of it; their price decides whether it keeps them.
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
        """Judge a phase in which programs send all orders and name no stocks.

        The result is that of `orders` and `Ruleset.resolve`, but faster. `promises` are by nation;
        `look` is the `Deals.outlook` of the state, if the caller already has it.
        """
        ...


class Deals(Protocol):
    """Deals between two nations (games/rules/deals), where games differ."""

    @property
    def verbs(self) -> tuple[str, ...]:
        """The promises that apply to this game (`terms.FORMS`)."""
        ...

    def has_come_about(self, state: Any, clause: Clause) -> bool:
        """Return whether the board shows what two nations promised to do together."""
        ...

    def bar(self, before: Any, after: Any, clause: Clause) -> str:
        """Return why two nations could not do together what they promised; "" if they could.

        `before` is the state of the first phase in which the promise counted, `after` the state
        after the last.
        """
        ...

    def orders_it(self, state: Any, nation: str, text: str, clause: Clause) -> bool:
        """Return whether an order text does the nation's part of a joint promise."""
        ...

    # How programs bargain.

    def bargains(self, state: Any) -> bool:
        """Return whether programs propose deals in this phase."""
        ...

    def seen_alike(self, state: Any) -> bool:
        """Return whether every nation's view has the same outlook as the state."""
        ...

    def outlook(self, state: Any) -> Any:
        """Return a position, seen by one nation, in the form that `ideas` and `parts` take."""
        ...

    def ideas(self, look: Any, nation: str) -> tuple[tuple[Clause, ...], ...]:
        """Return deals worth proposing in this phase, best first."""
        ...

    def wants(self, look: Any, nation: str, other: str) -> tuple[str, ...]:
        """Return the areas that a nation would have another leave to it, best first."""
        ...

    def parts(self, look: Any, nation: str, clauses: Sequence[Clause]) -> tuple[Part, ...]:
        """Return what a deal brings a nation and what it costs it, in points; below 0, with why."""
        ...


class Writing(Protocol):
    """How orders are written, where `Planner.choices` does not offer everything.

    The answers here are those of a game in which it does (`ChoicesOnly`).
    """

    def silence(self, nation: str) -> str:
        """Return a sentence about what silence of a nation means; "" where options decide."""
        return ""

    def order_forms(self, state: Any, nation: str) -> Any | None:
        """Return order lines with blanks to fill in, and other choices from lists.

        Return None where `choices` offers everything.
        """
        return None

    def own_words(self, state: Any, nation: str, text: str) -> tuple[int, ...]:
        """Return the numbers of the lines that are free text, for the gamesmaster to judge."""
        return ()

    def verbs(self, nation: str) -> tuple[str, ...]:
        """Return the first words of lines in a nation's text, except free text.

        Return () where they are those that all games know.
        """
        return ()

    def instructions(self, state: Any) -> tuple[str, ...]:
        """Return how to write orders in this phase, in sentences; () where `choices` is enough."""
        return ()


class ChoicesOnly(Writing):
    """A game whose orders are all offered by `Planner.choices`."""


class Referee(Protocol):
    """What a gamesmaster adds to a game whose phases may wait for a report of theirs.

    The gamesmaster plays out a map and reports the results. The reports are stored among the
    orders, in the name of a seat of `seats`. `PhaseFacts.awaited` tells which phases wait for one.
    The answers here are those of a game that is judged by orders alone (`NoReferee`).
    """

    @property
    def seats(self) -> tuple[str, ...]:
        """The seat in whose name reports are sent, (`REFEREE_SEAT`,); () without reports."""
        return ()

    def visible_state(self, state: Any) -> Any:
        """Return the state as its gamesmaster may see it, who plays no nation."""
        return state

    def table(self, state: Any, report: str = "") -> Any | None:
        """Return what a gamesmaster needs to see for a report.

        The lines of `report` are applied first.
        """
        return None

    def pending_dice(self, state: Any) -> tuple[str, ...]:
        """Return what the next dice of a refereed game are for, in reading order.

        Return () where no dice are needed.
        """
        return ()

    def tables_used(self, state: Any, events: Sequence[Json]) -> tuple[str, ...]:
        """Return a sentence for each table by which digits were read, except that of attacks.

        `state` is the state in which the phase began.
        """
        return ()

    def title_of_report(self, before: Any, after: Any) -> str:
        """Return a title for a result whose report covers more than its phase; "" for others."""
        return ""

    def titles_of_reports(self, state: Any, phases: Sequence[PhaseId]) -> dict[PhaseId, str]:
        """Return the same for phases that follow one another, and that `state` follows."""
        return dict.fromkeys(phases, "")

    def score_sheets(self, state: Any) -> tuple[Any, ...]:
        """Return each player's score sheet with every entry judged and its case cited.

        Return () where the rules have no such sheets, or a view may not see any.
        """
        return ()


class NoReferee(Referee):
    """A game that is judged by orders alone: nobody reports."""


class Ruleset(Protocol):
    """A game: its parts, and the questions that judging asks of it.

    `State` is the ruleset's own frozen type; nothing else looks inside it. A game says only where
    it differs from the answers here, which are those of a game judged by orders and figures alone.
    """

    id: str  # "origins-ww2"
    title: str
    #: Prefixes of the options that apply to this game: ("rng", "orders", "seat", "ow2").
    option_groups: tuple[str, ...]
    #: Counters besides PFs: ("understanding", "control"); () where there are none.
    counters: tuple[str, ...] = ()
    unit: Unit  # what the numbers on its board count
    playable: bool = True  # whether programs play it well enough to play against people
    verbs: Verbs  # its orders
    #: Whether orders and figures alone decide every phase. Then pages offer “What if?”, forecasts
    #: and orders ahead.
    foreseeable: bool = True
    #: Whether orders may name stocks; else only the published list is read.
    names_stocks: bool = True
    teams: bool = True  # whether several people may play one nation
    #: Whether the player of another nation plays a nation without a player, from the start.
    shares_players: bool = False
    #: Whether scenarios have the printed charts, which nobody may change.
    printed_charts: bool = False
    score_sheets: bool = False  # whether players keep printed score sheets, an entry a turn
    #: Whether some orders are secret even from the gamesmaster until the game is over.
    seals_orders: bool = False
    #: Kinds of phases to which a game may give a length of its own.
    timed_kinds: tuple[str, ...] = ("placement", "attacks")
    writing: Writing = ChoicesOnly()
    #: What a gamesmaster's reports add to the game.
    referee: Referee = NoReferee()
    #: Deals in this game; None where orders are free text: no program can judge from it what became
    #: of a deal.
    deals: Deals | None

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

    def check_card(self, tree: Json) -> None:
        """Raise `cards.CardError` (key and fault) where the tree is not a card of this game."""
        ...

    def scenarios(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of shipped scenarios that a game with these options draws from.

        The game's card must have all of them (`registry.add_scenarios`). Return () where one card
        is enough.
        """
        return ()

    def setup(
        self, card: Json, options: Mapping[str, Any], seats: Sequence[str], secret: str = ""
    ) -> Any:
        """Return the first state.

        `seats` are the nations that people or programs play; raise `RulesError` where these cannot
        play alone. `secret`, 64 hexadecimal digits, is the source of secret draws, where the
        options have any; without it nothing is drawn.
        """
        ...

    def dump(self, state: Any) -> Json:
        """Return the position as JSON: everything in the state except card and options."""
        ...

    def load(self, card: Json, options: Mapping[str, Any], position: Json) -> Any: ...

    def phase(self, state: Any) -> PhaseId | None:
        """Return the phase that comes now; None when the game is over."""
        ...

    def facts(self, phase: PhaseId, options: Mapping[str, Any]) -> PhaseFacts:
        """Return the facts about a phase that do not depend on the state."""
        ...

    def needs_secret(self, options: Mapping[str, Any]) -> bool:
        """Return whether a game with these options draws something in secret.

        Such a game needs a secret, whose SHA-256 is published.
        """
        return False

    def nations(self, state: Any) -> tuple[str, ...]:
        """Return all nations in card order."""
        ...

    def turns(self, state: Any) -> int:
        """Return how many turns the game has."""
        ...

    def acting_nations(self, state: Any) -> tuple[str, ...]:
        """Return the nations that may send orders in this phase, in card order."""
        ...

    def could_order(self, state: Any, nation: str) -> bool:
        """Return whether an acting nation could order anything but PASS, as far as all may know.

        One that could not owes nothing, and nobody waits for it; what it sends all the same is
        recorded. Where the answer would tell a secret, it is True.
        """
        return True

    def controllers(self, state: Any) -> Mapping[str, str]:
        """Return the nations that nobody holds, each with the nation that sends its orders now."""
        return {}

    def view(self, state: Any, nation: str | None) -> Any:
        """Return the state as a nation may see it (None: the public).

        Everything that people are shown comes from here.
        """
        ...

    def board(self, state: Any) -> Board: ...

    def read(self, text: str, nation: str, state: Any) -> Reading: ...

    def merge(
        self,
        earlier: str,
        later: str,
        nation: str,
        state: Any,
        before: Mapping[str, Understood] = NOTHING_BEFORE,
    ) -> str:
        """Return the earlier text with the later one merged in (orders.amend = merge_lines).

        Later lines are added and replace those about the same thing. `before`: by text, what
        another edition of the plain reader understood of it (games.rules.plain.editions).
        """
        ...

    def in_force(self, state: Any, sent: Mapping[str, str]) -> dict[str, str]:
        """Return the order texts in force, by nation.

        `sent` holds the newest text of each nation that sent one; standing wishes and the options
        for silent nations are added. The texts go to `resolve` and into the record, so that a
        stranger needs nothing else to judge the phase.
        """
        ...

    def stocks(self, state: Any, orders: Mapping[str, str]) -> tuple[str, ...]:
        """Return the stocks that the orders name, in order of first use.

        The reserve list is not included.
        """
        ...

    def stocks_to_read(
        self, state: Any, orders: Mapping[str, str], reserves: Sequence[str]
    ) -> tuple[str, ...] | None:
        """Return `stocks`, or None if the phase needs no figure: all its attacks are void, say.

        The orders are read once for both. The arguments are those of `resolve`.
        """
        ...

    def pf_to_place(self, state: Any, orders: Mapping[str, str]) -> Mapping[str, int]:
        """Return the PFs that the gamesmaster must place for nations before the phase is published.

        They are in card order; {} if there are none. `orders` are the texts in force, as for
        `resolve`, which itself treats these PFs as if nobody placed them.
        """
        return {}

    def resolve(
        self,
        state: Any,
        orders: Mapping[str, str],
        volumes: Volumes,
        reserves: Sequence[str],
        results: Mapping[tuple[str, int], str] | None = None,
    ) -> Resolution:
        """Judge the phase.

        `results` sets the results of attacks, by nation and line: a result of the table, or "void".
        Only an attack that comes to a throw takes such a result. It uses up its digit as usual if
        that is known, so that no other attack gets a different one because of it; if not
        (`UnknownFigure`), it does without. Its event has `ruled`.
        """
        ...

    def standing(self, state: Any) -> Standing: ...

    def situation(self, tree: Json, card: Json, options: Mapping[str, Any]) -> Any:
        """Return the state that a situation describes (`manage.py adjudicate`).

        `tree` has `turn`, `phase`, `board`, and what else the game has. Raise `RulesError` naming
        the key at fault.
        """
        ...

    def answer(self, before: Any, resolution: Resolution) -> Json:
        """Return the resolution as the answer to a situation, without `id`."""
        ...
