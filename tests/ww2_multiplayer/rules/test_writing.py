"""Orders and their consequences: two powers, conditions, consent (B.1, B.3)."""

from __future__ import annotations

import pytest

from games.rules import Cell, PhaseId, RulesError
from games.ww2_multiplayer.rules import editing, flow
from games.ww2_multiplayer.rules.control import control
from games.ww2_multiplayer.rules.hostility import are_allied, note_invasion
from games.ww2_multiplayer.rules.state import American

from .campaign import RULES, Campaign, at, new_state, playing

pytestmark = pytest.mark.guest

# --- two powers of one player ---


def test_power_is_not_hostile_to_its_own_player() -> None:
    """B.3, 2.0: Italy fights Hungary, while one player has Italy and Germany."""
    mine = playing(5)
    mine.report("COMBAT Italy Hungary")
    assert [(flag.power, flag.country) for flag in mine.state.hostile] == [("Italy", "Hungary")]
    other = playing(6)
    other.report("COMBAT Italy Hungary")
    assert ("Italy", "Germany") in {(flag.power, flag.country) for flag in other.state.hostile}


def test_hostility_to_one_power_excludes_an_alliance_with_its_player() -> None:
    """spi.allied = nonhostile: players are allies, not powers."""
    state = note_invasion(new_state(4, allied="nonhostile"), "USA", "France")[0]
    assert not are_allied(state, "Britain", "France")
    assert are_allied(state, "Britain", "USSR")
    assert are_allied(
        note_invasion(new_state(6, allied="nonhostile"), "USA", "France")[0], "Britain", "France"
    )


def test_two_powers_of_one_player_control_a_country_together() -> None:
    """19.11: two players cannot share control, but one player with two powers has it."""
    tale = (
        "CLEARED Greece Germany\nCLEARED Greece Italy\nSWEPT Greece Germany\nSWEPT Greece"
        " Italy\nFORCES Greece Germany 1\nFORCES Greece Italy 1"
    )
    mine, theirs = playing(5), playing(6)
    mine.report(tale)
    theirs.report(tale)
    assert control(mine.state, "Greece").rule == "3"
    assert control(theirs.state, "Greece").rule == "shared"
    assert control(theirs.state, "Greece").controller == ""


def test_last_report_shows_the_cost_of_a_lost_home() -> None:
    """19.13: entries that would have paid are shown with 0 and their case."""
    campaign = Campaign(6, last_turn=1, us_entry="base_schedule").on_to("count")
    campaign.report("HEXES Germany 60 HOSTILE 31\nEND")
    lost = [
        (event["country"], event["points"])
        for event in campaign.told("score")
        if event["rule"] == "19.13"
    ]
    assert lost == [("Hungary", 0), ("Rumania", 0), ("Bulgaria", 0), ("Finland", 0)]
    assert RULES.standing(campaign.state).scores["Germany"] == 0
    whole = Campaign(6, last_turn=1, us_entry="base_schedule").on_to("count")
    whole.report("HEXES Germany 60 HOSTILE 30\nEND")
    assert RULES.standing(whole.state).scores["Germany"] == 4, "half is not more than half"


# --- conditions and triggers ---


def test_condition_of_a_minor_countrys_order_is_decided() -> None:
    """B.8: IF … THEN inside MINOR."""
    orders = (
        "MINOR Poland: IF Germany INVADES Poland THEN ATTACK Danzig\nMINOR Poland: IF Germany"
        " INVADES Norway THEN ATTACK Memel"
    )
    campaign = playing(6, 1, {"France": orders})
    campaign.report("INVASION Germany Poland\nEND")
    campaign.report("REST DONE\nEND")
    assert [(event["line"], event["ruling"]) for event in campaign.told("line")] == [
        (1, "done"),
        (2, "void"),
    ]


def test_entered_condition_is_decided_for_the_usa_only() -> None:
    """18.0: only the USA has an entry; “IF Italy ENTERED” means what its writer meant."""
    campaign = playing(
        6, 1, {"France": "IF Italy ENTERED THEN hold Nice\nIF USA ENTERED THEN hold Brest"}
    )
    campaign.report("END")
    campaign.report("REST DONE")
    assert [(event["line"], event["ruling"]) for event in campaign.told("line")] == [(2, "void")]


def test_only_the_first_invasion_triggers_a_special_throw() -> None:
    """18.1: once for each country; a later landing replaces no throw."""
    campaign = Campaign(6, us_special="instead").on_to("referee-germany", 12)
    campaign.report("INVASION Germany France\nEND")
    assert not campaign.state.owed, (
        "it could not bring the entry forward, and takes the place of the turn's own throw"
    )
    campaign.on_to("referee-germany", 13).report("INVASION Germany France\nEND")
    assert [request.purpose for request in campaign.state.owed] == ["us_entry"]


# --- the change of a Game-Turn ---


