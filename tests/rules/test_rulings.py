"""Check rulings as pure functions: which hold, and their effects (design.md 4; contract.md 5)."""

from __future__ import annotations

from typing import Any

import pytest

from games.rules import RulesError, UnknownFigure, cards, ruling_kinds, rulings
from games.rules import options as rule_options
from games.rules.registry import ruleset
from games.rules.rulings import RuledSubmission, Ruling

RULES = ruleset("origins-ww2")
CARD = cards.load("origins-ww2", "historical")
OPTIONS = rule_options.validate({})
BOARD = {
    "Poland": {"Germany": {"pf": 12}, "France": {"pf": 6}},
    "Austria": {"Germany": {"pf": 7}, "Russia": {"pf": 3}},
}
SENT = {"Germany": "ATTACK Poland: France STOCK GE\nATTACK Austria: Russia STOCK F"}
SOLD = {
    "GE": 5_412_900,
    "F": 1_000_100,
}  # 9 at 2-1: nothing; 1 at 2-1: the attacker's odds are good


class Known:
    """Hold figures of which some are not known yet."""

    def __init__(self, known: dict[str, int | None]) -> None:
        self.known = known

    def get(self, symbol: str, /) -> int | None:
        if symbol not in self.known:
            raise UnknownFigure(symbol)
        return self.known[symbol]


def position(board: dict[str, Any] = BOARD, turn: int = 2) -> dict[str, Any]:
    """Return the saved position of an attack phase."""
    state = RULES.situation({"turn": turn, "phase": "attacks", "board": board}, CARD, OPTIONS)
    return RULES.dump(state)


def made(*rows: tuple[str, dict[str, Any]]) -> list[Ruling]:
    """Return numbered rulings of phase 4."""
    return [
        Ruling(number, 4, kind, what, ruling_kinds.words(kind, what))
        for number, (kind, what) in enumerate(rows, start=1)
    ]


def judge(
    *rows: tuple[str, dict[str, Any]], sold: dict[str, int | None] | None = None, **more: Any
) -> rulings.JudgedPhase:
    """Judge the phase under these rulings."""
    volumes = Known(dict(SOLD if sold is None else sold))
    return rulings.judge(
        RULES, CARD, OPTIONS, position(), SENT, volumes, ["AA", "BA"], made(*rows), **more
    )


def cell(judged: rulings.JudgedPhase, area: str, nation: str) -> str:
    """Return the text of a cell after the phase."""
    return str(RULES.board(judged.resolution.state).cells.get(area, {}).get(nation, ""))


def attack(judged: rulings.JudgedPhase, line: int) -> dict[str, Any]:
    """Return the event of this line of orders."""
    return next(event for event in judged.resolution.events if event.get("line") == line)


def check(kind: str, what: Any, submissions: dict[int, RuledSubmission] | None = None) -> None:
    """Check whether a ruling may be made in this phase."""
    state = RULES.load(CARD, OPTIONS, position())
    ruling_kinds.check(
        kind, what, ruling_kinds.RuledPhase(RULES, state, SENT, submissions or {}, ["AA"])
    )


# --- which hold ---


def rule(number: int, revokes: int | None = None) -> Ruling:
    """Return a ruling, or the revocation of another."""
    return Ruling(
        number,
        1,
        "revoke" if revokes else "points",
        {"ruling": revokes} if revokes else {},
        revokes=revokes,
    )


def test_ruling_holds_again_if_its_revocation_is_revoked() -> None:
    made_rulings = [rule(1), rule(2, revokes=1), rule(3, revokes=2)]
    assert [ruling.number for ruling in rulings.in_force(made_rulings, 1)] == [1]
    assert [ruling.number for ruling in rulings.in_force(made_rulings, 2)] == [2]
    assert [ruling.number for ruling in rulings.in_force(made_rulings)] == [1, 3]


