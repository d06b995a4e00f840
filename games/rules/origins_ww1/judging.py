"""A phase judged, whatever its kind (Rules A.8; contract 4.2): alliances first of all; then nations
in card order, each one's PFs before its attack where both belong to the phase.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .. import Json, Reading, Remark, Resolution, Tried
from ..digits import Drawer
from . import alliances, placement, scoring
from .attacks import Conflict, Results
from .state import OVER, Piles, State, after


def resolve(
    state: State, readings: Mapping[str, Reading], drawer: Drawer, results: Results | None = None
) -> Resolution:
    played, events, told = _played(state, readings, drawer, results)
    turn, step = after(state)
    following = replace(played.state, turn=turn, step=step, piles=Piles.of(played.pf))
    if step == OVER:
        events = [*events, *alliances.opened(following)]
    remarks: dict[str, tuple[Remark, ...]] = {
        nation: said
        for nation in state.card.order
        if (said := (*readings[nation].remarks, *told.get(nation, ())))
    }
    return Resolution(following, tuple(events), remarks)


def tried(
    state: State, readings: Mapping[str, Reading], drawer: Drawer, results: Results | None = None
) -> dict[tuple[str, int], tuple[Tried, ...]]:
    """The stocks that each attack came to, by nation and line; none for an attack that was void
    before a throw."""
    return _played(state, readings, drawer, results)[0].tried


def _played(
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
                placed[nation] = placement.remembered(reading.orders)
            if ever:
                conflict.state = replace(
                    conflict.state, tied=scoring.tied(conflict.state, Piles.of(conflict.pf))
                )
            if state.attacking:
                conflict.attack(nation)
        conflict.state = replace(conflict.state, placed=placed)
    else:
        for nation in state.movers:
            conflict.attack(nation)
    return conflict, events, told
