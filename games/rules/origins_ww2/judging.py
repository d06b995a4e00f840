"""Judge a phase of any kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .. import Attempt, Json, Reading, Remark, Resolution, RulesError, Volumes
from ..answered_warnings import drop_answered
from ..digits import Drawer, needs_figure
from . import allies, attacks, blind, checking, counters, keeping, placement, wishes
from .state import ALLIES, CHARTS, OVER, PLACEMENT, Memory, State, next_step


def resolve(
    state: State,
    orders: Mapping[str, str],
    volumes: Volumes,
    reserves: Sequence[str],
    results: Mapping[tuple[str, int], str] | None = None,
) -> Resolution:
    if state.step == OVER:
        raise RulesError("the game is over")
    return judge(state, readings(state, orders, reserves), orders, volumes, reserves, results)


def judge(
    state: State,
    readings: Mapping[str, Reading],
    orders: Mapping[str, str],
    volumes: Volumes,
    reserves: Sequence[str],
    results: Mapping[tuple[str, int], str] | None = None,
) -> Resolution:
    """Judge a phase by orders that have been parsed.

    `orders` has the texts; only standing wishes need them.
    """
    remarks = {
        nation: readings[nation].remarks for nation in state.movers if readings[nation].remarks
    }
    turn, step = next_step(state)
    drawer = Drawer(volumes, reserves, state.options)
    if state.drawing:
        charts = state.step == CHARTS
        drawn, drawings = blind.draw(state, drawer) if charts else allies.draw(state, drawer, turn)
        return Resolution(replace(drawn, turn=turn, step=step), tuple(drawings))
    pieces, down, memory = state.pieces, state.face_down, state.memory
    events: list[Json] = []
    if state.is_placing and state.lays_face_down:
        pieces, down, events, memory = placement.lay_face_down(state, readings)
        remarks |= placement.forfeits(state, readings)
        if not state.fights_face_down and not step.startswith(PLACEMENT):
            pieces, down, turned = placement.turn_up(state, pieces, down)
            events += turned
    elif state.is_placing:
        pieces, events, memory = placement.resolve(state, readings)
    if not state.is_placing:
        remarks = {
            nation: remaining for nation, told in remarks.items() if (remaining := _drop_told(told))
        }
    if state.is_attacking:
        pieces, down, events = attacks.resolve(state, readings, drawer, results)
        remarks = {
            nation: unanswered
            for nation, warned in remarks.items()
            if (unanswered := _remaining_remarks(nation, warned, events))
        }
    if state.is_wishing:
        pieces, placed = counters.resolve(state, pieces, readings)
        if state.blind:
            placed, refusals = blind.conceal_wishes(state, placed, readings)
            remarks = {
                nation: (*remarks.get(nation, ()), *refusals.get(nation, ()))
                for nation in (*remarks, *refusals)
            }
        events += placed
        # A controller's wish for its ally must not bind the ally's later controllers (N3).
        wishers = [
            nation
            for nation in counters.standing_wishers(readings, state.card.order)
            if nation not in state.controllers
        ]
        memory = Memory(state.memory.placed, keeping.standing_after(state, orders, wishers))
    following = state.replace(turn=turn, step=step, pieces=pieces, memory=memory, face_down=down)
    if turn != state.turn and state.unheld:
        following = replace(following, controllers={})
        # Use the session just read, and the stocks on the list that the attacks left (N2).
        if step != ALLIES:
            following, drawn_now = allies.draw(following, drawer, turn)
            events = [*events, *drawn_now]
    if step == OVER and state.blind:
        events = [*events, *blind.charts_to_reveal(following)]
    return Resolution(following, tuple(events), remarks)


def _drop_told(remarks: tuple[Remark, ...]) -> tuple[Remark, ...]:
    """Return the remarks without warnings that events of the result already state."""
    return tuple(
        remark
        for remark in remarks
        if remark.severity != "warning" or remark.code not in wishes.TOLD
    )


def _remaining_remarks(
    nation: str, remarks: Sequence[Remark], events: Sequence[Json]
) -> tuple[Remark, ...]:
    return drop_answered(
        nation, remarks, events, by_any=checking.OF_ATTACKS, by_void=checking.OF_VOID_ATTACKS
    )


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
    return attacks.attempts(state, readings(state, orders, reserves), volumes, reserves, results)


def stocks(state: State, orders: Mapping[str, str]) -> tuple[str, ...]:
    return attacks.stocks_in_order(state, readings(state, orders, ()))


def stocks_to_read(
    state: State, orders: Mapping[str, str], reserves: Sequence[str]
) -> tuple[str, ...] | None:
    parsed = readings(state, orders, reserves)
    if not needs_figure(lambda volumes: judge(state, parsed, orders, volumes, reserves)):
        return None
    return attacks.stocks_in_order(state, parsed)


def pf_to_place(state: State, orders: Mapping[str, str]) -> Mapping[str, int]:
    if not state.is_placing or state.options["ow2.unplaced"] != "gm_places":
        return {}
    return placement.pf_to_place(state, readings(state, orders, ()))


def readings(
    state: State, orders: Mapping[str, str], reserves: Sequence[str]
) -> dict[str, Reading]:
    return {
        nation: checking.read(orders.get(nation, ""), nation, state, reserves)
        for nation in state.card.order
    }
