"""Begin a game, and judge phases of every kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from games.rules import REFEREE_SEAT, Json, Remark, Resolution, RulesError, Volumes
from games.rules.digits import Drawer
from games.rules.options import validate
from games.rules.orders import lines

from . import checking, dice, diplomacy, flow, players, refereeing, scoring, seeing
from .charts import card_of
from .state import COUNT, DICE, DIPLOMACY, OVER, REFEREE, State


def setup(card: Json, options: Mapping[str, Any], seats: Sequence[str], secret: str = "") -> State:
    charts, chosen = card_of(card), validate(options)
    if not 1 <= (last := chosen["spi.last_turn"]) <= charts.turns:
        ends = f"choose a Game-Turn from 1 to {charts.turns}"
        raise RulesError(f"The campaign cannot end on turn {last}: {ends}.")
    state = State(charts, chosen, players.seats_of(charts, tuple(seats)), 1, DIPLOMACY)
    return flow.begin_game_turn(state)[0]


def resolve(
    state: State,
    orders: Mapping[str, str],
    volumes: Volumes,
    reserves: Sequence[str],
    results: Mapping[tuple[str, int], str] | None = None,
) -> Resolution:
    """Judge a phase.

    `orders` are the powers' texts, or the gamesmaster's under REFEREE_SEAT; a phase of dice ignores
    them.
    """
    if state.step == OVER:
        raise RulesError("the game is over")
    if state.step == DICE:
        thrown, events = dice.throw(state, Drawer(volumes, reserves, state.options))
        following, later = flow.state_after_dice(thrown)
        return Resolution(following, (*events, *later))
    if state.step in (REFEREE, COUNT):
        return _resolve_report(state, orders.get(REFEREE_SEAT, ""))
    texts = {
        power: orders[power]
        for power in seeing.acting_nations(state)
        if lines(orders.get(power, ""))
    }
    after, events, remarks = diplomacy.carry_out(state, texts)
    if state.step == DIPLOMACY:
        return Resolution(flow.state_after_diplomacy(after), tuple(events), remarks)
    kept = {power: checking.kept_text(text, power, state) for power, text in texts.items()}
    following = flow.state_after_orders(replace(after, orders={**after.orders, **kept}))
    return Resolution(following, tuple(events), remarks)


def _resolve_report(state: State, text: str) -> Resolution:
    judged = refereeing.judge_report(state, text)
    remarks: dict[str, tuple[Remark, ...]] = {
        to: tuple(their_remarks) for to, their_remarks in judged.told.items()
    }
    if state.step == COUNT:
        if not judged.ended:
            again = replace(judged.state, report_number=state.report_number + 1)
            return Resolution(again, tuple(judged.events), remarks)
        final = flow.end_game(judged.state)
        return Resolution(final, (*judged.events, *scoring.final_report(final)), remarks)
    following, later = flow.state_after_report(judged.state, judged.ended)
    return Resolution(following, (*judged.events, *later), remarks)
