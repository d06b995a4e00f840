"""Consequences that the service derives from a gamesmaster's report (Rules B.1, B.3, B.8)."""

from __future__ import annotations

import pytest

from games.ww2_multiplayer.rules import permissions, transport
from games.ww2_multiplayer.rules.control import control
from games.ww2_multiplayer.rules.hostility import note_invasion, set_alliance
from games.ww2_multiplayer.rules.operators import expedition, operator, reason_frozen
from games.ww2_multiplayer.rules.state import Flags, Grant, State, TransportUse

from .campaign import RULES, Campaign, at, new_state, playing

pytestmark = pytest.mark.guest

# --- operators and their cases ---


@pytest.mark.parametrize(
    ("players", "invaders", "case", "why"),
    [
        (6, (), "20.1", "the chart names it"),
        (5, ("USSR",), "20.1", "the chart names it"),
        (4, (), "20.2", "the chart names it"),
        (6, ("USA",), "20.0", "USA has invaded Norway"),
        (4, ("Britain",), "20.0", "Britain has invaded Norway"),
        (6, ("USA", "Germany"), "20.0", "USA and Germany have invaded Norway"),
    ],
)
def test_operator_cites_its_case(
    players: int, invaders: tuple[str, ...], case: str, why: str
) -> None:
    """20.1 for six and five players, 20.2 for four; 20.0 once an invasion has changed it."""
    state = new_state(players)
    for power in invaders:
        state, _ = note_invasion(state, power, "Norway")
    army = operator(state, "Norway")
    assert army is not None
    assert (army.case, army.why) == (case, why)


def test_ruled_operator_cites_the_rule_that_allows_it() -> None:
    """20.0."""
    army = operator(new_state(4).change_country("Norway", operator="USSR"), "Norway")
    assert army is not None
    assert (army.power, army.case) == ("USSR", "20.0")


def test_finland_is_not_released_by_the_axis_at_its_border() -> None:
    """16.41: a unit that is neither German nor of a German ally."""
    assert reason_frozen(note_invasion(new_state(6), "Germany", "Finland")[0], "Finland")
    italian = note_invasion(new_state(6), "Italy", "Finland")[0]
    assert reason_frozen(italian, "Finland") == ""
    assert reason_frozen(set_alliance(italian, "Italy", "Germany", True), "Finland")
    assert reason_frozen(note_invasion(new_state(5), "Italy", "Finland")[0], "Finland"), (
        "with five Italy is in the German hand"
    )


def test_satellite_serves_in_russia_only_with_the_german_army() -> None:
    """16.32: “with the German army there”; another power's war with Russia sends nobody."""
    friends = set_alliance(new_state(6), "Italy", "Germany", True)
    italian = note_invasion(friends, "Italy", "USSR")[0]
    assert expedition(italian, "Rumania") == {}
    assert expedition(note_invasion(italian, "Germany", "USSR")[0], "Rumania") == {"USSR": 1}
    assert reason_frozen(italian, "Rumania") == "", "but it may leave its borders (16.31)"


# --- sea transport of others ---


def test_transport_used_by_another_uses_its_owners_points() -> None:
    """5.7: USING another's transport uses its owner's points; the rest is reported."""
    campaign = playing(
        6,
        6,
        {
            "USA": "SEA 3 SP Boston TO London USING Britain",
            "Britain": "GRANT TRANSPORT TO USA\nSEA 2 SP London TO Oslo",
        },
    )
    campaign.on_to("referee-usa", 6).report("TRACK NAVAL 8 AMPHIBIOUS 2\nLINE USA 1 DONE")
    assert [(use.owner, use.by, use.points) for use in campaign.state.uses] == [
        ("Britain", "USA", 3)
    ]
    assert campaign.said() == []
    campaign.report("END")
    campaign.report("LINE Britain 2 DONE")
    assert campaign.said() == [
        "Line 2 of Britain: Britain has 1 of 4 naval points left this turn, not 2 (5.7)."
    ]


