"""Implement the ruleset contract for Origins of World War II."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from .. import Json, PhaseFacts, PhaseId, RulesError, amending, cards, points
from ..contract import Ruleset
from ..lands import PF
from ..options import validate
from . import (
    allies,
    bargaining,
    blind,
    checking,
    editing,
    judging,
    keeping,
    planning,
    programs,
    scoring,
    seeing,
    situations,
    spoken,
)
from .card import CONTROL, GAME, UNDERSTANDING, card_of
from .choices import could_order
from .face_down import OFF, face_down_of
from .guide import Guide
from .language import orders_of
from .reading import VERBS
from .state import (
    ALLIES,
    ATTACKS,
    CHARTS,
    COUNTERS,
    OVER,
    PLACEMENT,
    SEQUENTIAL,
    Memory,
    State,
    acting_nations,
    first_step,
    pieces_of,
)

FIRST_YEAR = 1933  # turn t may be shown as 1932 + t (F15)
_DRAWN = {CHARTS: "draw of the charts", ALLIES: "draw of the allies"}


class OriginsWW2(Ruleset):
    id = GAME
    title = "Origins of World War II"
    option_groups: tuple[str, ...] = ("rng", "orders", "seat", "ow2")
    counters: tuple[str, ...] = (UNDERSTANDING, CONTROL)
    unit = PF
    verbs = VERBS
    speech = spoken
    planner = planning
    guide = Guide()
    editor = editing
    bot = programs
    deals = bargaining

    acting_nations = staticmethod(acting_nations)
    could_order = staticmethod(could_order)
    view = staticmethod(seeing.view)
    board = staticmethod(seeing.board)
    read = staticmethod(checking.read)
    merge = staticmethod(partial(amending.merge, orders_of))
    in_force = staticmethod(keeping.in_force)
    stocks = staticmethod(judging.stocks)
    stocks_to_read = staticmethod(judging.stocks_to_read)
    pf_to_place = staticmethod(judging.pf_to_place)
    resolve = staticmethod(judging.resolve)
    standing = staticmethod(scoring.standing)
    situation = staticmethod(situations.situation)
    answer = staticmethod(situations.answer)

    def check_card(self, tree: Json) -> None:
        card_of(tree)

    def scenarios(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        drawn = blind.is_blind(options) and options["ow2.blind_charts"] == "scenarios"
        return cards.names(GAME) if drawn else ()

    def setup(
        self, card: Json, options: Mapping[str, Any], seats: Sequence[str], secret: str = ""
    ) -> State:
        scenario, chosen = card_of(card), validate(options)
        for seat in seats:
            if seat not in scenario.order:
                raise RulesError(f"there is no nation “{seat}”")
        played = tuple(nation for nation in scenario.order if nation in seats)
        allies.check_seats(scenario.order, played)
        state = State(scenario, chosen, 1, PLACEMENT, seats=played)
        if blind.is_blind(chosen):
            state = blind.begin(state, secret)
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
            **points.as_json(state.points, state.card.order),
            **({"controllers": dict(state.controllers)} if state.controllers else {}),
            **(blind.as_json(state) if state.blind else {}),
            **({"face_down": state.face_down.as_json(state.card)} if state.face_down else {}),
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
                pieces_of(position["board"], scenario),
                tuple(position["seats"]),
                Memory(dict(position["placed"]), tuple(position["standing"])),
                position.get("scores_hidden", False),
                points.points_of(position.get("points", {}), scenario.order),
                controllers=dict(position.get("controllers", {})),
                face_down=face_down_of(position.get("face_down", {}), scenario),
            )
            return blind.restore(state, position) if blind.is_blind(chosen) else state
        except (KeyError, TypeError, AttributeError) as error:
            raise RulesError(f"a position of {self.id} is not complete: {error}") from error

    def phase(self, state: State) -> PhaseId | None:
        return None if state.step == OVER else PhaseId(state.turn, state.step)

    def facts(self, phase: PhaseId, options: Mapping[str, Any]) -> PhaseFacts:
        return PhaseFacts(
            _title(phase, options),
            draws=phase.kind.startswith(ATTACKS) or phase.kind in _DRAWN,
            places=phase.kind.partition("-")[0] == PLACEMENT,
            counters=phase.kind in (ATTACKS, COUNTERS),
            idle=phase.kind in _DRAWN,
            kept_until=_secret_until(phase, options),
            mover=phase.kind.partition("-")[2],
        )

    def needs_secret(self, options: Mapping[str, Any]) -> bool:
        return blind.is_blind(options)

    def nations(self, state: State) -> tuple[str, ...]:
        return state.card.order

    def turns(self, state: State) -> int:
        return state.card.turns

    def controllers(self, state: State) -> Mapping[str, str]:
        return state.controllers


def _title(phase: PhaseId, options: Mapping[str, Any]) -> str:
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


def _secret_until(phase: PhaseId, options: Mapping[str, Any]) -> PhaseId | None:
    """Return the phase until which orders that lay PFs face down stay secret: when they are turned
    up (F9)."""
    lies = phase.kind.startswith(PLACEMENT) and options.get("ow2.hidden", OFF) != OFF
    sequential = options.get("ow2.attacks") == SEQUENTIAL
    return PhaseId(phase.turn, COUNTERS if sequential else ATTACKS) if lies else None