def test_american_entry_is_reported_once_and_columns_each_turn() -> None:
    """18.0: the column of 3/42, then the next ones; landings end only on 4/44."""
    entered = at(new_state(6), us=American(8))
    kinds_by_turn = {
        turn: [event["kind"] for event in flow.begin_game_turn(at(entered, turn=turn))[1]]
        for turn in (7, 8, 9, 20, 21, 22)
    }
    assert [turn for turn, kinds in kinds_by_turn.items() if "us_enters" in kinds] == [8]
    assert [turn for turn, kinds in kinds_by_turn.items() if "us_column" in kinds] == [
        8,
        9,
        20,
        21,
        22,
    ]
    assert [turn for turn, kinds in kinds_by_turn.items() if "us_amphibious" in kinds] == [21]


def test_gamesmasters_dice_come_before_american_intervention() -> None:
    """18.1: at the end of the German Player-Turn, which includes the gamesmaster's dice."""
    campaign = Campaign(6).on_to("referee-germany")
    campaign.report("DICE 1 FOR the pursuit\nEND")
    assert [request.purpose for request in campaign.state.owed] == ["die", "us_entry"]


def test_game_turn_starts_without_earlier_orders() -> None:
    """B.8: orders, rulings, offers and transport used are of one Game-Turn."""
    campaign = playing(6, 1, {"Britain": "SEA 1 SP London TO Brest\nPEACE Italy"})
    campaign.on_to("diplomacy", 2)
    state = campaign.state
    assert (state.orders, state.ruled, state.offers, state.uses, state.owed) == ({}, (), (), (), ())


# --- agreements ---


def test_revoked_offer_makes_no_alliance() -> None:
    """19.12: UNALLY ends an alliance and a pending offer."""
    campaign = Campaign(6, us_entry="base_schedule")
    campaign.send(France="ALLY Britain")
    campaign.send(France="UNALLY Britain", Britain="ALLY France")
    assert campaign.told("alliance") == []
    assert not are_allied(campaign.state, "France", "Britain")


def test_peace_does_not_answer_an_offer_of_alliance() -> None:
    """19.12."""
    campaign = Campaign(6, us_entry="base_schedule")
    campaign.send(France="PEACE Germany", Germany="ALLY France")
    assert campaign.events == []
    assert len(campaign.state.offers) == 2


def test_only_the_operator_makes_peace_for_a_minor_country() -> None:
    """B.3, 20.0."""
    campaign = playing().on_to("referee-germany")
    campaign.report("INVASION Germany Norway")
    campaign.on_to("diplomacy", 2)
    campaign.send(France="MINOR Norway: PEACE Germany", Germany="PEACE Norway")
    assert campaign.told("peace") == [], "the USA operates Norway (20.1)"
    campaign.send(USA="MINOR Norway: PEACE Germany")
    assert [event["nations"] for event in campaign.told("peace")] == [["Germany", "Norway"]]


def test_revoked_grants_end_before_new_ones_begin() -> None:
    """B.1: REVOKE with a place is about that place; ends come before new grants."""
    campaign = Campaign(6, us_entry="base_schedule")
    campaign.send(
        Britain="ALLY France\nGRANT SUPPLY TO USA IN Gibraltar\nGRANT SUPPLY TO USA IN Suez",
        France="ALLY Britain",
    )
    campaign.send(Britain="GRANT BASE TO USSR\nREVOKE SUPPLY FROM USA IN Suez\nUNALLY France")
    assert [(grant.kind, grant.place) for grant in campaign.state.grants] == [
        ("supply", "Gibraltar"),
        ("base", ""),
    ]
    assert campaign.kinds() == ["alliance_ended", "grant_ended", "grant"]
    campaign.on_to("diplomacy", 2).send(Britain="GRANT SUPPLY TO USA IN Suez")
    campaign.send(Britain="REVOKE SUPPLY FROM USA")
    assert [grant.kind for grant in campaign.state.grants] == ["base"]


def test_conditional_invasion_has_consequences_once_done() -> None:
    """B.8: an invasion whose condition failed has no consequences."""
    orders = {
        "Germany": (
            "IF USSR INVADES Finland THEN INVADE Poland\nIF France INVADES Italy THEN INVADE"
            " Belgium"
        )
    }
    campaign = playing(6, 1, orders).on_to("referee-ussr")
    campaign.report("INVASION USSR Finland\nEND")
    campaign.on_to("referee-germany").report("REST DONE")
    assert [event["country"] for event in campaign.told("invasion")] == ["Poland"]


def test_line_with_more_than_two_conditions_is_free_text() -> None:
    """B.8: accepted as free text, with the reason."""
    line = (
        "IF it snows THEN IF it rains THEN IF it thaws THEN IF it blows THEN IF it is calm THEN"
        " hold the pass"
    )
    reading = RULES.read(line, "France", at(new_state(6), step="orders"))
    assert "a line may have at most two conditions" in reading.remarks[0].message
    assert reading.understood == ((1, line),)
    two = RULES.read(
        "IF it snows THEN IF it rains THEN hold the pass", "France", at(new_state(6), step="orders")
    )
    assert two.remarks == ()