def test_mediterranean_dice_depend_on_the_owner_of_the_transport() -> None:
    """6.53: transport of a country hostile to Italy, with any cargo."""
    orders = {
        "USA": "SEA 1 SP Gibraltar TO Malta VIA MED USING Britain",
        "Britain": "SEA 1 SP Gibraltar TO Malta VIA MED USING USA",
    }
    campaign = playing(6, 1, orders)
    campaign.report("COMBAT Italy Britain\nAFRICA ON\nEND")
    campaign.on_to("referee-usa").report("LINE USA 1 DONE")
    assert [request.owner for request in campaign.state.owed] == ["USA"], (
        "British transport, American dice"
    )
    campaign.dice(1)
    campaign.report("END")
    campaign.report("LINE Britain 1 DONE")
    assert campaign.state.owed == ()
    assert "no dice are thrown. USA is not hostile to Italy" in campaign.said()[-1]


def test_amphibious_movement_is_not_naval_transport() -> None:
    """6.53 is about naval transport; an amphibious movement has its own points and no dice."""
    campaign = playing(6, 1, {"Britain": "AMPHIB 1 SP Malta TO Tripoli VIA MED"})
    campaign.report("COMBAT Italy Britain\nAFRICA ON\nTRACK NAVAL 4 AMPHIBIOUS 2\nEND")
    campaign.on_to("referee-britain").report("LINE Britain 1 DONE")
    assert campaign.state.owed == ()
    assert transport.points_used(campaign.state, "Britain", "amphibious") == 1
    assert transport.points_used(campaign.state, "Britain", "naval") == 0


def test_french_and_italian_transport_is_always_in_the_mediterranean() -> None:
    """5.75, 5.77: the sea need not be named, and the gamesmaster is not asked."""
    campaign = playing(6, 1, {"France": "SEA 1 SP Marseilles TO Beirut"})
    campaign.report("COMBAT Italy France\nAFRICA ON\nEND")
    assert campaign.kind == "referee-france"
    table = RULES.referee.table(campaign.state)
    assert table is not None
    assert any(
        "the service throws a die for each Strength Point" in fact for fact in table.lines[0].facts
    )
    assert not any("No sea is named" in fact for fact in table.lines[0].facts)
    campaign.report("LINE France 1 DONE")
    assert [request.number for request in campaign.state.owed] == [1]


@pytest.mark.parametrize(
    ("owner", "line", "message"),
    [
        (
            "France",
            "SEA 1 SP Brest TO Oslo VIA ATLANTIC",
            "France's transport may only be used in the Mediterranean (5.75).",
        ),
        (
            "Italy",
            "SEA 1 SP Genoa TO Oslo VIA BALTIC",
            "Italy's transport may only be used in the Mediterranean (5.77).",
        ),
        (
            "Germany",
            "SEA 1 SP Kiel TO Brest VIA ATLANTIC",
            "Germany's transport may only be used in the Baltic and the Mediterranean (5.77).",
        ),
        ("Germany", "SEA 1 SP Kiel TO Riga VIA BALTIC", ""),
        ("Britain", "SEA 1 SP Hull TO Riga VIA BALTIC", ""),
    ],
)
def test_permanent_transport_has_its_own_seas(owner: str, line: str, message: str) -> None:
    """5.75, 5.77: warned of when the order is written, and to the gamesmaster."""
    campaign = playing(6, 1, {owner: line})
    reading = RULES.read(line, owner, at(campaign.state, step="orders", orders={}))
    assert [remark.message for remark in reading.remarks] == (
        [f"“{line}”: {message}"] if message else []
    )
    campaign.on_to(f"referee-{owner.lower()}").report(f"LINE {owner} 1 DONE")
    assert campaign.said() == ([f"Line 1 of {owner}: {message}"] if message else [])


# --- permissions ---


@pytest.mark.parametrize(
    ("players", "owner", "to", "given"),
    [(5, "Italy", "Germany", True), (6, "Italy", "Germany", False), (4, "USA", "Britain", True)],
)
def test_powers_of_one_player_need_no_permission(
    players: int, owner: str, to: str, given: bool
) -> None:
    """2.0, 5.77."""
    assert permissions.sea(new_state(players), owner, to).given is given


def granting(**places: str) -> State:
    """Return a state in which Italy grants supply to powers in a place, or “everywhere”."""
    grants = tuple(
        Grant("Italy", to, "supply", "" if place == "everywhere" else place, 1)
        for to, place in places.items()
    )
    return at(new_state(6), grants=grants)


