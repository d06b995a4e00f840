"""Points that fall due and lapse (10.44, 10.73, 10.84, 10.91, 12.1, 16.9; Rules V)."""

from __future__ import annotations

from typing import Any

import pytest

from games.ww2_multiplayer.rules import entitlements
from games.ww2_multiplayer.rules.state import Flags, State

from .campaign import Campaign, at, new_state

pytestmark = pytest.mark.guest


def due_on(turn: int, **options: Any) -> list[tuple[str, str, int]]:
    return [
        (due.power, due.kind, due.points)
        for due in entitlements.falling_due(at(new_state(**options), turn=turn))
    ]


def test_poland_has_three_points_from_the_start() -> None:
    """16.9: France decides on their use."""
    assert [(due.power, due.points, due.place) for due in new_state().entitlements] == [
        ("France", 3, "Poland")
    ]


@pytest.mark.parametrize(("reading", "spring"), [("winter1", 3), ("spring1", 2)])
def test_britain_and_france_get_a_point_in_spring(reading: str, spring: int) -> None:
    """10.44, 10.91."""
    assert due_on(spring, seasons=reading) == [
        ("Britain", "replacement", 1),
        ("France", "replacement", 1),
    ]
    assert due_on(spring + 4, seasons=reading) == due_on(spring, seasons=reading)
    assert due_on(spring + 1, seasons=reading) == []


def test_british_point_may_be_due_each_year() -> None:
    """10.44, spi.british_replacement = any_turn: due on each Game-Year's first turn."""
    turns = [
        turn
        for turn in range(1, 12)
        if ("Britain", "replacement", 1) in due_on(turn, british_replacement="any_turn")
    ]
    assert turns == [1, 2, 6, 10]


def test_unused_french_point_lapses() -> None:
    """10.91; Britain's and Poland's points are kept."""
    campaign = Campaign(us_entry="base_schedule").on_to("diplomacy", 4)
    assert [event["message"] for event in campaign.told("lapsed")] == [
        "France loses 1 replacement point not taken in time."
    ]
    assert {(due.power, due.kind) for due in campaign.state.entitlements} == {
        ("France", "reinforcement"),
        ("Britain", "replacement"),
    }


def test_done_line_uses_points_and_void_line_does_not() -> None:
    """10.91, Rules B.8."""
    campaign = Campaign(us_entry="base_schedule").on_to("orders", 3)
    campaign.send(France="REPLACE 1 SP Paris\nBUILD 2 SP Warsaw", Britain="REPLACE 1 SP London")
    campaign.on_to("referee-france").report("REST DONE\nEND")
    assert entitlements.points_left(campaign.state, "France", "replacement") == 0
    assert entitlements.points_left(campaign.state, "France", "reinforcement") == 1
    campaign.on_to("referee-britain").report("LINE Britain 1 VOID: an enemy zone of control\nEND")
    assert entitlements.points_left(campaign.state, "Britain", "replacement") == 1
    campaign.on_to("diplomacy", 4)
    assert campaign.told("lapsed") == []


def test_american_replacements_lapse_after_their_turn() -> None:
    """10.84: the gamesmaster reports how many are due."""
    campaign = Campaign(us_entry="base_schedule").on_to("referee-usa", 1)
    campaign.report(
        "DUE USA REPLACEMENT 3: on the map or in the holding area\nUSED USA REPLACEMENT 1\nUSED USA"
        " REPLACEMENT 9"
    )
    assert (
        campaign.told("due")[0]["message"]
        == "USA has 3 replacement points due: on the map or in the holding area; points not taken"
        " this turn are lost."
    )
    assert campaign.said() == [
        "“USED USA REPLACEMENT 9” is rejected: USA has 2 replacement points left."
    ]
    campaign.on_to("diplomacy", 2)
    assert campaign.told("lapsed")[0]["points"] == 2


def test_points_that_lapse_are_used_first() -> None:
    state, _ = entitlements.add_entitlement(
        new_state(), "France", "reinforcement", 1, "", lapses=True, case="10.0"
    )
    state, missing = entitlements.take_points(state, "France", "reinforcement", 2)
    assert [(due.place, due.left) for due in state.entitlements] == [("Poland", 2), ("", 0)]
    assert missing == 0
    assert entitlements.take_points(state, "France", "reinforcement", 5)[1] == 3


@pytest.mark.parametrize(("reading", "spring"), [("winter1", 15), ("spring1", 14)])
def test_russian_units_grow_with_the_war(reading: str, spring: int) -> None:
    """10.73: 2 at first, 3 after a Limited or Full War, 4 from Spring 1943 on."""

    def largest(turn: int, war: bool) -> int:
        return entitlements.largest_russian(
            at(new_state(seasons=reading), turn=turn, flags=Flags(war_level=war))
        )

    assert [largest(turn, False) for turn in (1, spring, 23)] == [2, 2, 2]
    assert [largest(turn, True) for turn in (1, spring - 1, spring, 23)] == [3, 3, 4, 4]


def test_war_level_is_reported_once() -> None:
    """10.73: a later peace changes nothing."""
    campaign = Campaign().on_to("orders")
    campaign.send(USSR="BUILD 3 SP Moscow")
    assert campaign.said("USSR") == [
        "“BUILD 3 SP Moscow”: Russian units may have at most 2 Strength Points now (10.73)."
    ]
    campaign.on_to("referee-ussr").report(
        "COMBAT USSR Germany\nWAR LEVEL LIMITED\nPEACE USSR Germany"
    )
    assert entitlements.largest_russian(campaign.state) == 3


@pytest.mark.parametrize(("rate", "half"), [(8, 4), (5, 2), (1, 0)])
def test_half_a_rate_drops_fractions(rate: int, half: int) -> None:
    """12.1; Rules V, spi.half_rounding."""
    assert entitlements.half(rate) == half
    assert entitlements.half(rate, "up") == rate - half


def sweden(players: int, *lines: str, **options: str) -> State:
    campaign = Campaign(players, **options).on_to("referee-germany")
    campaign.report("\n".join(lines))
    assert not campaign.said(), campaign.said()
    return campaign.state


@pytest.mark.parametrize(
    ("players", "lines", "rate"),
    [
        (6, [], 8),
        (6, ["INVASION Germany Sweden"], 4),
        (6, ["INVASION Britain Sweden"], 8),
        (6, ["INVASION Britain Sweden", "DESTROYED Sweden BY Britain"], 4),
        (
            6,
            ["INVASION Britain Sweden", "DESTROYED Sweden BY Britain", "CLEARED Sweden Germany"],
            4,
        ),
        (6, ["INVASION Britain Sweden", "INVASION Germany Sweden"], 4),
        (6, ["INVASION Italy Sweden"], 8),
        (5, ["INVASION Italy Sweden"], 4),
    ],
)
def test_sweden_halves_the_german_rate(players: int, lines: list[str], rate: int) -> None:
    """12.1: by a German invasion, or for good once another power has destroyed its army."""
    assert entitlements.german_rate(sweden(players, *lines), 8) == rate


def test_report_shows_the_german_rate() -> None:
    """12.1: the gamesmaster enters the whole rate."""
    campaign = Campaign().on_to("referee-germany")
    campaign.report("INVASION Germany Sweden\nRATE 9")
    assert [event["message"] for event in campaign.told("rate")] == [
        "Germany's replacement and reinforcement rate is halved: it has invaded Sweden.",
        (
            "Germany's rate of replacements and reinforcements is 4 of 9 this turn. Germany has"
            " invaded Sweden (12.1)."
        ),
    ]
