"""Control and normalization, with rule and missing conditions (19.11, 19.12; Rules B.3)."""

from __future__ import annotations

import pytest

from games.ww2_multiplayer.rules.control import control, normal_status, propose
from games.ww2_multiplayer.rules.hostility import fought, note_invasion, set_alliance
from games.ww2_multiplayer.rules.state import Flags, Force, State

from .campaign import CARD, Campaign, at, new_state, with_forces

pytestmark = pytest.mark.guest


def conquered(state: State, country: str, power: str, sp: int = 2) -> State:
    """Return the state with a country invaded, cleared, swept and garrisoned."""
    state = note_invasion(state, power, country)[0]
    target = state.country(country)
    state = state.change_country(
        country,
        cleared={**target.cleared, power: len(target.invasions)},
        swept=(*target.swept, power),
    )
    return state.change_country(country, forces={**target.forces, power: Force(sp, sp)})


@pytest.mark.parametrize(
    ("country", "holder"),
    [
        ("Hungary", "Germany"),
        ("Finland", "Germany"),
        ("Algeria", "France"),
        ("Syria", "France"),
        ("Egypt", "Britain"),
        ("Libya", "Italy"),
    ],
)
def test_uninvaded_satellite_or_possession_belongs_to_its_holder(country: str, holder: str) -> None:
    """Rule 1: even without a garrison."""
    ruler = control(new_state(), country)
    assert (ruler.controller, ruler.rule) == (holder, "1")
    assert normal_status(new_state(), country).normal


@pytest.mark.parametrize("country", CARD["areas"])
def test_control_of_a_country_cites_its_rule_and_missing_conditions(country: str) -> None:
    """Rules B.3, B.8: all 31 countries, for every power that might control them."""
    ruler = control(new_state(), country)
    others = {power for power in CARD["order"] if power != country}
    assert set(ruler.missing) | ({ruler.controller} - {""}) == others
    assert all(
        lacking and all(sentence.endswith(".") for sentence in lacking)
        for lacking in ruler.missing.values()
    )
    taken = conquered(new_state(), country, "Germany" if country != "Germany" else "USSR")
    taken = taken.change_country("USSR", centres=4, held={"Germany": 4})
    after = control(taken, country)
    assert (after.controller, after.rule) == {
        "Germany": ("USSR", "3"),
        "USSR": ("Germany", "USSR"),
        "Hungary": ("Germany", "1"),
        "Rumania": ("Germany", "1"),
        "Bulgaria": ("Germany", "1"),
        "Finland": ("Germany", "1"),
    }.get(country, ("Germany", "3"))


@pytest.mark.parametrize(
    "country", ["Poland", "Persia", "Spain", "Denmark", "France", "USA", "USSR", "Germany"]
)
def test_neutral_or_home_has_no_controller(country: str) -> None:
    """Rules B.3: Poland is an ally, not a satellite; nobody scores for their own home."""
    assert control(new_state(), country).controller == ""


def test_invaded_possession_returns_to_its_holder_when_all_are_driven_out() -> None:
    """Rule 2, and the conditions missing until then."""
    state = with_forces(
        note_invasion(new_state(), "Italy", "Egypt")[0], "Egypt", Italy=2, Britain=3
    )
    assert control(state, "Egypt").missing["Britain"] == (
        "Forces of Italy stand in Egypt and are hostile.",
        (
            "No report says that Britain has destroyed or driven out all hostile forces since"
            " Egypt was invaded."
        ),
    )
    state = with_forces(state, "Egypt", Britain=1).change_country("Egypt", cleared={"Britain": 1})
    assert (control(state, "Egypt").controller, control(state, "Egypt").rule) == ("Britain", "2")
    again = note_invasion(state, "Italy", "Egypt")[0]
    assert control(again, "Egypt").controller == "", "a later invasion undoes it"


def test_conquest_needs_clearing_sweeping_and_a_garrison() -> None:
    """Rule 3: each of the three is required."""
    state = conquered(new_state(), "Belgium", "Germany")
    assert (control(state, "Belgium").controller, control(state, "Belgium").rule) == (
        "Germany",
        "3",
    )
    gone = state.change_country("Belgium", forces={})
    assert control(gone, "Belgium").missing["Germany"] == (
        "Germany has no Strength Point in supply there as a garrison.",
    )
    starved = state.change_country("Belgium", forces={"Germany": Force(3, 0)})
    assert not control(starved, "Belgium").controller, "units out of supply are off the map"
    assert control(state.change_country("Belgium", swept=()), "Belgium").missing["Germany"] == (
        "No report says that Germany has passed through or held every hex.",
    )
    assert control(state.change_country("Belgium", cleared={}), "Belgium").missing["Germany"] == (
        "No report says that Germany has destroyed or driven out all hostile forces.",
    )
    contested = fought(with_forces(state, "Belgium", Germany=3, France=1), "Germany", "France")[0]
    assert control(contested, "Belgium").missing["Germany"] == (
        "Forces of France stand in Belgium and are hostile to Germany.",
    )