@pytest.mark.parametrize(
    ("place", "given"),
    [("everywhere", True), ("North Africa", True), ("NORTH  AFRICA", True), ("Rome", False)],
)
def test_grant_is_valid_in_its_place_or_everywhere(place: str, given: bool) -> None:
    """9.12."""
    assert permissions.check_permission(granting(Germany=place), "9.12", "Germany").given is given


def test_permissions_depend_on_the_number_of_players() -> None:
    """9.12 applies only with six players; with four, Lend-Lease is Britain's to give (10.35)."""
    assert permissions.check_permission(new_state(5), "9.12", "USA").given
    assert permissions.check_permission(new_state(4), "9.33", "USA").given
    assert permissions.giver(new_state(4), "10.35") == "Britain"
    assert permissions.giver(new_state(6), "10.35") == "USA"
    assert permissions.check_permission(new_state(4), "10.35", "USSR").by == "Britain"
    assert not permissions.check_permission(new_state(4), "10.35", "USSR").given


def test_ally_asks_the_operator_before_reinforcing_a_neutral() -> None:
    """16.24: permission for that country only."""
    state = at(
        note_invasion(new_state(6), "Germany", "Greece")[0],
        grants=(Grant("USA", "Britain", "transit", "Greece", 1),),
    )
    assert permissions.check_permission(state, "16.24", "Britain", "Greece").given
    assert not permissions.check_permission(state, "16.24", "Britain", "Turkey").given
    assert permissions.check_permission(state, "16.24", "USA", "Greece").given, "its own"


# --- entries that imply or repeat others ---


def test_italian_forces_in_africa_set_the_supply_flag() -> None:
    """6.53: FORCES imply AFRICA; the last entry counts."""
    campaign = playing()
    campaign.report("FORCES Libya Italy 3 SUPPLIED 2\nFORCES Egypt Italy 1")
    assert [event["on"] for event in campaign.told("supply_in_africa")] == [True]
    assert campaign.state.flags.africa
    campaign.report("FORCES Libya Italy 0\nFORCES Sicily Italy 3\nFORCES Egypt Britain 2")
    assert campaign.told("supply_in_africa") == []
    campaign.report("FORCES Egypt Italy 1 SUPPLIED 0")
    assert [event["on"] for event in campaign.told("supply_in_africa")] == [False]
    assert not campaign.state.flags.africa


def test_other_forces_leave_the_african_supply_flag() -> None:
    """6.53: only Italian Strength Points in Africa count; AFRICA ON needs no forces."""
    campaign = playing()
    campaign.report("FORCES Greece Italy 3\nFORCES Libya Germany 3\nFORCES Syria Italy 1")
    assert not campaign.state.flags.africa
    campaign.report("AFRICA ON\nFORCES Algeria Italy 0")
    assert campaign.state.flags.africa


@pytest.mark.parametrize(("players", "warned"), [(6, False), (5, True), (4, True)])
def test_fourth_italian_point_in_north_africa_gets_a_warning(players: int, warned: bool) -> None:
    """5.77: at most three with five and four players; the gamesmaster decides what happens."""
    campaign = playing(players)
    campaign.report("FORCES Libya Italy 2\nFORCES Egypt Italy 1")
    assert campaign.said() == []
    campaign.report("FORCES Tunisia Italy 1")
    assert campaign.said() == (
        [f"Italy has 4 SP in North Africa; with {players} players it may have 3 at most (5.77)."]
        if warned
        else []
    )


def test_numbers_of_hexes_and_centers_are_reported_once() -> None:
    """19.13, 19.11: the numbers are printed on the map and do not change."""
    campaign = playing()
    campaign.report("HEXES France HOSTILE 3\nCENTRES USSR Germany 3")
    assert [remark.partition(": ")[2][:8] for remark in campaign.said()] == ["Say once", "Say once"]
    campaign.report("HEXES France 40 HOSTILE 3\nCENTRES USSR Germany 3 OF 12")
    campaign.report(
        "HEXES France HOSTILE 21\nCENTRES USSR Italy 9\nHEXES France HOSTILE 41\nCENTRES USSR"
        " USA 13"
    )
    assert [event["message"] for event in campaign.events] == [
        "21 of 40 hexes of France are under hostile control.",
        "Italy holds 9 of 12 resource centers of USSR.",
    ]
    assert [remark.rpartition(": ")[2] for remark in campaign.said()] == [
        "France has only 40 hexes.",
        "USSR has only 12 resource centers.",
    ]


