"""Hostility, peace, alliances, grants, and consent (4.2, 9, 16.24, 19.12; Rules B.3)."""

from __future__ import annotations

import pytest

from games.rules.ww2_multiplayer import permissions, table
from games.rules.ww2_multiplayer.hostility import (
    allied,
    fought,
    hostile,
    invaded,
    made_peace,
    registered,
    with_alliance,
)
from games.rules.ww2_multiplayer.state import Grant, State

from .campaign import RULES, Campaign, at, begun


def flags(state: State) -> set[tuple[str, str]]:
    return {(one.power, one.country) for one in state.hostile}


def test_an_invasion_makes_hostile_to_the_country_and_to_whoever_held_it() -> None:
    """19.12: "a country or a possession of a country"."""
    assert flags(invaded(begun(), "Germany", "Belgium")[0]) == {("Germany", "Belgium")}
    assert flags(invaded(begun(), "Italy", "Egypt")[0]) == {
        ("Italy", "Egypt"),
        ("Italy", "Britain"),
    }
    assert flags(invaded(begun(), "Germany", "France")[0]) == {("Germany", "France")}


def test_a_fight_makes_hostile_to_the_other_and_to_its_allies() -> None:
    """19.12: "had combat with that country's units or allies"; each side that is a power."""
    assert flags(fought(begun(), "Germany", "Poland")[0]) == {
        ("Germany", "Poland"),
        ("Germany", "France"),
    }, "Poland is France's ally"
    allies = with_alliance(begun(), "France", "Britain", True)
    assert {("Germany", "Britain"), ("Germany", "France"), ("France", "Germany")} <= flags(
        fought(allies, "Germany", "France")[0]
    )
    assert ("Britain", "Germany") not in flags(fought(allies, "Germany", "France")[0]), (
        "British units have not fought"
    )
    assert ("USSR", "Finland") in flags(fought(begun(), "USSR", "Germany")[0]), (
        "Finland is always Germany's ally"
    )
    assert ("USSR", "Germany") in flags(fought(begun(), "USSR", "Finland")[0])


def test_a_flag_is_raised_once() -> None:
    state, new = invaded(begun(), "Germany", "Belgium")
    assert len(new) == 1
    assert invaded(state, "Germany", "Belgium")[1] == ()


def test_one_hand_is_never_at_odds_with_itself() -> None:
    """2.0."""
    state = fought(begun(5), "Britain", "Italy")[0]
    assert ("Italy", "Germany") not in flags(state)
    assert allied(begun(5), "Germany", "Italy")
    assert ("Britain", "Germany") in flags(state), (
        "Germany is in the Italian player's hand, and so an ally"
    )


def test_peace_clears_the_flags_between_two_powers_and_what_they_held() -> None:
    """Rules B.3: signed by Q and the owner."""
    state = fought(invaded(begun(), "Italy", "Egypt")[0], "Italy", "France")[0]
    state, gone = made_peace(state, "Britain", "Italy")
    assert {(one.power, one.country) for one in gone} == {("Italy", "Egypt"), ("Italy", "Britain")}
    assert flags(state) == {("Italy", "France"), ("France", "Italy"), ("Italy", "Poland")}


def test_nonhostile_powers_are_allied_where_the_option_says_so() -> None:
    """19.12's own example, spi.allied."""
    assert not allied(begun(), "USA", "Britain")
    state = begun(allied="nonhostile")
    assert allied(state, "USA", "Britain")
    assert not allied(invaded(state, "USA", "Egypt")[0], "USA", "Britain")


# --- by orders ---


def test_an_alliance_needs_both() -> None:
    """Rules B.3: registered by both sides, and public."""
    campaign = Campaign()
    campaign.send(France="ALLY Britain", Britain="ALLY USSR")
    assert campaign.events == []
    assert campaign.said("France") == [
        "Your offer of alliance stands until this Game-Turn ends. It takes effect when Britain"
        " answers ALLY France."
    ]
    assert "France offers you an alliance. To accept: ALLY France" in RULES.planner.brief(
        campaign.state, "Britain"
    )
    assert not [
        said for said in RULES.planner.brief(campaign.state, "Germany") if "alliance" in said
    ], "a third party hears nothing"
    campaign.send(Britain="ALLY France")
    assert campaign.told("alliance")[0]["nations"] == ["France", "Britain"]
    assert RULES.board(campaign.state).alliances == (("France", "Britain"),)
    campaign.on_to("diplomacy", 2)
    campaign.send(USSR="ALLY Britain")
    assert campaign.events == [], "Britain's offer of turn 1 is gone"
    campaign.send(France="UNALLY Britain")
    assert campaign.told("alliance_ended")[0]["nations"] == ["France", "Britain"]
    assert not registered(campaign.state, "France", "Britain")


