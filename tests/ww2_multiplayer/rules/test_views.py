"""Views of a position by reader (Rules 0.3, B.8)."""

from __future__ import annotations

import pytest

from games.rules import REFEREE_SEAT
from games.ww2_multiplayer.rules import editing
from games.ww2_multiplayer.rules.state import State

from .campaign import RULES, Campaign, at, new_state

pytestmark = pytest.mark.guest

ORDERS = {
    "France": "MOVE 2 SP Paris TO Metz\nhold the line",
    "Italy": "MED ON AGAINST Britain\nMOVE 1 SP Rome TO Bari",
    "Germany": "INVADE Poland",
}


def ordered(players: int = 6) -> Campaign:
    """Return a campaign with orders in, in the gamesmaster's first Player-Turn."""
    campaign = Campaign(players, us_entry="base_schedule").on_to("orders")
    campaign.judge(
        {
            power: text
            for power, text in ORDERS.items()
            if power in RULES.acting_nations(campaign.state)
        }
    )
    return campaign


def test_pending_orders_are_visible_to_sender_and_gamesmaster_only() -> None:
    """Rules 0.3: hidden orders not yet due never appear."""
    state = ordered().state
    assert RULES.view(state, "France").orders == {"France": ORDERS["France"]}
    assert RULES.view(state, "Britain").orders == {}
    assert RULES.view(state, None).orders == {}
    assert RULES.view(state, REFEREE_SEAT).orders == ORDERS


def test_player_of_two_powers_sees_the_orders_of_both() -> None:
    """2.0: with five players, Germany and Italy have one player."""
    campaign = Campaign(5).on_to("orders")
    campaign.send(Germany="INVADE Poland", Italy="MOVE 1 SP Rome TO Bari", France="hold")
    for power in ("Germany", "Italy"):
        assert set(RULES.view(campaign.state, power).orders) == {"Germany", "Italy"}
    assert set(RULES.view(campaign.state, "France").orders) == {"France"}


def test_rulings_are_visible_to_their_power_and_the_gamesmaster() -> None:
    """B.8: a ruling may be private; reports show the public ones."""
    campaign = ordered().on_to("referee-france")
    campaign.report("LINE France 1 DONE PRIVATE\nLINE France 2 VOID: no line is left to hold")
    state = campaign.state
    assert [
        ruling.line for ruling in RULES.view(state, REFEREE_SEAT).ruled if ruling.power == "France"
    ] == [1, 2]
    assert [(ruling.power, ruling.line) for ruling in RULES.view(state, "France").ruled] == [
        ("France", 1),
        ("France", 2),
    ]
    for other in ("Britain", "Italy", None):
        assert "France" not in {ruling.power for ruling in RULES.view(state, other).ruled}


@pytest.mark.parametrize(
    "ruling",
    [
        "DONE PRIVATE",
        "CHANGED 1 SP PRIVATE: the bridge is down",
        "VOID PRIVATE: the bridge is down",
    ],
)
def test_report_hides_the_content_of_a_private_ruling(ruling: str) -> None:
    """B.8, `"public": false`: the event has neither text, ruling nor reason."""
    campaign = ordered().on_to("referee-france")
    campaign.report(f"LINE France 1 {ruling}")
    (event,) = campaign.told("line")
    assert event["message"] == "The gamesmaster ruled on a secret line of France."
    for secret in ("Metz", "Paris", "bridge", "done", "changed", "void", "1 SP"):
        assert secret not in str(
            {key: value for key, value in event.items() if key != "kind"}
        ).replace("ruled and not", "")
    assert campaign.said("France") == [
        f"France, line 1, “MOVE 2 SP Paris TO Metz”, is {_in_words(ruling)}"
    ]
    assert campaign.said() == []


def _in_words(ruling: str) -> str:
    word, _, reason = ruling.replace(" PRIVATE", "").partition(": ")
    return f"{word.lower().replace(' 1 sp', ' to 1 SP')}{f': {reason}' if reason else ''}."


def test_private_ruling_shows_nobody_else_the_transport_that_it_uses() -> None:
    """B.8: the public record and other players' programs have the position that they may see."""
    campaign = Campaign(6, us_entry="base_schedule").on_to("orders")
    campaign.judge({"Britain": "SEA 2 SP London TO Oslo"})
    campaign.on_to("referee-britain")
    campaign.report("LINE Britain 1 DONE PRIVATE")
    for reader, known in ((None, False), ("Germany", False), ("Britain", True)):
        seen = RULES.view(campaign.state, reader)
        assert any(use.owner == "Britain" for use in seen.uses) is known
    assert RULES.view(campaign.state, REFEREE_SEAT).uses == campaign.state.uses


