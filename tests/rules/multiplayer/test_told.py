"""What is said beside events: dice, tables, players' words (0.1, 6.53, 7.14, 18.1; B.8)."""

from __future__ import annotations

import pytest

from games.rules import PhaseId
from games.rules.origins_ww1.ruleset import OriginsWW1
from games.rules.origins_ww2.ruleset import OriginsWW2
from games.rules.ww2_multiplayer import told

from .campaign import RULES, SEATS, Campaign, at, begun


def test_dice_that_come_are_named_in_the_order_in_which_they_are_read() -> None:
    """0.1: what a die is for is known before the session that decides it."""
    campaign = Campaign().on_to("referee-germany")
    campaign.sheet(
        "INVASION Germany France\nDICE 2 OF France FOR the airdrop on Oslo\nCONTEST France 3"
        " Britain 3\nEND"
    )
    assert RULES.referee.owed(campaign.state) == (
        "The airdrop on Oslo, 2 dice",
        "A stacking contest of France and Britain (7.14), a die each",
        "American intervention, for the German invasion of France (18.1), two dice",
        "American intervention on 4/39 (18.1), two dice",
    )
    assert RULES.referee.owed(RULES.view(campaign.state, None)) == RULES.referee.owed(
        campaign.state
    ), "it is no secret"
    assert RULES.referee.owed(begun()) == ()


def test_the_rows_of_american_intervention_are_told_with_the_throw() -> None:
    """18.1: the special row first, then that of the turn."""
    campaign = Campaign().on_to("referee-germany")
    campaign.sheet("INVASION Germany France\nEND")
    before = campaign.state
    campaign.dice(6, 6, 6, 6)
    assert RULES.referee.tables_used(before, campaign.events) == (
        (
            "American intervention (18.1), row “German invasion of France”: a first die of 1 to 2"
            " and a second of 1 to 2, in this order, bring the USA in on 1/41."
        ),
        (
            "American intervention (18.1), row “4/39”: a first die of 1 and a second of 1 to 3, in"
            " this order, bring the USA in on 2/41."
        ),
    )


def test_a_row_that_was_not_thrown_for_is_not_told() -> None:
    """A special row that succeeds leaves nothing to throw for."""
    campaign = Campaign(us_dice="either_order").on_to("referee-germany")
    campaign.sheet("INVASION Germany France\nEND")
    before = campaign.state
    campaign.dice(1, 1)
    (row,) = RULES.referee.tables_used(before, campaign.events)
    assert "German invasion of France" in row
    assert "in either order" in row


def test_the_mediterranean_table_and_the_contest_are_told_once_each() -> None:
    """6.53, 7.14."""
    campaign = Campaign().on_to("orders")
    campaign.send(Britain="SEA 2 SP London TO Alexandria VIA MED", Italy="PASS")
    campaign.sheet("COMBAT Britain Italy\nAFRICA ON\nEND").clear()
    campaign.on_to("referee-britain")
    campaign.sheet(
        "TRACK 1 NAVAL 4 AMPHIBIOUS 0\nREST DONE\nCONTEST France 2 Britain 2\nCONTEST USSR 1"
        " Germany 1\nEND"
    )
    before = campaign.state
    campaign.dice(1, 5, 2, 3, 4, 6)
    assert RULES.referee.tables_used(before, campaign.events) == (
        (
            "Mediterranean table (6.53), a die for each Strength Point of transport hostile to"
            " Italy: on 1, 2 or 3 it lands safely; on 4 or 5 it goes back and can do nothing more"
            " this Game-Turn; on 6 it is lost."
        ),
        (
            "Equal stacks (7.14): the higher die moves the other unit one hex; a tie is thrown"
            " again."
        ),
    )


def test_free_text_is_known_by_its_lines_conditions_and_minor_countries_included() -> None:
    """Rules B.8: free text is always accepted, and the ledger cannot follow it."""
    state = Campaign().on_to("orders").state
    text = (
        "MOVE 1 SP Paris TO Metz\nHold the line\n\nIF Germany INVADES Poland THEN hold Metz\nMINOR"
        " Poland: dig in\nMOVE over there\nPASS"
    )
    assert RULES.referee.own_words(state, "France", text) == (2, 4, 5, 6)
    assert RULES.referee.own_words(state, "Referee", "hello") == ()


