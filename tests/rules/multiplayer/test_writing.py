"""What players write and what comes of it: two powers, conditions, consent (B.1, B.3)."""

from __future__ import annotations

import pytest

from games.rules import Cell, PhaseId, RulesError
from games.rules.ww2_multiplayer import flow
from games.rules.ww2_multiplayer.control import control
from games.rules.ww2_multiplayer.hostility import allied, invaded
from games.rules.ww2_multiplayer.state import American

from .campaign import RULES, Campaign, at, begun, playing

# --- two powers in one hand ---


def test_nobody_becomes_hostile_to_what_is_in_his_own_hand() -> None:
    """B.3, 2.0: Italy that fights Hungarians, where one player has Germany too."""
    mine = playing(5)
    mine.sheet("COMBAT Italy Hungary")
    assert [(one.power, one.country) for one in mine.state.hostile] == [("Italy", "Hungary")]
    other = playing(6)
    other.sheet("COMBAT Italy Hungary")
    assert ("Italy", "Germany") in {(one.power, one.country) for one in other.state.hostile}


def test_whoever_is_at_odds_with_one_of_two_powers_is_no_ally_of_their_player() -> None:
    """spi.allied = nonhostile: players are allies, not powers."""
    state = invaded(begun(4, allied="nonhostile"), "USA", "France")[0]
    assert not allied(state, "Britain", "France")
    assert allied(state, "Britain", "USSR")
    assert allied(invaded(begun(6, allied="nonhostile"), "USA", "France")[0], "Britain", "France")


def test_two_powers_of_one_player_do_not_stand_in_each_others_way() -> None:
    """19.11: control is not shared by two players; one player with two powers there has it."""
    tale = (
        "CLEARED Greece Germany\nCLEARED Greece Italy\nSWEPT Greece Germany\nSWEPT Greece"
        " Italy\nFORCES Greece Germany 1\nFORCES Greece Italy 1"
    )
    mine, theirs = playing(5), playing(6)
    mine.sheet(tale)
    theirs.sheet(tale)
    assert control(mine.state, "Greece").rule == "3"
    assert control(theirs.state, "Greece").rule == "shared"
    assert control(theirs.state, "Greece").controller == ""


def test_the_last_report_says_what_a_lost_home_has_cost() -> None:
    """19.13: entries that would have paid are told with nothing, and by which case."""
    campaign = Campaign(6, last_turn=1, us_entry="base_schedule").on_to("count")
    campaign.sheet("HEXES Germany 60 HOSTILE 31\nEND")
    lost = [
        (event["country"], event["points"])
        for event in campaign.told("score")
        if event["rule"] == "19.13"
    ]
    assert lost == [("Hungary", 0), ("Rumania", 0), ("Bulgaria", 0), ("Finland", 0)]
    assert RULES.standing(campaign.state).scores["Germany"] == 0
    whole = Campaign(6, last_turn=1, us_entry="base_schedule").on_to("count")
    whole.sheet("HEXES Germany 60 HOSTILE 30\nEND")
    assert RULES.standing(whole.state).scores["Germany"] == 4, "half is not more than half"


# --- conditions and triggers ---


def test_a_condition_inside_a_minor_countrys_order_is_judged_as_any_other() -> None:
    """B.8: IF … THEN, inside MINOR too."""
    sent = (
        "MINOR Poland: IF Germany INVADES Poland THEN ATTACK Danzig\nMINOR Poland: IF Germany"
        " INVADES Norway THEN ATTACK Memel"
    )
    campaign = playing(6, 1, {"France": sent})
    campaign.sheet("INVASION Germany Poland\nEND")
    campaign.sheet("REST DONE\nEND")
    assert [(event["line"], event["ruling"]) for event in campaign.told("line")] == [
        (1, "done"),
        (2, "void"),
    ]


def test_of_any_power_but_the_usa_only_the_gamesmaster_can_say_that_it_has_entered() -> None:
    """18.0: entry is the USA's alone; “IF Italy ENTERED” means what its writer meant by it."""
    campaign = playing(
        6, 1, {"France": "IF Italy ENTERED THEN hold Nice\nIF USA ENTERED THEN hold Brest"}
    )
    campaign.sheet("END")
    campaign.sheet("REST DONE")
    assert [(event["line"], event["ruling"]) for event in campaign.told("line")] == [(2, "void")]


def test_only_the_first_invasion_of_a_country_is_a_trigger() -> None:
    """18.1: once each; a later landing takes no throw's place."""
    campaign = Campaign(6, us_special="instead").on_to("referee-germany", 12)
    campaign.sheet("INVASION Germany France\nEND")
    assert not campaign.state.owed, (
        "it could not bring the entry forward, and takes the place of the turn's own throw"
    )
    campaign.on_to("referee-germany", 13).sheet("INVASION Germany France\nEND")
    assert [one.purpose for one in campaign.state.owed] == ["us_entry"]


