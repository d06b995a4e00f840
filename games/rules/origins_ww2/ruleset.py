"""Origins of World War II answers the questions of the contract of a ruleset."""

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
    Resolution,
    ResultTable,
    RulesError,
    Sheet,
    Standing,
    Tried,
    Volumes,
)
from ..digits import Drawer
from ..example import Example
from ..lands import PF
from ..options import validate
from ..plan import Odds, Ordered, Plan
from ..points import points_of
from ..risks import Risk
from ..unrefereed import Unrefereed
from . import (
    allies,
    attacks,
    blind,
    bot,
    chances,
    checking,
    choices,
    counters,
    covering,
    editing,
    examples,
    keeping,
    placement,
    planning,
    replaying,
    risks,
    scoring,
    spoken,
    table,
)
from .card import CONTROL, GAME, UNDERSTANDING, card_of
from .face_down import FACE_DOWN, FaceDown, face_down_of
from .state import (
    ALLIES,
    ATTACKS,
    CHARTS,
    OVER,
    PLACEMENT,
    Memory,
    State,
    after,
    first_step,
    pieces_of,
)

FIRST_YEAR = 1933  # turn t may be shown as 1932 + t (F15)
_DRAWN = {CHARTS: "draw of the charts", ALLIES: "draw of the allies"}


