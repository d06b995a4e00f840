"""What follows by itself from what the gamesmaster tells (Rules B.1, B.3, B.8)."""

from __future__ import annotations

import pytest

from games.rules.ww2_multiplayer import permissions, transport
from games.rules.ww2_multiplayer.control import control
from games.rules.ww2_multiplayer.hostility import invaded, with_alliance
from games.rules.ww2_multiplayer.operators import expedition, frozen, operator
from games.rules.ww2_multiplayer.state import Flags, Grant, State, Use

from .campaign import RULES, Campaign, at, begun, playing

# --- operators, by their case ---


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
def test_an_operator_is_told_with_the_case_that_makes_it_so(
    players: int, invaders: tuple[str, ...], case: str, why: str
) -> None:
    """20.1 for six and five, 20.2 for four; 20.0 once an invasion has changed it."""
    state = begun(players)
    for power in invaders:
        state, _ = invaded(state, power, "Norway")
    found = operator(state, "Norway")
    assert found is not None
    assert (found.case, found.why) == (case, why)


def test_what_the_gamesmaster_rules_of_an_operator_cites_the_rule_that_lets_him() -> None:
    """20.0."""
    found = operator(begun(4).put("Norway", operator="USSR"), "Norway")
    assert found is not None
    assert (found.power, found.case) == ("USSR", "20.0")


def test_finland_is_not_released_by_the_axis_at_its_border() -> None:
    """16.41: a unit that is neither German nor of an ally of Germany."""
    assert frozen(invaded(begun(6), "Germany", "Finland")[0], "Finland")
    italian = invaded(begun(6), "Italy", "Finland")[0]
    assert frozen(italian, "Finland") == ""
    assert frozen(with_alliance(italian, "Italy", "Germany", True), "Finland")
    assert frozen(invaded(begun(5), "Italy", "Finland")[0], "Finland"), (
        "with five Italy is in the German hand"
    )


def test_a_satellite_serves_in_russia_with_the_german_army_alone() -> None:
    """16.32: “with the German army there”; another power's war with Russia sends nobody."""
    friends = with_alliance(begun(6), "Italy", "Germany", True)
    italian = invaded(friends, "Italy", "USSR")[0]
    assert expedition(italian, "Rumania") == {}
    assert expedition(invaded(italian, "Germany", "USSR")[0], "Rumania") == {"USSR": 1}
    assert frozen(italian, "Rumania") == "", "but it may leave its borders (16.31)"


# --- sea transport of others ---


def test_points_are_their_owners_whoever_uses_them() -> None:
    """5.7: USING another's transport takes it from him, and what is left of it is said."""
    campaign = playing(
        6,
        6,
        {
            "USA": "SEA 3 SP Boston TO London USING Britain",
            "Britain": "GRANT TRANSPORT TO USA\nSEA 2 SP London TO Oslo",
        },
    )
    campaign.on_to("referee-usa", 6).sheet("TRACK NAVAL 8 AMPHIBIOUS 2\nLINE USA 1 DONE")
    assert [(one.owner, one.by, one.points) for one in campaign.state.uses] == [
        ("Britain", "USA", 3)
    ]
    assert campaign.said() == []
    campaign.sheet("END")
    campaign.sheet("LINE Britain 2 DONE")
    assert campaign.said() == ["Britain has 1 of 4 naval points left this turn (5.7)."]


def test_whether_dice_are_thrown_goes_by_whose_transport_it_is() -> None:
    """6.53: transport that belongs to a country hostile to Italy, whoever is on it."""
    sent = {
        "USA": "SEA 1 SP Gibraltar TO Malta VIA MED USING Britain",
        "Britain": "SEA 1 SP Gibraltar TO Malta VIA MED USING USA",
    }
    campaign = playing(6, 1, sent)
    campaign.sheet("COMBAT Italy Britain\nAFRICA ON\nEND")
    campaign.on_to("referee-usa").sheet("LINE USA 1 DONE")
    assert [one.owner for one in campaign.state.owed] == ["USA"], "British transport, American dice"
    campaign.dice(1)
    campaign.sheet("END")
    campaign.sheet("LINE Britain 1 DONE")
    assert campaign.state.owed == ()
    assert "no dice are thrown. USA is not hostile to Italy" in campaign.said()[-1]


