"""Origins of World War II answers the questions of the contract of a ruleset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .. import Board, Cell, Choice, Json, PhaseId, Reading, Resolution, ResultTable, RulesError, Standing, Tried, Volumes
from ..options import validate
from . import attacks, bot, checking, choices, counters, editing, keeping, placement, scoring, spoken, table
from .card import GAME, card_of
from .state import ATTACKS, OVER, PLACEMENT, Memory, State, after, first_step, pieces_of

FIRST_YEAR = 1933  # turn t may be shown as 1932 + t (F15)


class OriginsWW2:
    id = GAME
    title = "Origins of World War II"
    option_groups: tuple[str, ...] = ("rng", "orders", "seat", "ow2")

    def check_card(self, tree: Json) -> None:
        card_of(tree)

    # The state and its JSON form

    def setup(self, card: Json, options: Mapping[str, Any], seats: Sequence[str]) -> State:
        sheet, chosen = card_of(card), validate(options)
        for seat in seats:
            if seat not in sheet.order:
                raise RulesError(f"{seat} is no nation of this card")
        played = tuple(nation for nation in sheet.order if nation in seats)
        return State(sheet, chosen, 1, first_step(sheet, chosen), seats=played)

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
                {"points": {nation: state.points[nation] for nation in state.card.order if state.points.get(nation)}}
                if state.points
                else {}
            ),
        }

    def load(self, card: Json, options: Mapping[str, Any], position: Json) -> State:
        sheet = card_of(card)
        try:
            return State(
                sheet,
                validate(options),
                position["turn"],
                position["step"],
                pieces_of(position["board"], sheet),
                tuple(position["seats"]),
                Memory(dict(position["placed"]), tuple(position["standing"])),
                position.get("scores_hidden", False),
                editing.points_of(position.get("points", {}), sheet),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise RulesError(f"a position of {self.id} is not complete: {error}") from error

    # Where the game stands

    def phase(self, state: State) -> PhaseId | None:
        return None if state.step == OVER else PhaseId(state.turn, state.step)

    def phase_title(self, phase: PhaseId, options: Mapping[str, Any]) -> str:
        year = f" ({FIRST_YEAR - 1 + phase.turn})" if options.get("ow2.show_year") == "yes" else ""
        kind, _, mover = phase.kind.partition("-")
        who = f" of {mover.upper() if len(mover) <= 3 else mover.replace('-', ' ').title()}" if mover else ""
        return f"Turn {phase.turn}{year}, {kind}{who}"

    def draws(self, phase: PhaseId) -> bool:
        return phase.kind == ATTACKS

    def nations(self, state: State) -> tuple[str, ...]:
        return state.card.order

    def acting(self, state: State) -> tuple[str, ...]:
        if state.step == OVER:
            return ()
        return tuple(nation for nation in state.movers if nation in state.seats)

    def view(self, state: State, nation: str | None) -> State:
        """Board and card are public; what a nation's earlier orders left behind is its own."""
        placed = {own: text for own, text in state.memory.placed.items() if own == nation}
        memory = Memory(placed, tuple(own for own in state.memory.standing if own == nation))
        hidden = state.options["ow2.running_score"] == "hidden" and state.step != OVER
        return replace(state, memory=memory, scores_hidden=hidden)

    def board(self, state: State) -> Board:
        cells = {
            area: {nation: state.pieces.at(area, nation) for nation in state.card.order if nation in state.pieces.present(area)}
            for area in state.card.areas
        }
        return Board(state.card.areas, state.card.order, {area: here for area, here in cells.items() if here})

    def choices(self, state: State, nation: str) -> tuple[Choice, ...]:
        return choices.choices(state, nation)

    def brief(self, state: State, nation: str) -> tuple[str, ...]:
        return choices.brief(state, nation)

    def charts(self, state: State) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return choices.charts(state.card)

    # Orders

    def read(self, text: str, nation: str, state: State) -> Reading:
        return checking.read(text, nation, state)

    def spoken(self, state: State, nation: str, text: str, companies: Mapping[str, str]) -> tuple[tuple[int, str], ...]:
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
        return bot.orders(state, nation, salt)

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
        readings = self._readings(state, orders, reserves)
        remarks = {nation: readings[nation].remarks for nation in state.movers if readings[nation].remarks}
        turn, step = after(state)
        if state.placing:
            pieces, events, memory = placement.resolve(state, readings)
        else:
            pieces, events = attacks.resolve(state, readings, volumes, reserves, results)
            pieces, placed = counters.resolve(state, pieces, readings)
            events += placed
            wished = counters.wished_standing(readings, state.card.order)
            memory = Memory(state.memory.placed, keeping.standing_after(state, orders, wished))
        following = replace(state, turn=turn, step=step, pieces=pieces, memory=memory)
        return Resolution(following, tuple(events), remarks)

    def tried(
        self,
        state: State,
        orders: Mapping[str, str],
        volumes: Volumes,
        reserves: Sequence[str],
        results: Mapping[tuple[str, int], str] | None = None,
    ) -> dict[tuple[str, int], tuple[Tried, ...]]:
        return {} if state.placing else attacks.tried(state, self._readings(state, orders, reserves), volumes, reserves, results)

    # Rulings on a position

    def edit(self, state: State, cells: Mapping[str, Mapping[str, Cell]]) -> State:
        return editing.edit(state, cells)

    def counter(self, state: State, nation: str, area: str, counter: str, given: bool) -> State:
        return editing.counter(state, nation, area, counter, given)

    def adjust(self, state: State, nation: str, points: int) -> State:
        return editing.adjust(state, nation, points)

    def table(self) -> ResultTable:
        rows = tuple((digit, tuple(results)) for digit, results in table.TABLE.items())
        return ResultTable(tuple(f"{column}-1" for column in range(1, table.BEST + 1)), rows, table.OUTCOMES)

    def _readings(self, state: State, orders: Mapping[str, str], reserves: Sequence[str]) -> dict[str, Reading]:
        return {nation: checking.read(orders.get(nation, ""), nation, state, reserves) for nation in state.card.order}

    def standing(self, state: State) -> Standing:
        return scoring.standing(state)

    # A situation of contract 4

    def situation(self, tree: Json, card: Json, options: Mapping[str, Any]) -> State:
        """All nations are seated and nothing is remembered; one placement judges all, whatever ow2.placement says."""
        sheet = card_of(card)
        turn, step = tree["turn"], tree["phase"]
        if isinstance(turn, bool) or not isinstance(turn, int) or not 1 <= turn <= sheet.turns:
            raise RulesError(f"turn must be a whole number from 1 to {sheet.turns}")
        if step not in (PLACEMENT, ATTACKS):
            raise RulesError(f"phase must be {PLACEMENT} or {ATTACKS}")
        return State(sheet, options, turn, step, pieces_of(tree["board"], sheet), sheet.order)

    def answer(self, before: State, resolution: Resolution) -> Json:
        state: State = resolution.state
        standing = scoring.standing(state)
        return {
            "board": state.pieces.as_json(state.card.areas, state.card.order),
            "events": list(resolution.events),
            "remarks": {nation: [remark.as_json() for remark in said] for nation, said in resolution.remarks.items()},
            "scores": dict(standing.scores),
            "winners": None if standing.winners is None else list(standing.winners),
            "next": None if state.step == OVER else {"turn": state.turn, "phase": PLACEMENT if state.placing else ATTACKS},
        }