def test_france_and_germany_are_controlled_like_minor_countries() -> None:
    """19.11."""
    assert control(conquered(new_state(), "France", "Germany"), "France").controller == "Germany"
    assert control(conquered(new_state(), "Germany", "USSR"), "Germany").controller == "USSR"


def test_control_of_the_ussr_needs_its_resource_centers_and_the_garrison_rule() -> None:
    """19.11, 14.4."""
    state = conquered(new_state(), "USSR", "Germany", 9)
    assert control(state, "USSR").missing["Germany"] == (
        "No report says how many Soviet resource centers there are.",
    )
    partly = state.change_country("USSR", centres=12, held={"Germany": 11})
    assert control(partly, "USSR").missing["Germany"] == (
        "Germany holds 11 of 12 Soviet resource centers.",
    )
    wholly = state.change_country("USSR", centres=12, held={"Germany": 12})
    assert (control(wholly, "USSR").controller, control(wholly, "USSR").rule) == ("Germany", "USSR")
    failing = at(wholly, flags=Flags(garrison_failed=("Germany",)))
    assert control(failing, "USSR").missing["Germany"] == (
        "Germany fails the garrison rule (14.4).",
    )


@pytest.mark.parametrize(
    ("ally", "own", "controller"),
    [(1, 2, "Germany"), (2, 2, ""), (2, 3, ""), (2, 4, "Germany"), (3, 5, "")],
)
def test_ally_with_more_than_half_the_force_undoes_control(
    ally: int, own: int, controller: str
) -> None:
    """Rule 4: Italy could score C for Greece."""
    state = set_alliance(conquered(new_state(), "Greece", "Germany"), "Germany", "Italy", True)
    ruler = control(with_forces(state, "Greece", Germany=own, Italy=ally), "Greece")
    assert ruler.controller == controller
    if not controller:
        assert (ruler.rule, ruler.why) == (
            "4",
            (
                f"Italy, an ally who could score for Greece, has {ally} Strength Points there"
                f" against {own} of Germany (19.11)."
            ),
        )


def test_only_an_ally_that_could_score_prevents_control() -> None:
    """Rule 4: Britain does not score for Greece, and the USSR is no ally."""
    state = set_alliance(conquered(new_state(), "Greece", "Germany"), "Germany", "Britain", True)
    assert (
        control(with_forces(state, "Greece", Germany=2, Britain=5), "Greece").controller
        == "Germany"
    )
    assert (
        control(with_forces(state, "Greece", Germany=2, USSR=5), "Greece").controller == "Germany"
    )


def test_powers_of_one_player_are_one_force() -> None:
    """19.11: Italy's divisions do not undo the control of Germany, which has the same player."""
    state = conquered(new_state(5), "Greece", "Germany")
    assert (
        control(with_forces(state, "Greece", Germany=1, Italy=5), "Greece").controller == "Germany"
    )


def test_control_is_not_shared() -> None:
    """19.11."""
    state = conquered(conquered(new_state(), "Poland", "Germany"), "Poland", "USSR")
    state = with_forces(
        state.change_country("Poland", cleared={"Germany": 2, "USSR": 2}),
        "Poland",
        Germany=2,
        USSR=2,
    )
    ruler = control(state, "Poland")
    assert (ruler.controller, ruler.rule) == ("", "shared")
    assert (
        ruler.why
        == "USSR and Germany would both control Poland, and control is not shared (19.11)."
    )


def test_hostile_force_in_supply_prevents_normalization() -> None:
    """19.12: a force that is hostile to the country."""
    state = with_forces(
        note_invasion(new_state(), "Germany", "Norway")[0], "Norway", Germany=1, Britain=4
    )
    assert normal_status(state, "Norway").hostile == ("Germany",)
    assert normal_status(
        state.change_country("Norway", forces={"Germany": Force(2, 0)}), "Norway"
    ).normal, "out of supply is off the map"


def test_gamesmaster_confirms_or_overrules_control() -> None:
    """Rules B.8: a proposed controller, and a ruled one."""
    campaign = Campaign().on_to("referee-germany")
    campaign.report(
        "INVASION Germany Poland\nFORCES Poland Germany 4\nSWEPT Poland Germany\nCLEARED Poland"
        " Germany"
    )
    assert propose(campaign.state, "Poland").controller == "Germany"
    campaign.report(
        "CONTROLLER Poland Germany: as proposed\nCONTROLLER Libya NOBODY: the desert is empty"
    )
    assert [event["message"] for event in campaign.told("controller")] == [
        "The gamesmaster has ruled that Germany controls Poland.",
        "The gamesmaster has ruled that nobody controls Libya. The reason: the desert is empty.",
    ]
    campaign.report("CONTROLLER Libya PROPOSED")
    assert control(campaign.state, "Libya").controller == "Italy"


def test_games_of_both_readings_keep_their_own_sentences() -> None:
    """19.11, 19.12 (523): only as printed, freeing a country gives no control of it."""
    for reading, expected in (("printed", True), ("first", False), ("printed", True)):
        lacking = " ".join(propose(new_state(6, reading=reading), "Poland").missing["Italy"])
        assert ("freeing a country does not give control of it" in lacking) == expected
