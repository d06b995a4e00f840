"""Sea transport and the Mediterranean (5.7, 6.53 to 6.55, 12.4; Rules B.1, V)."""

from __future__ import annotations

import pytest

from games.ww2_multiplayer.rules import mediterranean, transport
from games.ww2_multiplayer.rules.hostility import fought, note_invasion, set_alliance
from games.ww2_multiplayer.rules.state import American, Flags, State, TransportUse

from .campaign import Campaign, at, new_state

pytestmark = pytest.mark.guest


@pytest.mark.parametrize(
    ("turn", "total", "parts"),
    [(3, 7, (7, 0)), (5, 9, (9, 0)), (6, 7, (4, 3)), (6, 8, (4, 4)), (23, 1, (1, 0))],
)
def test_allied_transport_is_divided_from_turn_6_on(
    turn: int, total: int, parts: tuple[int, int]
) -> None:
    """5.7; Rules V: the odd point is Britain's."""
    assert transport.split(turn, total) == parts


def test_american_transport_is_idle_or_british_before_entry() -> None:
    """Rules B.1, spi.pre_entry_us_share."""
    tracks = {6: (7, 4), 7: (7, 4), 21: (7, 5)}
    idle = at(new_state(), turn=6, tracks=tracks)
    assert transport.shares(idle, "naval") == (4, 0, 3)
    assert transport.shares(
        at(new_state(pre_entry_us_share="british"), turn=6, tracks=tracks), "naval"
    ) == (7, 0, 0)
    entered = at(new_state(), turn=7, tracks=tracks, us=American(7))
    assert transport.shares(entered, "naval") == (4, 3, 0)
    assert transport.shares(entered, "amphibious") == (2, 2, 0)
    assert transport.shares(at(entered, turn=21), "amphibious") == (
        3,
        0,
        0,
    ), "from 4/44 on the USA has none (18.0)"
    assert transport.shares(at(entered, turn=8), "naval") is None, "not entered"


@pytest.mark.parametrize(
    ("players", "owner", "sender", "may"),
    [
        (6, "Italy", "Germany", True),
        (5, "Italy", "Germany", False),
        (4, "Italy", "Italy", True),
        (6, "Germany", "Italy", True),
        (5, "Germany", "Italy", False),
        (4, "France", "Britain", True),
        (6, "Britain", "USA", True),
    ],
)
def test_cargo_that_transport_may_carry(players: int, owner: str, sender: str, may: bool) -> None:
    """5.75, 5.77."""
    assert transport.carries(new_state(players), owner, sender) is may


def test_permanent_transport_is_one_point_a_turn() -> None:
    """5.75, 5.77; used points are available again on the next turn."""
    state = at(new_state(), uses=(TransportUse(1, "France", "naval", 1, "France"),))
    assert [
        transport.capacity(state, owner, "naval")
        for owner in ("France", "Germany", "Italy", "USSR")
    ] == [1, 1, 1, 0]
    assert transport.faults(state, "France", "Britain", "naval", 1) == [
        "France has 0 of 1 naval point left this turn, not 1 (5.7)."
    ]
    assert transport.faults(at(state, turn=2), "France", "Britain", "naval", 1) == []
    assert transport.faults(new_state(5), "Italy", "Germany", "naval", 1) == [
        "With 5 players Italy's transport carries only its own Strength Points (5.77)."
    ]
    assert transport.capacity(state, "France", "amphibious") == 0
    assert transport.capacity(state, "Germany", "amphibious") is None, (
        "that stands in the base game"
    )


def test_italian_limit_in_africa_and_turkish_straits() -> None:
    """5.77: three at a time with five and four players; 12.4: until Turkey is invaded."""
    assert [transport.italian_limit(new_state(players)) for players in (6, 5, 4)] == [None, 3, 3]
    assert transport.is_barred_by_turkey(new_state())
    assert not transport.is_barred_by_turkey(note_invasion(new_state(), "USSR", "Turkey")[0])


def war(players: int = 6, africa: bool = True, italy: bool = False) -> State:
    """Return a state in which Britain has fought Italy, with these flags."""
    return at(
        fought(new_state(players), "Britain", "Italy")[0], flags=Flags(africa=africa, italy=italy)
    )


