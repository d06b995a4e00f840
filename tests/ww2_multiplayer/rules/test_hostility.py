"""Hostility, peace, alliances, grants, and consent (4.2, 9, 16.24, 19.12; Rules B.3)."""

from __future__ import annotations

import pytest

from games.ww2_multiplayer.rules import ledger, permissions
from games.ww2_multiplayer.rules.hostility import (
    are_allied,
    fought,
    hostile,
    is_alliance_registered,
    make_peace,
    note_invasion,
    set_alliance,
)
from games.ww2_multiplayer.rules.state import Grant, State

from .campaign import RULES, Campaign, at, new_state

pytestmark = pytest.mark.guest


def flags(state: State) -> set[tuple[str, str]]:
    return {(flag.power, flag.country) for flag in state.hostile}


def test_invader_is_hostile_to_the_country_and_its_holder() -> None:
    """19.12: "a country or a possession of a country"."""
    assert flags(note_invasion(new_state(), "Germany", "Belgium")[0]) == {("Germany", "Belgium")}
    assert flags(note_invasion(new_state(), "Italy", "Egypt")[0]) == {
        ("Italy", "Egypt"),
        ("Italy", "Britain"),
    }
    assert flags(note_invasion(new_state(), "Germany", "France")[0]) == {("Germany", "France")}


def test_combat_makes_hostile_to_the_other_side_and_its_allies() -> None:
    """19.12: "had combat with that country's units or allies"; both sides, if powers."""
    assert flags(fought(new_state(), "Germany", "Poland")[0]) == {
        ("Germany", "Poland"),
        ("Germany", "France"),
    }, "Poland is France's ally"
    allies = set_alliance(new_state(), "France", "Britain", True)
    assert {("Germany", "Britain"), ("Germany", "France"), ("France", "Germany")} <= flags(
        fought(allies, "Germany", "France")[0]
    )
    assert ("Britain", "Germany") not in flags(fought(allies, "Germany", "France")[0]), (
        "British units have not fought"
    )
    assert ("USSR", "Finland") in flags(fought(new_state(), "USSR", "Germany")[0]), (
        "Finland is always Germany's ally"
    )
    assert ("USSR", "Germany") in flags(fought(new_state(), "USSR", "Finland")[0])


def test_hostility_is_noted_once() -> None:
    state, new = note_invasion(new_state(), "Germany", "Belgium")
    assert len(new) == 1
    assert note_invasion(state, "Germany", "Belgium")[1] == ()


def test_powers_of_one_player_are_never_hostile() -> None:
    """2.0."""
    state = fought(new_state(5), "Britain", "Italy")[0]
    assert ("Italy", "Germany") not in flags(state)
    assert are_allied(new_state(5), "Germany", "Italy")
    assert ("Britain", "Germany") in flags(state), (
        "Germany is in the Italian player's hand, and so an ally"
    )


def test_peace_clears_hostility_between_two_powers_and_their_minors() -> None:
    """Rules B.3: signed by both sides; an owner signs for its possession."""
    state = fought(note_invasion(new_state(), "Italy", "Egypt")[0], "Italy", "France")[0]
    state, gone = make_peace(state, "Britain", "Italy")
    assert {(flag.power, flag.country) for flag in gone} == {
        ("Italy", "Egypt"),
        ("Italy", "Britain"),
    }
    assert flags(state) == {("Italy", "France"), ("France", "Italy"), ("Italy", "Poland")}


def test_option_makes_nonhostile_powers_allied() -> None:
    """19.12, its example; spi.allied."""
    assert not are_allied(new_state(), "USA", "Britain")
    state = new_state(allied="nonhostile")
    assert are_allied(state, "USA", "Britain")
    assert not are_allied(note_invasion(state, "USA", "Egypt")[0], "USA", "Britain")


# --- by orders ---


def test_alliance_needs_both_sides() -> None:
    """Rules B.3: registered by both sides, and public."""
    campaign = Campaign()
    campaign.send(France="ALLY Britain", Britain="ALLY USSR")
    assert campaign.events == []
    assert campaign.said("France") == [
        "Your offer of alliance stands until this Game-Turn ends. It takes effect when Britain"
        " answers ALLY France."
    ]
    assert "France offers you an alliance. To accept, send ALLY France." in RULES.planner.brief(
        campaign.state, "Britain"
    )
    assert not [
        line for line in RULES.planner.brief(campaign.state, "Germany") if "alliance" in line
    ], "a third party hears nothing"
    campaign.send(Britain="ALLY France")
    assert campaign.told("alliance")[0]["nations"] == ["France", "Britain"]
    assert RULES.board(campaign.state).alliances == (("France", "Britain"),)
    campaign.on_to("diplomacy", 2)
    campaign.send(USSR="ALLY Britain")
    assert campaign.events == [], "Britain's offer of turn 1 is gone"
    campaign.send(France="UNALLY Britain")
    assert campaign.told("alliance_ended")[0]["nations"] == ["France", "Britain"]
    assert not is_alliance_registered(campaign.state, "France", "Britain")


def test_alliance_is_between_players() -> None:
    """2.0: naming Italy names its player's power."""
    campaign = Campaign(5)
    campaign.send(USSR="ALLY Italy", Germany="ALLY Russia")
    assert [(alliance.a, alliance.b) for alliance in campaign.state.alliances] == [
        ("USSR", "Germany")
    ]
    assert are_allied(campaign.state, "USSR", "Italy")