def test_rulings_apply_only_to_their_own_phase() -> None:
    rows = [Ruling(1, 4, "points", {}), Ruling(2, 5, "points", {}), Ruling(3, 4, "again", {})]
    assert [ruling.number for ruling in rulings.rulings_on(rows, 4)] == [1]


# --- what a phase comes to ---


def test_phase_without_rulings_is_judged_as_usual() -> None:
    plain = RULES.resolve(RULES.load(CARD, OPTIONS, position()), SENT, SOLD, ["AA", "BA"])
    assert judge().resolution == plain


def test_rulings_amend_strike_and_accept_orders() -> None:
    amended = judge(("orders", {"nation": "Germany", "text": "ATTACK Austria: Russia STOCK F"}))
    assert (cell(amended, "Poland", "Germany"), cell(amended, "Poland", "France")) == ("12", "6")
    struck = judge(("orders", {"nation": "Germany", "text": None}))
    assert "Germany" not in struck.orders
    late = {7: RuledSubmission("France", "ATTACK Poland: Germany STOCK GE")}
    accepted = judge(("orders", {"nation": "France", "submission": 7}), submissions=late)
    assert accepted.orders["France"] == late[7].text


def test_ruled_figure_replaces_the_settled_one() -> None:
    judged = judge(("digit", {"stock": "GE", "volume": 5_412_100}))
    assert (attack(judged, 1)["volume"], attack(judged, 1)["digit"]) == (5_412_100, 1)
    none = judge(("digit", {"stock": "GE", "volume": None}), sold={**SOLD, "AA": 700})
    assert (attack(none, 1)["stock"], attack(none, 1)["digit"]) == ("AA", 7)


def test_ruled_result_keeps_the_digit_and_cites_the_ruling() -> None:
    judged = judge(("result", {"nation": "Germany", "line": 1, "result": "D"}))
    event = attack(judged, 1)
    assert (event["result"], event["digit"], event["rule"], event["losses"]) == (
        "D",
        9,
        "ruling 1",
        {"France": 6},
    )
    assert cell(judged, "Poland", "France") == ""


def test_ruled_result_needs_no_digit() -> None:
    judged = judge(("result", {"nation": "Germany", "line": 1, "result": "A"}), sold={"F": 100})
    event = attack(judged, 1)
    assert (event["digit"], event["volume"], event["stock"]) == (None, None, "")
    assert cell(judged, "Poland", "Germany") == ""
    assert "without a digit" in event["message"]


@pytest.mark.parametrize("result", ["D", "void"])
def test_ruled_result_decides_no_attack_in_another_area(result: str) -> None:
    """Line 1 was ruled; amended orders had another attack there, which the ruling decided."""
    ruling = ("result", {"nation": "Germany", "line": 1, "area": "Poland", "result": result})
    assert attack(judge(ruling), 1)["ruled"]
    amended = {"nation": "Germany", "text": "ATTACK Austria: Russia STOCK F"}
    with pytest.raises(rulings.ImpossibleRuling, match="in Austria, not in Poland") as refused:
        judge(ruling, ("orders", amended))
    assert refused.value.number == 1


@pytest.mark.parametrize("result", ["D", "void"])
def test_ruled_result_does_not_change_reserves_of_other_attacks(result: str) -> None:
    """The ruled attack still uses up its digit, so no other attack gets a new one."""
    sold: dict[str, int | None] = {"GE": None, "F": None, "AA": 300, "BA": 400}
    ruling = ("result", {"nation": "Germany", "line": 1, "result": result})
    plain, ruled = judge(sold=sold), judge(ruling, sold=sold)
    assert attack(plain, 2)["stock"] == attack(ruled, 2)["stock"] == "BA"
    unknown = judge(ruling, sold={"GE": None, "F": None, "BA": 400})
    assert attack(unknown, 2)["stock"] == "BA"


