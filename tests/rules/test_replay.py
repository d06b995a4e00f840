"""Check that replaying the events of a phase ends with the judged board."""

from __future__ import annotations

from typing import Any

import pytest

from games.rules import Cell
from games.rules.cards import load
from games.rules.options import LIQUID_STOCKS, validate
from games.rules.registry import ruleset

RULES = ruleset("origins-ww2")
CARD = load("origins-ww2", "historical")


def whole_game(salt: str, **options: Any) -> list[tuple[Any, Any]]:
    """Play a game of bots; return the state before each phase and its resolution."""
    chosen = validate({name.replace("_", ".", 1): value for name, value in options.items()})
    state, phases = RULES.setup(CARD, chosen, CARD["order"]), []
    volumes = {
        stock: 100 * (number * 7919 + len(salt) * 31 + 1000)
        for number, stock in enumerate(LIQUID_STOCKS)
    }
    while (phase := RULES.phase(state)) is not None:
        orders = {
            nation: RULES.bot.orders(state, nation, salt) for nation in RULES.acting_nations(state)
        }
        if options.get("ow2_u_loss") == "owner_says" and RULES.facts(phase, {}).draws:
            orders = {
                nation: f"{text}\nLOSE UNDERSTANDING FIRST ALL" for nation, text in orders.items()
            }
        resolution = RULES.resolve(state, RULES.in_force(state, orders), volumes, LIQUID_STOCKS)
        phases.append((state, resolution))
        state = resolution.state
    return phases


@pytest.mark.parametrize("salt", ["one", "other", "a third"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ow2_u_loss": "u_first"},
        {"ow2_u_loss": "owner_says"},
        {"ow2_resolution": "frozen_odds"},
        {"ow2_sub_1_1": "attacker_removed", "ow2_x_attacker_loss": "all"},
        {"ow2_placement": "ordered", "ow2_unplaced": "forfeit"},
    ],
    ids=lambda options: " ".join(options.values()) or "usual",
)
def test_replayed_events_lead_to_the_judged_board(salt: str, options: dict[str, str]) -> None:
    """Rules C.2, under the options that set the cost of an attack."""
    fights = 0
    for state, resolution in whole_game(salt, **options):
        states = RULES.guide.replay(state, resolution.events)
        assert len(states) == len(resolution.events)
        replayed_board = RULES.board(states[-1] if states else state)
        assert replayed_board == RULES.board(resolution.state)
        fights += sum(event["kind"] == "attack" for event in resolution.events)
    assert fights, "a game without an attack shows nothing"


def test_replay_applies_each_loss_before_the_next_attack() -> None:
    """Rules C.2, K10: losses count one by one."""
    state = RULES.situation(
        {
            "turn": 2,
            "phase": "attacks",
            "board": {
                "Poland": {"Germany": {"pf": 8}, "Russia": {"pf": 2}, "France": {"pf": 1}},
                "Austria": {"Germany": {"pf": 6}, "France": {"pf": 2}},
            },
        },
        CARD,
        validate({}),
    )
    orders = {"Germany": "ATTACK Poland: Russia STOCK GE\nATTACK Austria: France STOCK XOM"}
    resolution = RULES.resolve(state, orders, {"GE": 100, "XOM": 100}, ())
    states = RULES.guide.replay(state, resolution.events)
    boards = [RULES.board(past).cells for past in (state, *states)]
    assert boards[0]["Poland"]["Russia"] == boards[0]["Austria"]["France"] == Cell(2)
    assert "Russia" not in boards[1]["Poland"]
    assert boards[1]["Austria"]["France"] == Cell(2)
    assert "France" not in boards[2]["Austria"]


def test_objective_points_add_up_to_the_score() -> None:
    """Rules F13: points of reached objectives and of rulings add up to the score."""
    for state, _ in whole_game("objectives"):
        scores = RULES.standing(state).scores
        for nation in CARD["order"]:
            facts = RULES.guide.nation_facts(state, nation)
            assert (
                sum(objective.points for objective in facts.objectives if objective.reached)
                + facts.ruled
                == scores[nation]
            )
            assert list(facts.allocation) == CARD["allocation"][nation]


def test_hidden_scores_hide_reached_objectives() -> None:
    """Rules C, ow2.running_score = hidden."""
    hidden = whole_game("objectives", ow2_running_score="hidden")
    for state, _ in hidden[1:]:
        view = RULES.view(state, "Germany")
        facts = RULES.guide.nation_facts(view, "Germany")
        assert {objective.reached for objective in facts.objectives} == {None}
    over = RULES.view(hidden[-1][1].state, None)
    facts = RULES.guide.nation_facts(over, "Germany")
    assert None not in {objective.reached for objective in facts.objectives}
