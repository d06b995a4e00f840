"""Sentences beside events: dice, tables, free text (0.1, 6.53, 7.14, 18.1; B.8)."""

from __future__ import annotations

import pytest

from games.rules import PhaseId
from games.rules.origins_ww1.ruleset import OriginsWW1
from games.rules.origins_ww2.ruleset import OriginsWW2
from games.ww2_multiplayer.rules import told

from .campaign import RULES, SEATS, Campaign, at, new_state

pytestmark = pytest.mark.guest


def test_pending_dice_are_named_in_order() -> None:
    """0.1: the purpose of a die is known before the session that decides it."""
    campaign = Campaign().on_to("referee-germany")
    campaign.report(
        "INVASION Germany France\nDICE 2 OF France FOR the airdrop on Oslo\nCONTEST France 3"
        " Britain 3\nEND"
    )
    assert RULES.referee.pending_dice(campaign.state) == (
        "The airdrop on Oslo, 2 dice",
        "A stacking contest of France and Britain (7.14), a die each",
        "American intervention, for the German invasion of France (18.1), two dice",
        "American intervention in 4/39 (18.1), two dice",
    )
    assert RULES.referee.pending_dice(
        RULES.view(campaign.state, None)
    ) == RULES.referee.pending_dice(campaign.state), "it is no secret"
    assert RULES.referee.pending_dice(new_state()) == ()


def test_report_shows_the_rows_of_american_intervention() -> None:
    """18.1: the special row first, then the row of the turn."""
    campaign = Campaign().on_to("referee-germany")
    campaign.report("INVASION Germany France\nEND")
    before = campaign.state
    campaign.dice(6, 6, 6, 6)
    assert RULES.referee.tables_used(before, campaign.events) == (
        (
            "American intervention (18.1), row “German invasion of France”: a first die of 1 to 2"
            " and a second of 1 to 2, in this order, bring the USA into the war in 1/41."
        ),
        (
            "American intervention (18.1), row “4/39”: a first die of 1 and a second of 1 to 3, in"
            " this order, bring the USA into the war in 2/41."
        ),
    )


def test_report_leaves_out_a_row_not_thrown_for() -> None:
    """A successful special throw ends the throws."""
    campaign = Campaign(us_dice="either_order").on_to("referee-germany")
    campaign.report("INVASION Germany France\nEND")
    before = campaign.state
    campaign.dice(1, 1)
    (row,) = RULES.referee.tables_used(before, campaign.events)
    assert "German invasion of France" in row
    assert "in either order" in row


def test_report_shows_each_table_once() -> None:
    """6.53, 7.14."""
    campaign = Campaign().on_to("orders")
    campaign.send(Britain="SEA 2 SP London TO Alexandria VIA MED", Italy="PASS")
    campaign.report("COMBAT Britain Italy\nAFRICA ON\nEND").clear()
    campaign.on_to("referee-britain")
    campaign.report(
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
            "Equal stacks (7.14): the higher die moves the other unit one hex; ties are thrown"
            " again."
        ),
    )


def test_free_text_lines_are_recognized() -> None:
    """Rules B.8: the ledger cannot follow free text."""
    state = Campaign().on_to("orders").state
    text = (
        "MOVE 1 SP Paris TO Metz\nHold the line\n\nIF Germany INVADES Poland THEN hold Metz\nMINOR"
        " Poland: dig in\nMOVE over there\nPASS"
    )
    assert RULES.writing.own_words(state, "France", text) == (2, 4, 5, 6)
    assert RULES.writing.own_words(state, "Referee", "hello") == ()


@pytest.mark.parametrize("players", [4, 5, 6])
def test_sample_orders_are_valid_without_remarks(players: int) -> None:
    state = Campaign(players).on_to("orders").state
    for power in RULES.acting_nations(state):
        lines = RULES.planner.samples(state, power, ())
        reading = RULES.read("\n".join(lines), power, state)
        assert len(lines) >= 3
        assert len(reading.understood) == len(lines)
        assert reading.remarks == ()
        assert sum(line.startswith("MINOR") for line in lines) <= 1
        assert RULES.writing.own_words(state, power, "\n".join(lines))[-1] == len(lines), (
            "the last shows plain words"
        )


