"""Examples for the page that explains the rules.

They are orders, reports and dice of a campaign of six, judged by the rules themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from games.rules import REFEREE_SEAT, Resolution
from games.rules.explaining import Example, sales

from . import control, flow, scoring, seeing
from .players import groups
from .state import ORDERS, REFEREE, Force, State

Resolve = Callable[[State, Mapping[str, str], Mapping[str, int], tuple[str, ...]], Resolution]
#: A list of stocks for the dice of an example.
LISTED = ("GE", "IBM", "F")


def examples(begun: State, resolve: Resolve) -> tuple[Example, ...]:
    """Return the examples.

    `begun` is a campaign of six at its beginning, `resolve` the ruleset's own function.
    """
    both = {"France": "ALLY Britain", "Britain": "ALLY France"}
    waits = "IF Germany INVADES Belgium THEN MOVE 2 SP Lille TO Brussels"
    moves = {"France": f"MOVE 3 SP Paris TO Metz\n{waits}"}
    ruled = "LINE France 1 CHANGED 2 SP: the third lies in the mud\nREST DONE\nEND"
    cleared = "DESTROYED Poland BY Germany\nCLEARED Poland Germany\nSWEPT Poland Germany"
    conquest = f"INVASION Germany Poland\n{cleared}\nFORCES Poland Germany 2"
    return (
        _orders(begun, resolve, "alliance", "France", both),
        _orders(begun, resolve, "offer", "France", {"France": "ALLY Britain"}),
        _report(begun, resolve, "invasion", "Sweden", "Germany", {}, "INVASION Germany Sweden"),
        _report(begun, resolve, "lines", "Belgium", "France", moves, ruled),
        _report(begun, resolve, "conquest", "Poland", "Germany", {}, conquest),
        _mediterranean(begun, resolve),
    )


def _example(
    name: str, area: str, before: State, after: State, orders: Mapping[str, str], events: Any
) -> Example:
    messages = tuple(str(event["message"]) for event in events)
    written = tuple((who, tuple(text.splitlines())) for who, text in orders.items())
    return Example(
        name,
        area,
        seeing.board(before),
        seeing.board(after),
        written,
        messages,
        _figures(after, area),
    )


def _figures(state: State, area: str) -> dict[str, object]:
    """Return who controls the country, what others lack, and which column entries it pays."""
    result = control.control(state, area)
    paid = [
        line
        for sheet in scoring.score_sheets(state)
        for line in sheet.lines
        if line.country == area
    ]
    return {
        "why": result.why,
        "missing": {
            power: lacking
            for power, lacking in result.missing.items()
            if power in ("Germany", "France")
        },
        "paid": [(line.seat, str(line.aim), line.points, line.case, line.why) for line in paid],
    }


def _orders(
    begun: State, resolve: Resolve, name: str, area: str, orders: Mapping[str, str]
) -> Example:
    resolution = resolve(begun, orders, {}, LISTED)
    remarked = {to: remarks for to, remarks in resolution.remarks.items() if remarks}
    events = [
        *resolution.events,
        *({"message": remark.message} for remarks in remarked.values() for remark in remarks),
    ]
    return _example(name, area, begun, resolution.state, orders, events)


def _turn_of(state: State, power: str, orders: Mapping[str, str]) -> State:
    mover = next(place for place, group in enumerate(groups(state)) if power in group)
    return flow.state_after_orders(replace(state, step=ORDERS, mover=mover, orders=dict(orders)))


def _report(
    begun: State,
    resolve: Resolve,
    name: str,
    area: str,
    mover: str,
    orders: Mapping[str, str],
    report: str,
) -> Example:
    before = _turn_of(begun, mover, orders)
    assert before.step == REFEREE
    resolution = resolve(before, {REFEREE_SEAT: report}, {}, LISTED)
    return _example(
        name, area, before, resolution.state, {**orders, REFEREE_SEAT: report}, resolution.events
    )


def _mediterranean(begun: State, resolve: Resolve) -> Example:
    """Return the example of two British points shipped to Egypt.

    Italy is at war with Britain and in supply in Africa, so the next phase throws a die for each.
    """
    orders = {"Britain": "SEA 2 SP London TO Alexandria VIA MED"}
    before = _turn_of(
        begun.change_country("Libya", forces={"Italy": Force(2, 2)}), "Britain", orders
    )
    report = (
        "AFRICA ON\nCOMBAT Britain Italy\nTRACK 1 NAVAL 4 AMPHIBIOUS 0\nLINE Britain 1 DONE\nEND"
    )
    report_result = resolve(before, {REFEREE_SEAT: report}, {}, LISTED)
    volumes = {stock: sales(face) for stock, face in zip(LISTED, (2, 5, 6), strict=True)}
    thrown = resolve(report_result.state, {}, volumes, LISTED)
    events = [event for event in report_result.events if event["kind"] in ("line", "asked")]
    events += thrown.events
    written = {**orders, REFEREE_SEAT: report}
    return _example("mediterranean", "Egypt", before, thrown.state, written, events)
