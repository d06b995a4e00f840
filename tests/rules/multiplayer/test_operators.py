"""Who moves minor armies (16, 20.1, 20.2): both charts, every country."""

from __future__ import annotations

import pytest

from games.rules.ww2_multiplayer.hostility import invaded, with_alliance
from games.rules.ww2_multiplayer.operators import expedition, frozen, operates, operator
from games.rules.ww2_multiplayer.state import State

from .campaign import Campaign, begun

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
        state, _ = invaded(state, power, country)
    found = operator(state, country)
    assert found is not None
    return found.power


@pytest.mark.parametrize("players", [5, 6])
@pytest.mark.parametrize(("country", "first"), FIRST_56.items())
def test_with_five_and_six_the_chart_names_the_operator(
    players: int, country: str, first: str
) -> None:
    """20.1, 20.0: what the USA invades, Sweden too; whoever is alone gives way."""
    second = SECOND_56.get(country, "")
    assert after(begun(players), country) == first
    assert after(begun(players), country, first) == second
    other = "USSR"
    assert after(begun(players), country, other) == first, (
        "another person's invasion changes nothing"
    )
    if second:
        assert after(begun(players), country, second) == first
        assert after(begun(players), country, first, second) == "", (
            "both have invaded it: the gamesmaster runs it"
        )


@pytest.mark.parametrize(("country", "names"), CHART_4.items())
def test_with_four_the_second_name_takes_over_from_an_invader(
    country: str, names: tuple[str, str]
) -> None:
    """20.2."""
    first, second = names
    assert after(begun(4), country) == first
    assert after(begun(4), country, first) == second
    if second:
        assert after(begun(4), country, second, first) == ""


def test_an_italian_invasion_is_the_german_players_where_one_has_both() -> None:
    """Rules B.1, spi.invader_unit."""
    assert after(begun(4), "Sweden", "Italy") == "Britain"
    assert after(begun(4, invader_unit="power"), "Sweden", "Italy") == "Germany"
    assert after(begun(6), "Sweden", "Italy") == "Germany", "with six Italy is another player"


def test_the_gamesmaster_may_say_who_operates() -> None:
    """Rules B.8: computed, and he may override."""
    campaign = Campaign(4).on_to("referee-germany")
    campaign.sheet(
        "INVASION Germany Norway\nOPERATOR Sweden GM: its king has fled\nOPERATOR Turkey Britain"
    )
    assert [event["message"] for event in campaign.told("operator")] == [
        "The gamesmaster operates the army of Sweden. The reason: its king has fled.",
        "Britain operates the army of Turkey.",
    ]
    campaign.sheet("OPERATOR Turkey PROPOSED\nOPERATOR France Britain")
    assert operates(campaign.state, "France", "Turkey")
    assert campaign.said() == [
        "“OPERATOR France Britain” is rejected: France has no army that a power or the"
        " gamesmaster operates."
    ]


def test_operating_is_by_player_and_not_by_power() -> None:
    """20.0: the player moves them; any of his powers may send the order."""
    assert operates(begun(5), "Italy", "Hungary")
    assert not operates(begun(6), "Italy", "Hungary")
    assert not operates(begun(6), "Germany", "Egypt")


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
def test_a_self_defence_neutral_is_frozen_until_invaded(country: str) -> None:
    """16.22."""
    assert "16.22" in frozen(begun(6), country)
    assert frozen(invaded(begun(6), "USSR", country)[0], country) == ""


def test_pro_axis_armies_stay_at_home_until_the_axis_attacks_russia_or_the_balkans() -> None:
    """16.31, 16.32, 16.33: by Germany or its allies; another's attack does not release them."""
    state = begun(6)
    assert "16.31" in frozen(state, "Rumania")
    assert frozen(invaded(state, "Italy", "Greece")[0], "Rumania") != "", (
        "Italy is no ally of Germany's"
    )
    allied = with_alliance(state, "Italy", "Germany", True)
    balkans = invaded(allied, "Italy", "Greece")[0]
    assert frozen(balkans, "Rumania") == ""
    assert expedition(balkans, "Bulgaria") == {"the Balkans": 1}
    assert expedition(balkans, "Rumania") == {}
    east = invaded(state, "Germany", "USSR")[0]
    assert (
        expedition(east, "Rumania"),
        expedition(east, "Hungary"),
        expedition(east, "Bulgaria"),
    ) == ({"USSR": 1}, {"USSR": 1}, {})


def test_finland_waits_for_a_stranger_at_its_border() -> None:
    """16.41: no attack of Germany's elsewhere releases it."""
    east = invaded(begun(6), "Germany", "USSR")[0]
    assert "16.41" in frozen(east, "Finland")
    assert frozen(invaded(begun(6), "USSR", "Finland")[0], "Finland") == ""


def test_poland_is_free_to_move_and_attack() -> None:
    """16.9."""
    assert frozen(begun(6), "Poland") == ""
