"""Two nations put sheaves into two areas; the nation with more of them wins."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from games.rules import (
    Board,
    Cell,
    Choice,
    Json,
    NationFacts,
    PhaseFacts,
    PhaseId,
    Reading,
    Remark,
    Resolution,
    ResultTable,
    Standing,
    Volumes,
    cards,
    verbs,
)
from games.rules.contract import Editor, Guide, Planner, Ruleset
from games.rules.deals.promises import NONE, Promises
from games.rules.lands import PF
from games.rules.options import validate
from games.rules.orders import lines
from games.rules.plain.editions import NOTHING_BEFORE, Understood
from games.rules.plan import Plan, PlannedOrder

ID = "harvest"
VERBS = verbs.load(__package__)
FORM = re.compile(r"(PASS)|BRING (\d+) (\w+)", re.IGNORECASE)
KEYS = ("game", "name", "title", "provenance", "note", "turns", "order", "areas")


@dataclass(frozen=True)
class State:
    head: cards.Head
    options: Mapping[str, Any]
    turn: int = 1
    sheaves: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # area, nation

    @property
    def over(self) -> bool:
        return self.turn > self.head.turns

    @property
    def grown(self) -> int:
        return 3 if self.options["hvs.rain"] == "sun" else 1


class Harvest(Ruleset, Planner, Guide, Editor):
    """One object is speaker, planner, guide, editor and bot, since the game is so small."""

    id = ID
    title = "The harvest"
    option_groups: tuple[str, ...] = ("rng", "orders", "seat", "hvs")
    unit = PF
    verbs = VERBS
    deals = None

    @property
    def speech(self) -> Speech:
        return Speech()

    @property
    def bot(self) -> Program:
        return Program()

    @property
    def planner(self) -> Harvest:
        return self

    @property
    def guide(self) -> Harvest:
        return self

    @property
    def editor(self) -> Harvest:
        return self

    # Used in judging

    def check_card(self, tree: Json) -> None:
        cards.head(tree, ID, KEYS)

    def setup(
        self, card: Json, options: Mapping[str, Any], seats: Sequence[str], secret: str = ""
    ) -> State:
        return State(cards.head(card, ID, KEYS), validate(options))

    def dump(self, state: State) -> Json:
        return {"turn": state.turn, "sheaves": {k: dict(v) for k, v in state.sheaves.items()}}

    def load(self, card: Json, options: Mapping[str, Any], position: Json) -> State:
        begun = self.setup(card, options, ())
        return replace(begun, turn=position["turn"], sheaves=position["sheaves"])

    def phase(self, state: State) -> PhaseId | None:
        return None if state.over else PhaseId(state.turn, "harvest")

    def facts(self, phase: PhaseId, options: Mapping[str, Any]) -> PhaseFacts:
        return PhaseFacts(f"Turn {phase.turn}, harvest")

    def nations(self, state: State) -> tuple[str, ...]:
        return state.head.order

    def turns(self, state: State) -> int:
        return state.head.turns

    def acting_nations(self, state: State) -> tuple[str, ...]:
        return () if state.over else state.head.order

    def view(self, state: State, nation: str | None) -> State:
        return state

    def board(self, state: State) -> Board:
        cells = {
            area: {nation: Cell(number) for nation, number in here.items()}
            for area, here in state.sheaves.items()
        }
        return Board(state.head.areas, state.head.order, cells)

    def read(self, text: str, nation: str, state: State) -> Reading:
        left, orders, understood, remarks = state.grown, [], [], []
        written = lines(text)
        for line in written:
            match = FORM.fullmatch(line.text.strip())
            if match is None or (match[3] and match[3] not in state.head.areas):
                message = f"“{line.text}” cannot be read; write BRING 1 Meadow."
                remarks.append(Remark(line.number, "error", "unreadable", message))
            elif match[3]:
                number = min(left, int(match[2]))
                left -= number
                orders.append((match[3], number))
                understood.append((line.number, f"BRING {number} {match[3]}"))
            else:
                understood.append((line.number, "PASS"))
        return Reading(tuple(orders), tuple(understood), tuple(remarks), bool(written))

    def merge(
        self,
        earlier: str,
        later: str,
        nation: str,
        state: State,
        before: Mapping[str, Understood] = NOTHING_BEFORE,
    ) -> str:
        return f"{earlier}\n{later}"

    def in_force(self, state: State, sent: Mapping[str, str]) -> dict[str, str]:
        return dict(sent)

    def stocks(self, state: State, orders: Mapping[str, str]) -> tuple[str, ...]:
        return ()

    def stocks_to_read(
        self, state: State, orders: Mapping[str, str], reserves: Sequence[str]
    ) -> None:
        return None

    def resolve(
        self,
        state: State,
        orders: Mapping[str, str],
        volumes: Volumes,
        reserves: Sequence[str],
        results: Mapping[tuple[str, int], str] | None = None,
    ) -> Resolution:
        sheaves = {area: dict(here) for area, here in state.sheaves.items()}
        events: list[Json] = []
        for nation in state.head.order:
            for area, number in self.read(orders.get(nation, ""), nation, state).orders:
                here = sheaves.setdefault(area, {})
                here[nation] = here.get(nation, 0) + number
                message = f"{nation} brings {number} to the {area}."
                events.append({"kind": "brought", "rule": "H 1", "message": message})
        return Resolution(replace(state, turn=state.turn + 1, sheaves=sheaves), tuple(events))

    def standing(self, state: State) -> Standing:
        scores = {
            nation: sum(here.get(nation, 0) for here in state.sheaves.values())
            for nation in state.head.order
        }
        best = tuple(nation for nation in scores if scores[nation] == max(scores.values()))
        return Standing(scores, best if state.over else None)

    def situation(self, tree: Json, card: Json, options: Mapping[str, Any]) -> State:
        return self.load(card, options, {"turn": tree["turn"], "sheaves": tree["board"]})

    def answer(self, before: State, resolution: Resolution) -> Json:
        return {"board": self.dump(resolution.state), "events": list(resolution.events)}

    # Used by pages

    def choices(self, state: State, nation: str) -> tuple[Choice, ...]:
        return tuple(VERBS.choice("BRING", area, most=state.grown) for area in state.head.areas)

    def samples(self, state: State, nation: str, stocks: Sequence[str]) -> tuple[str, ...]:
        return tuple(choice.line() for choice in self.choices(state, nation)[:3])

    def plan(self, state: State, nation: str, text: str) -> Plan:
        orders = self.read(text, nation, state).orders
        return Plan(tuple(PlannedOrder("BRING", area, number) for area, number in orders), ())

    def revise(
        self, state: State, nation: str, text: str, ordered: PlannedOrder, drop: bool = False
    ) -> str:
        return text if drop else f"{text}\nBRING {ordered.number} {ordered.area}"

    def brief(self, state: State, nation: str) -> tuple[str, ...]:
        return (f"You have {state.grown} sheaves.",)

    def charts(self, state: State) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return tuple((nation, ("A sheaf is a point.",)) for nation in state.head.order)

    def nation_facts(self, state: State, nation: str) -> NationFacts:
        return NationFacts(None, (), ())

    def table(self) -> ResultTable:
        return ResultTable((), ((0, ()),), {})


class Speech:
    def orders(
        self, state: State, nation: str, text: str, companies: Mapping[str, str]
    ) -> tuple[tuple[int, str], ...]:
        return Harvest().read(text, nation, state).understood

    def event(self, event: Json, companies: Mapping[str, str]) -> str:
        return str(event["message"])


class Program:
    def orders(self, state: State, nation: str, salt: str, promises: Promises = NONE) -> str:
        return f"BRING {state.grown} {state.head.areas[0]}"

    def play(
        self,
        state: State,
        salt: str,
        volumes: Volumes,
        reserves: Sequence[str],
        promises: Mapping[str, Promises] = {},
        look: object = None,
    ) -> Resolution:
        sent = {nation: self.orders(state, nation, salt) for nation in state.head.order}
        return Harvest().resolve(state, sent, volumes, reserves)
