"""The language of orders: a text as the game reads it, in canonical words or in plain ones
(contract 3, 3a)."""

from __future__ import annotations

from .. import Remark
from ..orders import Line, Order, lines
from ..plain.facts import Facts
from ..plain.reader import Refusal, read_orders
from ..sifting import Accepted
from .reading import FORMS, read_line
from .state import State


def orders_of(
    state: State, nation: str, text: str, refusal: Refusal = lambda line, order: None
) -> tuple[Accepted, list[Remark]]:
    """The orders of a text by its lines, and what is to be said of those that are none."""

    def read(line: Line) -> Order:
        return read_line(
            line, state.card, state.lays_face_down, state.has_loss_orders, state.market
        )

    return read_orders(lines(text), read, refusal, state.options, lambda: _facts(state, nation))


def _facts(state: State, nation: str) -> Facts:
    return Facts(
        nation,
        state.card.area_names,
        state.card.nation_names,
        frozenset((*FORMS, "BLANKS", "LOSE")),
        state.home(nation),
        {"PLACE": state.allocation(nation), "FROM HOME": state.home_pf(nation)}
        if state.placing
        else {},
        not state.placing,
        market=state.market,
        example=FORMS["PLACE" if state.placing else "ATTACK"],
    )