def test_an_alliance_is_of_players() -> None:
    """2.0: naming Italy names whoever plays it."""
    campaign = Campaign(5)
    campaign.send(USSR="ALLY Italy", Germany="ALLY Russia")
    assert [(one.a, one.b) for one in campaign.state.alliances] == [("USSR", "Germany")]
    assert allied(campaign.state, "USSR", "Italy")


def test_peace_needs_both_and_a_minor_is_spoken_for_by_its_operator() -> None:
    """Rules B.3, 20.0: it conducts diplomacy for them."""
    campaign = Campaign().on_to("referee-germany")
    campaign.sheet("INVASION Germany Sweden\nINVASION Britain Norway\nINVASION Italy Egypt\nEND")
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


def test_war_may_have_to_be_declared() -> None:
    """Rules B.1, spi.declaration: the gamesmaster is told, and rules."""
    campaign = Campaign(declaration="required_before_attack").on_to("orders")
    campaign.send(Germany="INVADE Poland\nINVADE Norway\nDECLARE WAR ON Norway")
    assert (
        campaign.said("Germany")[0]
        == "“INVADE Poland”: declare war first, with DECLARE WAR ON Poland."
    )
    assert campaign.told("declaration")[0]["message"] == "Germany declares war on Norway."
    campaign.on_to("referee-germany").sheet("INVASION Germany Poland\nINVASION Germany Norway")
    assert campaign.said() == ["Germany has not declared war on Poland, as this game requires."]
    assert len(campaign.told("invasion")) == 2


def test_a_grant_stands_until_it_is_taken_back() -> None:
    """9.12, 9.33, 10.51, 16.31: its giver's word alone."""
    campaign = Campaign()
    campaign.send(
        Britain="GRANT BASE TO USA IN Britain\nGRANT TRANSPORT TO France",
        Germany="GRANT TRANSIT TO Italy IN Hungary",
    )
    assert campaign.told("grant")[0]["message"] == "Britain grants USA base in Britain."
    assert permissions.asked(campaign.state, "10.51, 10.82", "USA").given
    assert permissions.sea(campaign.state, "Britain", "France").given
    assert permissions.passage(campaign.state, "Italy", "Hungary") == permissions.Asked(
        "16.31", "Germany", True, "Germany allows it (16.31)"
    )
    found = permissions.passage(campaign.state, "Italy", "Rumania")
    assert found is not None
    assert not found.given
    assert permissions.passage(campaign.state, "Italy", "Spain") is None
    asked = dict(table.ledger(campaign.state))["Permissions needed"]
    assert "Other armies need Germany's permission to pass Hungary; Italy may (16.31)." in asked
    assert (
        "Other armies need Germany's permission to pass Rumania, Bulgaria and Finland; it has"
        " allowed nobody (16.31)." in asked
    )
    campaign.on_to("diplomacy", 3).send(Britain="REVOKE TRANSPORT FROM France")
    assert not permissions.sea(campaign.state, "Britain", "France").given
    assert [one.kind for one in campaign.state.grants] == ["base", "transit"]


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
def test_who_must_be_asked_for_what(players: int, case: str, to: str, by: str, given: bool) -> None:
    """Rules B.1, the permissions in their versions."""
    found = permissions.asked(begun(players), case, to)
    assert (found.by, found.given) == (by, given)


def test_french_units_abroad_are_supplied_by_whoever_allows_it() -> None:
    """9.42: "any friendly country at that country's discretion"."""
    assert not permissions.asked(begun(), "9.42", "France").given
    state = at(begun(), grants=(Grant("Britain", "France", "supply", "", 1),))
    assert permissions.asked(state, "9.42", "France") == permissions.Asked(
        "9.42", "Britain", True, "Britain allows it (9.42)"
    )


def test_an_invaded_neutral_is_reinforced_by_leave_of_its_operator() -> None:
    """16.24."""
    state = at(
        invaded(begun(), "Germany", "Norway")[0],
        grants=(Grant("USA", "Britain", "transit", "Norway", 1),),
    )
    assert permissions.giver(state, "16.24", "Norway") == "USA"
    assert permissions.asked(state, "16.24", "Britain", "Norway").given
    assert not permissions.asked(state, "16.24", "Britain", "Greece").given