def test_attack_may_be_ruled_void() -> None:
    event = attack(judge(("result", {"nation": "Germany", "line": 2, "result": "void"})), 2)
    assert (event["kind"], event["reason"], event["rule"]) == ("void", "ruled", "ruling 1")


def test_ruled_option_lasts_only_for_its_phase() -> None:
    judged = judge(
        ("option", {"option": "ow2.x_attacker_loss", "value": "all"}),
        ("result", {"nation": "Germany", "line": 1, "result": "X"}),
    )
    assert attack(judged, 1)["losses"] == {"France": 6, "Germany": 12}
    assert judged.resolution.state.options["ow2.x_attacker_loss"] == "equal"


def test_rulings_apply_in_the_order_of_their_numbers() -> None:
    judged = judge(
        ("position", {"cells": {"Italy": {"Germany": {"pf": 4}}, "Poland": {"France": {}}}}),
        (
            "counter",
            {"nation": "Germany", "area": "Italy", "counter": "understanding", "given": True},
        ),
        ("points", {"nation": "Germany", "points": 3}),
        ("points", {"nation": "France", "points": -2}),
    )
    assert (cell(judged, "Italy", "Germany"), cell(judged, "Poland", "France")) == ("4+U", "")
    without = judge(
        (
            "position",
            {
                "cells": {
                    "Italy": {"Germany": {"pf": 4, "understanding": True}},
                    "Poland": {"France": {}},
                }
            },
        )
    )
    scores, plain = (RULES.standing(result.resolution.state).scores for result in (judged, without))
    assert (scores["Germany"] - plain["Germany"], scores["France"] - plain["France"]) == (3, -2)
    again = RULES.load(CARD, OPTIONS, RULES.dump(judged.resolution.state))
    assert RULES.standing(again).scores == scores


def test_position_without_adjusted_points_has_no_points_key() -> None:
    assert "points" not in RULES.dump(judge().resolution.state)
    back = judge(
        ("points", {"nation": "Germany", "points": 3}),
        ("points", {"nation": "Germany", "points": -3}),
    )
    assert "points" not in RULES.dump(back.resolution.state)


def test_ruled_control_removes_pfs_and_revoking_it_leaves_nothing() -> None:
    """T2, K18."""
    with pytest.raises(RulesError, match="CONTROL excludes everything else"):
        judge(
            (
                "counter",
                {"nation": "Germany", "area": "Poland", "counter": "control", "given": True},
            )
        )
    empty = (
        "position",
        {"cells": {"Poland": {"France": {}, "Germany": {"pf": 9, "understanding": True}}}},
    )
    given = (
        "counter",
        {"nation": "Germany", "area": "Poland", "counter": "control", "given": True},
    )
    assert cell(judge(empty, given), "Poland", "Germany") == "C"
    taken = (
        "counter",
        {"nation": "Germany", "area": "Poland", "counter": "control", "given": False},
    )
    assert cell(judge(empty, given, taken), "Poland", "Germany") == ""


def test_report_states_each_ruling_with_its_reason() -> None:
    rows = [
        Ruling(
            5, 4, "points", {"nation": "USA", "points": 1}, "USA gets 1 point.", "A slip of\nmine."
        )
    ]
    judged = rulings.judge(RULES, CARD, OPTIONS, position(), SENT, Known(dict(SOLD)), [], rows)
    event = judged.resolution.events[-1]
    assert (event["kind"], event["ruling"]) == ("ruled", 5)
    assert (
        event["message"]
        == "Ruling 5 of the gamesmaster: USA gets 1 point. The reason: A slip of mine."
    )


# --- what cannot be ruled, and how it is said ---


