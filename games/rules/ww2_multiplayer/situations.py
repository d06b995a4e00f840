"""Situations of contract.md 4: a position described, and the answer to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import Json, PhaseId, Resolution, RulesError, judged_json
from ..options import validate
from . import flow, scoring
from .charts import card_of
from .state import State, dump, load


def situation(tree: Json, card: Json, options: Mapping[str, Any]) -> State:
    """`board` is a whole position, for there is nothing less that a phase could be judged from;
    `turn` and `phase` must be its own."""
    state = load(card_of(card), validate(options), tree["board"])
    if flow.phase(state) != PhaseId(tree["turn"], tree["phase"]):
        raise RulesError("turn and phase must be those of the position under board")
    return state


def answer(before: State, resolution: Resolution) -> Json:
    state: State = resolution.state
    following = flow.phase(state)
    return {
        "board": dump(state),
        **judged_json(resolution, scoring.standing(state)),
        "alliances": [[one.a, one.b] for one in state.alliances],
        "next": following and {"turn": following.turn, "phase": following.kind},
    }