# --- what is told at the turn of a Game-Turn, and in which order ---


def test_entry_is_told_once_and_each_column_on_its_turn() -> None:
    """18.0: the column of 3/42, then the next; landings are lost on 4/44 alone."""
    entered = at(begun(6), us=American(8))
    told = {
        turn: [event["kind"] for event in flow.begun(at(entered, turn=turn))[1]]
        for turn in (7, 8, 9, 20, 21, 22)
    }
    assert [turn for turn, kinds in told.items() if "us_enters" in kinds] == [8]
    assert [turn for turn, kinds in told.items() if "us_column" in kinds] == [8, 9, 20, 21, 22]
    assert [turn for turn, kinds in told.items() if "us_amphibious" in kinds] == [21]


def test_what_the_gamesmaster_asks_for_is_thrown_before_american_intervention() -> None:
    """18.1: at the end of the German Player-Turn, of which his dice are a part."""
    campaign = Campaign(6).on_to("referee-germany")
    campaign.sheet("DICE 1 FOR the pursuit\nEND")
    assert [one.purpose for one in campaign.state.owed] == ["die", "us_entry"]


def test_a_game_turn_leaves_nothing_of_the_one_before() -> None:
    """B.8: orders, rulings, offers and transport used are of one Game-Turn."""
    campaign = playing(6, 1, {"Britain": "SEA 1 SP London TO Brest\nPEACE Italy"})
    campaign.on_to("diplomacy", 2)
    state = campaign.state
    assert (state.orders, state.ruled, state.offers, state.uses, state.owed) == ({}, (), (), (), ())


# --- what binds both ---


def test_a_word_that_is_taken_back_binds_nobody() -> None:
    """19.12: UNALLY ends an alliance, and an offer of one that waits."""
    campaign = Campaign(6, us_entry="base_schedule")
    campaign.send(France="ALLY Britain")
    campaign.send(France="UNALLY Britain", Britain="ALLY France")
    assert campaign.told("alliance") == []
    assert not allied(campaign.state, "France", "Britain")


def test_peace_is_no_answer_to_an_offer_of_alliance() -> None:
    """19.12."""
    campaign = Campaign(6, us_entry="base_schedule")
    campaign.send(France="PEACE Germany", Germany="ALLY France")
    assert campaign.events == []
    assert len(campaign.state.offers) == 2


def test_for_a_minor_country_its_operator_alone_makes_peace() -> None:
    """B.3, 20.0."""
    campaign = playing().on_to("referee-germany")
    campaign.sheet("INVASION Germany Norway")
    campaign.on_to("diplomacy", 2)
    campaign.send(France="MINOR Norway: PEACE Germany", Germany="PEACE Norway")
    assert campaign.told("peace") == [], "the USA operates Norway (20.1)"
    campaign.send(USA="MINOR Norway: PEACE Germany")
    assert [event["nations"] for event in campaign.told("peace")] == [["Germany", "Norway"]]


def test_leave_is_taken_back_where_it_is_taken_back_and_ends_before_new_leave_begins() -> None:
    """B.1: REVOKE with a place is about that place; alliances end first."""
    campaign = Campaign(6, us_entry="base_schedule")
    campaign.send(
        Britain="ALLY France\nGRANT SUPPLY TO USA IN Gibraltar\nGRANT SUPPLY TO USA IN Suez",
        France="ALLY Britain",
    )
    campaign.send(Britain="GRANT BASE TO USSR\nREVOKE SUPPLY FROM USA IN Suez\nUNALLY France")
    assert [(one.kind, one.place) for one in campaign.state.grants] == [
        ("supply", "Gibraltar"),
        ("base", ""),
    ]
    assert campaign.kinds() == ["alliance_ended", "grant_ended", "grant"]
    campaign.on_to("diplomacy", 2).send(Britain="GRANT SUPPLY TO USA IN Suez")
    campaign.send(Britain="REVOKE SUPPLY FROM USA")
    assert [one.kind for one in campaign.state.grants] == ["base"]


def test_an_invasion_that_waited_for_a_condition_is_followed_once_it_is_done() -> None:
    """B.8: none is followed that did not come about."""
    sent = {
        "Germany": (
            "IF USSR INVADES Finland THEN INVADE Poland\nIF France INVADES Italy THEN INVADE"
            " Belgium"
        )
    }
    campaign = playing(6, 1, sent).on_to("referee-ussr")
    campaign.sheet("INVASION USSR Finland\nEND")
    campaign.on_to("referee-germany").sheet("REST DONE")
    assert [event["country"] for event in campaign.told("invasion")] == ["Poland"]