def test_standing_instruction_is_visible_to_italy_and_the_gamesmaster() -> None:
    """6.53, B.1: known only to Italy and to the gamesmaster, who applies it."""
    state = ordered().state
    assert state.med == ("Britain",)
    assert RULES.view(state, "Italy").med == RULES.view(state, REFEREE_SEAT).med == ("Britain",)
    for other in ("Britain", "Germany", None):
        assert RULES.view(state, other).med is None


def test_offer_is_visible_to_both_sides_only() -> None:
    """19.12: until the Game-Turn ends; the operator reads offers to a minor country."""
    campaign = Campaign(us_entry="base_schedule").on_to("orders")
    campaign.judge(
        {"France": "ALLY USSR", "Italy": "PEACE Turkey", "USA": "MINOR Greece: PEACE Britain"}
    )
    state = campaign.state

    def seen(reader: str | None) -> set[tuple[str, str]]:
        return {(offer.by, offer.to) for offer in RULES.view(state, reader).offers}

    assert len(state.offers) == 3
    assert seen("France") == seen("USSR") == {("France", "USSR")}
    assert seen("Italy") == {("Italy", "Turkey")}
    assert seen("USA") == {("Italy", "Turkey"), ("Greece", "Britain")}, (
        "it operates Turkey and Greece (20.1)"
    )
    assert seen("Britain") == {("Greece", "Britain")}
    assert seen("Germany") == seen(None) == set()


def test_secret_column_is_visible_to_its_player_until_the_end() -> None:
    """19.2: revealed only at the end; not even the gamesmaster sees it."""
    campaign = Campaign(5, last_turn=1, us_entry="base_schedule")
    campaign.judge({"Germany": "BLEND Egypt Italy\nBLEND USSR Germany"})
    state = campaign.state
    assert (
        RULES.view(state, "Germany").columns
        == RULES.view(state, "Italy").columns
        == {"Germany": (("Egypt", "Italy"), ("USSR", "Germany"))}
    )
    for other in ("France", REFEREE_SEAT, None):
        assert RULES.view(state, other).columns == {}
        assert RULES.view(state, other).sealed
    while campaign.kind != "over":
        campaign.step()
    for reader in ("France", "Germany", REFEREE_SEAT, None):
        view = RULES.view(campaign.state, reader)
        assert view.columns == {"Germany": (("Egypt", "Italy"), ("USSR", "Germany"))}
        assert not view.sealed
    assert "a column combined from both" in str(
        RULES.guide.charts(RULES.view(campaign.state, None))
    )


def test_hidden_standings_are_visible_to_the_gamesmaster_and_at_the_end() -> None:
    """spi.standings = gm_only: players see neither totals nor which entries pay."""
    campaign = Campaign(6, last_turn=1, us_entry="base_schedule", standings="gm_only")
    state = campaign.state
    for player in ("France", None):
        view = RULES.view(state, player)
        assert RULES.standing(view).scores == {}
        assert all(
            objective.reached is None
            for objective in RULES.guide.nation_facts(view, "France").objectives
        )
        assert (
            RULES.guide.nation_facts(
                RULES.view(editing.adjust(state, "France", 3), player), "France"
            ).ruled
            == 0
        )
    assert RULES.standing(RULES.view(state, REFEREE_SEAT)).scores["France"] > 0
    while campaign.kind != "over":
        campaign.step()
    final = RULES.view(campaign.state, None)
    assert RULES.standing(final).winners
    facts = RULES.guide.nation_facts(final, "France")
    assert any(objective.reached for objective in facts.objectives)


def test_column_is_offered_only_in_the_first_diplomacy() -> None:
    """19.2: before turn 1, and only by a player with two powers."""

    def offered(state: State, power: str) -> bool:
        return any(
            choice.verb in ("BLEND", "COLUMN PRINTED")
            for choice in RULES.planner.choices(state, power)
        )

    campaign = Campaign(5)
    assert offered(campaign.state, "Germany")
    assert not offered(campaign.state, "France")
    campaign.send()
    assert campaign.kind == "orders"
    assert not offered(campaign.state, "Germany")
    assert not offered(at(new_state(5), turn=2), "Germany")


def test_power_makes_peace_with_the_signer_for_an_attacked_country() -> None:
    """B.3: France signs for Syria; Poland's operator signs in Poland's name."""
    campaign = ordered().on_to("referee-italy")
    campaign.report("INVASION Italy Syria\nINVASION Italy Poland\nEND")
    offered = [
        choice.area
        for choice in RULES.planner.choices(at(campaign.state, step="diplomacy"), "Italy")
        if choice.verb == "PEACE"
    ]
    assert offered == ["Poland", "France"]


def test_players_view_counts_reported_points() -> None:
    state = editing.adjust(new_state(6), "France", 2)
    assert RULES.guide.nation_facts(RULES.view(state, "France"), "France").ruled == 2
