"""A judged phase told again, event by event: what stood on the board after each, from what the
events say and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .. import Cell, Json
from .attacks import after_loss
from .state import COUNTER_PF, Pieces, State


def states(state: State, events: Iterable[Json]) -> tuple[State, ...]:
    """The state after each event; an event that moves nothing on the board, or does not say what,
    leaves it as it was.

    `state` is the one before the phase, as anybody may know it. Of counters laid face down events
    do not say what they are worth until they are turned up, nor what a ruling on the position has
    put on the board: who asks compares the last state with the result.
    """
    found = []
    for event in events:
        if event["kind"] == "turned_up":
            area, nation = event["area"], event["nation"]
            pieces = state.pieces.add(area, nation, sum(event["counters"]))
            state = replace(state, pieces=pieces, face_down=state.face_down.without(area, nation))
        elif event["kind"] == "placed_face_down":
            state = replace(
                state,
                face_down=state.face_down.with_number(
                    event["area"], event["nation"], event["counters"]
                ),
            )
        else:
            state = replace(state, pieces=_after(state, event))
        found.append(state)
    return tuple(found)


def _after(state: State, event: Json) -> Pieces:
    pieces = state.pieces
    match event["kind"]:
        case "placed":
            home = state.home(event["nation"])
            if event["source"] == "home" and home is not None:
                pieces = pieces.add(home, event["nation"], -event["pf"])
            return pieces.add(event["area"], event["nation"], event["pf"])
        case "left_home":
            return pieces.add(event["area"], event["nation"], -event["pf"])
        case "kept_home":
            return pieces.add(event["area"], event["nation"], event["pf"])
        case "attack" | "void":
            every = state.options["ow2.u_loss"] == "u_first"
            asked = event.get("understanding_first", ())
            for nation, lost in event.get("losses", {}).items():
                cell = after_loss(
                    pieces.at(event["area"], nation), lost, u_first=every or nation in asked
                )
                pieces = pieces.put(event["area"], nation, cell)
            return pieces
        case "understanding":
            cell = pieces.at(event["area"], event["nation"])
            return pieces.put(
                event["area"],
                event["nation"],
                replace(cell, pf=cell.pf - COUNTER_PF, understanding=True),
            )
        case "control":
            return pieces.put(event["area"], event["nation"], Cell(control=True))
        case "shared_control":
            for nation in event["nations"]:
                pieces = pieces.put(event["area"], nation, Cell(control=True))
            return pieces
    return pieces
