"""Control and normalisation (19.11, 19.12; Rules B.3): the rule by which, and what is missing."""

from __future__ import annotations

import pytest

from games.rules.ww2_multiplayer.control import control, normalised, proposed
from games.rules.ww2_multiplayer.hostility import fought, invaded, with_alliance
from games.rules.ww2_multiplayer.state import Flags, Force, State

from .campaign import CARD, Campaign, at, begun, with_forces


def conquered(state: State, country: str, power: str, sp: int = 2) -> State:
    """Invaded, cleared, swept and garrisoned."""
    state = invaded(state, power, country)[0]
    told = state.country(country)
    state = state.put(
        country, cleared={**told.cleared, power: len(told.invasions)}, swept=(*told.swept, power)
    )
    return state.put(country, forces={**told.forces, power: Force(sp, sp)})


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
def test_a_satellite_or_possession_never_invaded_is_its_holders(country: str, holder: str) -> None:
    """Rule 1: without any garrison."""
    found = control(begun(), country)
    assert (found.controller, found.rule) == (holder, "1")
    assert normalised(begun(), country).normal


@pytest.mark.parametrize("country", CARD["areas"])
def test_every_country_says_by_which_rule_and_what_is_missing(country: str) -> None:
    """Rules B.3, B.8: the checklist of all 31, for every power that might have it."""
    found = control(begun(), country)
    others = {power for power in CARD["order"] if power != country}
    assert set(found.missing) | ({found.controller} - {""}) == others
    assert all(
        lacking and all(said.endswith(".") for said in lacking)
        for lacking in found.missing.values()
    )
    told = conquered(begun(), country, "Germany" if country != "Germany" else "USSR")
    told = told.put("USSR", centres=4, held={"Germany": 4})
    after = control(told, country)
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
def test_a_neutral_or_a_home_is_nobodys(country: str) -> None:
    """Rules B.3: Poland is an ally and no satellite; nobody scores for his own home."""
    assert control(begun(), country).controller == ""


def test_an_invaded_possession_is_its_holders_again_when_he_has_driven_out_all() -> None:
    """Rule 2, and what is missing until then."""
    state = with_forces(invaded(begun(), "Italy", "Egypt")[0], "Egypt", Italy=2, Britain=3)
    assert control(state, "Egypt").missing["Britain"] == (
        "Forces of Italy stand in Egypt and are hostile.",
        (
            "No report says that Britain has destroyed or driven out all hostile forces since"
            " Egypt was invaded."
        ),
    )
    state = with_forces(state, "Egypt", Britain=1).put("Egypt", cleared={"Britain": 1})
    assert (control(state, "Egypt").controller, control(state, "Egypt").rule) == ("Britain", "2")
    again = invaded(state, "Italy", "Egypt")[0]
    assert control(again, "Egypt").controller == "", "a later invasion undoes it"


def test_a_conqueror_drives_out_sweeps_and_keeps_a_garrison() -> None:
    """Rule 3: each of them is asked for."""
    state = conquered(begun(), "Belgium", "Germany")
    assert (control(state, "Belgium").controller, control(state, "Belgium").rule) == (
        "Germany",
        "3",
    )
    gone = state.put("Belgium", forces={})
    assert control(gone, "Belgium").missing["Germany"] == (
        "Germany has no Strength Point in supply there as a garrison.",
    )
    starved = state.put("Belgium", forces={"Germany": Force(3, 0)})
    assert not control(starved, "Belgium").controller, "units out of supply are off the map"
    assert control(state.put("Belgium", swept=()), "Belgium").missing["Germany"] == (
        "No report says that Germany has passed through or held every hex.",
    )
    assert control(state.put("Belgium", cleared={}), "Belgium").missing["Germany"] == (
        "No report says that Germany has destroyed or driven out all hostile forces.",
    )
    contested = fought(with_forces(state, "Belgium", Germany=3, France=1), "Germany", "France")[0]
    assert control(contested, "Belgium").missing["Germany"] == (
        "Forces of France stand in Belgium and are hostile to Germany.",
    )


def test_france_and_germany_are_controlled_as_minors_are() -> None:
    """19.11."""
    assert control(conquered(begun(), "France", "Germany"), "France").controller == "Germany"
    assert control(conquered(begun(), "Germany", "USSR"), "Germany").controller == "USSR"