class OriginsWW2(Unrefereed):
    id = GAME
    title = "Origins of World War II"
    option_groups: tuple[str, ...] = ("rng", "orders", "seat", "ow2")
    counters: tuple[str, ...] = (UNDERSTANDING, CONTROL)
    rulable: tuple[str, ...] = (
        "orders",
        "digit",
        "result",
        "position",
        "counter",
        "controller",
        "points",
        "option",
        "again",
        "rollback",
        "revoke",
    )
    unit = PF

    def check_card(self, tree: Json) -> None:
        card_of(tree)

    # The state and its JSON form

    def setup(
        self, card: Json, options: Mapping[str, Any], seats: Sequence[str], secret: str = ""
    ) -> State:
        sheet, chosen = card_of(card), validate(options)
        for seat in seats:
            if seat not in sheet.order:
                raise RulesError(f"{seat} is no nation of this card")
        played = tuple(nation for nation in sheet.order if nation in seats)
        allies.check_seats(sheet.order, played)
        state = State(sheet, chosen, 1, PLACEMENT, seats=played)
        if blind.is_blind(chosen):
            state = blind.begun(state, secret)
        return replace(state, step=first_step(state))

    def dump(self, state: State) -> Json:
        return {
            "turn": state.turn,
            "step": state.step,
            "board": state.pieces.as_json(state.card.areas, state.card.order),
            "seats": list(state.seats),
            "placed": dict(state.memory.placed),
            "standing": list(state.memory.standing),
            **({"scores_hidden": True} if state.scores_hidden else {}),
            **(
                {
                    "points": {
                        nation: state.points[nation]
                        for nation in state.card.order
                        if state.points.get(nation)
                    }
                }
                if state.points
                else {}
            ),
            **({"controllers": dict(state.controllers)} if state.controllers else {}),
            **(blind.as_json(state) if state.blind else {}),
            **({"face_down": state.face_down.as_json(state.card)} if state.face_down else {}),
        }

    def load(self, card: Json, options: Mapping[str, Any], position: Json) -> State:
        sheet = card_of(card)
        try:
            chosen = validate(options)
            state = State(
                sheet,
                chosen,
                position["turn"],
                position["step"],
                pieces_of(position["board"], sheet),
                tuple(position["seats"]),
                Memory(dict(position["placed"]), tuple(position["standing"])),
                position.get("scores_hidden", False),
                points_of(position.get("points", {}), sheet.order),
                controllers=dict(position.get("controllers", {})),
                face_down=face_down_of(position.get("face_down", {}), sheet),
            )
            return blind.restored(state, position) if blind.is_blind(chosen) else state
        except (KeyError, TypeError, AttributeError) as error:
            raise RulesError(f"a position of {self.id} is not complete: {error}") from error

    # Where the game stands

    def phase(self, state: State) -> PhaseId | None:
        return None if state.step == OVER else PhaseId(state.turn, state.step)

    def lots(self, state: State) -> tuple[str, ...]:
        return (*blind.lots(state), *allies.lots(state))

    def controllers(self, state: State) -> Mapping[str, str]:
        return state.controllers

    def phase_title(self, phase: PhaseId, options: Mapping[str, Any]) -> str:
        year = f" ({FIRST_YEAR - 1 + phase.turn})" if options.get("ow2.show_year") == "yes" else ""
        if phase.kind in _DRAWN:
            return f"Turn {phase.turn}{year}, {_DRAWN[phase.kind]}"
        kind, _, mover = phase.kind.partition("-")
        who = (
            f" of {mover.upper() if len(mover) <= 3 else mover.replace('-', ' ').title()}"
            if mover
            else ""
        )
        return f"Turn {phase.turn}{year}, {kind}{who}"

    def draws(self, phase: PhaseId) -> bool:
        return phase.kind in (ATTACKS, CHARTS, ALLIES)

    def secretive(self, options: Mapping[str, Any]) -> bool:
        return blind.is_blind(options)

    def idle(self, phase: PhaseId) -> bool:
        return phase.kind in _DRAWN

    def nations(self, state: State) -> tuple[str, ...]:
        return state.card.order

    def acting(self, state: State) -> tuple[str, ...]:
        if state.step == OVER:
            return ()
        return tuple(
            nation
            for nation in state.movers
            if nation in state.seats or nation in state.controllers
        )

    def view(self, state: State, nation: str | None) -> State:
        """Board and card are public; what a nation's earlier orders left behind is its own, and so
        are its charts in a blind game.

        Of counters that lie face down everybody sees the number, and their nation what they are
        worth.
        """
        placed = {own: text for own, text in state.memory.placed.items() if own == nation}
        memory = Memory(placed, tuple(own for own in state.memory.standing if own == nation))
        hidden = (
            state.blind or state.options["ow2.running_score"] == "hidden"
        ) and state.step != OVER
        return replace(
            blind.seen_by(state, nation).seen_by(nation), memory=memory, scores_hidden=hidden
        )

    def board(self, state: State) -> Board:
        """Of what lies face down the number alone, whoever asks: its own nation is told the rest in
        words (`brief`)."""
        there: dict[str, dict[str, Cell]] = {area: {} for area in state.card.areas}
        for area, nation, cell in state.pieces:
            there[area][nation] = cell
        cells = {
            area: {nation: here[nation] for nation in state.card.order if nation in here}
            for area, here in there.items()
        }
        for area, nation in state.face_down:
            lying = state.face_down.number(area, nation)
            cells[area] |= {nation: replace(state.pieces.at(area, nation), face_down=lying)}
        return Board(
            state.card.areas, state.card.order, {area: here for area, here in cells.items() if here}
        )

    def choices(self, state: State, nation: str) -> tuple[Choice, ...]:
        return choices.choices(state, nation)

    def plan(self, state: State, nation: str, text: str) -> Plan:
        return planning.plan(state, nation, text)

    def revise(self, state: State, text: str, ordered: Ordered, drop: bool = False) -> str:
        return planning.revise(state, text, ordered, drop)

    def chances(self, state: State, nation: str, area: str, targets: Sequence[str]) -> Odds | None:
        return chances.chances(state, nation, area, targets)

    def brief(self, state: State, nation: str) -> tuple[str, ...]:
        return choices.brief(state, nation)

    def charts(self, state: State) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return tuple(
            (nation, blind.chart_lines(state, nation, lines))
            for nation, lines in choices.charts(state.card)
        )

    # Orders

    def read(self, text: str, nation: str, state: State) -> Reading:
        return checking.read(text, nation, state)

    def spoken(
        self, state: State, nation: str, text: str, companies: Mapping[str, str]
    ) -> tuple[tuple[int, str], ...]:
        return spoken.lines(state, nation, text, companies)

    def told_aloud(self, event: Json, companies: Mapping[str, str]) -> str:
        return spoken.event(event, companies)

    def in_force(self, state: State, sent: Mapping[str, str]) -> dict[str, str]:
        return keeping.in_force(state, sent)

    def merge(self, earlier: str, later: str, nation: str, state: State) -> str:
        return keeping.merge(earlier, later, state)

    def stocks(self, state: State, orders: Mapping[str, str]) -> tuple[str, ...]:
        return attacks.stocks_in_order(state, self._readings(state, orders, ()))

    def bot(self, state: State, nation: str, salt: str) -> str:
        """Orders of a program that plays for a nation, the same for the same salt."""
        return covering.covered(
            state, nation, salt, bot.orders(covering.guessed(state, nation), nation, salt)
        )

    def played(
        self, state: State, salt: str, volumes: Volumes, reserves: Sequence[str]
    ) -> Resolution:
        """A phase in which programs send all orders: what `bot` and `resolve` come to, without
        texts where all see alike."""
        readings = None if state.drawing else bot.readings(state, salt)
        if readings is not None:
            return self._judged(state, readings, {}, volumes, reserves)
        sent = {
            nation: self._programmed(self.view(state, nation), nation, salt)
            for nation in self.acting(state)
        }
        return self.resolve(state, self.in_force(state, sent), volumes, reserves)

    def _programmed(self, seen: State, nation: str, salt: str) -> str:
        return covering.covered(
            seen,
            nation,
            salt,
            bot.orders(covering.guessed(seen, nation), nation, salt, name_stocks=False),
        )

    # Judging a phase

    def resolve(
        self,
        state: State,
        orders: Mapping[str, str],
        volumes: Volumes,
        reserves: Sequence[str],
        results: Mapping[tuple[str, int], str] | None = None,
    ) -> Resolution:
        if state.step == OVER:
            raise RulesError("the game is over")
        return self._judged(
            state, self._readings(state, orders, reserves), orders, volumes, reserves, results
        )

    def _judged(
        self,
        state: State,
        readings: Mapping[str, Reading],
        orders: Mapping[str, str],
        volumes: Volumes,
        reserves: Sequence[str],
        results: Mapping[tuple[str, int], str] | None = None,
    ) -> Resolution:
        """A phase judged by orders that have been read. The texts themselves matter only to what a
        standing wish leaves behind."""
        remarks = {
            nation: readings[nation].remarks for nation in state.movers if readings[nation].remarks
        }
        turn, step = after(state)
        drawer = Drawer(volumes, reserves, state.options)
        if state.drawing:
            drawn, events = (
                blind.draw(state, drawer)
                if state.step == CHARTS
                else allies.draw(state, drawer, turn)
            )
            return Resolution(replace(drawn, turn=turn, step=step), tuple(events))
        down = FaceDown()  # after the attacks nothing lies face down any more
        if state.placing and state.hides:
            pieces, down, events, memory = placement.laid(state, readings)
            remarks |= placement.forfeits(state, readings)
        elif state.placing:
            pieces, events, memory = placement.resolve(state, readings)
        else:
            pieces, events = attacks.resolve(state, readings, drawer, results)
            pieces, placed = counters.resolve(state, pieces, readings)
            if state.blind:
                placed, refusals = blind.hushed(state, placed, readings)
                remarks = {
                    nation: (*remarks.get(nation, ()), *refusals.get(nation, ()))
                    for nation in (*remarks, *refusals)
                }
            events += placed
            # A wish of somebody who has another nation for a turn binds nobody who has it after him
            # (N3).
            wished = [
                nation
                for nation in counters.wished_standing(readings, state.card.order)
                if nation not in state.controllers
            ]
            memory = Memory(state.memory.placed, keeping.standing_after(state, orders, wished))
        following = state.changed(
            turn=turn, step=step, pieces=pieces, memory=memory, face_down=down
        )
        if turn != state.turn and state.unheld:
            following = replace(following, controllers={})
            if (
                step != ALLIES
                # by the session that has just been read, with what the attacks have left of the
                # list (N2)
            ):
                following, drawn_now = allies.draw(following, drawer, turn)
                events = [*events, *drawn_now]
        if step == OVER and state.blind:
            events = [*events, *blind.revealed(following)]
        return Resolution(following, tuple(events), remarks)

    def unplaced(self, state: State, orders: Mapping[str, str]) -> Mapping[str, int]:
        return placement.unplaced(state, self._readings(state, orders, ())) if state.placing else {}

    def tried(
        self,
        state: State,
        orders: Mapping[str, str],
        volumes: Volumes,
        reserves: Sequence[str],
        results: Mapping[tuple[str, int], str] | None = None,
    ) -> dict[tuple[str, int], tuple[Tried, ...]]:
        return (
            {}
            if state.step != ATTACKS
            else attacks.tried(
                state, self._readings(state, orders, reserves), volumes, reserves, results
            )
        )

    # Rulings on a position

    def edit(self, state: State, cells: Mapping[str, Mapping[str, Cell]]) -> State:
        return editing.edit(state, cells)

    def counter(self, state: State, nation: str, area: str, counter: str, given: bool) -> State:
        return editing.counter(state, nation, area, counter, given)

    def ally(self, state: State, a: str, b: str, allied: bool) -> State:
        raise RulesError("There are no alliances in this game.")

    def hand_over(self, state: State, nation: str, controller: str) -> State:
        return editing.hand_over(state, nation, controller)

    def adjust(self, state: State, nation: str, points: int) -> State:
        return editing.adjust(state, nation, points)

    def kept_until(self, phase: PhaseId, options: Mapping[str, Any]) -> PhaseId | None:
        """Where PFs lie face down, the orders that laid them are secret until they are turned up
        (F9)."""
        lies = phase.kind.startswith(PLACEMENT) and options["ow2.hidden"] == FACE_DOWN
        return PhaseId(phase.turn, ATTACKS) if lies else None

    def table(self) -> ResultTable:
        rows = tuple((digit, tuple(results)) for digit, results in table.TABLE.items())
        return ResultTable(
            tuple(f"{column}-1" for column in range(1, table.BEST + 1)), rows, table.OUTCOMES
        )

    def _readings(
        self, state: State, orders: Mapping[str, str], reserves: Sequence[str]
    ) -> dict[str, Reading]:
        return {
            nation: checking.read(orders.get(nation, ""), nation, state, reserves)
            for nation in state.card.order
        }

    def sheet(self, state: State, nation: str) -> Sheet:
        return scoring.sheet(state, nation)

    def risks(self, state: State, events: Sequence[Json]) -> tuple[Risk | None, ...]:
        return risks.risks(state, events)

    def replayed(self, state: State, events: Sequence[Json]) -> tuple[State, ...]:
        return replaying.states(state, events)

    def standing(self, state: State) -> Standing:
        return scoring.standing(state)

    # A situation of contract 4

    def examples(self) -> tuple[Example, ...]:
        return examples.examples(self)

    def situation(self, tree: Json, card: Json, options: Mapping[str, Any]) -> State:
        """All nations are seated and nothing is remembered; one placement judges all, whatever
        ow2.placement says.

        A situation may name those that somebody holds (`seats`): then the draw of the allies is a
        phase too, and comes with attacks. Under ow2.blind every nation has its own chart.

        Where PFs lie face down, a situation of attacks may say so (`face_down`: area to nation to a
        list of counters); else all is open.
        """
        sheet = card_of(card)
        turn, step = tree["turn"], tree["phase"]
        if isinstance(turn, bool) or not isinstance(turn, int) or not 1 <= turn <= sheet.turns:
            raise RulesError(f"turn must be a whole number from 1 to {sheet.turns}")
        seats = allies.seats_of(tree.get("seats", list(sheet.order)), sheet.order)
        if step not in (PLACEMENT, ATTACKS) and not (
            step == ALLIES and len(seats) < len(sheet.order)
        ):
            raise RulesError(f"phase must be {PLACEMENT} or {ATTACKS}")
        down = (
            face_down_of(tree.get("face_down", {}), sheet)
            if step == ATTACKS and options["ow2.hidden"] == FACE_DOWN
            else FaceDown()
        )
        state = State(
            sheet, options, turn, step, pieces_of(tree["board"], sheet), seats, face_down=down
        )
        return blind.as_printed(state) if blind.is_blind(options) else state

    def answer(self, before: State, resolution: Resolution) -> Json:
        state: State = resolution.state
        standing = scoring.standing(state)
        return {
            "board": state.pieces.as_json(state.card.areas, state.card.order),
            **({"face_down": state.face_down.as_json(state.card)} if before.hides else {}),
            "events": list(resolution.events),
            "remarks": {
                nation: [remark.as_json() for remark in said]
                for nation, said in resolution.remarks.items()
            },
            "scores": dict(standing.scores),
            "winners": None if standing.winners is None else list(standing.winners),
            "next": None
            if state.step == OVER
            else {"turn": state.turn, "phase": PLACEMENT if state.placing else state.step},
        }
