"""Situations (`manage.py adjudicate`): read a position, and write the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import Json, Resolution, RulesError, resolution_json
from . import allies, blind, scoring
from .card import card_of
from .face_down import FACE_DOWN, FaceDownCounters, face_down_of
from .state import (
    ALLIES,
    ATTACKS,
    COUNTERS,
    OVER,
    PLACEMENT,
    SEQUENTIAL,
    State,
    own_step,
    pieces_of,
)


def situation(tree: Json, card: Json, options: Mapping[str, Any]) -> State:
    """Return the state of a situation: all nations are seated, nothing is remembered, and one
    placement judges all nations, regardless of ow2.placement.

    A situation may name the held nations (`seats`). Then the draw of the allies is a phase too, and
    also comes with attacks. Under ow2.blind every nation has its own chart.

    Where PFs lie face down, a situation of attacks may list them (`face_down`: area to nation to a
    list of counters); otherwise everything is open.
    """
    scenario = card_of(card)
    turn, step = tree["turn"], tree["phase"]
    if isinstance(turn, bool) or not isinstance(turn, int) or not 1 <= turn <= scenario.turns:
        raise RulesError(f"turn must be a whole number from 1 to {scenario.turns}")
    seats = allies.seats_of(tree.get("seats", list(scenario.order)), scenario.order)
    steps = [PLACEMENT, ATTACKS]
    if options["ow2.attacks"] == SEQUENTIAL:
        steps = [PLACEMENT, *(own_step(ATTACKS, nation) for nation in scenario.order), COUNTERS]
    if step not in steps and not (step == ALLIES and len(seats) < len(scenario.order)):
        raise RulesError(f"phase must be {' or '.join(steps)}")
    down = (
        face_down_of(tree.get("face_down", {}), scenario)
        if step.startswith(ATTACKS) and options["ow2.hidden"] == FACE_DOWN
        else FaceDownCounters()
    )
    state = State(
        scenario, options, turn, step, pieces_of(tree["board"], scenario), seats, face_down=down
    )
    return blind.printed_state(state) if blind.is_blind(options) else state


def answer(before: State, resolution: Resolution) -> Json:
    state: State = resolution.state
    following = {"turn": state.turn, "phase": PLACEMENT if state.is_placing else state.step}
    return {
        "board": state.pieces.as_json(state.card.areas, state.card.order),
        **({"face_down": state.face_down.as_json(state.card)} if before.lays_face_down else {}),
        **resolution_json(resolution, scoring.standing(state)),
        "next": None if state.step == OVER else following,
    }
