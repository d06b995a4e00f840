"""The Understanding first, where its owner says so (K17; ow2.u_loss = owner_says)."""

from __future__ import annotations

from typing import Any

import pytest

from games.rules import cards
from games.rules.options import check_offered, validate
from games.rules.orders import lines
from games.rules.plan import Ordered
from games.rules.registry import ruleset
from orders.inbound.parsing.normalize import looks_like_order

RULES = ruleset("origins-ww2")
CARD = cards.load("origins-ww2", "historical")
BOARD = {"Poland": {"France": {"pf": 9, "understanding": True}, "Germany": {"pf": 7}}}
D_AT_2_1 = 100  # shares, of which the table makes D
SAYS = {"ow2.u_loss": "owner_says"}


def attacks(options: dict[str, str] | None = None) -> Any:
    return RULES.situation(
        {"turn": 3, "phase": "attacks", "board": BOARD}, CARD, validate({**SAYS, **(options or {})})
    )


def said(text: str, state: Any) -> list[str]:
    return [remark.message for remark in RULES.read(text, "France", state).remarks]


def test_a_game_may_be_opened_so() -> None:
    """Issue 7, point 6: every option of ow2 can be chosen."""
    check_offered(validate(SAYS))


def test_every_line_that_is_offered_is_accepted_and_says_what_it_does() -> None:
    state = attacks()
    offered = [
        choice
        for choice in RULES.planner.choices(state, "France")
        if choice.verb.startswith("LOSE")
    ]
    assert [choice.line() for choice in offered] == [
        "LOSE UNDERSTANDING FIRST Poland",
        "LOSE UNDERSTANDING FIRST ALL",
    ]
    for choice in offered:
        assert not said(choice.line(), state)
        assert looks_like_order(choice.line())
        assert RULES.read(choice.line(), "France", state).understood == ((1, choice.line()),)
    text = "\n".join(choice.line() for choice in offered)
    assert [sentence for _, sentence in RULES.speech.orders(state, "France", text, {})] == [
        "A partial loss in Poland takes the Understanding first.",
        "A partial loss everywhere takes the Understanding first.",
    ]
    assert any("LOSE UNDERSTANDING FIRST" in fact for fact in RULES.planner.brief(state, "France"))
    assert not any(
        choice.verb.startswith("LOSE") for choice in RULES.planner.choices(state, "Germany")
    )


def test_a_wish_that_can_do_nothing_is_taken_with_a_warning() -> None:
    assert said("LOSE UNDERSTANDING FIRST Italy", attacks()) == [
        "“LOSE UNDERSTANDING FIRST Italy” has no effect: France has no Understanding in Italy"
        " that it could lose."
    ]


@pytest.mark.parametrize(
    "line",
    [
        "LOSE",
        "LOSE Poland",
        "LOSE UNDERSTANDING Poland",
        "LOSE UNDERSTANDING FIRST",
        "LOSE FIRST ALL",
    ],
)
def test_half_a_wish_cannot_be_read(line: str) -> None:
    """Contract 3: nothing is guessed, and the sentence shows how it is written."""
    assert "LOSE UNDERSTANDING FIRST Poland" in said(line, attacks())[0]


def test_where_it_is_the_same_for_everybody_the_line_is_unreadable_and_told_why() -> None:
    for value in ("pf_first", "u_first"):
        assert said("LOSE UNDERSTANDING FIRST Poland", attacks({"ow2.u_loss": value})) == [
            "“LOSE UNDERSTANDING FIRST Poland”: what a partial loss takes first is"
            " the same for everybody in this game, so no order says it."
        ]


def test_the_report_tells_of_it_and_only_where_it_mattered() -> None:
    """Design 3: the events lead to the board that was judged."""
    state = attacks()
    text = "ATTACK Poland: Germany STOCK GE\nLOSE UNDERSTANDING FIRST ALL"
    for orders, asked in ((text, ["France"]), (text.splitlines()[0], None)):
        told = RULES.resolve(state, {"France": orders}, {"GE": 200}, ()).events[0]
        assert told.get("understanding_first") == asked
        assert ("As ordered" in told["message"]) == bool(asked)
        assert ("As ordered" in RULES.speech.event(told, {})) == bool(asked)
    result = RULES.resolve(state, {"France": text}, {"GE": 200}, ())
    assert RULES.board(RULES.guide.replay(state, result.events)[-1]) == RULES.board(result.state)
    won = RULES.resolve(state, {"France": text}, {"GE": D_AT_2_1}, ()).events[0]
    assert won["result"] == "D"
    assert "understanding_first" not in won


def test_pointing_writes_it_and_takes_it_out_again() -> None:
    """Issue 6, point 4: what was typed stays."""
    state, typed = attacks(), "ATTACK Poland: Germany  # now\n"
    for wish in (
        Ordered("LOSE UNDERSTANDING FIRST", "Poland"),
        Ordered("LOSE UNDERSTANDING FIRST ALL"),
    ):
        written = RULES.planner.revise(state, "Russia", typed, wish)
        assert len(lines(written)) == 2
        (found,) = [
            one
            for one in RULES.planner.plan(state, "France", written).ordered
            if one.verb != "ATTACK"
        ]
        assert (found.verb, found.area) == (wish.verb, wish.area)
        assert RULES.planner.revise(state, "Russia", written, wish, drop=True) == typed


def test_a_later_line_about_the_same_area_replaces_the_earlier_one() -> None:
    """Rules O: orders.amend = merge_lines."""
    state = attacks({"orders.amend": "merge_lines"})
    line = "LOSE UNDERSTANDING FIRST Poland"
    assert RULES.merge(line, f"{line} # again", "France", state).splitlines() == [f"{line} # again"]
