"""Implement the ruleset contract for Origins of World War I."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from .. import Json, PhaseFacts, PhaseId, RulesError, amending, points
from ..contract import Ruleset
from ..lands import PF
from ..names import all_of
from ..options import validate
from ..pairs import PREMADE
from . import (
    alliances,
    bargaining,
    bot,
    checking,
    editing,
    judging,
    keeping,
    planning,
    scoring,
    seeing,
    situations,
    spoken,
)
from .card import GAME, card_of
from .choices import could_order
from .guide import Guide
from .language import orders_of
from .reading import VERBS
from .state import ATTACKS, ORDERS, OVER, PLACEMENT, SEQUENTIAL, State, first_step, piles_of

_TITLES = {PLACEMENT: "placement", ATTACKS: "attacks", ORDERS: "placement and attacks"}
#: A phase that no game has; orders secret until then stay secret until the game ends.
THE_END = PhaseId(0, OVER)


class OriginsWW1(Ruleset):
    id = GAME
    title = "Origins of World War I"
    option_groups: tuple[str, ...] = ("rng", "orders", "seat", "wwi")
    unit = PF
    verbs = VERBS
    speech = spoken
    planner = planning
    guide = Guide()
    editor = editing
    bot = bot
    deals = bargaining

    could_order = staticmethod(could_order)
    view = staticmethod(seeing.view)
    board = staticmethod(seeing.board)
    read = staticmethod(checking.read)
    merge = staticmethod(partial(amending.merge, orders_of))
    in_force = staticmethod(keeping.in_force)
    stocks = staticmethod(judging.stocks)
    stocks_to_read = staticmethod(judging.stocks_to_read)
    resolve = staticmethod(judging.resolve)
    standing = staticmethod(scoring.standing)
    situation = staticmethod(situations.situation)
    answer = staticmethod(situations.answer)

    def check_card(self, tree: Json) -> None:
        card_of(tree)

    def setup(
        self, card: Json, options: Mapping[str, Any], seats: Sequence[str], secret: str = ""
    ) -> State:
        scenario, chosen = card_of(card), validate(options)
        for seat in seats:
            if seat not in scenario.order:
                raise RulesError(f"there is no nation “{seat}”")
        missing = [nation for nation in scenario.order if nation not in seats]
        if missing:
            raise RulesError(
                f"every nation needs a player, and {all_of(missing)} has none; with fewer players"
                " one plays two allied nations"
            )
        pairs = alliances.premade_alliances(chosen[PREMADE], scenario.order)
        return State(
            scenario,
            chosen,
            1,
            first_step(scenario, chosen),
            seats=scenario.order,
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
                {"offers": {nation: list(partners) for nation, partners in state.offers.items()}}
                if state.offers
                else {}
            ),
            **({"tied": list(state.tied)} if state.tied else {}),
            **points.as_json(state.points, order),
        }

    def load(self, card: Json, options: Mapping[str, Any], position: Json) -> State:
        scenario = card_of(card)
        try:
            chosen = validate(options)
            state = State(
                scenario,
                chosen,
                position["turn"],
                position["step"],
                piles_of(position["board"], scenario),
                tuple(position["seats"]),
                dict(position["placed"]),
                premade=alliances.premade_alliances(chosen[PREMADE], scenario.order),
                offers={
                    nation: tuple(partners)
                    for nation, partners in position.get("offers", {}).items()
                },
                tied=tuple(position.get("tied", ())),
                points=points.points_of(position.get("points", {}), scenario.order),
            )
            return replace(state, alliances=alliances.pairs_of(position["alliances"], state))
        except (KeyError, TypeError, AttributeError) as error:
            raise RulesError(f"a position of {self.id} is not complete: {error}") from error

    def phase(self, state: State) -> PhaseId | None:
        return None if state.step == OVER else PhaseId(state.turn, state.step)

    def facts(self, phase: PhaseId, options: Mapping[str, Any]) -> PhaseFacts:
        phase_title = _TITLES.get(phase.kind) or _mover(phase.kind)
        return PhaseFacts(
            f"Turn {phase.turn}, {phase_title}",
            draws=phase.kind != PLACEMENT,
            places=phase.kind != ATTACKS,
            kept_until=_secret_until(phase, options),
            mover=phase.kind.partition("-")[2],
        )

    def nations(self, state: State) -> tuple[str, ...]:
        return state.card.order

    def turns(self, state: State) -> int:
        return state.card.turns

    def acting_nations(self, state: State) -> tuple[str, ...]:
        return () if state.step == OVER else state.movers


def _secret_until(phase: PhaseId, options: Mapping[str, Any]) -> PhaseId | None:
    """Return the phase until which orders stay secret.

    Orders for secret alliances stay secret until the end (A8). Where nations take turns, an open
    offer stays secret until its nation's next turn.
    """
    if options.get("wwi.alliance_secrecy") == "until_end":
        return THE_END
    return PhaseId(phase.turn + 1, phase.kind) if options.get("wwi.phasing") == SEQUENTIAL else None


def _mover(kind: str) -> str:
    """Return the nation of a step: "turn-austria-hungary" is Austria-Hungary. The card, which would
    know the hyphen, is not available here."""
    name = kind.partition("-")[2].replace("-", " ").title()
    return {"Austria Hungary": "Austria-Hungary"}.get(name, name)
