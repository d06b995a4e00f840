"""Game-Turns, seasons, and the powers of players (2.0, 4.4, 5.7, 10.73, 10.91; Rules B.1, V)."""

from __future__ import annotations

import pytest

from games.rules import PhaseId, RulesError
from games.rules.options import validate
from games.ww2_multiplayer.rules import calendar
from games.ww2_multiplayer.rules.charts import card_of
from games.ww2_multiplayer.rules.players import controllers, groups, player_of, powers_of, same_hand
from games.ww2_multiplayer.rules.ruleset import LAST_TURN
from games.ww2_multiplayer.rules.state import American

from .campaign import CARD, RULES, Campaign, at, new_state

pytestmark = pytest.mark.guest

SCENARIO = card_of(CARD)
LABELS = {
    1: "4/39",
    2: "1/40",
    6: "1/41",
    7: "2/41",
    12: "3/42",
    15: "2/43",
    16: "3/43",
    21: "4/44",
    23: "2/45",
}


@pytest.mark.parametrize(("turn", "label"), LABELS.items())
def test_turn_has_its_printed_label(turn: int, label: str) -> None:
    """18.1, 5.7; Rules V."""
    assert calendar.label(SCENARIO, turn) == calendar.printed_label(turn) == label
    assert (
        RULES.facts(PhaseId(turn, "referee-ussr-2"), {}).title
        == f"Turn {turn} ({label}), Player-Turn of the USSR (2)"
    )
    quarter, _, year = label.partition("/")
    assert calendar.turn_of(SCENARIO, int(quarter), 1900 + int(year)) == turn


@pytest.mark.parametrize(
    ("reading", "turn", "season"),
    [
        ("winter1", 1, "autumn"),
        ("winter1", 2, "winter"),
        ("winter1", 3, "spring"),
        ("winter1", 23, "spring"),
        ("winter1", 15, "spring"),
        ("spring1", 1, "winter"),
        ("spring1", 2, "spring"),
        ("spring1", 14, "spring"),
        ("spring1", 23, "summer"),
    ],
)
def test_season_of_a_turn_in_both_readings(reading: str, turn: int, season: str) -> None:
    """Rules B.1, spi.seasons."""
    assert calendar.season(SCENARIO, turn, reading) == season


@pytest.mark.parametrize(
    ("players", "order"),
    [(6, [["Italy"], ["France", "Poland"], ["USSR"], ["USA"], ["Britain"], ["Germany"]]),
     (5, [["France", "Poland"], ["USSR"], ["USA"], ["Britain"], ["Germany", "Italy"]]),
     (4, [["France", "Poland"], ["USSR"], ["Britain", "USA"], ["Germany", "Italy"]])],
)  # fmt: skip
def test_player_turns_follow_the_printed_order(players: int, order: list[list[str]]) -> None:
    """4.41, 4.42, 4.43: phases follow it, with the German Player-Turn last."""
    assert [list(group) for group in groups(new_state(players))] == order
    campaign, reports = Campaign(players), []
    while campaign.state.turn == 1:
        if campaign.kind.startswith("referee"):
            reports.append(campaign.kind)
        campaign.step()
    assert len(reports) == players
    assert reports[-1] == "referee-germany"


def test_controllers_with_five_and_four_players() -> None:
    """2.0."""
    assert controllers(new_state(6)) == {}
    assert controllers(new_state(5)) == {"Italy": "Germany"}
    four = new_state(4)
    assert controllers(four) == {"Italy": "Germany"}, "the USA has not entered"
    assert controllers(at(four, turn=9, us=American(9))) == {"Italy": "Germany", "USA": "Britain"}
    assert powers_of(four, "Britain") == ("USA", "Britain")
    assert player_of(four, "Italy") == "Germany"
    assert same_hand(four, "USA", "Britain")
    assert not same_hand(new_state(6), "Germany", "Italy")


@pytest.mark.parametrize(
    "seats",
    [
        ["France"],
        ["Italy", "France", "USSR", "USA", "Britain"],
        [],
        ["France", "USSR", "Italy", "Germany"],
    ],
)
def test_other_sets_of_seats_are_refused(seats: list[str]) -> None:
    """2.0: only the sets of four, five and six players."""
    with pytest.raises(RulesError, match=r"Choose the powers for 4, 5 or 6 players"):
        RULES.setup(CARD, {}, seats)
    with pytest.raises(RulesError, match=r"no power “Spain”"):
        RULES.setup(CARD, {}, ["Spain"])


def test_sequential_flow_has_orders_per_player_turn() -> None:
    """Rules B.8, spi.flow."""
    campaign, kinds = Campaign(4, flow="sequential", us_entry="base_schedule"), []
    while campaign.state.turn == 1:
        kinds.append(campaign.kind)
        acting = RULES.acting_nations(campaign.state)
        if campaign.kind == "orders-germany":
            assert acting == ("Italy", "Germany")
        campaign.step()
    assert kinds == [
        "diplomacy",
        "orders-france",
        "referee-france",
        "orders-ussr",
        "referee-ussr",
        "orders-britain",
        "referee-britain",
        "orders-germany",
        "referee-germany",
    ]


def test_first_diplomacy_is_twice_as_long() -> None:
    """4.2, spi.diplomacy_days: 30 minutes instead of 15 at the table."""
    options = new_state().options
    assert [RULES.facts(PhaseId(turn, "diplomacy"), options).days for turn in (1, 2, 23)] == [
        28,
        14,
        14,
    ]
    assert RULES.facts(PhaseId(1, "orders"), options).days is None


def test_last_turn_is_by_default_the_last_of_the_calendar() -> None:
    """5.7 mentions no later turn; spi.last_turn."""
    assert validate({})["spi.last_turn"] == LAST_TURN


def test_campaign_ends_with_the_count_after_its_last_turn() -> None:
    """5.7, 4.3; spi.last_turn."""
    campaign = Campaign(5, last_turn=2).on_to("count")
    assert campaign.state.turn == 2
    campaign.report("NOTE nothing to count")
    assert campaign.kind == "count-2", "a count without END is not over"
    campaign.report("END")
    assert campaign.kind == "over"
    assert RULES.standing(campaign.state).winners
    with pytest.raises(RulesError, match="over"):
        campaign.judge()
