"""The risks of judged attacks, by the printed table (Rules C.0, K10-K12), for discussing a game
afterwards."""

from __future__ import annotations

from collections.abc import Sequence

from .. import Json
from ..explaining import Risk
from .chances import RESULTS
from .replaying import states
from .state import State
from .table import OUTCOMES, TABLE


def risks(state: State, events: Sequence[Json]) -> tuple[Risk | None, ...]:
    """Return one risk per event; None for events that are not an attack with a result.

    `state` is the public position before the phase; events state the values of face-down counters
    before they matter.
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
    """Return each target's strength, scaled to the total that was attacked.

    With frozen odds the board may have less than that by then.
    """
    stood = {
        target: float(state.pieces.strength(event["area"], target)) for target in event["targets"]
    }
    whole = sum(stood.values())
    if not whole:
        return dict.fromkeys(stood, event["defender"] / len(stood))
    return {target: strength * event["defender"] / whole for target, strength in stood.items()}
