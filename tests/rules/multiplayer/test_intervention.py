"""American intervention (18.0, 18.1): every row in both readings, entry, reinforcements."""

from __future__ import annotations

import itertools

import pytest

from games.rules.ww2_multiplayer.charts import card_of
from games.rules.ww2_multiplayer.hostility import invaded
from games.rules.ww2_multiplayer.intervention import (
    column,
    due,
    invaded_this_turn,
    reinforcements,
    status,
    succeeds,
)
from games.rules.ww2_multiplayer.state import American

from .campaign import CARD, RULES, Campaign, at, begun

TABLE = card_of(CARD).us
# turn, first die, second die, entry: as printed, with how many of the 36 throws succeed in either
# order.
ROWS = [
    (1, "1", "1-3", 7, 5),
    (2, "1", "1", 8, 1),
    (3, "1", "1", 8, 1),
    (4, "1", "1", 9, 1),
    (5, "1", "1", 9, 1),
    (6, "1", "1", 10, 1),
    (7, "1", "1-2", 11, 3),
    (8, "1", "1-3", 12, 5),
    (9, "1", "1-4", 12, 7),
    (10, "1", "1-5", 13, 9),
    (11, "1", "1-6", 14, 11),
    (12, "1-2", "1-6", 14, 20),
    (13, "1-3", "1-6", 15, 27),
]


def faces(written: str) -> set[int]:
    low, _, high = written.partition("-")
    return set(range(int(low), int(high or low) + 1))


@pytest.mark.parametrize(("turn", "first", "second", "entry", "either"), ROWS)
def test_every_row_of_the_table(
    turn: int, first: str, second: str, entry: int, either: int
) -> None:
    """18.1, spi.us_dice: all 36 throws."""
    row = TABLE.rows[turn - 1]
    assert (row.turn, row.entry) == (turn, entry)
    for a, b in itertools.product(range(1, 7), repeat=2):
        assert succeeds(row, (a, b)) == (a in faces(first) and b in faces(second))
    assert (
        sum(
            succeeds(row, dice, either_order=True)
            for dice in itertools.product(range(1, 7), repeat=2)
        )
        == either
    )


@pytest.mark.parametrize(
    ("ordered", "expected"),
    [(True, {1: 8, 6: 20, 9: 39, 12: 71, 13: 85}), (False, {1: 14, 6: 25, 9: 52, 12: 89, 13: 97})],
)
def test_the_chance_of_entry_adds_up_as_the_specification_says(
    ordered: bool, expected: dict[int, int]
) -> None:
    """Rules B.1, intervention 1."""
    neutral = 1.0
    for row in TABLE.rows:
        wins = sum(
            succeeds(row, dice, either_order=not ordered)
            for dice in itertools.product(range(1, 7), repeat=2)
        )
        neutral *= 1 - wins / 36
        if row.turn in expected:
            assert round(100 * (1 - neutral)) == expected[row.turn]


@pytest.mark.parametrize(
    ("country", "good", "bad", "delay"),
    [("France", (2, 2), (3, 1), 5), ("Britain", (3, 3), (4, 1), 5), ("USSR", (1, 2), (2, 1), 4)],
)
def test_a_german_invasion_has_its_own_throw(
    country: str, good: tuple[int, int], bad: tuple[int, int], delay: int
) -> None:
    """18.1: on the turn on which it happens first, once each."""
    for dice, entry in ((good, 3 + delay), (bad, None)):
        campaign = Campaign().on_to("referee-germany", 3)
        campaign.sheet(f"INVASION Germany {country}\nEND")
        assert [request.purpose for request in campaign.state.owed] == [
            "us_special",
            "us_entry",
        ], "in addition, the special one first"
        campaign.dice(*dice, 6, 6)
        assert campaign.state.us.entry == entry
        assert campaign.state.us.rolled_for == (country,)
        assert [event["success"] for event in campaign.told("us_entry")] == (
            [True] if entry else [False, False]
        )
    campaign.on_to("referee-germany", 4).sheet(f"INVASION Germany {country}\nEND")
    assert [request.purpose for request in campaign.state.owed] == ["us_entry"], (
        "the second invasion has no throw of its own"
    )


