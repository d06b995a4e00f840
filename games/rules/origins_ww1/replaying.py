"""Replay a judged phase, event by event, and compute the risks of its attacks, from the events
alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from .. import Json
from ..explaining import Risk
from .chances import RESULTS, hundredths
from .state import State
from .table import COLUMNS, OUTCOMES, TABLE, count
from .table import losses as lost_by


def states(state: State, events: Iterable[Json]) -> tuple[State, ...]:
    """Return the state after each event; an event without a known effect on the board changes
    nothing."""
    replayed = []
    for event in events:
        state = _apply_event(state, event)
        replayed.append(state)
    return tuple(replayed)


def _apply_event(state: State, event: Json) -> State:
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
        others = tuple(allies for allies in state.alliances if allies != pair)
        pairs = others if kind == "alliance_left" else (*others, pair)
        return replace(
            state,
            alliances=tuple(sorted(pairs, key=lambda allies: state.card.order.index(allies[0]))),
        )
    return state


def risks(events: Sequence[Json]) -> tuple[Risk | None, ...]:
    """Return one risk per event; None for events that are not an attack with a result."""
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
