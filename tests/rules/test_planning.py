"""Check orders written by pointing: typed text stays, and none is refused (issue 6, point 4)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rules import Choice, cards
from games.rules.options import validate
from games.rules.plan import PlannedOrder
from games.rules.registry import ruleset
from tests.rules.test_properties import (
    NATIONS,
    attack_lines,
    boards,
    nations,
    option_sets,
    phases,
    placement_lines,
    searching,
    state_of,
    texts,
)

RULES = ruleset("origins-ww2")
CARD = cards.load("origins-ww2", "historical")


def at_start(**options: str) -> Any:
    """Set up a game with these options of ow2."""
    return RULES.setup(
        CARD, validate({f"ow2.{id}": value for id, value in options.items()}), NATIONS
    )


def in_attacks(board: dict[str, Any]) -> Any:
    """Return an attack phase of turn 2 with this board."""
    return RULES.situation({"turn": 2, "phase": "attacks", "board": board}, CARD, validate({}))


def test_planned_order_replaces_an_order_on_the_same_subject() -> None:
    """Unreadable lines stay; several lines about the same PFs become one."""
    typed = (
        "# my plan\nPLACE 2 Pol  # for the shares\n\nwobble\nplace 1 Austria\nPLACE 1 Poland\nPASS"
    )
    written = RULES.planner.revise(at_start(), "Germany", typed, PlannedOrder("PLACE", "Poland", 5))
    assert written == "# my plan\nPLACE 5 Poland  # for the shares\n\nwobble\nplace 1 Austria"
    assert (
        RULES.planner.revise(
            at_start(), "Germany", written, PlannedOrder("PLACE", "Poland"), drop=True
        )
        == "# my plan\n\nwobble\nplace 1 Austria"
    )
    assert RULES.planner.revise(
        at_start(), "Germany", written, PlannedOrder("PLACE", "Rumania", 1)
    ).endswith("place 1 Austria\nPLACE 1 Rumania\n")
    assert RULES.planner.revise(at_start(), "Germany", "", PlannedOrder("PASS")) == "PASS\n"


def test_planned_attack_keeps_its_other_parts() -> None:
    state = in_attacks({"Poland": {"Germany": {"pf": 9}, "France": {"pf": 2}, "Russia": {"pf": 1}}})
    typed = "ATTACK Poland: France STOCK GE/F ELSE Russia MIN 3-1"
    (attack,) = RULES.planner.plan(state, "Germany", typed).ordered
    assert (attack.nations, attack.stocks, attack.otherwise, attack.minimum) == (
        ("France",),
        ("GE", "F"),
        ("Russia",),
        3,
    )
    assert RULES.planner.revise(state, "Germany", "", attack) == f"{typed}\n"
    assert attack.odds is not None
    assert attack.other_odds is not None
    assert (attack.odds.odds, attack.other_odds.odds) == ("4-1", "5-1")


def test_running_totals() -> None:
    state = at_start()
    plan = RULES.planner.plan(state, "Germany", "PLACE 4 Poland\nPLACE 20 Austria")
    total = plan.total("PLACE")
    assert total is not None
    assert (total.of, total.used, total.left, total.over) == (10, 24, 0, 14)
    assert plan.total("FROM HOME") is None, "nothing stands at home yet"


def test_face_down_counters_are_written_and_counted() -> None:
    """F9, F10."""
    state = at_start(hidden="face_down")
    text = RULES.planner.revise(
        state, "Germany", "", PlannedOrder("PLACE", "Poland", 4, counters=(3, 1))
    )
    text = RULES.planner.revise(state, "Germany", text, PlannedOrder("BLANKS", "Poland", 2))
    assert text == "PLACE 4 Poland AS 3+1\nBLANKS 2 Poland\n"
    plan = RULES.planner.plan(state, "Germany", text)
    assert [(order.verb, order.number, order.counters) for order in plan.ordered] == [
        ("PLACE", 4, (3, 1)),
        ("BLANKS", 2, ()),
    ]
    blanks = plan.total("BLANKS")
    assert blanks is not None
    assert blanks.left == 2


@st.composite
def situations(draw: st.DrawFn) -> tuple[Any, str]:
    """Draw a situation and orders typed for it."""
    state = state_of(draw(boards()), draw(phases), draw(option_sets))
    return state, draw(
        st.lists(st.one_of(placement_lines, attack_lines, texts), max_size=5).map("\n".join)
    )


def one_of_choice(draw: Any, choice: Choice) -> PlannedOrder:
    """Draw an order that a choice allows."""
    named = (
        draw(st.lists(st.sampled_from(choice.nations), min_size=1, unique=True))
        if choice.nations
        else []
    )
    return PlannedOrder(
        choice.verb,
        choice.area,
        number=draw(st.integers(1, choice.most)) if choice.most else 0,
        nations=tuple(named[:1] if choice.verb == "SHARE" else named),
        stocks=("GE",) if choice.stock else (),
        otherwise=choice.nations[:1] if choice.conditions else (),
        minimum=2 if choice.conditions else None,
    )


@searching
@given(situations(), nations, st.data())
def test_planned_orders_are_read_as_meant_and_can_be_removed(
    situation: tuple[Any, str], nation: str, data: Any
) -> None:
    """Every order made of a choice is accepted, and removing it leaves no trace."""
    state, typed = situation
    offered = RULES.planner.choices(state, nation)
    if not offered:
        return
    planned = one_of_choice(data.draw, data.draw(st.sampled_from(offered)))
    written = RULES.planner.revise(state, nation, typed, planned)
    reading = RULES.read(written, nation, state)
    mine = [
        order
        for order in RULES.planner.plan(state, nation, written).ordered
        if (order.verb, order.area) == (planned.verb, planned.area)
    ]
    if state.options["ow2.overplaced"] != "reject_all":
        assert any(
            (order.number, order.nations, order.stocks)
            == (planned.number, planned.nations, planned.stocks)
            for order in mine
        )
        lines = {order.line for order in mine}
        assert not [
            remark
            for remark in reading.remarks
            if remark.severity == "error" and remark.line in lines
        ]
    if planned.verb == "PASS":
        return
    without = RULES.planner.revise(state, nation, written, planned, drop=True)
    remaining = [
        order
        for order in RULES.planner.plan(state, nation, without).ordered
        if (order.verb, order.area) == (planned.verb, planned.area)
    ]
    assert all(order.verb == "SHARE" and order.nations != planned.nations for order in remaining)
    assert not written.startswith("\n") or typed.startswith(("\n", "\r"))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_planner_splits_lines_like_the_rules(end: str) -> None:
    written = RULES.planner.revise(
        at_start(),
        "Germany",
        f"PLACE 1 Poland{end}PLACE 2 Austria",
        PlannedOrder("PLACE", "Austria", 3),
    )
    assert written == "PLACE 1 Poland\nPLACE 3 Austria"


def test_removed_pass_leaves_no_blank_first_line() -> None:
    """Hypothesis found this."""
    written = RULES.planner.revise(
        at_start(), "Germany", "PASS\n\nPLACE 1 Poland", PlannedOrder("PLACE", "Austria", 3)
    )
    assert written == "PLACE 1 Poland\nPLACE 3 Austria\n"