@pytest.mark.parametrize(
    ("kind", "what", "message"),
    [
        ("magic", {}, "“magic” is not a ruling"),
        ("orders", {"nation": "Mars", "text": None}, "no nation “Mars”"),
        (
            "orders",
            {"nation": "Germany", "text": "DANCE"},
            "No line of these orders of Germany can be read",
        ),
        ("orders", {"nation": "Germany", "submission": 3}, "no submission 3 of Germany"),
        ("orders", {"nation": "Germany"}, "lacks “text”"),
        ("digit", {"stock": "ge", "volume": 1}, "“ge” is not a stock symbol"),
        ("digit", {"stock": "GE", "volume": 0}, "“0” is not a number of shares"),
        ("digit", {"stock": "ROLL-1", "volume": None}, "ROLL-1 is a digit"),
        (
            "result",
            {"nation": "Germany", "line": 9, "result": "D"},
            "Germany has no attack in line 9",
        ),
        (
            "result",
            {"nation": "Germany", "line": 1, "area": "Italy", "result": "D"},
            "Germany has no attack in Italy in line 1 of its orders",
        ),
        ("result", {"nation": "Germany", "line": 1, "result": "B"}, "“B” is not a result"),
        ("position", {"cells": {}}, "names one area and nation or more"),
        ("position", {"cells": {"Poland": {"Germany": {"pf": -1}}}}, "“pf: -1” cannot be"),
        (
            "counter",
            {"nation": "Germany", "area": "Poland", "counter": "flag", "given": True},
            "“flag” is not a counter",
        ),
        ("points", {"nation": "Germany", "points": 0}, "“0” is not a number of points"),
        ("points", {"nation": "Germany", "points": 100}, "“100” is not a number of points"),
        (
            "option",
            {"option": "ow2.placement", "value": "ordered"},
            "“ow2.placement” is not an option",
        ),
        ("option", {"option": "ow2.sub_1_1", "value": "maybe"}, "not “maybe”"),
        ("again", {"why": "not"}, "has no “why”"),
    ],
)
def test_invalid_ruling_is_refused_in_one_sentence(kind: str, what: Any, message: str) -> None:
    with pytest.raises(RulesError) as refused:
        check(kind, what)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("kind", "what", "message"),
    [
        ("orders", {"nation": "Germany", "text": None}, "The orders of Germany are struck."),
        (
            "orders",
            {"nation": "Germany", "submission": 3},
            "A submission of Germany is accepted: its orders count.",
        ),
        ("digit", {"stock": "GE", "volume": 5_412_300}, "The sales of GE count as 5,412,300."),
        ("digit", {"stock": "ROLL-2", "volume": 1_700}, "ROLL-2 counts as 7."),
        (
            "result",
            {"nation": "Germany", "line": 2, "result": "X"},
            "The attack of Germany in line 2 of its orders is an exchange.",  # of 0.1.0
        ),
        (
            "result",
            {"nation": "Germany", "line": 2, "area": "Italy", "result": "X"},
            "The attack of Germany in Italy (line 2 of its orders) is an exchange.",
        ),
        (
            "counter",
            {"nation": "USA", "area": "Poland", "counter": "understanding", "given": False},
            "USA loses its Understanding in Poland.",
        ),
        ("points", {"nation": "USA", "points": -1}, "USA loses 1 point."),
        (
            "position",
            {"cells": {"Poland": {"Germany": {"pf": 4, "understanding": True}, "France": {}}}},
            (
                "The position becomes: France has nothing in Poland; Germany has 4 PFs and an"
                " Understanding in Poland."
            ),
        ),
        ("revoke", {"ruling": 3}, "Ruling 3 is revoked."),
    ],
)
def test_ruling_is_described_in_one_sentence(kind: str, what: Any, message: str) -> None:
    assert ruling_kinds.words(kind, what) == message


def test_ruling_of_another_game_is_impossible() -> None:
    """Contract 5: a record cannot rule what its game does not have, such as an alliance here."""
    what = {"nations": ["Germany", "France"], "allied": True}
    with pytest.raises(rulings.ImpossibleRuling, match="“alliance” is not a ruling of this game"):
        judge(("alliance", what))
