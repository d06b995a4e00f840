"""World War II, Multi-Player rules, answers the questions of the contract of a ruleset, and those
of a refereed game (docs/design.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .. import (
    Board,
    Cell,
    Choice,
    Json,
    PhaseId,
    Reading,
    Remark,
    Resolution,
    ResultTable,
    RulesError,
    Sheet,
    Standing,
    Tried,
    Volumes,
)
from .. import cards as shipped
from ..charts import Chart
from ..digits import Drawer
from ..example import Example
from ..lands import SP
from ..options import validate
from ..orders import lines
from ..plan import Odds, Ordered, Plan
from ..risks import Risk
from . import (
    checking,
    dice,
    diplomacy,
    examples,
    flow,
    hostility,
    order_forms,
    planning,
    players,
    refereeing,
    scoring,
    seeing,
    spoken,
    table,
    told,
)
from . import printed as printed_charts
from . import sheet as sheets
from .calendar import printed
from .card import GAME
from .charts import card_of
from .players import player_of
from .state import COUNT, DICE, DIPLOMACY, OVER, REFEREE, SHEET, Force, State, dump, load

LAST_TURN = 23  # 5.7 speaks of no later one
_OUTCOMES = {
    "landed": "lands safely",
    "aborted": "goes back and does nothing more",
    "eliminated": "is lost",
}


class WW2MultiPlayer:
    id = GAME
    title = "World War II, Multi-Player"
    option_groups: tuple[str, ...] = ("rng", "orders", "seat", "spi")
    counters: tuple[str, ...] = ()
    rulable: tuple[str, ...] = (
        "orders",
        "digit",
        "position",
        "alliance",
        "points",
        "option",
        "again",
        "rollback",
        "revoke",
    )
    unit = SP
    playable = False  # free text cannot be judged by a program: it would pass, and play nothing
    refereed = (
        True  # the gamesmaster sends sheets, as SHEET, in the phases of which `sheeted` is true
    )

    def sheeted(self, phase: PhaseId) -> bool:
        """Whether a phase waits for a sheet of the gamesmaster instead of orders, and closes when
        he has sent it."""
        return phase.kind.partition("-")[0] in (REFEREE, COUNT)

    def referee_table(self, state: State, sheet: str = "") -> table.Table | None:
        """What the gamesmaster needs to see for his sheet; with lines of it that he has written,
        what is so once they stand."""
        return table.table(state, sheet)

    def order_forms(self, state: State, nation: str) -> order_forms.OrderForms:
        """What a power may fill in beside its choices."""
        return order_forms.order_forms(state, nation)

    def check_card(self, tree: Json) -> None:
        card_of(tree)

    # The state and its JSON form

    def setup(
        self, card: Json, options: Mapping[str, Any], seats: Sequence[str], secret: str = ""
    ) -> State:
        charts, chosen = card_of(card), validate(options)
        if not 1 <= (last := chosen["spi.last_turn"]) <= charts.turns:
            raise RulesError(
                f"A campaign ends with one of the Game-Turns 1 to {charts.turns}; there is no turn"
                f" {last}."
            )
        state = State(charts, chosen, players.seats_of(charts, tuple(seats)), 1, DIPLOMACY)
        return flow.begun(state)[0]

    def dump(self, state: State) -> Json:
        return dump(state)

    def load(self, card: Json, options: Mapping[str, Any], position: Json) -> State:
        return load(card_of(card), validate(options), position)

    # Where the game stands

    def phase(self, state: State) -> PhaseId | None:
        return None if state.step == OVER else PhaseId(state.turn, flow.kind(state))

    def phase_title(self, phase: PhaseId, options: Mapping[str, Any]) -> str:
        return f"Turn {phase.turn} ({printed(phase.turn)}), {flow.title(phase)}"

    def draws(self, phase: PhaseId) -> bool:
        return phase.kind.partition("-")[0] == DICE

    def voluntary(self, phase: PhaseId) -> bool:
        """Whoever has nothing to sign sends nothing to the diplomacy."""
        return phase.kind == DIPLOMACY

    def negotiation_days(self, phase: PhaseId, options: Mapping[str, Any]) -> int | None:
        """Days of a phase of diplomacy: twice as many before the first Game-Turn (4.2).

        None for any other phase, and where the option is 0: then the schedule says when it ends, as
        it does of orders.
        """
        days: int = options["spi.diplomacy_days"]
        return (
            None if phase.kind != DIPLOMACY or not days else 2 * days if phase.turn == 1 else days
        )

    def hides_from_gamesmaster(self, phase: PhaseId) -> bool:
        """Columns are sealed in the diplomacy before turn 1 (19.2); nobody else sees them before
        the count."""
        return phase.kind == DIPLOMACY and phase.turn == 1

    def secretive(self, options: Mapping[str, Any]) -> bool:
        return False

    def idle(self, phase: PhaseId) -> bool:
        return self.draws(phase)

    def lots(self, state: State) -> tuple[str, ...]:
        return seeing.lots(state)

    def controllers(self, state: State) -> Mapping[str, str]:
        return players.controllers(state)

    def nations(self, state: State) -> tuple[str, ...]:
        return state.card.order

    def acting(self, state: State) -> tuple[str, ...]:
        return seeing.acting(state)

    def view(self, state: State, nation: str | None) -> State:
        return seeing.view(state, nation)

    def board(self, state: State) -> Board:
        return seeing.board(state)

    def choices(self, state: State, nation: str) -> tuple[Choice, ...]:
        return seeing.choices(state, nation)

    def plan(self, state: State, nation: str, text: str) -> Plan:
        """What is ordered, without totals: what a power may spend stands on tracks of the base
        game."""
        if nation == SHEET:
            return Plan((), ())
        return Plan(
            tuple(planning.ordered(order) for order in checking.orders_of(text, nation, state)), ()
        )

    def revise(self, state: State, text: str, ordered: Ordered, drop: bool = False) -> str:
        """The text with a line taken out, by its number or by what it says, or with one of a choice
        put after the others."""
        if drop:
            return planning.without(text, state.card, ordered)
        choice = Choice(ordered.verb, ordered.area, nations=ordered.nations)
        return "\n".join(
            [*([text.rstrip()] if text.strip() else []), choice.line(nations=ordered.nations)]
        )

    def chances(self, state: State, nation: str, area: str, targets: Sequence[str]) -> Odds | None:
        return None  # what an attack comes to stands in the base game's tables

    def brief(self, state: State, nation: str) -> tuple[str, ...]:
        return seeing.brief(state, nation)

    def charts(self, state: State) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return seeing.charts(state)

    # Orders

    def read(self, text: str, nation: str, state: State) -> Reading:
        if nation == SHEET:
            return self._sheet_read(text, state)
        return checking.read(text, nation, seeing.view(state, nation))

    def _sheet_read(self, text: str, state: State) -> Reading:
        """A sheet, with what would be refused of it if it were carried out now."""
        found = sheets.read(text, state.card)
        tried = refereeing.judged(state, text) if state.step in (REFEREE, COUNT) else None
        remarks = tuple(tried.told.get(SHEET, ())) if tried else ()
        refused = {remark.line for remark in remarks if remark.severity == "error"}
        entries = tuple(entry for entry in found.entries if entry.line not in refused)
        return Reading(
            entries, tuple((entry.line, entry.text) for entry in entries), remarks, found.sent
        )

    def spoken(
        self, state: State, nation: str, text: str, companies: Mapping[str, str]
    ) -> tuple[tuple[int, str], ...]:
        if nation == SHEET:
            return self._sheet_read(text, state).understood
        return tuple(
            (order.line, spoken.sentence(order))
            for order in checking.orders_of(text, nation, seeing.view(state, nation))
        )

    def told_aloud(self, event: Json, companies: Mapping[str, str]) -> str:
        return spoken.event(event)

    def in_force(self, state: State, sent: Mapping[str, str]) -> dict[str, str]:
        """What was sent, and no more: what stands from turn to turn (alliances, grants, Italy's
        word) is in the position."""
        return {power: sent[power] for power in self.acting(state) if power in sent}

    def merge(self, earlier: str, later: str, nation: str, state: State) -> str:
        return later if nation == SHEET else checking.merge(earlier, later, state)

    def bot(self, state: State, nation: str, salt: str) -> str:
        """A program passes; as the gamesmaster it lets every line be done. Enough to play a
        campaign through, and no opponent."""
        return "REST DONE\nEND" if nation == SHEET else "PASS"

    def played(
        self, state: State, salt: str, volumes: Volumes, reserves: Sequence[str]
    ) -> Resolution:
        return self.resolve(
            state,
            {who: self.bot(state, who, salt) for who in self.acting(state)},
            volumes,
            reserves,
        )

    def stocks(self, state: State, orders: Mapping[str, str]) -> tuple[str, ...]:
        return ()  # no order names a stock: dice are read from the published list alone

    # Judging a phase

    def resolve(
        self,
        state: State,
        orders: Mapping[str, str],
        volumes: Volumes,
        reserves: Sequence[str],
        results: Mapping[tuple[str, int], str] | None = None,
    ) -> Resolution:
        """`orders` are the powers' texts, or the gamesmaster's under SHEET; in a phase of dice they
        are not looked at."""
        if state.step == OVER:
            raise RulesError("the game is over")
        if state.step == DICE:
            thrown, events = dice.throw(state, Drawer(volumes, reserves, state.options))
            following, told = flow.after_dice(thrown)
            return Resolution(following, (*events, *told))
        if state.step in (REFEREE, COUNT):
            return self._refereed(state, orders.get(SHEET, ""))
        kept = {
            power: orders[power] for power in self.acting(state) if lines(orders.get(power, ""))
        }
        after, events, remarks = diplomacy.carried_out(state, kept)
        if state.step == DIPLOMACY:
            return Resolution(flow.after_diplomacy(after), tuple(events), remarks)
        return Resolution(
            flow.after_orders(replace(after, orders={**after.orders, **kept})),
            tuple(events),
            remarks,
        )

    def _refereed(self, state: State, text: str) -> Resolution:
        judged = refereeing.judged(state, text)
        remarks: dict[str, tuple[Remark, ...]] = {
            to: tuple(said) for to, said in judged.told.items()
        }
        if state.step == COUNT:
            if not judged.ended:
                return Resolution(
                    replace(judged.state, sheets=state.sheets + 1), tuple(judged.events), remarks
                )
            final = flow.over(judged.state)
            return Resolution(final, (*judged.events, *scoring.opened(final)), remarks)
        following, told = flow.after_sheet(judged.state, judged.ended)
        return Resolution(following, (*judged.events, *told), remarks)

    def tried(
        self,
        state: State,
        orders: Mapping[str, str],
        volumes: Volumes,
        reserves: Sequence[str],
        results: Mapping[tuple[str, int], str] | None = None,
    ) -> dict[tuple[str, int], tuple[Tried, ...]]:
        return {}

    def unplaced(self, state: State, orders: Mapping[str, str]) -> Mapping[str, int]:
        return {}

    # Rulings on a position

    def edit(self, state: State, cells: Mapping[str, Mapping[str, Cell]]) -> State:
        """Forces, all of them in supply. Control follows from what is told, and is ruled by a
        sheet."""
        for area, row in cells.items():
            if area not in state.card.areas:
                raise RulesError(f"{area} is no country of this card.")
            forces = dict(state.country(area).forces)
            for power, cell in row.items():
                if power not in state.card.order:
                    raise RulesError(f"{power} is no power of this card.")
                if cell.understanding or cell.control:
                    raise RulesError(
                        f"There are no counters in this game; who controls {area} is ruled by a"
                        " sheet."
                    )
                forces[power] = Force(cell.pf, cell.pf)
            state = state.put(
                area, forces={power: force for power, force in forces.items() if force.sp}
            )
        return state

    def counter(self, state: State, nation: str, area: str, counter: str, given: bool) -> State:
        raise RulesError("There are no counters in this game.")

    def ally(self, state: State, a: str, b: str, allied: bool) -> State:
        if player_of(state, a) == player_of(state, b):
            raise RulesError(f"{a} and {b} are in one hand.")
        return hostility.with_alliance(state, a, b, allied)

    def hand_over(self, state: State, nation: str, controller: str) -> State:
        raise RulesError(
            "Who sends the orders of a power follows from the seats, and from the entry of the USA"
            " (2.0)."
        )

    def adjust(self, state: State, nation: str, points: int) -> State:
        seat = player_of(state, nation)
        return replace(state, points={**state.points, seat: state.points.get(seat, 0) + points})

    def kept_until(self, phase: PhaseId, options: Mapping[str, Any]) -> PhaseId | None:
        """Texts are kept until the count: lines are published as they are ruled, but offers,
        columns and what never came about are not."""
        last = options["spi.last_turn"] or LAST_TURN
        return None if phase.kind.partition("-")[0] in (DICE, COUNT) else PhaseId(last, COUNT)

    def table(self) -> ResultTable:
        """The Mediterranean table, the one by which a die decides alone (6.53)."""
        outcomes = ("landed", "landed", "landed", "aborted", "aborted", "eliminated")
        return ResultTable(
            ("die",),
            tuple((face, (outcome,)) for face, outcome in enumerate(outcomes, start=1)),
            _OUTCOMES,
        )

    def further_charts(self, card: Json) -> tuple[Chart, ...]:
        return printed_charts.charts(card_of(card))

    def sheet(self, state: State, nation: str) -> Sheet:
        seat = player_of(state, nation)
        ruled = 0 if state.scores_hidden else state.points.get(seat, 0)
        return Sheet(nation, (), scoring.objectives(state, seat), ruled)

    def awaited(self, phase: PhaseId) -> str:
        return flow.awaited(phase) if self.sheeted(phase) else ""

    def owed(self, state: State) -> tuple[str, ...]:
        return told.owed(state)

    def looked_up(self, state: State, events: Sequence[Json]) -> tuple[str, ...]:
        return told.looked_up(state, events)

    def own_words(self, state: State, nation: str, text: str) -> tuple[int, ...]:
        return () if nation == SHEET else told.own_words(state, nation, text)

    def verbs(self, nation: str) -> tuple[str, ...]:
        return tuple(sheets.FORMS) if nation == SHEET else told.VERBS

    def instructions(self, state: State) -> tuple[str, ...]:
        return told.instructions(state)

    def samples(self, state: State, nation: str) -> tuple[str, ...]:
        return told.samples(state, nation)

    def risks(self, state: State, events: Sequence[Json]) -> tuple[Risk | None, ...]:
        return tuple(None for _ in events)

    def replayed(self, state: State, events: Sequence[Json]) -> tuple[State, ...]:
        return tuple(state for _ in events)

    def standing(self, state: State) -> Standing:
        return scoring.standing(state)

    def score_sheets(self, state: State) -> tuple[scoring.Worked, ...]:
        return scoring.worked(state)

    # A situation of contract 4

    def examples(self) -> tuple[Example, ...]:
        card = shipped.load(GAME, shipped.names(GAME)[0])
        return examples.examples(self.setup(card, {}, card["order"]), self.resolve)

    def situation(self, tree: Json, card: Json, options: Mapping[str, Any]) -> State:
        """`board` is a whole position, for there is nothing less that a phase could be judged from;
        `turn` and `phase` must be its own."""
        state = self.load(card, options, tree["board"])
        if self.phase(state) != PhaseId(tree["turn"], tree["phase"]):
            raise RulesError("turn and phase must be those of the position under board")
        return state

    def answer(self, before: State, resolution: Resolution) -> Json:
        state: State = resolution.state
        found, following = scoring.standing(state), self.phase(state)
        return {
            "board": dump(state),
            "events": list(resolution.events),
            "remarks": {
                nation: [remark.as_json() for remark in said]
                for nation, said in resolution.remarks.items()
            },
            "scores": dict(found.scores),
            "winners": None if found.winners is None else list(found.winners),
            "alliances": [[one.a, one.b] for one in state.alliances],
            "next": (
                None if following is None else {"turn": following.turn, "phase": following.kind}
            ),
        }
