"""Check the blind game as printed (source 000, lines 256-284): five slips, five scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from games.rules import RulesError, cards
from games.rules.cards import CardError
from games.rules.digits import volume_of_roll
from games.rules.options import LIQUID_STOCKS, new_game_options, validate
from games.rules.origins_ww2.card import CONTROL, UNDERSTANDING
from games.rules.origins_ww2.ruleset import OriginsWW2
from games.rules.origins_ww2.scoring import scores
from games.rules.origins_ww2.state import OVER, State
from games.rules.registry import add_scenarios
from tests.support.board_text import pieces_from_text

RULES = OriginsWW2()
CARD = cards.load("origins-ww2", "historical")
NATIONS = tuple(CARD["order"])
SECRET = "5e" * 32
#: Slips 1 to 5 (lines 260-264), by the names of the cards that are shipped.
SLIPS = {
    "anti-bolshevik-crusade": "Anti-Bolshevik Crusade",
    "british-us-alliance": "Aggressive British/US Alliance",
    "french-policy": "Aggressive French Policy",
    "french-british-policy": "Aggressive French-British Policy",
    "historical": "Historical game",
}
BLIND = {"ow2.blind": "yes", "ow2.blind_charts": "scenarios"}
ROLLS = {f"ROLL-{number}": volume_of_roll(digit) for number, digit in enumerate([3, 0, 1, 4, 0], 1)}


def new_game(**chosen: str) -> State:
    """Set up a blind game that draws scenarios."""
    options = validate({**BLIND, **chosen})
    return RULES.setup(add_scenarios(RULES, CARD, options), options, NATIONS, SECRET)


def drawn(**chosen: str) -> tuple[State, list[Mapping[str, Any]]]:
    """Return a blind game after its slips were drawn, and the events."""
    resolution = RULES.resolve(new_game(**chosen), {}, ROLLS, LIQUID_STOCKS)
    return resolution.state, list(resolution.events)


def test_new_games_draw_scenarios_unless_told_to_deal_rows() -> None:
    """Lines 256-264."""
    assert new_game_options({})["ow2.blind_charts"] == "scenarios"
    assert validate({"ow2.blind": "yes"})["ow2.blind_charts"] == "rows"
    assert RULES.scenarios(new_game_options({})) == ()
    assert set(RULES.scenarios(new_game_options({"ow2.blind": "yes"}))) == set(SLIPS)


def test_slips_name_the_five_scenarios() -> None:
    """Lines 260-264."""
    found = {name: scenario.title for name, scenario in new_game().card.scenarios.items()}
    assert found == SLIPS


def test_each_nation_draws_a_slip_openly_and_gets_its_own_row() -> None:
    """Lines 266-268: each nation draws another slip, and all are told."""
    state, events = drawn(**{"rng.source": "gm_dice"})
    taken = {event["nation"]: event["chart"] for event in events if event["kind"] == "chart_drawn"}
    assert set(taken) == set(NATIONS)
    assert set(taken.values()) == set(SLIPS), "no slip is taken twice"
    for nation, slip in taken.items():
        printed = cards.load("origins-ww2", slip)["allocation"][nation]
        assert list(state.card.allocation[nation]) == printed
        assert RULES.view(state, None).card.allocation[nation] == tuple(printed)
        told = next(e["message"] for e in events if e.get("nation") == nation)
        assert f"{nation} gets its PFs from the scenario {SLIPS[slip]}" in told


def test_objectives_come_from_the_nations_own_row_and_stay_secret() -> None:
    """Lines 270, 272: the slips are returned and drawn again in secret."""
    state, _ = drawn(**{"rng.source": "gm_dice"})
    slips = state.charts.objectives
    assert set(slips.values()) == set(SLIPS)
    for nation, slip in slips.items():
        printed = cards.load("origins-ww2", slip)
        own = RULES.view(state, nation)
        assert own.card.objectives == {nation: printed["objectives"].get(nation, {})}
        lines = dict(RULES.guide.charts(own))[nation]
        assert f"Objectives of the scenario {SLIPS[slip]}:" in lines
        for other in set(NATIONS) - {nation}:
            assert own.card.objectives.get(other, {}) == {}
            assert other not in own.charts.objectives


def test_last_report_reveals_the_scenario_of_each_nation() -> None:
    """C F5."""
    state, _ = drawn(**{"rng.source": "gm_dice"})
    last = replace(state, turn=state.card.turns, step="attacks")
    resolution = RULES.resolve(last, {}, ROLLS, LIQUID_STOCKS)
    assert resolution.state.step == OVER
    revealed = [
        event["message"] for event in resolution.events if event["kind"] == "chart_revealed"
    ]
    assert revealed == [
        f"{nation} played for the objectives of the scenario"
        f" {SLIPS[state.charts.objectives[nation]]}."
        for nation in NATIONS
    ]


def test_nation_may_place_the_counters_of_its_drawn_scenario() -> None:
    """Line 272: placing a counter reveals what the chart allows."""
    state, _ = drawn(**{"rng.source": "gm_dice"})
    for nation, slip in state.charts.objectives.items():
        printed = cards.load("origins-ww2", slip)["objectives"].get(nation, {})
        for area in CARD["areas"]:
            for kind in (UNDERSTANDING, CONTROL):
                assert state.card.allows(nation, area, kind) == (kind in printed.get(area, {}))


def test_no_understanding_is_broken_as_the_drawn_scenario_says() -> None:
    """C.0, ow2.nu_broken_by = card_note: one card's note differs from the others'."""
    state, _ = drawn(**{"rng.source": "gm_dice"})
    areas = {"no_understanding": 2}
    tree = {**add_scenarios(RULES, CARD, validate(BLIND))}
    tree["scenarios"] = [
        {**scenario, "objectives": {**scenario["objectives"], "USA": {"Italy": areas}}}
        for scenario in tree["scenarios"]
    ]
    for slip, pays in (("historical", 2), ("french-british-policy", 0)):
        position = RULES.dump(state)
        position["charts"]["objectives"]["USA"] = slip
        found = RULES.load(tree, validate(BLIND), position)
        board = pieces_from_text("Italy: Germany C")
        assert scores(replace(found, pieces=board))["USA"] == pays


def test_rows_of_one_scenario_are_still_dealt_if_chosen() -> None:
    """In this house variant each nation plays with a row of the one scenario."""
    options = validate({"ow2.blind": "yes", "rng.source": "gm_dice"})
    state = RULES.setup(add_scenarios(RULES, CARD, options), options, NATIONS, SECRET)
    resolution = RULES.resolve(state, {}, ROLLS, LIQUID_STOCKS)
    assert set(resolution.state.charts.allocation.values()) == set(NATIONS)
    for nation, row in resolution.state.charts.allocation.items():
        assert list(resolution.state.card.allocation[nation]) == CARD["allocation"][row]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda five: five[:4], "must be at least 5"),
        (lambda five: [*five[:4], five[0]], "is listed twice"),
        (lambda five: [{**five[0], "turns": 5}, *five[1:]], "scenarios"),
        (lambda five: [{**five[0], "scenarios": five}, *five[1:]], "no scenarios of its own"),
        (lambda five: "five", "must be a list of cards"),
    ],
)
def test_unsuitable_sets_of_scenarios_are_refused(change: Any, fault: str) -> None:
    five = add_scenarios(RULES, CARD, validate(BLIND))["scenarios"]
    with pytest.raises(CardError, match=fault):
        RULES.check_card({**CARD, "scenarios": change(five)})


def test_scenarios_are_required_only_in_games_that_draw_them() -> None:
    with pytest.raises(RulesError, match="no scenarios to draw from"):
        RULES.setup(CARD, validate(BLIND), NATIONS, SECRET)
    whole = add_scenarios(RULES, CARD, validate(BLIND))
    with pytest.raises(RulesError, match="rows of one scenario"):
        RULES.setup(whole, validate({"ow2.blind": "yes"}), NATIONS, SECRET)


def test_own_scenario_replaces_the_shipped_one_of_its_name() -> None:
    own = {**cards.load("origins-ww2", "french-policy"), "title": "French policy, as printed"}
    whole = add_scenarios(RULES, CARD, validate(BLIND), {own["name"]: own})
    titles = [scenario["title"] for scenario in whole["scenarios"]]
    assert "French policy, as printed" in titles
    assert SLIPS["french-policy"] not in titles
