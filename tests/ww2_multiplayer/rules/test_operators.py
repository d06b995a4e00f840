"""Operators of minor armies (16, 20.1, 20.2): both charts, every country."""

from __future__ import annotations

import pytest

from games.ww2_multiplayer.rules.hostility import note_invasion, set_alliance
from games.ww2_multiplayer.rules.operators import expedition, operates, operator, reason_frozen
from games.ww2_multiplayer.rules.state import State

from .campaign import Campaign, new_state

pytestmark = pytest.mark.guest

FIRST_56 = {
    "Poland": "France",
    "Hungary": "Germany",
    "Rumania": "Germany",
    "Bulgaria": "Germany",
    "Finland": "Germany",
    "Sweden": "Germany",
    "Spain": "USA",
    "Belgium": "USA",
    "Netherlands": "USA",
    "Denmark": "USA",
    "Norway": "USA",
    "Yugoslavia": "USA",
    "Greece": "USA",
    "Turkey": "USA",
}
SECOND_56 = {"Sweden": "USA"} | dict.fromkeys(
    ("Spain", "Belgium", "Netherlands", "Denmark", "Norway", "Yugoslavia", "Greece", "Turkey"),
    "Germany",
)
CHART_4 = {
    "Poland": ("France", ""),
    "Hungary": ("Germany", ""),
    "Rumania": ("Germany", ""),
    "Bulgaria": ("Germany", ""),
    "Finland": ("Germany", ""),
    "Sweden": ("Germany", "Britain"),
    "Spain": ("Germany", "France"),
    "Belgium": ("France", "Britain"),
    "Netherlands": ("France", "Britain"),
    "Denmark": ("Britain", "Germany"),
    "Norway": ("Britain", "Germany"),
    "Yugoslavia": ("Britain", "Germany"),
    "Greece": ("Britain", "France"),
    "Turkey": ("France", "Britain"),
}


def after(state: State, country: str, *powers: str) -> str:
    for power in powers:
        state, _ = note_invasion(state, power, country)
    army = operator(state, country)
    assert army is not None
    return army.power


@pytest.mark.parametrize("players", [5, 6])
@pytest.mark.parametrize(("country", "first"), FIRST_56.items())
def test_chart_names_the_operator_with_five_and_six_players(
    players: int, country: str, first: str
) -> None:
    """20.1, 20.0: also for countries that the USA invades; a sole invader loses the army."""
    second = SECOND_56.get(country, "")
    assert after(new_state(players), country) == first
    assert after(new_state(players), country, first) == second
    other = "USSR"
    assert after(new_state(players), country, other) == first, (
        "another person's invasion changes nothing"
    )
    if second:
        assert after(new_state(players), country, second) == first
        assert after(new_state(players), country, first, second) == "", (
            "both have invaded it: the gamesmaster runs it"
        )


@pytest.mark.parametrize(("country", "names"), CHART_4.items())
def test_second_operator_replaces_an_invader_with_four_players(
    country: str, names: tuple[str, str]
) -> None:
    """20.2."""
    first, second = names
    assert after(new_state(4), country) == first
    assert after(new_state(4), country, first) == second
    if second:
        assert after(new_state(4), country, second, first) == ""


def test_italian_invasion_counts_as_the_german_players() -> None:
    """Rules B.1, spi.invader_unit."""
    assert after(new_state(4), "Sweden", "Italy") == "Britain"
    assert after(new_state(4, invader_unit="power"), "Sweden", "Italy") == "Germany"
    assert after(new_state(6), "Sweden", "Italy") == "Germany", "with six Italy is another player"


def test_gamesmaster_may_name_the_operator() -> None:
    """Rules B.8: computed, and open to override."""
    campaign = Campaign(4).on_to("referee-germany")
    campaign.report(
        "INVASION Germany Norway\nOPERATOR Sweden GM: its king has fled\nOPERATOR Turkey Britain"
    )
    assert [event["message"] for event in campaign.told("operator")] == [
        "The gamesmaster operates the army of Sweden. The reason: its king has fled.",
        "Britain operates the army of Turkey.",
    ]
    campaign.report("OPERATOR Turkey PROPOSED\nOPERATOR France Britain")
    assert operates(campaign.state, "France", "Turkey")
    assert campaign.said() == [
        "“OPERATOR France Britain” is rejected: France has no army that a power or the"
        " gamesmaster operates."
    ]


def test_operator_is_a_player_and_not_a_power() -> None:
    """20.0: any power of the operating player may send the order."""
    assert operates(new_state(5), "Italy", "Hungary")
    assert not operates(new_state(6), "Italy", "Hungary")
    assert not operates(new_state(6), "Germany", "Egypt")


@pytest.mark.parametrize(
    "country",
    [
        "Spain",
        "Sweden",
        "Norway",
        "Denmark",
        "Netherlands",
        "Belgium",
        "Yugoslavia",
        "Greece",
        "Turkey",
    ],
)
def test_self_defense_neutral_is_frozen_until_invaded(country: str) -> None:
    """16.22."""
    assert "16.22" in reason_frozen(new_state(6), country)
    assert reason_frozen(note_invasion(new_state(6), "USSR", country)[0], country) == ""


def test_pro_axis_armies_are_released_by_an_axis_attack_on_russia_or_the_balkans() -> None:
    """16.31, 16.32, 16.33: by Germany or its allies; another's attack does not release them."""
    state = new_state(6)
    assert "16.31" in reason_frozen(state, "Rumania")
    assert reason_frozen(note_invasion(state, "Italy", "Greece")[0], "Rumania") != "", (
        "Italy is no ally of Germany's"
    )
    allied = set_alliance(state, "Italy", "Germany", True)
    balkans = note_invasion(allied, "Italy", "Greece")[0]
    assert reason_frozen(balkans, "Rumania") == ""
    assert expedition(balkans, "Bulgaria") == {"the Balkans": 1}
    assert expedition(balkans, "Rumania") == {}
    east = note_invasion(state, "Germany", "USSR")[0]
    assert (
        expedition(east, "Rumania"),
        expedition(east, "Hungary"),
        expedition(east, "Bulgaria"),
    ) == ({"USSR": 1}, {"USSR": 1}, {})


def test_finland_is_released_by_a_crossed_border() -> None:
    """16.41: German attacks elsewhere do not release it."""
    east = note_invasion(new_state(6), "Germany", "USSR")[0]
    assert "16.41" in reason_frozen(east, "Finland")
    assert reason_frozen(note_invasion(new_state(6), "USSR", "Finland")[0], "Finland") == ""


def test_poland_is_never_frozen() -> None:
    """16.9."""
    assert reason_frozen(new_state(6), "Poland") == ""
