"""Orders written by pointing: what was typed stays, and none is refused (issue 6, point 4)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rules import Choice, cards
from games.rules.options import validate
from games.rules.plan import Ordered
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
    return RULES.setup(
        CARD, validate({f"ow2.{id}": value for id, value in options.items()}), NATIONS
    )


def in_attacks(board: dict[str, Any]) -> Any:
    return RULES.situation({"turn": 2, "phase": "attacks", "board": board}, CARD, validate({}))


def test_an_order_takes_the_place_of_what_was_said_about_the_same_thing() -> None:
    """What cannot be read stays; several lines about the same PFs become one."""
    typed = (
        "# my plan\nPLACE 2 Pol  # for the shares\n\nwobble\nplace 1 Austria\nPLACE 1 Poland\nPASS"
    )
    written = RULES.planner.revise(at_start(), "Germany", typed, Ordered("PLACE", "Poland", 5))
    assert written == "# my plan\nPLACE 5 Poland  # for the shares\n\nwobble\nplace 1 Austria"
    assert (
        RULES.planner.revise(at_start(), "Germany", written, Ordered("PLACE", "Poland"), drop=True)
        == "# my plan\n\nwobble\nplace 1 Austria"
    )
    assert RULES.planner.revise(
        at_start(), "Germany", written, Ordered("PLACE", "Rumania", 1)
    ).endswith("place 1 Austria\nPLACE 1 Rumania\n")
    assert RULES.planner.revise(at_start(), "Germany", "", Ordered("PASS")) == "PASS\n"


def test_an_attack_keeps_what_else_was_said_of_it() -> None:
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
        state, "Germany", "", Ordered("PLACE", "Poland", 4, counters=(3, 1))
    )
    text = RULES.planner.revise(state, "Germany", text, Ordered("BLANKS", "Poland", 2))
    assert text == "PLACE 4 Poland AS 3+1\nBLANKS 2 Poland\n"
    plan = RULES.planner.plan(state, "Germany", text)
    assert [(one.verb, one.number, one.counters) for one in plan.ordered] == [
        ("PLACE", 4, (3, 1)),
        ("BLANKS", 2, ()),
    ]
    blanks = plan.total("BLANKS")
    assert blanks is not None
    assert blanks.left == 2


@st.composite
def situations(draw: st.DrawFn) -> tuple[Any, str]:
    state = state_of(draw(boards()), draw(phases), draw(option_sets))
    return state, draw(
        st.lists(st.one_of(placement_lines, attack_lines, texts), max_size=5).map("\n".join)
    )


def one_of_choice(draw: Any, choice: Choice) -> Ordered:
    named = (
        draw(st.lists(st.sampled_from(choice.nations), min_size=1, unique=True))
        if choice.nations
        else []
    )
    return Ordered(
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
def test_what_is_written_is_understood_as_it_was_meant_and_nothing_else_changes(
    situation: tuple[Any, str], nation: str, data: Any
) -> None:
    """Every order made of a choice is accepted; taken out again it is gone."""
    state, typed = situation
    offered = RULES.planner.choices(state, nation)
    if not offered:
        return
    meant = one_of_choice(data.draw, data.draw(st.sampled_from(offered)))
    written = RULES.planner.revise(state, nation, typed, meant)
    reading = RULES.read(written, nation, state)
    mine = [
        one
        for one in RULES.planner.plan(state, nation, written).ordered
        if (one.verb, one.area) == (meant.verb, meant.area)
    ]
    if state.options["ow2.overplaced"] != "reject_all":
        assert any(
            (one.number, one.nations, one.stocks) == (meant.number, meant.nations, meant.stocks)
            for one in mine
        )
        lines = {one.line for one in mine}
        assert not [
            remark
            for remark in reading.remarks
            if remark.severity == "error" and remark.line in lines
        ]
    if meant.verb == "PASS":
        return
    without = RULES.planner.revise(state, nation, written, meant, drop=True)
    gone = [
        one
        for one in RULES.planner.plan(state, nation, without).ordered
        if (one.verb, one.area) == (meant.verb, meant.area)
    ]
    assert all(one.verb == "SHARE" and one.nations != meant.nations for one in gone)
    assert not written.startswith("\n") or typed.startswith("\n")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_as_the_rules_count_them(end: str) -> None:
    written = RULES.planner.revise(
        at_start(), "Germany", f"PLACE 1 Poland{end}PLACE 2 Austria", Ordered("PLACE", "Austria", 3)
    )
    assert written == "PLACE 1 Poland\nPLACE 3 Austria"


def test_pass_that_goes_leaves_no_blank_line_at_the_beginning() -> None:
    """Found by the property above."""
    written = RULES.planner.revise(
        at_start(), "Germany", "PASS\n\nPLACE 1 Poland", Ordered("PLACE", "Austria", 3)
    )
    assert written == "PLACE 1 Poland\nPLACE 3 Austria\n"
