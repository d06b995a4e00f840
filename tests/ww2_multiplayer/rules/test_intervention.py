"""American intervention (18.0, 18.1): every row in both readings, entry, reinforcements."""

from __future__ import annotations

import itertools

import pytest

from games.ww2_multiplayer.rules.charts import card_of
from games.ww2_multiplayer.rules.hostility import note_invasion
from games.ww2_multiplayer.rules.intervention import (
    column,
    due,
    reinforcements,
    specials_of_turn,
    status,
    succeeds,
)
from games.ww2_multiplayer.rules.state import American

from .campaign import CARD, RULES, Campaign, at, new_state

pytestmark = pytest.mark.guest

TABLE = card_of(CARD).us
# Turn, first die, second die and entry as printed, then how many of the 36 throws succeed in
# either order.
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
def test_every_row_of_the_intervention_table(
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
def test_cumulative_chance_of_american_entry(ordered: bool, expected: dict[int, int]) -> None:
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
def test_german_invasion_has_its_own_throw(
    country: str, good: tuple[int, int], bad: tuple[int, int], delay: int
) -> None:
    """18.1: on the turn of the first invasion, once for each country."""
    for dice, entry in ((good, 3 + delay), (bad, None)):
        campaign = Campaign().on_to("referee-germany", 3)
        campaign.report(f"INVASION Germany {country}\nEND")
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
    campaign.on_to("referee-germany", 4).report(f"INVASION Germany {country}\nEND")
    assert [request.purpose for request in campaign.state.owed] == ["us_entry"], (
        "the second invasion has no throw of its own"
    )


def test_special_throw_replaces_the_row_of_the_turn() -> None:
    """spi.us_special = instead."""
    campaign = Campaign(us_special="instead").on_to("referee-germany", 3)
    campaign.report("INVASION Germany France\nEND")
    assert [request.purpose for request in campaign.state.owed] == ["us_special"]


def test_special_throws_continue_while_they_could_bring_entry_forward() -> None:
    """Rules B.1, intervention 3 and 4."""
    late = at(note_invasion(at(new_state(), turn=11), "Germany", "USSR")[0])
    assert [request.about for request in due(late)] == [{"country": "USSR"}, {"turn": 11}]
    assert not due(note_invasion(at(new_state(), turn=14), "Germany", "USSR")[0]), (
        "turn 18 comes after the automatic entry"
    )
    pledged = note_invasion(at(new_state(), turn=3, us=American(8)), "Germany", "USSR")[0]
    assert [request.purpose for request in due(pledged)] == ["us_special"], (
        "no row of the turn once a throw has succeeded"
    )
    assert not due(note_invasion(at(new_state(), turn=3, us=American(7)), "Germany", "USSR")[0])


def test_only_german_units_trigger_by_default() -> None:
    """spi.us_trigger_units."""
    assert not specials_of_turn(note_invasion(new_state(5), "Italy", "France")[0])
    assert specials_of_turn(
        note_invasion(new_state(5, us_trigger_units="german_player"), "Italy", "France")[0]
    )
    assert not specials_of_turn(
        note_invasion(new_state(6, us_trigger_units="german_player"), "Italy", "France")[0]
    )


def test_successful_throw_is_public_and_ends_the_throws() -> None:
    """18.0, Rules B.1, intervention 2 and 8."""
    campaign = Campaign().on_to("dice-1", 1)
    campaign.dice(1, 3)
    assert (
        campaign.told("us_entry")[0]["message"]
        == "American intervention in 4/39 (18.1): 1 and 3, success: the USA enters in 2/41"
        " (turn 7)."
    )
    assert status(campaign.state) == "pledged"
    campaign.on_to("diplomacy", 7)
    assert "us_enters" in campaign.kinds()
    assert status(campaign.state) == "belligerent"
    assert not [
        before for before, *_ in campaign.played if before["turn"] > 1 and before["step"] == "dice"
    ]


def test_usa_enters_automatically_on_3_43() -> None:
    """18.0."""
    campaign = Campaign(4).on_to("diplomacy", 15)
    assert status(campaign.state) == "neutral"
    campaign.on_to("diplomacy", 16)
    assert [event["message"] for event in campaign.events][-2:] == [
        "The USA enters the war in 3/43.", "The USA takes the column of 3/42 on its track.",
    ]  # fmt: skip
    assert RULES.controllers(campaign.state)["USA"] == "Britain"


def test_base_schedule_lets_the_gamesmaster_report_entry() -> None:
    """spi.us_entry."""
    campaign = Campaign(us_entry="base_schedule").on_to("referee-usa", 12)
    assert not [before for before, *_ in campaign.played if before["step"] == "dice"]
    campaign.report("USA ENTERS")
    assert campaign.state.us.entry == 12
    by_dice = Campaign().on_to("referee-usa")
    by_dice.report("USA ENTERS")
    assert "dice decide when" in by_dice.said()[0]


@pytest.mark.parametrize(
    ("entry", "turn", "expected"), [(7, 7, 12), (7, 18, 23), (7, 19, None), (16, 23, 19)]
)
def test_reinforcements_begin_with_the_column_of_3_42(
    entry: int, turn: int, expected: int | None
) -> None:
    """18.0; Rules V: past the end of the track, six Strength Points and two naval points a turn."""
    assert column(turn, entry) == expected
    result = reinforcements(at(new_state(), turn=turn, us=American(entry)))
    assert result == ((expected, {}) if expected else (None, {"strength": 6, "naval": 2}))


def test_shortened_campaign_has_the_printed_american_track() -> None:
    """spi.last_turn ends the game, not the American track."""
    assert reinforcements(at(new_state(last_turn=10), turn=8, us=American(7))) == (13, {})
