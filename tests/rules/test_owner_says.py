"""Check that an owner may lose the Understanding first (K17; ow2.u_loss = owner_says)."""

from __future__ import annotations

from typing import Any

import pytest

from games.rules import cards
from games.rules.options import check_offered, validate
from games.rules.orders import lines
from games.rules.plan import PlannedOrder
from games.rules.registry import ruleset
from orders.inbound.parsing.normalize import looks_like_order

RULES = ruleset("origins-ww2")
CARD = cards.load("origins-ww2", "historical")
BOARD = {"Poland": {"France": {"pf": 9, "understanding": True}, "Germany": {"pf": 7}}}
D_AT_2_1 = 100  # shares, of which the table makes D
SAYS = {"ow2.u_loss": "owner_says"}


def attacks(options: dict[str, str] | None = None) -> Any:
    """Return an attack phase of turn 3 in which the owner says."""
    return RULES.situation(
        {"turn": 3, "phase": "attacks", "board": BOARD}, CARD, validate({**SAYS, **(options or {})})
    )


def messages(text: str, state: Any) -> list[str]:
    """Return the remarks on these orders of France."""
    return [remark.message for remark in RULES.read(text, "France", state).remarks]


def test_owner_says_is_offered_for_new_games() -> None:
    """Issue 7, point 6: every option of ow2 can be chosen."""
    check_offered(validate(SAYS))


def test_every_offered_line_is_accepted_and_described() -> None:
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
        assert not messages(choice.line(), state)
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


def test_wish_without_effect_is_accepted_with_a_warning() -> None:
    assert messages("LOSE UNDERSTANDING FIRST Italy", attacks()) == [
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
def test_incomplete_wish_is_refused(line: str) -> None:
    """Contract 3: nothing is guessed, and the remark shows the correct form."""
    assert "LOSE UNDERSTANDING FIRST Poland" in messages(line, attacks())[0]


def test_wish_is_refused_if_the_option_fixes_the_order_of_losses() -> None:
    for value in ("pf_first", "u_first"):
        assert messages("LOSE UNDERSTANDING FIRST Poland", attacks({"ow2.u_loss": value})) == [
            "“LOSE UNDERSTANDING FIRST Poland”: in this game a partial loss takes"
            " the same first for everybody, so leave this line out."
        ]


def test_report_mentions_the_wish_only_if_it_mattered() -> None:
    """Design 3: replaying the events leads to the judged board."""
    state = attacks()
    text = "ATTACK Poland: Germany STOCK GE\nLOSE UNDERSTANDING FIRST ALL"
    for orders, asked in ((text, ["France"]), (text.splitlines()[0], None)):
        event = RULES.resolve(state, {"France": orders}, {"GE": 200}, ()).events[0]
        assert event.get("understanding_first") == asked
        assert ("As ordered" in event["message"]) == bool(asked)
        assert ("As ordered" in RULES.speech.event(event, {})) == bool(asked)
    result = RULES.resolve(state, {"France": text}, {"GE": 200}, ())
    assert RULES.board(RULES.guide.replay(state, result.events)[-1]) == RULES.board(result.state)
    won = RULES.resolve(state, {"France": text}, {"GE": D_AT_2_1}, ()).events[0]
    assert won["result"] == "D"
    assert "understanding_first" not in won


def test_planner_adds_and_removes_the_wish() -> None:
    """Issue 6, point 4: typed text stays."""
    state, typed = attacks(), "ATTACK Poland: Germany  # now\n"
    for wish in (
        PlannedOrder("LOSE UNDERSTANDING FIRST", "Poland"),
        PlannedOrder("LOSE UNDERSTANDING FIRST ALL"),
    ):
        written = RULES.planner.revise(state, "Russia", typed, wish)
        assert len(lines(written)) == 2
        (found,) = [
            order
            for order in RULES.planner.plan(state, "France", written).ordered
            if order.verb != "ATTACK"
        ]
        assert (found.verb, found.area) == (wish.verb, wish.area)
        assert RULES.planner.revise(state, "Russia", written, wish, drop=True) == typed


def test_later_wish_for_an_area_replaces_the_earlier_one() -> None:
    """Rules O: orders.amend = merge_lines."""
    state = attacks({"orders.amend": "merge_lines"})
    line = "LOSE UNDERSTANDING FIRST Poland"
    assert RULES.merge(line, f"{line} # again", "France", state).splitlines() == [f"{line} # again"]
