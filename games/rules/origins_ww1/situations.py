"""Situations (`manage.py adjudicate`): read a position, and write the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .. import Json, Resolution, RulesError, resolution_json
from ..pairs import PREMADE
from . import alliances, scoring
from .card import Card, card_of
from .state import (
    ATTACKS,
    ORDERS,
    OVER,
    PLACEMENT,
    SEQUENTIAL,
    State,
    first_step,
    piles_of,
    turn_of,
)


def situation(tree: Json, card: Json, options: Mapping[str, Any]) -> State:
    """Return the state of a situation, with nothing remembered.

    Its phase is "placement" or "attacks" under any phasing, or another phase that the game's
    phasing has. `alliances` are the current ones; under `sequential` a situation may have `offers`
    too, nation to a list of nations.
    """
    scenario = card_of(card)
    turn, step = tree["turn"], tree["phase"]
    if isinstance(turn, bool) or not isinstance(turn, int) or not 1 <= turn <= scenario.turns:
        raise RulesError(f"turn must be a whole number from 1 to {scenario.turns}")
    if not isinstance(step, str) or step not in steps(scenario, options):
        raise RulesError(f"phase must be {' or '.join(steps(scenario, options))}")
    pairs = alliances.premade_alliances(options[PREMADE], scenario.order)
    state = State(
        scenario,
        options,
        turn,
        step,
        piles_of(tree["board"], scenario),
        scenario.order,
        premade=pairs,
    )
    state = replace(
        state,
        alliances=alliances.pairs_of(tree.get("alliances", []), state),
        offers=_offers(tree.get("offers", {}), state),
    )
    return replace(state, tied=scoring.treaty_nations_so_far(state, state.piles))


def answer(before: State, resolution: Resolution) -> Json:
    state: State = resolution.state
    offers = {nation: list(partners) for nation, partners in state.offers.items()}
    return {
        "board": state.piles.as_json(state.card.areas, state.card.order),
        **resolution_json(resolution, scoring.standing(state)),
        "alliances": [list(pair) for pair in state.alliances],
        **({"offers": offers} if offers else {}),
        "next": None if state.step == OVER else {"turn": state.turn, "phase": state.step},
    }


def steps(card: Card, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the phases that a situation may be in."""
    if options["wwi.phasing"] == SEQUENTIAL:
        return (PLACEMENT, ATTACKS, *(turn_of(nation) for nation in card.order))
    return (PLACEMENT, ATTACKS, *((ORDERS,) if first_step(card, options) == ORDERS else ()))


def _offers(tree: object, state: State) -> dict[str, tuple[str, ...]]:
    if not isinstance(tree, dict):
        raise RulesError("offers must be an object")
    for nation, partners in tree.items():
        if (
            nation not in state.card.order
            or not isinstance(partners, list)
            or not all(partner in state.card.order for partner in partners)
        ):
            raise RulesError(
                f"offers.{nation} must be a list of nations of this card, of one of them"
            )
    return {nation: tuple(partners) for nation, partners in tree.items()}