def test_instead_leaves_the_row_of_the_turn_out() -> None:
    """spi.us_special = instead."""
    campaign = Campaign(us_special="instead").on_to("referee-germany", 3)
    campaign.sheet("INVASION Germany France\nEND")
    assert [request.purpose for request in campaign.state.owed] == ["us_special"]


def test_special_rows_go_on_after_turn_13_and_after_a_success_that_they_could_better() -> None:
    """Rules B.1, intervention 3 and 4."""
    late = at(invaded(at(begun(), turn=11), "Germany", "USSR")[0])
    assert [one.about for one in due(late)] == [{"country": "USSR"}, {"turn": 11}]
    assert not due(invaded(at(begun(), turn=14), "Germany", "USSR")[0]), (
        "turn 18 comes after the automatic entry"
    )
    pledged = invaded(at(begun(), turn=3, us=American(8)), "Germany", "USSR")[0]
    assert [one.purpose for one in due(pledged)] == ["us_special"], (
        "no row of the turn once a throw has succeeded"
    )
    assert not due(invaded(at(begun(), turn=3, us=American(7)), "Germany", "USSR")[0])


def test_only_german_units_trigger_unless_the_players_do() -> None:
    """spi.us_trigger_units."""
    assert not invaded_this_turn(invaded(begun(5), "Italy", "France")[0])
    assert invaded_this_turn(
        invaded(begun(5, us_trigger_units="german_player"), "Italy", "France")[0]
    )
    assert not invaded_this_turn(
        invaded(begun(6, us_trigger_units="german_player"), "Italy", "France")[0]
    )


def test_a_success_is_public_and_ends_the_throws() -> None:
    """18.0, Rules B.1, intervention 2 and 8."""
    campaign = Campaign().on_to("dice-1", 1)
    campaign.dice(1, 3)
    assert (
        campaign.told("us_entry")[0]["message"]
        == "American intervention on 4/39 (18.1): 1 and 3, success: the USA enters on 2/41"
        " (turn 7)."
    )
    assert status(campaign.state) == "pledged"
    campaign.on_to("diplomacy", 7)
    assert "us_enters" in campaign.kinds()
    assert status(campaign.state) == "belligerent"
    assert not [
        before for before, *_ in campaign.played if before["turn"] > 1 and before["step"] == "dice"
    ]


def test_the_usa_enters_of_itself_on_3_43() -> None:
    """18.0."""
    campaign = Campaign(4).on_to("diplomacy", 15)
    assert status(campaign.state) == "neutral"
    campaign.on_to("diplomacy", 16)
    assert [event["message"] for event in campaign.events][-2:] == [
        "The USA enters the war on 3/43.", "The USA takes the column of 3/42 on its track.",
    ]  # fmt: skip
    assert RULES.controllers(campaign.state)["USA"] == "Britain"


def test_by_the_base_schedule_the_gamesmaster_says_when() -> None:
    """spi.us_entry."""
    campaign = Campaign(us_entry="base_schedule").on_to("referee-usa", 12)
    assert not [before for before, *_ in campaign.played if before["step"] == "dice"]
    campaign.sheet("USA ENTERS")
    assert campaign.state.us.entry == 12
    by_dice = Campaign().on_to("referee-usa")
    by_dice.sheet("USA ENTERS")
    assert "dice decide when" in by_dice.said()[0]


@pytest.mark.parametrize(
    ("entry", "turn", "expected"), [(7, 7, 12), (7, 18, 23), (7, 19, None), (16, 23, 19)]
)
def test_reinforcements_begin_with_the_column_of_3_42(
    entry: int, turn: int, expected: int | None
) -> None:
    """18.0; Rules V: past the end of the track six Strength Points and two naval points a turn."""
    assert column(turn, entry) == expected
    found = reinforcements(at(begun(), turn=turn, us=American(entry)))
    assert found == ((expected, {}) if expected else (None, {"strength": 6, "naval": 2}))


def test_a_shortened_campaign_has_the_printed_track_all_the_same() -> None:
    """spi.last_turn ends the game and not the American track."""
    assert reinforcements(at(begun(last_turn=10), turn=8, us=American(7))) == (13, {})
