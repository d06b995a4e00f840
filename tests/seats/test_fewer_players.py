"""Fewer players than nations, and the blind game, played to the end (C.2, N1-N7, F3-F7)."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from games import desk, market
from games.evidence import export
from games.models import Draw, Phase
from games.rules.digits import seed_hash
from games.rules.verification import verify
from games.turns import figures, rulings
from tests.records.played import short_card
from tests.support.campaign import NATIONS, PLAYERS, Campaign
from tests.support.examples import sample

pytestmark = pytest.mark.django_db

TWO, THREE = ("France", "Germany"), ("Britain", "Germany", "Russia")
FOUR = ("France", "Britain", "Russia", "Germany")
BLIND = {"ow2.blind": "yes"}


def seats(*held: str, by: str = "") -> dict[str, str]:
    """Return an address (or `by`) for the held nations; the table plays the others."""
    return {
        nation: (by or f"{PLAYERS[nation]}@example.org") if nation in held else "table"
        for nation in NATIONS
    }


def checked(campaign: Campaign, private: bool = True) -> dict[str, Any]:
    """Return the record after checking that it verifies."""
    tree: dict[str, Any] = json.loads(export.text(export.record(campaign.game, private=private)))
    assert [str(difference) for difference in verify.check(tree)] == []
    return tree


def play_on(campaign: Campaign, phases: int = 40) -> None:
    """Play until the game is over, with the orders that bots send by themselves."""
    for _ in range(phases):
        if campaign.game.status == "finished":
            return
        campaign.wait_until(campaign.now + timedelta(seconds=1))
        phase = campaign.pass_deadline()
        assert phase.status == Phase.Status.RESOLVED, (phase.title, phase.fault)


#: Held nations, options, number of turns, and the number of phases that result.
FORMS: list[tuple[tuple[str, ...], dict[str, Any], int, int]] = [
    (TWO, {}, 2, 5),
    (THREE, {"ow2.ally_draw": "own_session", "rng.d6": "two_digit"}, 2, 6),
    (FOUR, {"rng.d6": "full_mod", "ow2.nonplayer_wins": "yes"}, 2, 5),
    (FOUR, {"ow2.four_without_usa": "yes"}, 2, 4),
    (NATIONS, BLIND | {"ow2.blind_draw": "with_replacement", "rng.source": "commit_reveal"}, 2, 5),
    (TWO, BLIND, 6, 14),
    (FOUR, {"ow2.blind": "yes", "ow2.four_without_usa": "yes", "ow2.placement": "ordered"}, 2, 11),
]


@pytest.mark.parametrize(("held", "options", "turns_played", "phases"), sample(FORMS, 2))
def test_whole_campaign_of_each_form_is_played_and_verifies(
    held: tuple[str, ...],
    options: dict[str, Any],
    turns_played: int,
    phases: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Issue 7, points 2 and 3: published, judged, recorded, checked at every stage."""
    short_card(monkeypatch, turns_played)
    campaign = Campaign.begin(options=options, seats=seats(*held, by="bot"))
    out = options.get("ow2.four_without_usa") == "yes"
    for number in range(phases):
        controlled = set(campaign.phase.controllers)
        if campaign.phase.kind in ("placement", "attacks"):
            assert controlled == (set() if out else set(NATIONS) - set(held))
        play_on(campaign, 1)
        if number in (0, 1, phases // 2):
            checked(campaign)
            checked(campaign, private=False)
    assert campaign.game.status == "finished"
    tree = checked(campaign, private=False)
    assert len(tree["phases"]) == phases
    assert tree["complete"]
    played = {row["nation"] for phase in tree["phases"] for row in phase["submissions"]}
    assert played == set(held if out else NATIONS), "a program plays what it has besides"
    if options.get("ow2.nonplayer_wins") != "yes":
        assert set(campaign.resolution().winners or ()) <= set(held)
    if options.get("ow2.blind") == "yes":
        assert tree["secret_hash"] == seed_hash(tree["secret"])


def test_controllers_are_drawn_and_announced_before_placement() -> None:
    """N2: in turn 1 in a phase of a minute; in later turns with the report of the attacks."""
    campaign = Campaign.begin(seats=seats(*TWO))
    first = campaign.phase
    assert (first.kind, first.title) == ("allies", "Turn 1, draw of the allies")
    assert first.deadline - first.opened_at == timedelta(minutes=1)
    assert not campaign.letters("opened"), "nothing can be sent, so no letter asks for it"
    campaign.pass_deadline()
    placing = campaign.phase
    assert placing.kind == "placement"
    assert set(placing.controllers) == {"USA", "Russia", "Britain"}
    assert set(placing.controllers.values()) <= set(TWO)
    draws = [event for event in campaign.resolution(first).events if event["kind"] == "ally_drawn"]
    assert {event["nation"]: event["controller"] for event in draws} == placing.controllers
    # in the order in which the printed table rolls
    assert [event["nation"] for event in draws] == ["USA", "Russia", "Britain"]
    throws = sum(1 + len(event["rejected"]) for event in draws)
    assert Draw.objects.filter(phase=first).count() == throws
    assert first.deadline < placing.opened_at
    campaign.pass_deadline()
    assert campaign.phase.kind == "attacks"
    assert campaign.phase.controllers == placing.controllers, "N3: both phases of that turn"
    attacks = campaign.pass_deadline()
    draws = [e for e in campaign.resolution(attacks).events if e["kind"] == "ally_drawn"]
    assert campaign.phase.kind == "placement"
    assert campaign.phase.controllers == {e["nation"]: e["controller"] for e in draws}


def test_nations_that_fit_no_table_cannot_play_alone() -> None:
    """N1: one sentence names the nations that can."""
    refused = "Russia and Germany cannot play alone: with two it is Germany and France or Britain"
    with pytest.raises(desk.DeskError, match=refused):
        Campaign.open(seats=seats("Russia", "Germany"))


def test_unheld_seat_cannot_be_offered() -> None:
    """N4: its controller sends its orders; it has no player."""
    campaign = Campaign.open(seats=seats(*TWO))
    assert desk.empty_seats(campaign.game) == []
    seat, refused = campaign.seat("Russia"), "Nobody plays Russia in this game"
    with pytest.raises(desk.DeskError, match=refused):
        desk.invite(seat, "rosa@example.org", campaign.ada, campaign.now)
    with pytest.raises(desk.DeskError, match=refused):
        desk.let_the_service_play(seat, campaign.now)


def test_gamesmaster_of_a_blind_game_holds_no_seat() -> None:
    """C.1, F4: a person who rules can find out all drawn objectives."""
    with pytest.raises(desk.DeskError, match="a gamesmaster cannot play"):
        Campaign.open(options=BLIND, seats={**seats(*NATIONS), "USA": "me"})
    campaign = Campaign.begin(options=BLIND, seats=seats(*NATIONS))
    with pytest.raises(desk.DeskError, match="a gamesmaster cannot play"):
        desk.add_gamesmaster(campaign.game, "bea@example.org", campaign.ada, campaign.now)
    seat, rosa = campaign.seat("Russia"), campaign.players["Russia"]
    desk.vacate(seat, rosa, "She has no time.", campaign.ada, campaign.now)
    offer = desk.invite(seat, "ada@example.org", campaign.ada, campaign.now)
    with pytest.raises(desk.DeskError, match="a gamesmaster cannot play"):
        desk.accept(offer, campaign.ada, campaign.now)


def test_die_without_a_stock_holds_the_phase_until_a_digit_is_ruled() -> None:
    """As for an attack without a digit."""
    campaign = Campaign.begin(seats=seats(*TWO), market="newspaper")
    campaign.wait_until(campaign.phase.deadline)
    closes = market.session_of(campaign.phase).closes
    for symbol in campaign.game.reserves:
        market.enter_no_report(campaign.phase, symbol, campaign.ada, closes + timedelta(hours=1))
    campaign.wait_until(closes + timedelta(days=3))
    assert campaign.phase.status == Phase.Status.HELD
    assert "a die" in campaign.phase.fault
    for number, symbol in enumerate(campaign.game.reserves[:3], start=1):
        what, why = {"stock": symbol, "volume": 100_000 + 100 * number}, "The newspaper has it."
        rulings.rule(campaign.phase, "digit", what, why, campaign.ada, campaign.now)
    campaign.wait_until(campaign.now + timedelta(seconds=1))
    assert campaign.phase.kind == "placement"
    assert campaign.phase.controllers == {"USA": "France", "Russia": "France", "Britain": "France"}
    checked(campaign)


def test_ruling_on_the_draw_changes_the_controller_at_once() -> None:
    """A digit ruled after the draw was published changes the controllers of the open phase."""
    campaign = Campaign.begin(seats=seats(*TWO))
    first = campaign.phase
    campaign.pass_deadline()
    draws = [e for e in campaign.resolution(first).events if e["kind"] == "ally_drawn"]
    event = next(e for e in draws if e["nation"] == "USA")
    other, digit = ("Germany", 5) if event["controller"] == "France" else ("France", 1)
    what = {"stock": event["stock"], "volume": 1_000_000 + 100 * digit}
    rulings.rule(first, "digit", what, "The figure was another day's.", campaign.ada, campaign.now)
    assert campaign.phase.controllers["USA"] == other
    checked(campaign)


def test_gm_dice_rolls_decide_the_draw() -> None:
    """rng.source = gm_dice: a roll of 7 is no die; the next roll is used."""
    campaign = Campaign.begin(seats=seats(*THREE), options={"rng.source": "gm_dice"})
    phase = campaign.phase
    campaign.wait_until(phase.deadline)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.DRAWING
    assert figures.count_used_rolls(phase, [7, 3]) is None
    assert figures.count_used_rolls(phase, [7, 3, 6, 1]) == 3
    desk.enter_rolls(phase, [7, 3, 6], campaign.ada, campaign.now)
    campaign.wait_until(campaign.now + timedelta(minutes=1))
    assert campaign.phase.controllers == {"USA": "Britain", "France": "Russia"}
    checked(campaign)