def test_track_entry_is_for_this_turn_by_default() -> None:
    """5.7."""
    campaign = playing(6, 2)
    campaign.report("TRACK NAVAL 6 AMPHIBIOUS 1\nTRACK 3 NAVAL 7 AMPHIBIOUS 0")
    assert campaign.state.tracks == {2: (6, 1), 3: (7, 0)}


def test_rate_is_halved_once_and_reported_once() -> None:
    """12.1: by the invasion of Sweden or by the end of its army, not by both."""
    campaign = playing()
    campaign.report("INVASION Germany Sweden\nDESTROYED Sweden BY Germany")
    assert len(campaign.told("rate")) == 1
    assert not campaign.state.flags.halved, (
        "Germany's own doing: it lasts because it has invaded, not for good by another's hand"
    )
    campaign.on_to("referee-italy", 2).report("INVASION Germany Sweden")
    assert campaign.told("rate") == []


def test_declared_war_need_not_be_declared_again() -> None:
    """spi.declaration: required before an attack, not before every one."""
    campaign = playing(
        6, 1, {"Germany": "DECLARE WAR ON Poland"}, declaration="required_before_attack"
    )
    campaign.report("INVASION Germany Poland\nINVASION Germany Norway")
    assert campaign.said() == ["Germany has not declared war on Norway, as this game requires."]
    campaign.report("COMBAT Germany Norway")
    assert campaign.said() == []


def test_lost_possession_may_be_invaded_by_its_holder() -> None:
    """19.11: once invaded, its holder may have to come back by force."""
    campaign = playing()
    campaign.report("INVASION France Syria")
    assert campaign.said() == [
        "“INVASION France Syria” is rejected: Syria already belongs to France."
    ]
    campaign.report("INVASION Italy Syria\nINVASION France Syria")
    assert [event["nation"] for event in campaign.told("invasion")] == ["Italy", "France"]


def test_order_to_invade_ones_own_home_is_no_invasion() -> None:
    """B.3: INVADE of one's own country, if done, is a landing and no invasion."""
    campaign = playing(6, 1, {"France": "INVADE France"})
    campaign.on_to("referee-france").report("REST DONE")
    assert campaign.told("invasion") == []
    assert campaign.state.hostile == ()


def test_entry_of_italy_is_reported_with_five_and_four_players() -> None:
    """6.53, 16.61: with five and four players.

    With six, Italy is free and its entry is no event.
    """
    for players, reports in ((6, 0), (5, 1), (4, 1)):
        campaign = playing(players)
        campaign.report("COMBAT Italy Britain")
        assert len(campaign.told("italy_enters")) == reports
        assert campaign.state.flags.italy


def test_dice_without_of_belong_to_the_player_of_the_turn() -> None:
    """rng.d6: DICE without OF; with four players Italy moves with Germany, its player."""
    campaign = playing(4).on_to("referee-germany")
    campaign.report("DICE 1 FOR the weather")
    assert [request.owner for request in campaign.state.owed] == ["Germany"]


def test_usa_enters_by_report_only_once_and_only_without_dice() -> None:
    """18.0, spi.us_entry."""
    campaign = playing()
    campaign.report("USA ENTERS\nUSA ENTERS")
    assert campaign.kinds().count("us_enters") == 1
    assert campaign.said() == ["“USA ENTERS” is rejected: The USA has already entered."]
    thrown = playing(us_entry="variable")
    thrown.report("USA ENTERS")
    assert thrown.said() == [
        "“USA ENTERS” is rejected: In this game dice decide when the USA enters (18.0)."
    ]


def test_only_american_replacements_lapse() -> None:
    """10.84: on the map or in the holding area on the due turn, or never."""
    campaign = playing()
    campaign.report("DUE USA REPLACEMENT 3\nDUE USA REINFORCEMENT 2\nDUE USSR REPLACEMENT 1")
    assert [
        (due.power, due.kind, due.expires)
        for due in campaign.state.entitlements
        if due.power in ("USA", "USSR")
    ] == [
        ("USA", "replacement", 1),
        ("USA", "reinforcement", None),
        ("USSR", "replacement", None),
    ]


