"""Check the odds shown before an attack against the printed table (Rules C.0, K2-K12)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rules import cards
from games.rules.options import validate
from games.rules.origins_ww2.chances import count
from games.rules.origins_ww2.face_down import FaceDownCounters
from games.rules.origins_ww2.table import TABLE
from games.rules.registry import ruleset
from tests.rules.test_properties import areas, boards, nations, option_sets, searching, state_of

RULES = ruleset("origins-ww2")
CARD = cards.load("origins-ww2", "historical")


def attacking(board: dict[str, Any], **options: str) -> Any:
    """Return an attack phase of turn 2 with this board."""
    return RULES.situation(
        {"turn": 2, "phase": "attacks", "board": board},
        CARD,
        validate({f"ow2.{id}": value for id, value in options.items()}),
    )


#: Rules C.0: outcomes out of ten under each odds, in the order D, X, dash, A.
PRINTED = {1: (1, 2, 4, 3), 2: (1, 5, 4, 0), 3: (5, 3, 2, 0), 4: (7, 3, 0, 0), 5: (8, 2, 0, 0)}


@pytest.mark.parametrize("column", PRINTED)
def test_chances_match_the_printed_counts(column: int) -> None:
    assert tuple(count(column, result) for result in "DX-A") == PRINTED[column]
    odds = RULES.planner.chances(
        attacking({"Poland": {"Germany": {"pf": column}, "France": {"pf": 1}}}),
        "Germany",
        "Poland",
        ["France"],
    )
    assert odds is not None
    assert odds.odds == f"{column}-1"
    assert tuple(outcome.percent for outcome in odds.outcomes) == tuple(
        10 * tenths for tenths in (*PRINTED[column], 0)
    )


@searching
@given(boards(), nations, areas, st.lists(nations, max_size=4), option_sets)
def test_chances_sum_to_one_and_match_the_judged_results(
    board: dict[str, Any], nation: str, area: str, targets: list[str], options: dict[str, str]
) -> None:
    """Judge all ten digits: each result comes up as often as forecast."""
    listed_there = {**options, "rng.market": "new_york"}  # where AA is a stock
    state = state_of(board, "attacks", listed_there, mover=nation)
    targets = [target for target in dict.fromkeys(targets) if target != nation]
    odds = RULES.planner.chances(state, nation, area, targets)
    if not targets:
        assert odds is None
        return
    order = f"ATTACK {area}: {', '.join(targets)} STOCK AA"
    seen: dict[tuple[str, tuple[tuple[str, int], ...]], int] = {}
    for digit in TABLE:
        event = next(
            event
            for event in RULES.resolve(
                state, {nation: order}, {"AA": 100 * (10 + digit)}, ["AA"]
            ).events
            if event["kind"] in ("attack", "void") and event["nation"] == nation
        )
        result_told = event["result"] if event["kind"] == "attack" else "void"
        key = (result_told, tuple(sorted(event.get("losses", {}).items())))
        seen[key] = seen.get(key, 0) + 10
        if result_told != "void":
            assert odds is not None
            assert event["odds"] == odds.odds
            assert sorted(event["targets"]) == sorted(odds.targets)
    if odds is None:
        assert {result for result, _ in seen} == {"void"}
        return
    assert sum(outcome.chance for outcome in odds.outcomes) == pytest.approx(1)
    assert len(odds.outcomes) == 5
    expected = {
        (chance.result, tuple(sorted(chance.losses.items()))): chance.percent
        for chance in odds.outcomes
        if chance.percent
    }
    assert seen == expected


def test_forecast_shows_immunity() -> None:
    """I1: while France has an Understanding in Germany. At home Germany may attack (I3)."""
    board = {
        "Germany": {"France": {"pf": 1, "understanding": True}, "Germany": {"pf": 9}},
        "Poland": {"France": {"pf": 1}, "Germany": {"pf": 5}, "Russia": {"pf": 1}},
    }
    state = attacking(board)
    only_france = RULES.planner.chances(state, "Germany", "Poland", ["France"])
    assert only_france is not None
    assert (only_france.targets, only_france.immune) == ((), ("France",))
    assert only_france.outcomes[-1].result == "void"
    assert only_france.outcomes[-1].percent == 100
    both = RULES.planner.chances(state, "Germany", "Poland", ["France", "Russia"])
    assert both is not None
    assert (both.targets, both.immune, both.odds) == (("Russia",), ("France",), "5-1")
    home = RULES.planner.chances(state, "Germany", "Germany", ["France"])
    assert home is not None
    assert home.odds == "1-1"


def test_no_odds_without_a_target_or_an_attacker() -> None:
    state = attacking({"Poland": {"Germany": {"pf": 5}}, "Austria": {"France": {"pf": 2}}})
    assert RULES.planner.chances(state, "Germany", "Poland", ["France"]) is None
    assert RULES.planner.chances(state, "Germany", "Austria", ["France"]) is None


def test_odds_against_face_down_counters_do_not_reveal_values() -> None:
    """F9: the forecast is the same for all values; the attacker's own are counted."""
    from dataclasses import replace

    state = attacking({"Poland": {"Germany": {"pf": 4}, "France": {"pf": 1}}}, hidden="face_down")
    forecasts = {
        RULES.planner.chances(
            replace(
                state,
                face_down=FaceDownCounters(
                    {("Poland", "France"): hidden, ("Poland", "Germany"): (5,)}
                ),
            ),
            "Germany",
            "Poland",
            ["France"],
        )
        for hidden in ((10, 10), (0, 0), (5, 1))
    }
    assert len(forecasts) == 1
    (odds,) = forecasts
    assert odds is not None
    assert (odds.attacker, odds.defender, odds.unknown, odds.least, odds.best) == (
        9,
        1,
        2,
        "",
        "5-1",
    )
    assert odds.outcomes == ()


GUESTS = {
    "Germany": {
        "Germany": {"pf": 8},
        "France": {"pf": 0, "understanding": True},
        "Russia": {"pf": 2},
    }
}


@pytest.mark.parametrize(
    ("targets", "guests"),
    [(["France"], ("France",)), (["France", "Russia"], ("France",)), (["Russia"], ())],
)
def test_home_attack_forecast_names_immunity_and_the_cost_of_failure(
    targets: list[str], guests: tuple[str, ...]
) -> None:
    """I6-I8: attacking only nations without an Understanding there bars nothing."""
    for option, bars in (("no_more_attacks", True), ("only_that_nation", False)):
        odds = RULES.planner.chances(
            attacking(GUESTS, failed_home=option), "Germany", "Germany", targets
        )
        assert odds is not None
        assert (odds.guests, odds.bars) == (guests, bars and bool(guests))
    away = RULES.planner.chances(
        attacking({**GUESTS, "Poland": {"Germany": {"pf": 4}, "Russia": {"pf": 1}}}),
        "Germany",
        "Poland",
        ["Russia"],
    )
    assert away is not None
    assert (away.guests, away.bars) == ((), False)


def test_void_home_attack_bars_nothing() -> None:
    """I12: below 1-1 there is no bar."""
    odds = RULES.planner.chances(
        attacking({"Germany": {"Germany": {"pf": 1}, "France": {"understanding": True}}}),
        "Germany",
        "Germany",
        ["France"],
    )
    assert odds is not None
    assert odds.odds == ""
    assert (odds.guests, odds.bars) == ((), False)