def test_peace_needs_both_sides_and_operators_sign_for_minor_countries() -> None:
    """Rules B.3, 20.0: the operator conducts its diplomacy."""
    campaign = Campaign().on_to("referee-germany")
    campaign.report("INVASION Germany Sweden\nINVASION Britain Norway\nINVASION Italy Egypt\nEND")
    campaign.on_to("diplomacy", 2)
    assert "PEACE Norway" in [
        choice.line() for choice in RULES.planner.choices(campaign.state, "Britain")
    ]
    campaign.send(
        Britain="PEACE Norway\nPEACE Italy",
        USA="MINOR Norway: PEACE Britain\nMINOR Sweden: PEACE Germany",
        Italy="PEACE Egypt",
    )
    assert [event["nations"] for event in campaign.told("peace")] == [
        ["Italy", "Britain"],
        ["Britain", "Norway"],
    ]
    assert not hostile(campaign.state, "Britain", "Norway")
    assert hostile(campaign.state, "Germany", "Sweden"), "Germany has not signed"
    campaign.send(Germany="PEACE Sweden")
    assert campaign.told("peace")[0]["nations"] == ["Germany", "Sweden"]


def test_declaration_of_war_is_required_by_option() -> None:
    """Rules B.1, spi.declaration: the gamesmaster is warned, and decides."""
    campaign = Campaign(declaration="required_before_attack").on_to("orders")
    campaign.send(Germany="INVADE Poland\nINVADE Norway\nDECLARE WAR ON Norway")
    assert (
        campaign.said("Germany")[0]
        == "“INVADE Poland”: declare war first, with DECLARE WAR ON Poland."
    )
    assert campaign.told("declaration")[0]["message"] == "Germany declares war on Norway."
    campaign.on_to("referee-germany").report("INVASION Germany Poland\nINVASION Germany Norway")
    assert campaign.said() == ["Germany has not declared war on Poland, as this game requires."]
    assert len(campaign.told("invasion")) == 2


def test_grant_is_valid_until_revoked() -> None:
    """9.12, 9.33, 10.51, 16.31: the giver's word alone."""
    campaign = Campaign()
    campaign.send(
        Britain="GRANT BASE TO USA IN Britain\nGRANT TRANSPORT TO France",
        Germany="GRANT TRANSIT TO Italy IN Hungary",
    )
    assert campaign.told("grant")[0]["message"] == "Britain grants USA a base in Britain."
    assert permissions.check_permission(campaign.state, "10.51, 10.82", "USA").given
    assert permissions.sea(campaign.state, "Britain", "France").given
    assert permissions.passage(campaign.state, "Italy", "Hungary") == permissions.PermissionCheck(
        "16.31", "Germany", True, "Germany allows it (16.31)"
    )
    permission = permissions.passage(campaign.state, "Italy", "Rumania")
    assert permission is not None
    assert not permission.given
    assert permissions.passage(campaign.state, "Italy", "Spain") is None
    needed = dict(ledger.ledger(campaign.state))["Permissions needed"]
    assert "Other armies need Germany's permission to pass Hungary; Italy may (16.31)." in needed
    assert (
        "Other armies need Germany's permission to pass Rumania, Bulgaria and Finland; it has"
        " allowed nobody (16.31)." in needed
    )
    campaign.on_to("diplomacy", 3).send(Britain="REVOKE TRANSPORT FROM France")
    assert not permissions.sea(campaign.state, "Britain", "France").given
    assert [grant.kind for grant in campaign.state.grants] == ["base", "transit"]


@pytest.mark.parametrize(
    ("players", "case", "to", "by", "given"),
    [
        (6, "9.12", "Germany", "Italy", False),
        (5, "9.12", "USSR", "", True),
        (6, "9.32", "USA", "Britain", False),
        (4, "9.32", "USA", "", True),
        (6, "9.33", "France", "Britain", False),
        (4, "9.33", "USA", "Britain", True),
        (5, "9.33", "USA", "Britain", False),
        (5, "10.51, 10.82", "USA", "Britain", False),
        (4, "10.51, 10.82", "USA", "", True),
        (6, "10.35", "USSR", "USA", False),
        (4, "10.35", "USSR", "Britain", False),
        (5, "16.31", "Italy", "Germany", True),
    ],
)
def test_needed_permissions_name_their_givers(
    players: int, case: str, to: str, by: str, given: bool
) -> None:
    """Rules B.1: the permissions by number of players."""
    permission = permissions.check_permission(new_state(players), case, to)
    assert (permission.by, permission.given) == (by, given)


def test_french_units_abroad_are_supplied_by_a_permitting_ally() -> None:
    """9.42: "any friendly country at that country's discretion"."""
    assert not permissions.check_permission(new_state(), "9.42", "France").given
    state = at(new_state(), grants=(Grant("Britain", "France", "supply", "", 1),))
    assert permissions.check_permission(state, "9.42", "France") == permissions.PermissionCheck(
        "9.42", "Britain", True, "Britain allows it (9.42)"
    )


def test_operator_permits_reinforcing_an_invaded_neutral() -> None:
    """16.24."""
    state = at(
        note_invasion(new_state(), "Germany", "Norway")[0],
        grants=(Grant("USA", "Britain", "transit", "Norway", 1),),
    )
    assert permissions.giver(state, "16.24", "Norway") == "USA"
    assert permissions.check_permission(state, "16.24", "Britain", "Norway").given
    assert not permissions.check_permission(state, "16.24", "Britain", "Greece").given