def test_dice_after_the_last_turn_are_refused() -> None:
    """B.8: no dice phase could follow the count."""
    campaign = Campaign(6, last_turn=1, us_entry="base_schedule").on_to("count")
    campaign.report("DICE 2 FOR luck\nCONTEST France 1 Italy 1")
    assert campaign.kinds() == []
    assert all("The last turn has been played" in remark for remark in campaign.said())
    assert len(campaign.said()) == 2
    assert campaign.kind == "count-2"


def test_used_transport_is_available_again_next_turn() -> None:
    """5.7 (base errata): points are not a stock; naval and amphibious ones are separate."""
    state = at(
        new_state(6),
        tracks={1: (4, 2), 2: (4, 2)},
        uses=(TransportUse(1, "Britain", "naval", 4, "Britain"),),
    )
    assert transport.points_used(state, "Britain", "naval") == 4
    assert transport.points_used(state, "Britain", "amphibious") == 0
    assert transport.points_used(at(state, turn=2), "Britain", "naval") == 0
    assert transport.faults(state, "Britain", "Britain", "amphibious", 2) == []


def test_loss_of_american_landings_leaves_naval_points() -> None:
    """18.0: from 4/44 on no amphibious transport; naval points are divided as usual."""
    state = at(new_state(6), turn=21, tracks={21: (7, 5)}, flags=Flags())
    assert transport.shares(state, "amphibious") == (3, 0, 0)
    assert transport.shares(state, "naval") == (4, 3, 0) or transport.shares(state, "naval") == (
        4,
        0,
        3,
    )


def test_every_printed_column_adds_up_to_25() -> None:
    """B.2, the checksum of the transcription; 19.2 makes it the cap."""
    card = new_state(6).card
    assert {
        power: sum(aim.points for aim in card.objectives[power].values()) for power in card.order
    } == dict.fromkeys(card.order, 25)


def test_italian_transport_gets_no_remark_about_hostility() -> None:
    """6.53 is about the Italian fleet."""
    campaign = playing(6, 1, {"Italy": "SEA 1 SP Taranto TO Tripoli"})
    table = RULES.referee.table(campaign.state)
    assert table is not None
    assert table.lines[0].facts == ("Italy has 1 of 1 naval points left.",)
    barred = "No unit may go by sea past or through Turkish hexes (12.4)."
    assert barred in dict(table.ledger)["Sea transport"]  # once, and not with each line by sea
    campaign.report("LINE Italy 1 DONE")
    assert campaign.said() == []


@pytest.mark.parametrize("country", ["Finland", "Hungary"])
def test_owner_signs_peace_for_its_satellite(country: str) -> None:
    """B.3: the owner or operator signs; MINOR is for countries without an owner."""
    campaign = playing().on_to("referee-ussr")
    campaign.report(f"INVASION USSR {country}")
    campaign.on_to("diplomacy", 2)
    reading = RULES.read(f"MINOR {country}: PEACE USSR", "Germany", campaign.state)
    assert [remark.message for remark in reading.remarks] == [
        f"“MINOR {country}: PEACE USSR”: Germany makes peace for {country}: it writes PEACE USSR."
    ]
    campaign.send(USSR=f"PEACE {country}", Germany="PEACE USSR")
    assert [event["nations"] for event in campaign.told("peace")] == [["USSR", "Germany"]]
    assert not [flag for flag in campaign.state.hostile if flag.power == "USSR"]


def test_later_invasion_undoes_a_cleared_country() -> None:
    """19.11, rule 2: a later invasion undoes the clearing."""
    campaign = playing()
    campaign.report("INVASION Italy Egypt\nCLEARED Egypt Britain")
    assert (control(campaign.state, "Egypt").controller, control(campaign.state, "Egypt").rule) == (
        "Britain",
        "2",
    )
    campaign.report("INVASION Germany Egypt")
    assert control(campaign.state, "Egypt").controller == ""
    campaign.report("CLEARED Egypt Britain")
    assert control(campaign.state, "Egypt").controller == "Britain"


def test_zero_forces_remove_the_row() -> None:
    """B.8: FORCES of 0 remove the row."""
    campaign = playing()
    campaign.report("FORCES Poland Germany 3\nFORCES Poland Germany 0")
    assert campaign.state.country("Poland").forces == {}