@pytest.mark.parametrize("players", [4, 5, 6])
def test_samples_are_taken_as_they_stand_without_a_word_against_them(players: int) -> None:
    state = Campaign(players).on_to("orders").state
    for power in RULES.acting(state):
        lines = RULES.planner.samples(state, power, ())
        reading = RULES.read("\n".join(lines), power, state)
        assert len(lines) >= 3
        assert len(reading.understood) == len(lines)
        assert reading.remarks == ()
        assert sum(line.startswith("MINOR") for line in lines) <= 1
        assert RULES.referee.own_words(state, power, "\n".join(lines))[-1] == len(lines), (
            "the last shows plain words"
        )


def test_samples_are_of_choices_where_no_orders_are_written() -> None:
    """mail.md L9: nothing that binds for good."""
    state = begun()
    lines = RULES.planner.samples(state, "France", ())
    assert lines
    assert all(line.startswith("GRANT ") for line in lines)
    assert RULES.planner.samples(Campaign().on_to("orders").state, "Referee", ()) == ()
    assert RULES.planner.samples(Campaign().on_to("referee-italy").state, "France", ()) == ()


def test_a_phase_says_how_it_is_written() -> None:
    """4.2, 19.2: what binds, what waits for the other side, and sealed columns."""
    first = " ".join(RULES.referee.instructions(begun(4)))
    assert "ALLY and PEACE (the other side must agree)" in first
    assert "BLEND Poland Germany (19.2)" in first
    assert "BLEND" not in " ".join(RULES.referee.instructions(begun(6)))
    assert "BLEND" not in " ".join(RULES.referee.instructions(at(begun(4), turn=2)))
    assert "in your own words" in RULES.referee.instructions(Campaign().on_to("orders").state)[0]
    assert RULES.referee.instructions(Campaign().on_to("referee-italy").state) == ()


def test_leave_is_told_to_whoever_gives_it_and_to_whoever_has_it() -> None:
    campaign = Campaign()
    campaign.send(
        Britain=(
            "GRANT SUPPLY TO USA IN Britain\nGRANT BASE TO USA IN Britain\nGRANT LEND-LEASE TO USSR"
        )
    )
    assert told.granted(campaign.state, "Britain") == (
        "You allow USA: supply in Britain, base in Britain.",
        "You allow USSR: lend-lease.",
    )
    assert told.granted(campaign.state, "USA") == (
        "Britain allows you: supply in Britain, base in Britain.",
    )
    assert told.granted(campaign.state, "Italy") == ()
    assert "You allow USSR: lend-lease." in RULES.planner.brief(campaign.state, "Britain")


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("referee-italy", "The gamesmaster is playing out the Player-Turn of Italy."),
        ("referee-ussr-2", "The gamesmaster is playing out the Player-Turn of the USSR."),
        ("count", "The gamesmaster is counting forces and hexes after the last turn."),
        ("orders", ""),
        ("dice-1", ""),
    ],
)
def test_what_is_waited_for_is_a_sentence_for_everybody(kind: str, said: str) -> None:
    assert RULES.facts(PhaseId(3, kind), {}).awaited == said


def test_the_words_with_which_lines_begin() -> None:
    assert {"MOVE", "IF", "BLEND", "PASS"} <= set(RULES.referee.verbs("France"))
    assert "END" not in RULES.referee.verbs("France")
    assert {"LINE", "REST", "END"} <= set(RULES.referee.verbs("Referee"))


@pytest.mark.parametrize("rules", [OriginsWW1(), OriginsWW2()])
def test_a_game_without_sheets_has_nothing_to_say_of_them(rules: OriginsWW1 | OriginsWW2) -> None:
    phase = PhaseId(1, "attacks")
    assert (rules.facts(phase, {}).awaited, rules.referee) == ("", None)


def test_every_seat_has_places_of_its_own_in_the_samples() -> None:
    assert set(told._PLACES) == set(SEATS[6])
