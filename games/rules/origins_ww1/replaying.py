"""A judged phase told again, event by event, and the risks of its attacks: from what the events say
and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from .. import Json
from ..risks import Risk
from .chances import RESULTS, hundredths
from .state import State
from .table import COLUMNS, OUTCOMES, TABLE, count
from .table import losses as lost_by


def states(state: State, events: Iterable[Json]) -> tuple[State, ...]:
    """The state after each event; one that moves nothing on the board, or does not say what, leaves
    it as it was."""
    found = []
    for event in events:
        state = _after(state, event)
        found.append(state)
    return tuple(found)


def _after(state: State, event: Json) -> State:
    kind = event["kind"]
    if kind in ("placed", "kept_home"):
        return replace(state, piles=state.piles.add(event["area"], event["nation"], event["pf"]))
    if kind == "attack":
        piles = state.piles
        for nation, lost in event["losses"].items():
            piles = piles.add(event["area"], nation, -lost)
        return replace(state, piles=piles)
    if kind in ("alliance", "alliance_left"):
        pair = (event["nations"][0], event["nations"][1])
        others = tuple(one for one in state.alliances if one != pair)
        found = others if kind == "alliance_left" else (*others, pair)
        return replace(
            state, alliances=tuple(sorted(found, key=lambda one: state.card.order.index(one[0])))
        )
    return state


def risks(events: Sequence[Json]) -> tuple[Risk | None, ...]:
    """One for each event, None for what is no attack that came to a throw."""
    return tuple(_risk(event) if event["kind"] == "attack" else None for event in events)


def _risk(event: Json) -> Risk:
    number = COLUMNS.index(event["odds"])
    attacker, defender = event["attacker"], event["defender"]
    mine = theirs = 0.0
    for result in RESULTS:
        share = count(number, result) / len(TABLE)
        own, other = lost_by(result, attacker, defender)
        mine, theirs = mine + share * own, theirs + share * other
    percents = hundredths(number)
    chances = tuple((result, OUTCOMES[result], percents[result]) for result in RESULTS)
    return Risk(
        chances, {event["nation"]: mine, event["targets"][0]: theirs}, dict(event["losses"])
    )
