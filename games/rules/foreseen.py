"""The later phases of a game, as far as anybody can know them in advance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from . import PhaseId, RulesError
from .contract import Ruleset
from .digits import Always

#: More phases than are left in any game whose phases follow from each other.
MOST = 40


class LaterPhase(NamedTuple):
    """A later phase, and the state in which it is played if nobody orders anything before."""

    phase: PhaseId
    state: Any


def phases_after(rules: Ruleset, state: Any) -> Iterator[LaterPhase]:
    """Yield the phases after the one that `state` is in, in order."""
    for _ in range(MOST):
        try:
            state = rules.resolve(state, rules.in_force(state, {}), Always(1), ()).state
        except RulesError:
            return
        phase = rules.phase(state)
        if phase is None:
            return
        yield LaterPhase(phase, state)
