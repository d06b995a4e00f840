"""Which orders in doubt count at the deadline (contract 3a.4; `orders.in_doubt`)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from games.rules import Doubt, cards, doubts, options
from games.rules.registry import ruleset

RULES = ruleset("origins-ww2")
ONE = Doubt(("PLACE 3 Austria",), True)


def counting(
    *sent: doubts.Sent,
    in_force: tuple[str, ...] = (),
    teams: tuple[str, ...] = (),
    chosen: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, str]:
    values = options.validate(chosen)
    state = RULES.setup(
        cards.load("origins-ww2", "historical"),
        values,
        cards.load("origins-ww2", "historical")["order"],
    )
    found = doubts.counting(RULES, state, values, sent, in_force, teams)
    return {nation: doubts.text_of(item.doubt) for nation, item in found.items() if item.doubt}


def asked(number: int = 1, doubt: Doubt = ONE) -> doubts.Sent:
    return doubts.Sent(number, "Germany", doubt)


def test_question_counts_for_a_nation_without_other_orders() -> None:
    assert counting(asked()) == {"Germany": "PLACE 3 Austria"}


@pytest.mark.parametrize(
    "doubt", [Doubt((), False), Doubt(("PLACE 3 Austria",), False), Doubt(("SHIP 3",), True)]
)
def test_question_without_one_lawful_reading_does_not_count(doubt: Doubt) -> None:
    assert counting(asked(1), asked(2, doubt)) == {}


def test_question_does_not_count_after_orders_or_a_withdrawal() -> None:
    assert counting(asked(), doubts.Sent(2, "Germany")) == {}
    assert counting(doubts.Sent(1, "Germany"), asked(2)) == {"Germany": "PLACE 3 Austria"}


def test_question_does_not_count_beside_orders_in_a_team_or_where_turned_off() -> None:
    assert counting(asked(), in_force=("Germany",)) == {}
    assert counting(asked(), teams=("Germany",)) == {}
    assert counting(asked(), chosen={doubts.OPTION: "never"}) == {}


def test_question_of_who_has_nothing_to_order_does_not_count() -> None:
    assert counting(doubts.Sent(1, "Nobody", ONE)) == {}


def test_doubt_round_trips_to_json() -> None:
    for doubt in (None, ONE, Doubt((), False)):
        assert doubts.from_json(doubts.as_json(doubt)) == doubt