def test_the_ussr_goes_by_its_resource_centres_and_the_garrison_rule() -> None:
    """19.11, 14.4."""
    state = conquered(begun(), "USSR", "Germany", 9)
    assert control(state, "USSR").missing["Germany"] == (
        "No report says how many Soviet resource centers there are.",
    )
    partly = state.put("USSR", centres=12, held={"Germany": 11})
    assert control(partly, "USSR").missing["Germany"] == (
        "Germany holds 11 of 12 Soviet resource centers.",
    )
    wholly = state.put("USSR", centres=12, held={"Germany": 12})
    assert (control(wholly, "USSR").controller, control(wholly, "USSR").rule) == ("Germany", "USSR")
    failing = at(wholly, flags=Flags(garrison_failed=("Germany",)))
    assert control(failing, "USSR").missing["Germany"] == (
        "Germany fails the garrison rule (14.4).",
    )


@pytest.mark.parametrize(
    ("ally", "own", "controller"),
    [(1, 2, "Germany"), (2, 2, ""), (2, 3, ""), (2, 4, "Germany"), (3, 5, "")],
)
def test_an_ally_with_more_than_half_the_force_undoes_control(
    ally: int, own: int, controller: str
) -> None:
    """Rule 4: Italy, who could score C for Greece."""
    state = with_alliance(conquered(begun(), "Greece", "Germany"), "Germany", "Italy", True)
    found = control(with_forces(state, "Greece", Germany=own, Italy=ally), "Greece")
    assert found.controller == controller
    if not controller:
        assert (found.rule, found.why) == (
            "4",
            (
                f"Italy, an ally who could score for Greece, has {ally} Strength Points there"
                f" against {own} of Germany (19.11)."
            ),
        )


def test_only_an_ally_who_could_score_undoes_it() -> None:
    """Rule 4: the USSR scores C for Greece, Britain does not; nor does one who is no ally."""
    state = with_alliance(conquered(begun(), "Greece", "Germany"), "Germany", "Britain", True)
    assert (
        control(with_forces(state, "Greece", Germany=2, Britain=5), "Greece").controller
        == "Germany"
    )
    assert (
        control(with_forces(state, "Greece", Germany=2, USSR=5), "Greece").controller == "Germany"
    )


def test_powers_in_one_hand_are_one_force() -> None:
    """19.11 by players: Italy's divisions do not undo what Germany, the same player's, controls."""
    state = conquered(begun(5), "Greece", "Germany")
    assert (
        control(with_forces(state, "Greece", Germany=1, Italy=5), "Greece").controller == "Germany"
    )


def test_control_is_not_shared() -> None:
    """19.11."""
    state = conquered(conquered(begun(), "Poland", "Germany"), "Poland", "USSR")
    state = with_forces(
        state.put("Poland", cleared={"Germany": 2, "USSR": 2}), "Poland", Germany=2, USSR=2
    )
    found = control(state, "Poland")
    assert (found.controller, found.rule) == ("", "shared")
    assert (
        found.why
        == "USSR and Germany would both control Poland, and control is not shared (19.11)."
    )


def test_a_hostile_force_in_supply_keeps_a_country_from_being_normal() -> None:
    """19.12: hostile to that country, whoever else is there."""
    state = with_forces(invaded(begun(), "Germany", "Norway")[0], "Norway", Germany=1, Britain=4)
    assert normalised(state, "Norway").hostile == ("Germany",)
    assert normalised(state.put("Norway", forces={"Germany": Force(2, 0)}), "Norway").normal, (
        "out of supply is off the map"
    )


def test_the_gamesmaster_confirms_or_overrules() -> None:
    """Rules B.8: a proposed controller, and a ruled one."""
    campaign = Campaign().on_to("referee-germany")
    campaign.sheet(
        "INVASION Germany Poland\nFORCES Poland Germany 4\nSWEPT Poland Germany\nCLEARED Poland"
        " Germany"
    )
    assert proposed(campaign.state, "Poland").controller == "Germany"
    campaign.sheet(
        "CONTROLLER Poland Germany: as proposed\nCONTROLLER Libya NOBODY: the desert is empty"
    )
    assert [event["message"] for event in campaign.told("controller")] == [
        "The gamesmaster has ruled that Germany controls Poland.",
        "The gamesmaster has ruled that nobody controls Libya. The reason: the desert is empty.",
    ]
    campaign.sheet("CONTROLLER Libya PROPOSED")
    assert control(campaign.state, "Libya").controller == "Italy"


def test_games_of_both_readings_in_one_process_share_no_sentence() -> None:
    """19.11, 19.12 (523): only as printed, freeing a country does not give control of it."""
    for reading, said in (("printed", True), ("first", False), ("printed", True)):
        lacking = " ".join(proposed(begun(6, reading=reading), "Poland").missing["Italy"])
        assert ("freeing a country does not give control of it" in lacking) == said
