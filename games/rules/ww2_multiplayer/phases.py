"""A game begun, and its phases judged, whatever their kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .. import Json, Remark, Resolution, RulesError, Volumes
from ..digits import Drawer
from ..options import validate
from ..orders import lines
from . import dice, diplomacy, flow, players, refereeing, scoring, seeing
from .charts import card_of
from .state import COUNT, DICE, DIPLOMACY, OVER, REFEREE, SHEET, State


def setup(card: Json, options: Mapping[str, Any], seats: Sequence[str], secret: str = "") -> State:
    charts, chosen = card_of(card), validate(options)
    if not 1 <= (last := chosen["spi.last_turn"]) <= charts.turns:
        ends = f"choose a Game-Turn from 1 to {charts.turns}"
        raise RulesError(f"The campaign cannot end on turn {last}: {ends}.")
    state = State(charts, chosen, players.seats_of(charts, tuple(seats)), 1, DIPLOMACY)
    return flow.begun(state)[0]


def resolve(
    state: State,
    orders: Mapping[str, str],
    volumes: Volumes,
    reserves: Sequence[str],
    results: Mapping[tuple[str, int], str] | None = None,
) -> Resolution:
    """`orders` are the powers' texts, or the gamesmaster's under SHEET; in a phase of dice they
    are not looked at."""
    if state.step == OVER:
        raise RulesError("the game is over")
    if state.step == DICE:
        thrown, events = dice.throw(state, Drawer(volumes, reserves, state.options))
        following, told = flow.after_dice(thrown)
        return Resolution(following, (*events, *told))
    if state.step in (REFEREE, COUNT):
        return _refereed(state, orders.get(SHEET, ""))
    kept = {power: orders[power] for power in seeing.acting(state) if lines(orders.get(power, ""))}
    after, events, remarks = diplomacy.carried_out(state, kept)
    if state.step == DIPLOMACY:
        return Resolution(flow.after_diplomacy(after), tuple(events), remarks)
    following = flow.after_orders(replace(after, orders={**after.orders, **kept}))
    return Resolution(following, tuple(events), remarks)


def _refereed(state: State, text: str) -> Resolution:
    judged = refereeing.judged(state, text)
    remarks: dict[str, tuple[Remark, ...]] = {to: tuple(said) for to, said in judged.told.items()}
    if state.step == COUNT:
        if not judged.ended:
            again = replace(judged.state, sheets=state.sheets + 1)
            return Resolution(again, tuple(judged.events), remarks)
        final = flow.over(judged.state)
        return Resolution(final, (*judged.events, *scoring.opened(final)), remarks)
    following, told = flow.after_sheet(judged.state, judged.ended)
    return Resolution(following, (*judged.events, *told), remarks)
