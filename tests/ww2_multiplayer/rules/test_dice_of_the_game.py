"""Dice for any purpose, from stocks in a published order (0.1, 6.53, 7.14, 18.1)."""

from __future__ import annotations

import pytest

from games.rules.digits import digits_in_events
from games.rules.options import LIQUID_STOCKS

from .campaign import RULES, Campaign

pytestmark = pytest.mark.guest


def quiet() -> Campaign:
    return Campaign(us_entry="base_schedule").on_to("referee-france")


def test_stronger_unit_of_a_stack_wins_without_dice() -> None:
    """7.14."""
    campaign = quiet()
    campaign.report("CONTEST France 3 Britain 2 IN Metz")
    assert campaign.told("contest")[0]["message"] == (
        "France, with 3 against 2 Strength Points in Metz, may move Britain's unit one hex."
    )
    assert campaign.kind == "referee-france-2"


def test_equal_units_throw_again_after_a_tie() -> None:
    """7.14: the higher die moves the other unit."""
    campaign = quiet()
    campaign.report("CONTEST France 2 Britain 2 IN Metz")
    campaign.dice(4, 4, 2, 2, 0, 3, 5)
    assert [(event["nation"], event["die"]) for event in campaign.told("die")] == [
        ("France", 4), ("Britain", 4), ("France", 2), ("Britain", 2), ("France", 3), ("Britain", 5),
    ]  # fmt: skip
    assert (
        campaign.told("contest")[0]["message"]
        == "Britain throws 5 against 3 of France and may move the other unit one hex."
    )


def test_dice_name_their_purpose_and_power() -> None:
    """Rules B.1: each die is labeled with its purpose."""
    campaign = quiet()
    campaign.report("DICE 2 OF Germany FOR the airdrop: on Oslo\nDICE FOR weather")
    assert [event["message"] for event in campaign.told("asked")] == [
        "Dice are thrown for the airdrop: on Oslo, 2 dice.", "Dice are thrown for weather, 1 die.",
    ]  # fmt: skip
    campaign.dice(1, 2, 3)
    assert [event["message"] for event in campaign.told("thrown")] == [
        "Thrown for the airdrop: on Oslo: 1 and 2.",
        "Thrown for weather: 3.",
    ]
    assert [event["nation"] for event in campaign.told("die")] == ["Germany", "Germany", "France"]


def test_dice_use_stocks_in_list_order_once_each() -> None:
    """0.1: 7, 8, 9 and 0 are rejected; every digit is reported, so a stranger can check it."""
    campaign = quiet()
    campaign.report("DICE 2 FOR weather")
    assert RULES.acting_nations(campaign.state) == ()
    phase = RULES.phase(campaign.state)
    assert phase is not None
    assert (RULES.facts(phase, {}).idle, RULES.facts(phase, {}).draws) == (True, True)
    campaign.dice(7, 0, 2, 9, 6)
    assert [(event["stock"], event["die"]) for event in campaign.told("die")] == [
        (LIQUID_STOCKS[2], 2),
        (LIQUID_STOCKS[4], 6),
    ]
    assert [row["stock"] for row in digits_in_events(campaign.events)] == list(LIQUID_STOCKS[:5])
    assert [row["digit"] for row in digits_in_events(campaign.events)] == [7, 0, 2, 9, 6]


def test_missing_dice_are_thrown_first_in_the_next_session() -> None:
    """0.1: each stock of the list once per phase. Nothing is lost, and END waits."""
    campaign = quiet()
    campaign.report("DICE 3 FOR weather\nDICE FOR the airdrop\nEND")
    campaign.dice(1, 8)
    assert campaign.kind == "dice-2"
    assert [event["die"] for event in campaign.told("die")] == [1, None]
    assert [row["digit"] for row in digits_in_events(campaign.events)] == [1, 8]
    campaign.dice(0)
    assert campaign.kind == "dice-3"
    campaign.dice(2, 3, 4)
    assert [event["message"] for event in campaign.told("thrown")] == [
        "Thrown for weather: 1 and 2 and 3.",
        "Thrown for the airdrop: 4.",
    ]
    assert campaign.kind == "referee-ussr"


def test_interrupted_contest_continues() -> None:
    """7.14 over two sessions."""
    campaign = quiet()
    campaign.report("CONTEST France 2 Britain 2")
    campaign.dice(4, 4, 6)
    assert [event["nation"] for event in campaign.told("die")] == [
        "France",
        "Britain",
        "France",
        "Britain",
    ]
    campaign.dice(1)
    assert campaign.told("contest")[0]["dice"] == [4, 4, 6, 1]
    assert campaign.told("contest")[0]["nation"] == "France"
