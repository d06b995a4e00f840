"""Situations of contract.md 4: a position described, and the answer to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import Json, PhaseId, Resolution, RulesError
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
    found, following = scoring.standing(state), flow.phase(state)
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
        "next": (None if following is None else {"turn": following.turn, "phase": following.kind}),
    }