def test_a_landing_is_no_naval_transport() -> None:
    """6.53 speaks of naval transport; an amphibious movement has its own points and no dice."""
    campaign = playing(6, 1, {"Britain": "AMPHIB 1 SP Malta TO Tripoli VIA MED"})
    campaign.sheet("COMBAT Italy Britain\nAFRICA ON\nTRACK NAVAL 4 AMPHIBIOUS 2\nEND")
    campaign.on_to("referee-britain").sheet("LINE Britain 1 DONE")
    assert campaign.state.owed == ()
    assert transport.used(campaign.state, "Britain", "amphibious") == 1
    assert transport.used(campaign.state, "Britain", "naval") == 0


def test_french_and_italian_transport_is_always_in_the_mediterranean() -> None:
    """5.75, 5.77: no sea need be named, and the gamesmaster is not asked."""
    campaign = playing(6, 1, {"France": "SEA 1 SP Marseilles TO Beirut"})
    campaign.sheet("COMBAT Italy France\nAFRICA ON\nEND")
    assert campaign.kind == "referee-france"
    table = RULES.referee.table(campaign.state)
    assert table is not None
    assert any(
        "the service throws a die for each Strength Point" in said for said in table.lines[0].facts
    )
    assert not any("No sea is named" in said for said in table.lines[0].facts)
    campaign.sheet("LINE France 1 DONE")
    assert [one.number for one in campaign.state.owed] == [1]


