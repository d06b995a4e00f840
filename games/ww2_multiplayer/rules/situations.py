"""Situations (`manage.py adjudicate`): load a described position, and describe its result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.rules import Json, PhaseId, Resolution, RulesError, resolution_json
from games.rules.options import validate

from . import flow, scoring
from .charts import card_of
from .state import State, dump, load


def situation(tree: Json, card: Json, options: Mapping[str, Any]) -> State:
    """Return the position of a situation.

    `board` is a whole position, because no phase could be judged from less. Raise `RulesError`
    unless `turn` and `phase` are those of the position.
    """
    state = load(card_of(card), validate(options), tree["board"])
    if flow.phase(state) != PhaseId(tree["turn"], tree["phase"]):
        raise RulesError("turn and phase must be those of the position under board")
    return state


def answer(before: State, resolution: Resolution) -> Json:
    state: State = resolution.state
    following = flow.phase(state)
    return {
        "board": dump(state),
        **resolution_json(resolution, scoring.standing(state)),
        "alliances": [[alliance.a, alliance.b] for alliance in state.alliances],
        "next": following and {"turn": following.turn, "phase": following.kind},
    }
