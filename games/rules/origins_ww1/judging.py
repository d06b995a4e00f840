"""Judge a phase of any kind (Rules A.8).

Alliances come first. Then each nation in card order places its PFs, and attacks where both belong
to the phase.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .. import Attempt, Json, Reading, Remark, Resolution, RulesError, Volumes
from ..answered_warnings import drop_answered
from ..digits import Drawer, needs_figure
from . import alliances, checking, placement, scoring
from .attacks import Conflict, Results, stocks_in_order
from .state import OVER, Piles, State, next_step


def resolve(
    state: State,
    orders: Mapping[str, str],
    volumes: Volumes,
    reserves: Sequence[str],
    results: Mapping[tuple[str, int], str] | None = None,
) -> Resolution:
    if state.step == OVER:
        raise RulesError("the game is over")
    return judge(
        state, readings(state, orders, reserves), Drawer(volumes, reserves, state.options), results
    )


def judge(
    state: State, readings: Mapping[str, Reading], drawer: Drawer, results: Results | None = None
) -> Resolution:
    """Judge a phase by orders that have been parsed."""
    played, events, private_remarks = _play(state, readings, drawer, results)
    turn, step = next_step(state)
    following = replace(played.state, turn=turn, step=step, piles=Piles.from_pf(played.pf))
    if step == OVER:
        events = [*events, *alliances.alliances_to_reveal(following)]
    remarks: dict[str, tuple[Remark, ...]] = {
        nation: remaining
        for nation in state.card.order
        if (
            remaining := (
                *_remaining_remarks(nation, readings[nation], events, following),
                *private_remarks.get(nation, ()),
            )
        )
    }
    return Resolution(following, tuple(events), remarks)


def _remaining_remarks(
    nation: str, reading: Reading, events: Sequence[Json], following: State
) -> tuple[Remark, ...]:
    remarks = drop_answered(nation, reading.remarks, events, by_any=checking.OF_ATTACKS)
    if following.ally_of(nation) is None:
        return remarks
    return tuple(remark for remark in remarks if remark.code != "offer")  # it has an ally now


def attempts(
    state: State,
    orders: Mapping[str, str],
    volumes: Volumes,
    reserves: Sequence[str],
    results: Mapping[tuple[str, int], str] | None = None,
) -> dict[tuple[str, int], tuple[Attempt, ...]]:
    """Return the stocks tried for each attack, by nation and line; an attack that was void before
    its draw has no entry."""
    if not state.is_attacking:
        return {}
    drawer = Drawer(volumes, reserves, state.options)
    return _play(state, readings(state, orders, reserves), drawer, results)[0].attempts


def stocks(state: State, orders: Mapping[str, str]) -> tuple[str, ...]:
    return stocks_in_order(state, readings(state, orders, ())) if state.is_attacking else ()


def stocks_to_read(
    state: State, orders: Mapping[str, str], reserves: Sequence[str]
) -> tuple[str, ...] | None:
    parsed = readings(state, orders, reserves)
    if not needs_figure(
        lambda volumes: judge(state, parsed, Drawer(volumes, reserves, state.options))
    ):
        return None
    return stocks_in_order(state, parsed) if state.is_attacking else ()


def readings(
    state: State, orders: Mapping[str, str], reserves: Sequence[str]
) -> dict[str, Reading]:
    return {
        nation: checking.read(orders.get(nation, ""), nation, state, reserves)
        for nation in state.card.order
    }


def _play(
    state: State, readings: Mapping[str, Reading], drawer: Drawer, results: Results | None
) -> tuple[Conflict, Sequence[Json], alliances.Told]:
    state, events, private_remarks = alliances.resolve(state, readings)
    conflict = Conflict(state, readings, drawer, results)
    conflict.events = events
    if state.is_placing:
        ever = state.options["wwi.bonus_time"] == "ever"
        placed = dict(state.placed)
        for nation in state.movers:
            reading = readings[nation]
            placement.resolve(state, conflict.pf, nation, reading, events)
            if reading.sent:
                placed[nation] = placement.text_to_repeat(reading.orders)
            if ever:
                conflict.state = replace(
                    conflict.state,
                    tied=scoring.treaty_nations_so_far(conflict.state, Piles.from_pf(conflict.pf)),
                )
            if state.is_attacking:
                conflict.attack(nation)
        conflict.state = replace(conflict.state, placed=placed)
    else:
        for nation in state.movers:
            conflict.attack(nation)
    return conflict, events, private_remarks
