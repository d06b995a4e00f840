"""The risks of attacks that have been judged, by the printed table (Rules C.0, K10-K12): for
whoever discusses a game afterwards."""

from __future__ import annotations

from collections.abc import Sequence

from .. import Json
from ..risks import Risk
from .replaying import states
from .state import State
from .table import OUTCOMES, TABLE

#: From what an attacker hopes for to what he fears.
RESULTS = ("D", "X", "-", "A")


def risks(state: State, events: Sequence[Json]) -> tuple[Risk | None, ...]:
    """One for each event, None for what is no attack that came to a throw. `state` is the position
    before the phase, as anybody may know it: of counters face down events say in time what they are
    worth.
    """
    before = (state, *states(state, events))
    return tuple(_risk(seen, event) for seen, event in zip(before, events, strict=False))


def _risk(state: State, event: Json) -> Risk | None:
    if event["kind"] != "attack":
        return None
    column = int(event["odds"].partition("-")[0])
    counts = {
        result: sum(row[column - 1] == result for row in TABLE.values()) for result in RESULTS
    }
    share = {result: counts[result] / len(TABLE) for result in RESULTS}
    attacker, defender = event["attacker"], event["defender"]
    exchange = (
        attacker if state.options["ow2.x_attacker_loss"] == "all" else min(attacker, defender)
    )
    expected = {event["nation"]: share["A"] * attacker + share["X"] * exchange}
    expected |= {
        target: (share["D"] + share["X"]) * strength
        for target, strength in _strengths(state, event).items()
    }
    chances = tuple((result, OUTCOMES[result], round(100 * share[result])) for result in RESULTS)
    return Risk(chances, expected, dict(event["losses"]))


def _strengths(state: State, event: Json) -> dict[str, float]:
    """What each target had, which must come to the strength that was attacked; where odds are
    frozen the board may have less by then."""
    stood = {
        target: float(state.pieces.strength(event["area"], target)) for target in event["targets"]
    }
    whole = sum(stood.values())
    if not whole:
        return dict.fromkeys(stood, event["defender"] / len(stood))
    return {target: strength * event["defender"] / whole for target, strength in stood.items()}