def test_mediterranean_rule_needs_italians_in_supply_in_africa() -> None:
    """6.53, 6.54."""
    assert mediterranean.applies(war(), "Britain")[0]
    applied, why = mediterranean.applies(war(africa=False), "Britain")
    assert not applied
    assert "6.54" in why
    assert not mediterranean.applies(war(), "France")[0], "France is not hostile to Italy"


def test_italy_invokes_the_mediterranean_rule_with_six_players() -> None:
    """6.53, 6.55; by default off against allies and on against others (Rules B.1)."""
    friends = set_alliance(war(), "Italy", "Britain", True)
    assert not mediterranean.applies(friends, "Britain")[0]
    assert not mediterranean.applies(at(war(), med=()), "Britain")[0]
    assert mediterranean.applies(at(friends, med=("Britain",)), "Britain")[0], (
        "Italy's own word goes before"
    )


@pytest.mark.parametrize("players", [5, 4])
def test_mediterranean_rule_needs_italy_at_war_with_five_and_four_players(players: int) -> None:
    """6.53."""
    assert not mediterranean.applies(war(players), "Britain")[0]
    assert mediterranean.applies(war(players, italy=True), "Britain")[0]


@pytest.mark.parametrize(
    ("lines", "against"),
    [
        ("MED OFF", ()),
        ("MED ON", ("France", "USSR", "USA", "Britain", "Germany")),
        ("MED ON AGAINST Britain, France", ("France", "Britain")),
        ("MED OFF AGAINST USSR", ("France", "USA", "Britain", "Germany")),
        ("MED OFF\nMED ON AGAINST UK", ("Britain",)),
    ],
)
def test_standing_instruction_of_italy_is_secret(lines: str, against: tuple[str, ...]) -> None:
    """Rules B.1: MED ON, OFF, AGAINST."""
    campaign = Campaign()
    campaign.send(Italy=lines)
    assert campaign.state.med == against
    assert campaign.events == [], "nobody else is told"


def test_mediterranean_die_is_thrown_per_strength_point() -> None:
    """6.53: all six faces; transport points are never lost."""
    campaign = Campaign(6, us_entry="base_schedule").on_to("orders")
    campaign.send(
        Britain="SEA 6 SP London TO Alexandria VIA MED",
        France="SEA 1 SP Marseilles TO Lebanon VIA MED",
    )
    campaign.report("AFRICA ON\nCOMBAT Italy Britain\nTRACK 1 NAVAL 8 AMPHIBIOUS 0\nEND")
    campaign.report("REST DONE\nEND")
    assert campaign.kind == "referee-ussr", "France is not hostile to Italy: no dice"
    campaign.on_to("referee-britain").report("LINE Britain 1 DONE")
    assert (
        campaign.told("asked")[0]["message"]
        == "Dice are thrown for the Mediterranean table, 6 Strength Points of Britain in line 1"
        " (6.53)."
    )
    campaign.dice(1, 2, 0, 3, 4, 5, 9, 6)
    result = campaign.told("mediterranean")[0]
    assert (result["landed"], result["aborted"], result["eliminated"]) == (3, 2, 1)
    assert result["dice"] == [1, 2, 3, 4, 5, 6]
    assert [event["die"] for event in campaign.told("die")] == [1, 2, 3, 4, 5, 6]
    assert campaign.kind == "referee-britain-2", (
        "the gamesmaster goes on with what the dice have left"
    )
    assert transport.points_used(campaign.state, "Britain", "naval") == 6


def test_changed_line_throws_dice_for_the_points_carried() -> None:
    """Rules B.8: fewer Strength Points, through the Mediterranean although unnamed."""
    campaign = Campaign(us_entry="base_schedule").on_to("orders")
    campaign.send(Britain="SEA 3 SP London TO Alexandria")
    campaign.report("AFRICA ON\nCOMBAT Italy Britain\nEND")
    campaign.on_to("referee-britain").report(
        "LINE Britain 1 CHANGED 1 SP VIA MED: no more was at the port\nEND"
    )
    assert [request.number for request in campaign.state.owed] == [1]
    campaign.dice(6)
    assert campaign.told("mediterranean")[0]["eliminated"] == 1
    assert campaign.kind == "referee-germany", "END had been said"
