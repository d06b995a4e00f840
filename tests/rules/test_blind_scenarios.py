"""The blind game as printed (source 000, lines 256-284): the five slips name the five scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from games.rules import RulesError, cards
from games.rules.cards import CardError
from games.rules.digits import volume_of_roll
from games.rules.options import LIQUID_STOCKS, of_new_game, validate
from games.rules.origins_ww2.card import CONTROL, UNDERSTANDING
from games.rules.origins_ww2.ruleset import OriginsWW2
from games.rules.origins_ww2.scoring import scores
from games.rules.origins_ww2.state import OVER, State, from_text
from games.rules.registry import add_scenarios

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
    options = validate({**BLIND, **chosen})
    return RULES.setup(add_scenarios(RULES, CARD, options), options, NATIONS, SECRET)


def drawn(**chosen: str) -> tuple[State, list[Mapping[str, Any]]]:
    resolution = RULES.resolve(new_game(**chosen), {}, ROLLS, LIQUID_STOCKS)
    return resolution.state, list(resolution.events)


def test_new_games_draw_scenarios_and_old_ones_deal_rows() -> None:
    """Lines 256-264; a record from before this option leaves it out and keeps its rows."""
    assert of_new_game({})["ow2.blind_charts"] == "scenarios"
    assert validate({"ow2.blind": "yes"})["ow2.blind_charts"] == "rows"
    assert RULES.scenarios(of_new_game({})) == ()
    assert set(RULES.scenarios(of_new_game({"ow2.blind": "yes"}))) == set(SLIPS)


def test_the_slips_name_the_five_scenarios() -> None:
    """Lines 260-264."""
    found = {name: one.title for name, one in new_game().card.scenarios.items()}
    assert found == SLIPS


def test_each_nation_takes_one_slip_openly_and_uses_its_own_row_of_that_allocation_chart() -> None:
    """Lines 266-268: without looking, each another, disclosed to all."""
    state, events = drawn(**{"rng.source": "gm_dice"})
    taken = {event["nation"]: event["chart"] for event in events if event["kind"] == "chart_drawn"}
    assert set(taken) == set(NATIONS)
    assert set(taken.values()) == set(SLIPS), "no slip is taken twice"
    for nation, slip in taken.items():
        printed = cards.load("origins-ww2", slip)["allocation"][nation]
        assert list(state.card.allocation[nation]) == printed
        assert RULES.view(state, None).card.allocation[nation] == tuple(printed)
        told = next(e["message"] for e in events if e.get("nation") == nation)
        assert f"{nation} receives its PFs by the scenario {SLIPS[slip]}" in told


def test_objectives_are_those_of_the_nations_own_row_and_known_to_it_alone() -> None:
    """Lines 270, 272: the slips go back and are drawn again, shown to nobody."""
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


def test_the_last_report_opens_who_played_for_which_scenario() -> None:
    """C F5."""
    state, _ = drawn(**{"rng.source": "gm_dice"})
    last = replace(state, turn=state.card.turns, step="attacks")
    resolution = RULES.resolve(last, {}, ROLLS, LIQUID_STOCKS)
    assert resolution.state.step == OVER
    told = [event["message"] for event in resolution.events if event["kind"] == "chart_revealed"]
    assert told == [
        f"{nation} played for the objectives of the scenario"
        f" {SLIPS[state.charts.objectives[nation]]}."
        for nation in NATIONS
    ]


def test_a_nation_may_place_the_counters_of_its_own_row_of_the_scenario_drawn() -> None:
    """Line 272: placing a counter is what gives the chart away."""
    state, _ = drawn(**{"rng.source": "gm_dice"})
    for nation, slip in state.charts.objectives.items():
        printed = cards.load("origins-ww2", slip)["objectives"].get(nation, {})
        for area in CARD["areas"]:
            for kind in (UNDERSTANDING, CONTROL):
                assert state.card.allows(nation, area, kind) == (kind in printed.get(area, {}))


def test_what_breaks_no_understanding_is_as_the_nations_own_scenario_says() -> None:
    """C.0, ow2.nu_broken_by = card_note: one card's note differs from the others'."""
    state, _ = drawn(**{"rng.source": "gm_dice"})
    areas = {"no_understanding": 2}
    tree = {**add_scenarios(RULES, CARD, validate(BLIND))}
    tree["scenarios"] = [
        {**one, "objectives": {**one["objectives"], "USA": {"Italy": areas}}}
        for one in tree["scenarios"]
    ]
    for slip, pays in (("historical", 2), ("french-british-policy", 0)):
        position = RULES.dump(state)
        position["charts"]["objectives"]["USA"] = slip
        found = RULES.load(tree, validate(BLIND), position)
        board = from_text("Italy: Germany C")
        assert scores(replace(found, pieces=board))["USA"] == pays


def test_rows_of_one_scenario_are_dealt_as_before_where_a_game_has_that() -> None:
    """The house variant: nobody has a scenario, one nation plays with another's row."""
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
        (lambda five: [*five[:4], five[0]], "stands there twice"),
        (lambda five: [{**five[0], "turns": 5}, *five[1:]], "scenarios"),
        (lambda five: [{**five[0], "scenarios": five}, *five[1:]], "no scenarios of its own"),
        (lambda five: "five", "must be a list of cards"),
    ],
)
def test_scenarios_of_another_board_are_refused(change: Any, fault: str) -> None:
    five = add_scenarios(RULES, CARD, validate(BLIND))["scenarios"]
    with pytest.raises(CardError, match=fault):
        RULES.check_card({**CARD, "scenarios": change(five)})


def test_a_game_needs_the_scenarios_that_it_draws_from_and_no_others() -> None:
    with pytest.raises(RulesError, match="no scenarios to draw from"):
        RULES.setup(CARD, validate(BLIND), NATIONS, SECRET)
    whole = add_scenarios(RULES, CARD, validate(BLIND))
    with pytest.raises(RulesError, match="rows of one scenario"):
        RULES.setup(whole, validate({"ow2.blind": "yes"}), NATIONS, SECRET)


def test_a_gamesmasters_own_scenario_takes_the_place_of_the_shipped_one_of_its_name() -> None:
    own = {**cards.load("origins-ww2", "french-policy"), "title": "French policy, as printed"}
    whole = add_scenarios(RULES, CARD, validate(BLIND), {own["name"]: own})
    titles = [one["title"] for one in whole["scenarios"]]
    assert "French policy, as printed" in titles
    assert SLIPS["french-policy"] not in titles
