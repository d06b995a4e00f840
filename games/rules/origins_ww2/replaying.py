"""Replay a judged phase, event by event: the board after each, from the events alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .. import Cell, Json
from .attacks import cell_after_loss
from .state import COUNTER_PF, Pieces, State


def states(state: State, events: Iterable[Json]) -> tuple[State, ...]:
    """Return the state after each event; an event without a known effect on the board changes
    nothing.

    `state` is the public one before the phase. Events do not reveal the values of face-down
    counters until these are turned up, nor the pieces that a ruling on the position put on the
    board. The caller compares the last state with the result.
    """
    replayed = []
    for event in events:
        if event["kind"] == "turned_up":
            area, nation = event["area"], event["nation"]
            pieces = state.pieces.add(area, nation, sum(event["counters"]))
            state = replace(state, pieces=pieces, face_down=state.face_down.remove(area, nation))
        elif event["kind"] == "placed_face_down":
            state = replace(
                state,
                face_down=state.face_down.with_number(
                    event["area"], event["nation"], event["counters"]
                ),
            )
        else:
            state = replace(state, pieces=_pieces_after(state, event))
        replayed.append(state)
    return tuple(replayed)


def _pieces_after(state: State, event: Json) -> Pieces:
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
            owners = event.get("understanding_first", ())
            for nation, lost in event.get("losses", {}).items():
                cell = cell_after_loss(
                    pieces.cell_at(event["area"], nation), lost, u_first=every or nation in owners
                )
                pieces = pieces.with_cell(event["area"], nation, cell)
            return pieces
        case "understanding":
            cell = pieces.cell_at(event["area"], event["nation"])
            return pieces.with_cell(
                event["area"],
                event["nation"],
                replace(cell, pf=cell.pf - COUNTER_PF, understanding=True),
            )
        case "control":
            return pieces.with_cell(event["area"], event["nation"], Cell(control=True))
        case "shared_control":
            for nation in event["nations"]:
                pieces = pieces.with_cell(event["area"], nation, Cell(control=True))
            return pieces
    return pieces