def test_samples_in_diplomacy_are_grants() -> None:
    """mail.md L9: nothing that binds for good."""
    state = new_state()
    lines = RULES.planner.samples(state, "France", ())
    assert lines
    assert all(line.startswith("GRANT ") for line in lines)
    assert RULES.planner.samples(Campaign().on_to("orders").state, "Referee", ()) == ()
    assert RULES.planner.samples(Campaign().on_to("referee-italy").state, "France", ()) == ()


def test_instructions_explain_the_lines_of_a_phase() -> None:
    """4.2, 19.2: lines that bind, that need the other side, and sealed columns."""
    first = " ".join(RULES.writing.instructions(new_state(4)))
    assert "ALLY and PEACE (the other side must agree)" in first
    assert "BLEND Poland Germany (19.2)" in first
    assert "BLEND" not in " ".join(RULES.writing.instructions(new_state(6)))
    assert "BLEND" not in " ".join(RULES.writing.instructions(at(new_state(4), turn=2)))
    assert "in your own words" in RULES.writing.instructions(Campaign().on_to("orders").state)[0]
    assert RULES.writing.instructions(Campaign().on_to("referee-italy").state) == ()


def test_permissions_are_shown_to_giver_and_receiver() -> None:
    campaign = Campaign()
    campaign.send(
        Britain=(
            "GRANT SUPPLY TO USA IN Britain\nGRANT BASE TO USA IN Britain\nGRANT LEND-LEASE TO USSR"
        )
    )
    assert told.describe_grants(campaign.state, "Britain") == (
        "You allow USA supply in Britain and a base in Britain.",
        "You allow USSR lend-lease.",
    )
    assert told.describe_grants(campaign.state, "USA") == (
        "Britain allows you supply in Britain and a base in Britain.",
    )
    assert told.describe_grants(campaign.state, "Italy") == ()
    assert "You allow USSR lend-lease." in RULES.planner.brief(campaign.state, "Britain")


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("referee-italy", "The gamesmaster is playing out the Player-Turn of Italy."),
        ("referee-ussr-2", "The gamesmaster is playing out the Player-Turn of the USSR."),
        ("count", "The gamesmaster is counting forces and hexes after the last turn."),
        ("orders", ""),
        ("dice-1", ""),
    ],
)
def test_awaited_sentence_of_a_phase(kind: str, message: str) -> None:
    assert RULES.facts(PhaseId(3, kind), {}).awaited == message


def test_verbs_of_powers_and_of_the_referee() -> None:
    assert {"MOVE", "IF", "BLEND", "PASS"} <= set(RULES.writing.verbs("France"))
    assert "END" not in RULES.writing.verbs("France")
    assert {"LINE", "REST", "END"} <= set(RULES.writing.verbs("Referee"))


def test_free_text_is_listed_beside_orders_for_the_map() -> None:
    """Rules B.8: a line for the map may be in any words."""
    table = RULES.verbs
    assert "hold the Maginot line" in [row.form for row in table.help(offered={"MOVE", "PASS"})]
    assert [row.form for row in table.help(offered={"PASS"})] == ["PASS"]


def test_verb_of_a_choice_that_is_a_whole_line_is_its_first_word() -> None:
    assert RULES.verbs["GRANT SUPPLY TO USA"].name == "GRANT"


@pytest.mark.parametrize("rules", [OriginsWW1(), OriginsWW2()])
def test_games_without_a_referee_have_none(rules: OriginsWW1 | OriginsWW2) -> None:
    phase = PhaseId(1, "attacks")
    assert (rules.facts(phase, {}).awaited, rules.referee.seats) == ("", ())


def test_every_seat_has_its_own_sample_places() -> None:
    assert set(told._PLACES) == set(SEATS[6])


def test_a_destroyed_army_is_moved_by_nobody() -> None:
    """Issue 22: France read “You move the army of Poland” after the report of its destruction."""
    campaign = Campaign().on_to("referee-germany")
    before = RULES.planner.brief(campaign.state, "France")
    assert "You move the army of Poland and speak for it." in before
    campaign.report("DESTROYED Poland BY Germany\nEND")
    after = RULES.planner.brief(campaign.state, "France")
    assert "You speak for Poland, whose army is destroyed." in after
    assert not [sentence for sentence in after if "move" in sentence]
