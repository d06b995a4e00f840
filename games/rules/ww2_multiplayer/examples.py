"""What the page that explains the rules shows: orders, sheets and dice of a campaign of six, judged
by the rules themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from .. import Resolution
from ..example import Example, sales
from . import control, flow, scoring, seeing
from .players import groups
from .state import ORDERS, REFEREE, SHEET, Force, State

Resolve = Callable[[State, Mapping[str, str], Mapping[str, int], tuple[str, ...]], Resolution]
#: A list of stocks for the dice of an example.
LISTED = ("GE", "IBM", "F")


def examples(begun: State, resolve: Resolve) -> tuple[Example, ...]:
    """`begun` is a campaign of six as it begins, `resolve` the ruleset's own."""
    both = {"France": "ALLY Britain", "Britain": "ALLY France"}
    waits = "IF Germany INVADES Belgium THEN MOVE 2 SP Lille TO Brussels"
    moves = {"France": f"MOVE 3 SP Paris TO Metz\n{waits}"}
    ruled = "LINE France 1 CHANGED 2 SP: the third lies in the mud\nREST DONE\nEND"
    cleared = "DESTROYED Poland BY Germany\nCLEARED Poland Germany\nSWEPT Poland Germany"
    conquest = f"INVASION Germany Poland\n{cleared}\nFORCES Poland Germany 2"
    return (
        _orders(begun, resolve, "alliance", "France", both),
        _orders(begun, resolve, "offer", "France", {"France": "ALLY Britain"}),
        _sheet(begun, resolve, "invasion", "Sweden", "Germany", {}, "INVASION Germany Sweden"),
        _sheet(begun, resolve, "lines", "Belgium", "France", moves, ruled),
        _sheet(begun, resolve, "conquest", "Poland", "Germany", {}, conquest),
        _mediterranean(begun, resolve),
    )


def _example(
    name: str, area: str, before: State, after: State, orders: Mapping[str, str], events: Any
) -> Example:
    told = tuple(str(event["message"]) for event in events)
    written = tuple((who, tuple(text.splitlines())) for who, text in orders.items())
    return Example(
        name, area, seeing.board(before), seeing.board(after), written, told, _figures(after, area)
    )


def _figures(state: State, area: str) -> dict[str, object]:
    """Who controls the country and what is missing, and which entries of whose columns it pays."""
    found = control.control(state, area)
    paid = [line for sheet in scoring.worked(state) for line in sheet.lines if line.country == area]
    return {
        "why": found.why,
        "missing": {
            power: said for power, said in found.missing.items() if power in ("Germany", "France")
        },
        "paid": [(line.seat, str(line.aim), line.points, line.case, line.why) for line in paid],
    }


def _orders(
    begun: State, resolve: Resolve, name: str, area: str, orders: Mapping[str, str]
) -> Example:
    found = resolve(begun, orders, {}, LISTED)
    said = {to: remarks for to, remarks in found.remarks.items() if remarks}
    events = [
        *found.events,
        *({"message": remark.message} for remarks in said.values() for remark in remarks),
    ]
    return _example(name, area, begun, found.state, orders, events)


def _turn_of(state: State, power: str, orders: Mapping[str, str]) -> State:
    mover = next(place for place, group in enumerate(groups(state)) if power in group)
    return flow.after_orders(replace(state, step=ORDERS, mover=mover, orders=dict(orders)))


def _sheet(
    begun: State,
    resolve: Resolve,
    name: str,
    area: str,
    mover: str,
    orders: Mapping[str, str],
    sheet: str,
) -> Example:
    before = _turn_of(begun, mover, orders)
    assert before.step == REFEREE
    found = resolve(before, {SHEET: sheet}, {}, LISTED)
    return _example(name, area, before, found.state, {**orders, SHEET: sheet}, found.events)


def _mediterranean(begun: State, resolve: Resolve) -> Example:
    """Two British points go to Egypt while Italy is at war with Britain and in supply in Africa: a
    die each, thrown in the next phase."""
    orders = {"Britain": "SEA 2 SP London TO Alexandria VIA MED"}
    before = _turn_of(begun.put("Libya", forces={"Italy": Force(2, 2)}), "Britain", orders)
    sheet = (
        "AFRICA ON\nCOMBAT Britain Italy\nTRACK 1 NAVAL 4 AMPHIBIOUS 0\nLINE Britain 1 DONE\nEND"
    )
    asked = resolve(before, {SHEET: sheet}, {}, LISTED)
    volumes = {stock: sales(face) for stock, face in zip(LISTED, (2, 5, 6), strict=True)}
    thrown = resolve(asked.state, {}, volumes, LISTED)
    events = [event for event in asked.events if event["kind"] in ("line", "asked")]
    events += thrown.events
    written = {**orders, SHEET: sheet}
    return _example("mediterranean", "Egypt", before, thrown.state, written, events)