def test_conditions_in_conditions_go_so_far_and_no_further() -> None:
    """B.8: taken as free text, with the reason; nothing is lost."""
    line = (
        "IF it snows THEN IF it rains THEN IF it thaws THEN IF it blows THEN IF it is calm THEN"
        " hold the pass"
    )
    reading = RULES.read(line, "France", at(begun(6), step="orders"))
    assert "a line may have at most two conditions" in reading.remarks[0].message
    assert reading.understood == ((1, line),)
    two = RULES.read(
        "IF it snows THEN IF it rains THEN hold the pass", "France", at(begun(6), step="orders")
    )
    assert two.remarks == ()


# --- whose texts count ---


def test_only_texts_of_those_who_act_are_in_force() -> None:
    """B.8: no sheet in a phase of orders, no orders in the gamesmaster's; or movers alone."""
    sent = {"France": "hold", "Germany": "hold", "Referee": "END"}
    batched = Campaign(6).on_to("orders")
    assert set(RULES.in_force(batched.state, sent)) == {"France", "Germany"}
    assert set(RULES.in_force(batched.on_to("referee-italy").state, sent)) == {"Referee"}
    sequential = Campaign(6, flow="sequential").on_to("orders-france")
    assert set(RULES.in_force(sequential.state, sent)) == {"France"}


def test_orders_stay_in_the_position_until_their_game_turn_is_over() -> None:
    """B.8: those of earlier Player-Turns too; a text of remarks is none."""
    campaign = Campaign(6, flow="sequential").on_to("orders-france")
    campaign.send(France="hold the line")
    campaign.on_to("orders-ussr").send(USSR="hold Kiev")
    assert set(campaign.state.orders) == {"France", "USSR"}
    campaign.on_to("orders-usa").send(USA="# nothing yet")
    assert set(campaign.state.orders) == {"France", "USSR"}


def test_a_later_line_replaces_an_earlier_one_about_the_same_thing_and_no_other() -> None:
    """orders.amend = merge_lines: of lines for the map the same line, of a grant the same grant."""
    state = begun(6)
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
    """B.8, 19.2: what never came about is nobody else's before the end."""
    options = begun(6, last_turn=4).options
    for kind in ("diplomacy", "orders", "orders-france", "referee-france-2"):
        assert RULES.facts(PhaseId(1, kind), options).kept_until == PhaseId(4, "count")
    assert RULES.facts(PhaseId(1, "dice-1"), options).kept_until is None
    assert RULES.facts(PhaseId(4, "count"), options).kept_until is None


def test_no_ruling_allies_a_player_with_himself() -> None:
    """2.0, 19.12: alliances are between players."""
    with pytest.raises(RulesError, match="Italy and Germany have the same player"):
        RULES.editor.ally(begun(5), "Italy", "Germany", True)
    assert allied(RULES.editor.ally(begun(6), "Italy", "Germany", True), "Italy", "Germany")


def test_a_ruled_position_has_forces_and_no_counters() -> None:
    """B.8: who controls a country is ruled by a sheet."""
    assert (
        RULES.editor.edit(begun(6), {"Poland": {"Germany": Cell(4)}})
        .country("Poland")
        .forces["Germany"]
        .supplied
        == 4
    )
    with pytest.raises(RulesError, match="write who controls Poland in a report"):
        RULES.editor.edit(begun(6), {"Poland": {"Germany": Cell(4, control=True)}})
    with pytest.raises(RulesError, match="no country"):
        RULES.editor.edit(begun(6), {"Atlantis": {"Germany": Cell(4)}})


def test_the_ledger_asks_for_no_leave_that_nobody_needs() -> None:
    """9.32, 10.51, 10.82: with four players American supply and landings in Britain are free."""
    asked = {}
    for players in (4, 6):
        table = RULES.referee.table(playing(players).state)
        assert table is not None
        asked[players] = " ".join(dict(table.ledger)["Permissions needed"])
    for case in ("9.32", "10.51"):
        assert case in asked[6]
        assert case not in asked[4]
    assert "10.35" in asked[4], "Lend-Lease is asked for always"


def test_italians_out_of_supply_in_africa_bring_no_fleet() -> None:
    """6.53: at least one in supply."""
    campaign = playing()
    campaign.sheet("FORCES Libya Italy 2 SUPPLIED 0")
    assert campaign.told("supply_in_africa") == []


def test_a_german_landing_is_the_base_games() -> None:
    """5.8: the permanent capacities are naval; where amphibious points may go is not said here."""
    reading = RULES.read(
        "AMPHIB 1 SP Brest TO Dover VIA ATLANTIC", "Germany", at(begun(6), step="orders")
    )
    assert reading.remarks == ()
