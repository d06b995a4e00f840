"""12.1, 16.24, 20.0: the first invasion of a minor country decides who has its army, and what that
power sends there afterwards is an ENTRY and no INVASION (source 004, line 325; issue 43, 11)."""

from __future__ import annotations

import pytest

from games.ww2_multiplayer.rules.entitlements import german_rate
from games.ww2_multiplayer.rules.hostility import hostile
from games.ww2_multiplayer.rules.operators import operator
from games.ww2_multiplayer.rules.refereeing import judge_report
from games.ww2_multiplayer.rules.state import State

from .campaign import Campaign, playing

pytestmark = pytest.mark.guest

POWERS = ("Italy", "France", "USSR", "USA", "Britain", "Germany")


def started(players: int = 6) -> Campaign:
    return playing(players, reading="printed", allied="nonhostile", us_entry="base_schedule")


#: Every minor country with an army of its own (20.1, 20.2), by number of players.
ARMIES = [
    (players, country)
    for players in (4, 5, 6)
    for country in started(players).state.card.operators[players]
]


def after(state: State, *lines: str) -> State:
    return judge_report(state, "\n".join(lines)).state


def has_army(state: State, country: str) -> str:
    army = operator(state, country)
    assert army is not None
    return army.power


@pytest.mark.parametrize(("players", "country"), ARMIES)
def test_country_invaded_twice_stays_with_whom_its_first_invasion_names(
    players: int, country: str
) -> None:
    """20.1, 20.2: by whichever powers, and in whichever order, it is invaded."""
    begun = started(players).state
    for first in POWERS:
        once = after(begun, f"INVASION {first} {country}")
        for second in POWERS:
            twice = after(once, f"INVASION {second} {country}")
            assert has_army(twice, country) == has_army(once, country), (first, second)


@pytest.mark.parametrize(
    ("players", "first", "country", "then"),
    [
        (6, "Britain", "Sweden", "Germany"),
        (6, "Germany", "Sweden", "USA"),
        (6, "Germany", "Norway", "USA"),
        (6, "USA", "Norway", "Germany"),
        (6, "Germany", "Poland", "France"),
        (6, "USSR", "Finland", "Germany"),
        (5, "Italy", "Sweden", "USA"),
        (4, "Germany", "Sweden", "Britain"),
        (4, "France", "Belgium", "Britain"),
        (4, "Britain", "Spain", "Germany"),
    ],
)
def test_units_of_the_army_s_new_friend_enter_freely(
    players: int, first: str, country: str, then: str
) -> None:
    """12.1, 16.24: its entry makes it hostile to nobody, however the gamesmaster reports it."""
    once = after(started(players).state, f"INVASION {first} {country}")
    assert has_army(once, country) == then
    for word in ("ENTRY", "INVASION"):
        judged = judge_report(once, f"{word} {then} {country}")
        assert [event["kind"] for event in judged.events] == ["entry"], word
        assert judged.state.country(country).invasions == once.country(country).invasions
        assert judged.state.hostile == once.hostile


@pytest.mark.parametrize(
    ("lines", "rate"),
    [
        (("INVASION Germany Sweden",), 4),
        (("INVASION Britain Sweden",), 8),
        (("INVASION Britain Sweden", "ENTRY Germany Sweden"), 8),
        (("INVASION Britain Sweden", "INVASION Germany Sweden"), 8),
        (("INVASION Germany Sweden", "INVASION Britain Sweden"), 4),
        (("INVASION Britain Sweden", "ENTRY Germany Sweden", "DESTROYED Sweden BY Britain"), 4),
        (("INVASION Britain Sweden", "DESTROYED Sweden BY Germany"), 8),
    ],
)
def test_german_rate_follows_what_happened_first(lines: tuple[str, ...], rate: int) -> None:
    """12.1: “German units may freely enter Sweden without penalty”, until its army is gone."""
    assert german_rate(after(started().state, *lines), 8) == rate


def test_order_to_invade_is_carried_out_as_the_entry_that_it_is() -> None:
    campaign = started().on_to("orders")
    campaign.send(USSR="INVADE Sweden", Germany="INVADE Sweden")
    campaign.on_to("referee-germany")
    campaign.report("REST DONE\nEND")
    assert campaign.kinds()[:2] == ["line", "entry"]
    assert campaign.told("entry")[0]["message"] == (
        "Units of Germany enter Sweden. That is no invasion."
    )
    assert (
        "This counts as ENTRY Germany Sweden: USSR invaded Sweden first, so its army is on"
        " Germany's side and units of Germany enter freely (12.1)." in campaign.said()
    )
    assert not hostile(campaign.state, "Germany", "Sweden")
    assert german_rate(campaign.state, 8) == 8


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (
            "ENTRY Germany Sweden",
            "Nobody has invaded Sweden yet, so units that enter it invade it (12.0). Write INVASION"
            " Germany Sweden instead.",
        ),
        ("ENTRY France France", "France is at home in France."),
    ],
)
def test_entry_that_cannot_be_is_rejected_with_the_reason(entry: str, why: str) -> None:
    campaign = started()
    campaign.report(entry)
    assert campaign.said() == [f"“{entry}” is rejected: {why}"]


def test_entry_that_the_army_s_friend_has_not_allowed_is_warned_of() -> None:
    """16.24, 16.31: at the discretion of the power that has the army."""
    campaign = started()
    campaign.report("INVASION Germany Norway\nENTRY Britain Norway\nENTRY Italy Rumania")
    assert campaign.said() == [
        "Britain enters Norway, but USA has not allowed it (16.24).",
        "Italy enters Rumania, but Germany has not allowed it (16.31).",
    ]


def test_entry_over_the_finnish_border_frees_the_finns() -> None:
    """16.41: “until a non-German, non-German-allied unit has crossed their border”."""
    begun = started().state
    assert after(begun, "ENTRY Britain Finland").flags.finland == "crossed"
    assert after(begun, "ENTRY Germany Finland").flags.finland == ""


def test_army_is_destroyed_once() -> None:
    """12.1: who destroyed it is who destroyed it first."""
    campaign = started()
    campaign.report(
        "INVASION Britain Sweden\nDESTROYED Sweden BY Britain\nDESTROYED Sweden BY Germany"
    )
    assert campaign.said() == [
        "“DESTROYED Sweden BY Germany” is rejected: You have already reported that Britain has"
        " destroyed the army of Sweden."
    ]
    assert campaign.state.country("Sweden").destroyed_by == "Britain"


def test_earlier_reading_keeps_its_meaning() -> None:
    """Records without the option stay as they were judged."""
    campaign = playing(6, reading="first")
    campaign.report("INVASION Britain Sweden\nENTRY Germany Sweden\nINVASION Germany Sweden")
    assert campaign.said() == [
        "“ENTRY Germany Sweden” is rejected: In this game units that enter a country invade it:"
        " write INVASION."
    ]
    assert has_army(campaign.state, "Sweden") == "USA"
    assert german_rate(campaign.state, 8) == 4