# --- texts in force ---


def test_only_texts_of_acting_powers_are_in_force() -> None:
    """B.8: no report in a phase of orders, no orders in the gamesmaster's; or only movers."""
    texts = {"France": "hold", "Germany": "hold", "Referee": "END"}
    batched = Campaign(6).on_to("orders")
    assert set(RULES.in_force(batched.state, texts)) == {"France", "Germany"}
    assert set(RULES.in_force(batched.on_to("referee-italy").state, texts)) == {"Referee"}
    sequential = Campaign(6, flow="sequential").on_to("orders-france")
    assert set(RULES.in_force(sequential.state, texts)) == {"France"}


def test_orders_stay_in_the_position_until_the_game_turn_ends() -> None:
    """B.8: also those of earlier Player-Turns; a text with only comments is none."""
    campaign = Campaign(6, flow="sequential").on_to("orders-france")
    campaign.send(France="hold the line")
    campaign.on_to("orders-ussr").send(USSR="hold Kiev")
    assert set(campaign.state.orders) == {"France", "USSR"}
    campaign.on_to("orders-usa").send(USA="# nothing yet")
    assert set(campaign.state.orders) == {"France", "USSR"}


def test_merged_line_replaces_only_its_own_earlier_one() -> None:
    """orders.amend = merge_lines: the same line for the map, or the same grant."""
    state = new_state(6)
    earlier = (
        "MOVE 3 SP Brest TO Caen\nMOVE 1 SP Paris TO Metz\nGRANT SUPPLY TO USA IN Suez\nALLY"
        " Britain"
    )
    merged = RULES.merge(
        earlier, "MOVE 2 SP Lyons TO Nice\nMOVE 1 SP Paris TO Metz\nALLY Britain", "France", state
    )
    assert merged.splitlines() == [
        "MOVE 3 SP Brest TO Caen",
        "GRANT SUPPLY TO USA IN Suez",
        "MOVE 2 SP Lyons TO Nice",
        "MOVE 1 SP Paris TO Metz",
        "ALLY Britain",
    ]


def test_texts_are_kept_until_the_count() -> None:
    """B.8, 19.2: orders that were never carried out stay secret until the end."""
    options = new_state(6, last_turn=4).options
    for kind in ("diplomacy", "orders", "orders-france", "referee-france-2"):
        assert RULES.facts(PhaseId(1, kind), options).kept_until == PhaseId(4, "count")
    assert RULES.facts(PhaseId(1, "dice-1"), options).kept_until is None
    assert RULES.facts(PhaseId(4, "count"), options).kept_until is None


def test_ruling_cannot_ally_powers_of_one_player() -> None:
    """2.0, 19.12: alliances are between players."""
    with pytest.raises(RulesError, match="Italy and Germany have the same player"):
        editing.ally(new_state(5), "Italy", "Germany", True)
    assert are_allied(editing.ally(new_state(6), "Italy", "Germany", True), "Italy", "Germany")


def test_ruled_position_has_forces_but_no_counters() -> None:
    """B.8: reports decide who controls a country."""
    assert (
        editing.edit(new_state(6), {"Poland": {"Germany": Cell(4)}})
        .country("Poland")
        .forces["Germany"]
        .supplied
        == 4
    )
    with pytest.raises(RulesError, match="write who controls Poland in a report"):
        editing.edit(new_state(6), {"Poland": {"Germany": Cell(4, control=True)}})
    with pytest.raises(RulesError, match="no country"):
        editing.edit(new_state(6), {"Atlantis": {"Germany": Cell(4)}})


def test_ledger_lists_only_needed_permissions() -> None:
    """9.32, 10.51, 10.82: with four players American supply and landings in Britain are free."""
    needed = {}
    for players in (4, 6):
        table = RULES.referee.table(playing(players).state)
        assert table is not None
        needed[players] = " ".join(dict(table.ledger)["Permissions needed"])
    for case in ("9.32", "10.51"):
        assert case in needed[6]
        assert case not in needed[4]
    assert "10.35" in needed[4], "Lend-Lease is asked for always"


def test_unsupplied_italians_in_africa_set_no_supply_flag() -> None:
    """6.53: at least one in supply."""
    campaign = playing()
    campaign.report("FORCES Libya Italy 2 SUPPLIED 0")
    assert campaign.told("supply_in_africa") == []


def test_german_landing_gets_no_remark() -> None:
    """5.8: the permanent capacities are naval; these rules do not limit amphibious points."""
    reading = RULES.read(
        "AMPHIB 1 SP Brest TO Dover VIA ATLANTIC", "Germany", at(new_state(6), step="orders")
    )
    assert reading.remarks == ()
