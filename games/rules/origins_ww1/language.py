"""The order language: parse a text in canonical words or in plain ones."""

from __future__ import annotations

from collections.abc import Mapping

from ..orders import Line, Order
from ..plain.facts import Facts
from ..plain.reader import Refusal, read_orders
from ..sifting import Sifted
from .reading import VERBS, read_line
from .state import State


def orders_of(
    state: State, nation: str, text: str, refusal: Refusal = lambda line, order: None
) -> Sifted:
    """Return the orders of a text by line, remarks about the other lines, and what is in doubt."""

    forms = VERBS.examples_in(state.options, state.market)

    def read(line: Line) -> Order:
        return read_line(line, state.card, state.is_choosing, state.market, forms)

    return read_orders(text, read, refusal, state.options, lambda: _facts(state, nation, forms))


def _facts(state: State, nation: str, forms: Mapping[str, str]) -> Facts:
    return Facts(
        nation,
        state.card.area_names,
        state.card.nation_names,
        VERBS,
        state.home(nation),
        {"PLACE": state.allocation(nation)} if state.is_placing else {},
        state.is_attacking,
        turn=state.turn,
        market=state.market,
        ally=state.ally_of(nation),
        options=state.options,
        example=forms["PLACE" if state.is_placing else "ATTACK"],
    )
