"""Change a position by rulings. Every error is one sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from games.rules import Cell, RulesError, contract

from . import hostility
from .players import player_of
from .state import Force, State


def edit(state: State, cells: Mapping[str, Mapping[str, Cell]]) -> State:
    """Set forces, all of them in supply. Raise `RulesError` for counters or unknown names.

    Control follows from reports, and a report overrules it.
    """
    for area, row in cells.items():
        if area not in state.card.areas:
            raise RulesError(f"There is no country “{area}”.")
        forces = dict(state.country(area).forces)
        for power, cell in row.items():
            if power not in state.card.order:
                raise RulesError(f"There is no power “{power}”.")
            if cell.understanding or cell.control:
                who = f"write who controls {area} in a report: CONTROLLER {area} {power}"
                raise RulesError(f"There are no counters in this game; {who}.")
            forces[power] = Force(cell.pf, cell.pf)
        forces = {power: force for power, force in forces.items() if force.sp}
        state = state.change_country(area, forces=forces)
    return state


def ally(state: State, a: str, b: str, allied: bool) -> State:
    if player_of(state, a) == player_of(state, b):
        raise RulesError(f"{a} and {b} have the same player.")
    return hostility.set_alliance(state, a, b, allied)


def adjust(state: State, nation: str, points: int) -> State:
    seat = player_of(state, nation)
    return replace(state, points={**state.points, seat: state.points.get(seat, 0) + points})


class Editor(contract.Editor):
    ruling_kinds: tuple[str, ...] = ("digit", "option")
    edits: Mapping[str, Callable[..., State]] = {
        "position": edit,
        "alliance": lambda state, nations, allied: ally(state, nations[0], nations[1], allied),
        "points": adjust,
    }
