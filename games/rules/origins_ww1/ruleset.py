"""Origins of World War I answers the questions of the contract of a ruleset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
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
from ..names import all_of
from ..options import validate
from ..pairs import PREMADE
from ..plan import Odds, Ordered, Plan
from ..points import points_of
from ..risks import Risk
from ..unrefereed import Unrefereed
from . import (
    alliances,
    attacks,
    bot,
    chances,
    checking,
    choices,
    editing,
    examples,
    judging,
    keeping,
    planning,
    replaying,
    scoring,
    spoken,
)
from . import table as printed
from .card import GAME, Card, card_of
from .state import (
    ATTACKS,
    ORDERS,
    OVER,
    PLACEMENT,
    SEQUENTIAL,
    State,
    first_step,
    piles_of,
    turn_of,
)

_TITLES = {PLACEMENT: "placement", ATTACKS: "attacks", ORDERS: "placement and attacks"}
_cell = lru_cache(maxsize=4096)(Cell)
#: No phase of any game: what is kept until then is kept to the end.
THE_END = PhaseId(0, OVER)


class OriginsWW1(Unrefereed):
    id = GAME
    title = "Origins of World War I"
    option_groups: tuple[str, ...] = ("rng", "orders", "seat", "wwi")
    counters: tuple[str, ...] = ()
    rulable: tuple[str, ...] = (
        "orders",
        "digit",
        "result",
        "position",
        "alliance",
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
        missing = [nation for nation in sheet.order if nation not in seats]
        if missing:
            raise RulesError(
                f"every nation needs a player, and {all_of(missing)} has none; with fewer players"
                " one plays two allied nations"
            )
        pairs = alliances.premade(chosen[PREMADE], sheet.order)
        return State(
            sheet,
            chosen,
            1,
            first_step(sheet, chosen),
            seats=sheet.order,
            alliances=pairs,
            premade=pairs,
        )

    def dump(self, state: State) -> Json:
        order = state.card.order
        return {
            "turn": state.turn,
            "step": state.step,
            "board": state.piles.as_json(state.card.areas, order),
            "seats": list(state.seats),
            "placed": dict(state.placed),
            "alliances": [list(pair) for pair in state.alliances],
            **(
                {"offers": {nation: list(named) for nation, named in state.offers.items()}}
                if state.offers
                else {}
            ),
            **({"tied": list(state.tied)} if state.tied else {}),
            **(
                {
                    "points": {
                        nation: state.points[nation] for nation in order if state.points.get(nation)
                    }
                }
                if state.points
                else {}
            ),
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
                piles_of(position["board"], sheet),
                tuple(position["seats"]),
                dict(position["placed"]),
                premade=alliances.premade(chosen[PREMADE], sheet.order),
                offers={
                    nation: tuple(named) for nation, named in position.get("offers", {}).items()
                },
                tied=tuple(position.get("tied", ())),
                points=points_of(position.get("points", {}), sheet.order),
            )
            return replace(state, alliances=alliances.pairs_of(position["alliances"], state))
        except (KeyError, TypeError, AttributeError) as error:
            raise RulesError(f"a position of {self.id} is not complete: {error}") from error

    # Where the game stands

    def phase(self, state: State) -> PhaseId | None:
        return None if state.step == OVER else PhaseId(state.turn, state.step)

    def phase_title(self, phase: PhaseId, options: Mapping[str, Any]) -> str:
        if phase.kind in _TITLES:
            return f"Turn {phase.turn}, {_TITLES[phase.kind]}"
        return f"Turn {phase.turn}, {_mover(phase.kind)}"

    def draws(self, phase: PhaseId) -> bool:
        return phase.kind != PLACEMENT

    def idle(self, phase: PhaseId) -> bool:
        return False

    def secretive(self, options: Mapping[str, Any]) -> bool:
        return False

    def lots(self, state: State) -> tuple[str, ...]:
        return ()

    def controllers(self, state: State) -> Mapping[str, str]:
        return {}

    def nations(self, state: State) -> tuple[str, ...]:
        return state.card.order

    def acting(self, state: State) -> tuple[str, ...]:
        return () if state.step == OVER else state.movers

    def view(self, state: State, nation: str | None) -> State:
        """The board is public; earlier orders and offers are a nation's own, and so are alliances
        where these are secret (A8)."""
        placed = {own: text for own, text in state.placed.items() if own == nation}
        return replace(alliances.seen_by(state, nation), placed=placed)

    def board(self, state: State) -> Board:
        cells: dict[str, dict[str, Cell]] = {}
        for area in state.card.areas:
            here = {
                nation: _cell(pf, treaty=state.treaty(area, nation))
                for nation in state.card.order
                if (pf := state.piles.at(area, nation))
            }
            if here:
                cells[area] = here
        return Board(state.card.areas, state.card.order, cells, state.alliances)

    def choices(self, state: State, nation: str) -> tuple[Choice, ...]:
        return choices.choices(state, nation)

    def plan(self, state: State, nation: str, text: str) -> Plan:
        return planning.plan(state, nation, text)

    def revise(self, state: State, text: str, ordered: Ordered, drop: bool = False) -> str:
        return planning.revise(state, text, ordered, drop)

    def chances(self, state: State, nation: str, area: str, targets: Sequence[str]) -> Odds | None:
        return chances.chances(alliances.seen_by(state, nation), nation, area, targets)

    def brief(self, state: State, nation: str) -> tuple[str, ...]:
        return choices.brief(state, nation)

    def charts(self, state: State) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return choices.charts(state.card)

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
        return (
            attacks.stocks_in_order(state, self._readings(state, orders, ()))
            if state.attacking
            else ()
        )

    def bot(self, state: State, nation: str, salt: str) -> str:
        """Orders of a program that plays for a nation, the same for the same salt."""
        return bot.orders(self.view(state, nation), nation, salt)

    def played(
        self, state: State, salt: str, volumes: Volumes, reserves: Sequence[str]
    ) -> Resolution:
        """A phase in which programs send all orders: what `bot` and `resolve` come to, without
        texts."""
        return judging.resolve(
            state, bot.readings(state, salt), Drawer(volumes, reserves, state.options)
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
        return judging.resolve(
            state,
            self._readings(state, orders, reserves),
            Drawer(volumes, reserves, state.options),
            results,
        )

    def tried(
        self,
        state: State,
        orders: Mapping[str, str],
        volumes: Volumes,
        reserves: Sequence[str],
        results: Mapping[tuple[str, int], str] | None = None,
    ) -> dict[tuple[str, int], tuple[Tried, ...]]:
        if not state.attacking:
            return {}
        return judging.tried(
            state,
            self._readings(state, orders, reserves),
            Drawer(volumes, reserves, state.options),
            results,
        )

    def _readings(
        self, state: State, orders: Mapping[str, str], reserves: Sequence[str]
    ) -> dict[str, Reading]:
        return {
            nation: checking.read(orders.get(nation, ""), nation, state, reserves)
            for nation in state.card.order
        }

    def unplaced(self, state: State, orders: Mapping[str, str]) -> Mapping[str, int]:
        return {}

    # Rulings on a position

    def edit(self, state: State, cells: Mapping[str, Mapping[str, Cell]]) -> State:
        return editing.edit(state, cells)

    def counter(self, state: State, nation: str, area: str, counter: str, given: bool) -> State:
        raise RulesError("There are no counters in this game.")

    def ally(self, state: State, a: str, b: str, allied: bool) -> State:
        return alliances.ally(state, a, b, allied)

    def hand_over(self, state: State, nation: str, controller: str) -> State:
        raise RulesError(
            "In this game every nation has a player, and nobody sends orders for another."
        )

    def adjust(self, state: State, nation: str, points: int) -> State:
        return editing.adjust(state, nation, points)

    def kept_until(self, phase: PhaseId, options: Mapping[str, Any]) -> PhaseId | None:
        """Where alliances are secret, the orders that made them are (A8); an offer that stands is
        kept until its nation's next turn."""
        if options["wwi.alliance_secrecy"] == "until_end":
            return THE_END
        return PhaseId(phase.turn + 1, phase.kind) if options["wwi.phasing"] == SEQUENTIAL else None

    # What the board means

    def table(self) -> ResultTable:
        rows = tuple((die, results) for die, results in printed.TABLE.items())
        return ResultTable(printed.COLUMNS, rows, printed.OUTCOMES)

    def sheet(self, state: State, nation: str) -> Sheet:
        return scoring.sheet(state, nation)

    def risks(self, state: State, events: Sequence[Json]) -> tuple[Risk | None, ...]:
        return replaying.risks(events)

    def replayed(self, state: State, events: Sequence[Json]) -> tuple[State, ...]:
        return replaying.states(state, events)

    def standing(self, state: State) -> Standing:
        return scoring.standing(state)

    def examples(self) -> tuple[Example, ...]:
        return examples.examples(self)

    # A situation of contract 4

    def situation(self, tree: Json, card: Json, options: Mapping[str, Any]) -> State:
        """Nothing is remembered. A phase is "placement" or "attacks" under any phasing, and under
        the others what that has beside.

        `alliances` are those that stand; under `sequential` a situation may have `offers` too,
        nation to a list of nations.
        """
        sheet = card_of(card)
        turn, step = tree["turn"], tree["phase"]
        if isinstance(turn, bool) or not isinstance(turn, int) or not 1 <= turn <= sheet.turns:
            raise RulesError(f"turn must be a whole number from 1 to {sheet.turns}")
        if not isinstance(step, str) or step not in steps(sheet, options):
            raise RulesError(f"phase must be {' or '.join(steps(sheet, options))}")
        pairs = alliances.premade(options[PREMADE], sheet.order)
        state = State(
            sheet, options, turn, step, piles_of(tree["board"], sheet), sheet.order, premade=pairs
        )
        state = replace(
            state,
            alliances=alliances.pairs_of(tree.get("alliances", []), state),
            offers=_offers(tree.get("offers", {}), state),
        )
        return replace(state, tied=scoring.tied(state, state.piles))

    def answer(self, before: State, resolution: Resolution) -> Json:
        state: State = resolution.state
        standing = scoring.standing(state)
        return {
            "board": state.piles.as_json(state.card.areas, state.card.order),
            "events": list(resolution.events),
            "remarks": {
                nation: [remark.as_json() for remark in said]
                for nation, said in resolution.remarks.items()
            },
            "scores": dict(standing.scores),
            "alliances": [list(pair) for pair in state.alliances],
            **(
                {"offers": {nation: list(named) for nation, named in state.offers.items()}}
                if state.offers
                else {}
            ),
            "winners": None if standing.winners is None else list(standing.winners),
            "next": None if state.step == OVER else {"turn": state.turn, "phase": state.step},
        }


def _mover(kind: str) -> str:
    """ "turn-austria-hungary" is Austria Hungary's; the card, which would know the hyphen, is not
    at hand."""
    name = kind.partition("-")[2].replace("-", " ").title()
    return {"Austria Hungary": "Austria-Hungary"}.get(name, name)


def steps(card: Card, options: Mapping[str, Any]) -> tuple[str, ...]:
    """The phases that a situation may be in."""
    if options["wwi.phasing"] == SEQUENTIAL:
        return (PLACEMENT, ATTACKS, *(turn_of(nation) for nation in card.order))
    return (PLACEMENT, ATTACKS, *((ORDERS,) if first_step(card, options) == ORDERS else ()))


def _offers(tree: object, state: State) -> dict[str, tuple[str, ...]]:
    if not isinstance(tree, dict):
        raise RulesError("offers must be an object")
    for nation, named in tree.items():
        if (
            nation not in state.card.order
            or not isinstance(named, list)
            or not all(one in state.card.order for one in named)
        ):
            raise RulesError(
                f"offers.{nation} must be a list of nations of this card, of one of them"
            )
    return {nation: tuple(named) for nation, named in tree.items()}