@pytest.mark.parametrize(
    ("owner", "line", "said"),
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
def test_permanent_transport_has_its_own_seas(owner: str, line: str, said: str) -> None:
    """5.75, 5.77: said to the sender when he writes it, and to the gamesmaster."""
    campaign = playing(6, 1, {owner: line})
    reading = RULES.read(line, owner, at(campaign.state, step="orders", orders={}))
    assert [remark.message for remark in reading.remarks] == ([f"“{line}”: {said}"] if said else [])
    campaign.on_to(f"referee-{owner.lower()}").sheet(f"LINE {owner} 1 DONE")
    assert campaign.said() == ([said] if said else [])


# --- leave ---


@pytest.mark.parametrize(
    ("players", "owner", "to", "given"),
    [(5, "Italy", "Germany", True), (6, "Italy", "Germany", False), (4, "USA", "Britain", True)],
)
def test_what_is_in_ones_own_hand_needs_no_leave(
    players: int, owner: str, to: str, given: bool
) -> None:
    """2.0, 5.77."""
    assert permissions.sea(begun(players), owner, to).given is given


def granting(**places: str) -> State:
    """Italy has granted supply to powers, each in a place or (“everywhere”) all over."""
    grants = tuple(
        Grant("Italy", to, "supply", "" if place == "everywhere" else place, 1)
        for to, place in places.items()
    )
    return at(begun(6), grants=grants)


@pytest.mark.parametrize(
    ("place", "given"),
    [("everywhere", True), ("North Africa", True), ("NORTH  AFRICA", True), ("Rome", False)],
)
def test_a_grant_without_a_place_holds_everywhere_and_with_one_there_alone(
    place: str, given: bool
) -> None:
    """9.12."""
    assert permissions.asked(granting(Germany=place), "9.12", "Germany").given is given


def test_what_needs_no_leave_with_so_many_players_is_given() -> None:
    """9.12 is asked with six alone; Lend-Lease is Britain's to give with four (10.35)."""
    assert permissions.asked(begun(5), "9.12", "USA").given
    assert permissions.asked(begun(4), "9.33", "USA").given
    assert permissions.giver(begun(4), "10.35") == "Britain"
    assert permissions.giver(begun(6), "10.35") == "USA"
    assert permissions.asked(begun(4), "10.35", "USSR").by == "Britain"
    assert not permissions.asked(begun(4), "10.35", "USSR").given


def test_an_ally_asks_the_operator_before_he_reinforces_a_neutral() -> None:
    """16.24: leave for that country and no other."""
    state = at(
        invaded(begun(6), "Germany", "Greece")[0],
        grants=(Grant("USA", "Britain", "transit", "Greece", 1),),
    )
    assert permissions.asked(state, "16.24", "Britain", "Greece").given
    assert not permissions.asked(state, "16.24", "Britain", "Turkey").given
    assert permissions.asked(state, "16.24", "USA", "Greece").given, "its own"


# --- what is told once, or told with something else ---


def test_forces_of_italy_in_africa_say_that_one_is_in_supply_there() -> None:
    """6.53: AFRICA need not be said beside FORCES; what is told last counts."""
    campaign = playing()
    campaign.sheet("FORCES Libya Italy 3 SUPPLIED 2\nFORCES Egypt Italy 1")
    assert [event["on"] for event in campaign.told("supply_in_africa")] == [True]
    assert campaign.state.flags.africa
    campaign.sheet("FORCES Libya Italy 0\nFORCES Sicily Italy 3\nFORCES Egypt Britain 2")
    assert campaign.told("supply_in_africa") == []
    campaign.sheet("FORCES Egypt Italy 1 SUPPLIED 0")
    assert [event["on"] for event in campaign.told("supply_in_africa")] == [False]
    assert not campaign.state.flags.africa


def test_forces_elsewhere_and_of_others_say_nothing_of_it() -> None:
    """6.53: an Italian Strength Point in Africa; AFRICA ON stands without forces told of."""
    campaign = playing()
    campaign.sheet("FORCES Greece Italy 3\nFORCES Libya Germany 3\nFORCES Syria Italy 1")
    assert not campaign.state.flags.africa
    campaign.sheet("AFRICA ON\nFORCES Algeria Italy 0")
    assert campaign.state.flags.africa


@pytest.mark.parametrize(("players", "warned"), [(6, False), (5, True), (4, True)])
def test_a_fourth_italian_point_in_north_africa_is_remarked(players: int, warned: bool) -> None:
    """5.77: three with five and four players; the gamesmaster says what becomes of it."""
    campaign = playing(players)
    campaign.sheet("FORCES Libya Italy 2\nFORCES Egypt Italy 1")
    assert campaign.said() == []
    campaign.sheet("FORCES Tunisia Italy 1")
    assert campaign.said() == (
        [f"Italy has 4 SP in North Africa; with {players} players it may have 3 at most (5.77)."]
        if warned
        else []
    )


def test_how_many_hexes_and_centres_there_are_is_said_once() -> None:
    """19.13, 19.11: they are printed on the map and do not change."""
    campaign = playing()
    campaign.sheet("HEXES France HOSTILE 3\nCENTRES USSR Germany 3")
    assert [said.partition(": ")[2][:8] for said in campaign.said()] == ["Say once", "Say once"]
    campaign.sheet("HEXES France 40 HOSTILE 3\nCENTRES USSR Germany 3 OF 12")
    campaign.sheet(
        "HEXES France HOSTILE 21\nCENTRES USSR Italy 9\nHEXES France HOSTILE 41\nCENTRES USSR"
        " USA 13"
    )
    assert [event["message"] for event in campaign.events] == [
        "21 of 40 hexes of France are under hostile control.",
        "Italy holds 9 of 12 resource centers of USSR.",
    ]
    assert [said.rpartition(": ")[2] for said in campaign.said()] == [
        "France has only 40 hexes.",
        "USSR has only 12 resource centers.",
    ]


def test_a_track_is_that_of_this_turn_unless_another_is_named() -> None:
    """5.7."""
    campaign = playing(6, 2)
    campaign.sheet("TRACK NAVAL 6 AMPHIBIOUS 1\nTRACK 3 NAVAL 7 AMPHIBIOUS 0")
    assert campaign.state.tracks == {2: (6, 1), 3: (7, 0)}


def test_a_rate_is_halved_once_and_said_once() -> None:
    """12.1: by the invasion of Sweden or by its army's end, not by both."""
    campaign = playing()
    campaign.sheet("INVASION Germany Sweden\nDESTROYED Sweden BY Germany")
    assert len(campaign.told("rate")) == 1
    assert not campaign.state.flags.halved, (
        "Germany's own doing: it lasts because it has invaded, not for good by another's hand"
    )
    campaign.on_to("referee-italy", 2).sheet("INVASION Germany Sweden")
    assert campaign.told("rate") == []


def test_whoever_is_at_war_already_need_not_declare_it_again() -> None:
    """spi.declaration: asked before an attack, not before every one."""
    campaign = playing(
        6, 1, {"Germany": "DECLARE WAR ON Poland"}, declaration="required_before_attack"
    )
    campaign.sheet("INVASION Germany Poland\nINVASION Germany Norway")
    assert campaign.said() == ["Germany has not declared war on Norway, as this game requires."]
    campaign.sheet("COMBAT Germany Norway")
    assert campaign.said() == []


def test_a_possession_that_was_lost_may_be_invaded_by_its_old_holder() -> None:
    """19.11: once somebody has invaded it, its holder may have to come back by force."""
    campaign = playing()
    campaign.sheet("INVASION France Syria")
    assert campaign.said() == [
        "“INVASION France Syria” is rejected: Syria already belongs to France."
    ]
    campaign.sheet("INVASION Italy Syria\nINVASION France Syria")
    assert [event["nation"] for event in campaign.told("invasion")] == ["Italy", "France"]


def test_a_home_is_not_invaded_by_an_order_of_its_own() -> None:
    """B.3: INVADE of one's own country, done, is a landing at home and no invasion."""
    campaign = playing(6, 1, {"France": "INVADE France"})
    campaign.on_to("referee-france").sheet("REST DONE")
    assert campaign.told("invasion") == []
    assert campaign.state.hostile == ()


def test_italy_at_war_is_news_where_something_rests_on_it() -> None:
    """6.53, 16.61: with five and four players; with six it is free and its entry is no event."""
    for players, told in ((6, 0), (5, 1), (4, 1)):
        campaign = playing(players)
        campaign.sheet("COMBAT Italy Britain")
        assert len(campaign.told("italy_enters")) == told
        assert campaign.state.flags.italy


def test_the_dice_of_a_player_turn_are_those_of_a_power_that_somebody_plays() -> None:
    """rng.d6: DICE without OF; with four players Italy moves with Germany and is in its hand."""
    campaign = playing(4).on_to("referee-germany")
    campaign.sheet("DICE 1 FOR the weather")
    assert [one.owner for one in campaign.state.owed] == ["Germany"]


def test_the_usa_enters_once_by_the_gamesmasters_word_and_never_against_the_dice() -> None:
    """18.0, spi.us_entry."""
    campaign = playing()
    campaign.sheet("USA ENTERS\nUSA ENTERS")
    assert campaign.kinds().count("us_enters") == 1
    assert campaign.said() == ["“USA ENTERS” is rejected: The USA has already entered."]
    thrown = playing(us_entry="variable")
    thrown.sheet("USA ENTERS")
    assert thrown.said() == [
        "“USA ENTERS” is rejected: In this game dice decide when the USA enters (18.0)."
    ]


def test_american_replacements_lapse_without_being_told() -> None:
    """10.84: the map or the holding area on the due turn, or never."""
    campaign = playing()
    campaign.sheet("DUE USA REPLACEMENT 3\nDUE USA REINFORCEMENT 2\nDUE USSR REPLACEMENT 1")
    assert [
        (one.power, one.kind, one.expires)
        for one in campaign.state.entitlements
        if one.power in ("USA", "USSR")
    ] == [
        ("USA", "replacement", 1),
        ("USA", "reinforcement", None),
        ("USSR", "replacement", None),
    ]


def test_nothing_is_thrown_for_when_the_last_turn_has_been_played() -> None:
    """B.8: the count settles what stands; no dice phase could follow it."""
    campaign = Campaign(6, last_turn=1, us_entry="base_schedule").on_to("count")
    campaign.sheet("DICE 2 FOR luck\nCONTEST France 1 Italy 1")
    assert campaign.kinds() == []
    assert all("The last turn has been played" in said for said in campaign.said())
    assert len(campaign.said()) == 2
    assert campaign.kind == "count-2"


def test_what_is_used_on_one_turn_is_there_again_on_the_next() -> None:
    """5.7 (base errata): the track is no stock; naval and amphibious points are told apart."""
    state = at(
        begun(6), tracks={1: (4, 2), 2: (4, 2)}, uses=(Use(1, "Britain", "naval", 4, "Britain"),)
    )
    assert transport.used(state, "Britain", "naval") == 4
    assert transport.used(state, "Britain", "amphibious") == 0
    assert transport.used(at(state, turn=2), "Britain", "naval") == 0
    assert transport.faults(state, "Britain", "Britain", "amphibious", 2) == []


def test_the_loss_of_american_landings_leaves_its_ships() -> None:
    """18.0: from 4/44 on no amphibious transport; naval points are divided as ever."""
    state = at(begun(6), turn=21, tracks={21: (7, 5)}, flags=Flags())
    assert transport.shares(state, "amphibious") == (3, 0, 0)
    assert transport.shares(state, "naval") == (4, 3, 0) or transport.shares(state, "naval") == (
        4,
        0,
        3,
    )


def test_every_printed_column_adds_up_to_25() -> None:
    """B.2, the checksum of the transcription; 19.2 sets it as the cap."""
    card = begun(6).card
    assert {
        power: sum(aim.points for aim in card.objectives[power].values()) for power in card.order
    } == dict.fromkeys(card.order, 25)


def test_of_italian_transport_nobody_is_told_that_italy_is_not_hostile_to_itself() -> None:
    """6.53 is about the Italian fleet."""
    campaign = playing(6, 1, {"Italy": "SEA 1 SP Taranto TO Tripoli"})
    table = RULES.referee.table(campaign.state)
    assert table is not None
    assert table.lines[0].facts == (
        "Italy has 1 of 1 naval points left.",
        "No unit may go by sea past or through Turkish hexes (12.4).",
    )
    campaign.sheet("LINE Italy 1 DONE")
    assert campaign.said() == []


@pytest.mark.parametrize("country", ["Finland", "Hungary"])
def test_for_a_satellite_its_owner_signs_a_peace(country: str) -> None:
    """B.3: a peace is signed by X's owner or operator; MINOR is for countries that are nobody's."""
    campaign = playing().on_to("referee-ussr")
    campaign.sheet(f"INVASION USSR {country}")
    campaign.on_to("diplomacy", 2)
    reading = RULES.read(f"MINOR {country}: PEACE USSR", "Germany", campaign.state)
    assert [remark.message for remark in reading.remarks] == [
        f"“MINOR {country}: PEACE USSR”: Germany makes peace for {country}: it writes PEACE USSR."
    ]
    campaign.send(USSR=f"PEACE {country}", Germany="PEACE USSR")
    assert [event["nations"] for event in campaign.told("peace")] == [["USSR", "Germany"]]
    assert not [one for one in campaign.state.hostile if one.power == "USSR"]


def test_what_was_driven_out_may_come_back() -> None:
    """19.11, rule 2: all hostile forces until then; a later invasion undoes it."""
    campaign = playing()
    campaign.sheet("INVASION Italy Egypt\nCLEARED Egypt Britain")
    assert (control(campaign.state, "Egypt").controller, control(campaign.state, "Egypt").rule) == (
        "Britain",
        "2",
    )
    campaign.sheet("INVASION Germany Egypt")
    assert control(campaign.state, "Egypt").controller == ""
    campaign.sheet("CLEARED Egypt Britain")
    assert control(campaign.state, "Egypt").controller == "Britain"


def test_forces_that_have_left_are_told_as_none() -> None:
    """B.8: FORCES of 0 leave no row behind."""
    campaign = playing()
    campaign.sheet("FORCES Poland Germany 3\nFORCES Poland Germany 0")
    assert campaign.state.country("Poland").forces == {}
