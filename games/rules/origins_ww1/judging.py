"""A phase judged, whatever its kind (Rules A.8; contract 4.2): alliances first of all; then nations
in card order, each one's PFs before its attack where both belong to the phase.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .. import Attempt, Json, Reading, Remark, Resolution, RulesError, Volumes
from ..digits import Drawer
from . import alliances, checking, placement, scoring
from .attacks import Conflict, Results, stocks_in_order
from .state import OVER, Piles, State, after


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
    """Judge a phase by orders that have been read."""
    played, events, told = _play(state, readings, drawer, results)
    turn, step = after(state)
    following = replace(played.state, turn=turn, step=step, piles=Piles.of(played.pf))
    if step == OVER:
        events = [*events, *alliances.alliances_to_reveal(following)]
    remarks: dict[str, tuple[Remark, ...]] = {
        nation: said
        for nation in state.card.order
        if (said := (*readings[nation].remarks, *told.get(nation, ())))
    }
    return Resolution(following, tuple(events), remarks)


def attempts(
    state: State,
    orders: Mapping[str, str],
    volumes: Volumes,
    reserves: Sequence[str],
    results: Mapping[tuple[str, int], str] | None = None,
) -> dict[tuple[str, int], tuple[Attempt, ...]]:
    """Return the stocks that each attack came to, by nation and line; none for an attack that was
    void before a throw."""
    if not state.attacking:
        return {}
    drawer = Drawer(volumes, reserves, state.options)
    return _play(state, readings(state, orders, reserves), drawer, results)[0].attempts


def stocks(state: State, orders: Mapping[str, str]) -> tuple[str, ...]:
    return stocks_in_order(state, readings(state, orders, ())) if state.attacking else ()


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
    state, events, told = alliances.resolve(state, readings)
    conflict = Conflict(state, readings, drawer, results)
    conflict.events = events
    if state.placing:
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
                    tied=scoring.treaty_nations_so_far(conflict.state, Piles.of(conflict.pf)),
                )
            if state.attacking:
                conflict.attack(nation)
        conflict.state = replace(conflict.state, placed=placed)
    else:
        for nation in state.movers:
            conflict.attack(nation)
    return conflict, events, told
