"""Rulings in a refereed game: reports, struck lines, back to a report (design.md 4,
refereed.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from django.urls import reverse

from games import positions
from games.evidence import export
from games.models import Letter, Phase, Ruling
from games.rules import REFEREE_SEAT
from games.rules.verification import verify
from games.timing import schedule
from games.turns import rulings
from games.turns.rulings import RulingError
from tests.support.browsing import Visitor, log_in
from tests.support.letters import letter_text
from tests.support.stored import stored

from .campaign import Refereed

pytestmark = [pytest.mark.django_db, pytest.mark.guest]


def at_the_second_player_turn(
    report: str = "REST DONE\nINVASION Italy Greece\nEND",
) -> tuple[Refereed, Phase]:
    """Return a game in which Italy's Player-Turn is judged and the report for France is due."""

    def build() -> tuple[Refereed, Phase]:
        war = Refereed.begin(options={"spi.us_entry": "base_schedule"})
        war.play_to(
            "referee", lambda phase: {"Italy": "hold everything"} if phase.kind == "orders" else {}
        )
        judged = war.step(reports=lambda phase: report)
        assert war.phase.kind == "referee-france"
        return war, judged

    return stored(("refereed, second Player-Turn", report), build)


def rule(war: Refereed, phase: Phase, kind: str, what: Mapping[str, Any]) -> Ruling:
    return rulings.rule(phase, kind, dict(what), "I had misread the map.", war.ada, war.now)


def checked(war: Refereed) -> None:
    war.game.refresh_from_db()
    assert verify.check(export.record(war.game, private=True)) == []


def test_amended_report_is_judged_again() -> None:
    """In public, and the record verifies."""
    war, judged = at_the_second_player_turn("REST DONE\nINVASION Italy Greece\nEND")
    what = {"nation": REFEREE_SEAT, "text": "REST DONE\nINVASION Italy Yugoslavia\nEND"}
    row = rule(war, judged, "orders", what)
    assert row.words == "The gamesmaster's report is amended."
    events = str(war.resolution(judged).events)
    assert "Italy invades Yugoslavia" in events
    assert "Italy invades Greece" not in events
    assert (war.phase.kind, war.phase.due_at) == ("referee-france", None)
    checked(war)


def test_amended_report_is_read_with_the_gamesmasters_view() -> None:
    """The preview judges lines by this Player-Turn's orders, not by the public view."""
    _, judged = at_the_second_player_turn("REST DONE\nEND")
    what = {
        "nation": REFEREE_SEAT,
        "text": "LINE Italy 1 VOID: nobody moved\nLINE Italy 7 DONE\nEND",
    }
    preview = rulings.preview(judged, "orders", what)
    assert preview.fault == ""
    assert [remark for remark in preview.remarks if "line 7" in remark.message]
    assert not [remark for remark in preview.remarks if "line 1" in remark.message]


def test_ruling_that_changes_the_next_phase_is_refused_with_advice() -> None:
    """Without END the Player-Turn goes on, and with dice they come first: that must be played, not
    ruled."""
    war, judged = at_the_second_player_turn("REST DONE\nEND")
    for text in ("REST DONE", "REST DONE\nDICE 1 FOR the weather\nEND"):
        preview = rulings.preview(judged, "orders", {"nation": REFEREE_SEAT, "text": text})
        assert "would follow, not" in preview.fault
        assert (
            "Roll the game back to the moment at which Turn 1 (4/39), Player-Turn of Italy, opened"
            in preview.fault
        )
    with pytest.raises(RulingError, match="would follow, not"):
        rule(war, judged, "orders", {"nation": REFEREE_SEAT, "text": None})
    assert not Ruling.objects.exists()


@pytest.mark.letters
def test_letter_about_a_ruling_shows_the_board_once() -> None:
    """The sentences below the board stood below the scores, too."""
    war = Refereed.begin()
    war.play_to("referee-italy")
    war.report("INVASION Italy Egypt\nEND")
    report = war.carry_out()
    rulings.rule(
        report, "orders", {"nation": "Referee", "text": "END"}, "A slip.", war.ada, war.now
    )
    text = letter_text(war.letters("ruled", "felix")[-1])
    assert text.count("Armies of minor countries:") == 1


def test_orders_cannot_be_ruled_in_a_report_phase_nor_a_report_in_an_order_phase() -> None:
    war, judged = at_the_second_player_turn("REST DONE\nEND")
    with pytest.raises(RulingError, match="France sends no orders in this phase"):
        rule(war, judged, "orders", {"nation": "France", "text": "PASS"})
    orders = war.game.phases.get(kind="orders")
    with pytest.raises(RulingError, match="The gamesmaster sends no report in this phase"):
        rule(war, orders, "orders", {"nation": REFEREE_SEAT, "text": "END"})


def test_ruling_on_orders_judges_later_reports_again() -> None:
    """A line that no report rules on keeps the Player-Turn open: rule on it, or roll back."""
    war, judged = at_the_second_player_turn("REST DONE\nEND")
    orders = war.game.phases.get(kind="orders")
    what = {"nation": "Italy", "text": "MOVE the fleet to Taranto\nhold everything else"}
    rule(war, orders, "orders", what)
    assert "the fleet TO Taranto" in str(war.resolution(judged).remarks["Italy"])
    assert "Taranto" not in str(war.resolution(judged).events)
    checked(war)
    strict = Refereed.begin(options={"spi.us_entry": "base_schedule"}, title="Line by line")
    strict.play_to(
        "referee", lambda phase: {"Italy": "hold everything"} if phase.kind == "orders" else {}
    )
    strict.step(reports=lambda phase: "LINE Italy 1 DONE\nEND")
    late = {"nation": "Italy", "text": "hold everything\nMOVE the fleet to Taranto"}
    with pytest.raises(RulingError, match=r"Player-Turn of Italy \(2\) would follow"):
        rule(strict, strict.game.phases.get(kind="orders"), "orders", late)


@pytest.mark.parametrize(
    ("kind", "what", "message"),
    [
        (
            "position",
            {"cells": {"Poland": {"Germany": {"pf": 3}}}},
            "The position becomes: Germany has 3 SPs in Poland.",
        ),
        (
            "alliance",
            {"nations": ["France", "Britain"], "allied": True},
            "France and Britain are allies.",
        ),
        ("points", {"nation": "Italy", "points": -2}, "Italy loses 2 points."),
        ("option", {"option": "spi.half_rounding", "value": "up"}, None),
        ("again", {}, None),
    ],
)
def test_every_applicable_kind_of_ruling_is_made_and_revoked(
    kind: str, what: dict[str, Any], message: str | None
) -> None:
    war, judged = at_the_second_player_turn()
    before = positions.position(war.game)
    row = rule(war, judged, kind, what)
    assert message in (None, row.words)
    checked(war)
    rulings.revoke(row, "It was right before.", war.ada, war.now)
    assert positions.position(war.game) == before
    checked(war)


def test_rulings_of_other_games_are_refused() -> None:
    war, judged = at_the_second_player_turn()
    for kind in ("result", "counter", "controller"):
        with pytest.raises(RulingError, match="is not a ruling"):
            rule(war, judged, kind, {})
    with pytest.raises(RulingError, match="is not an option you can set for one phase"):
        rule(war, judged, "option", {"option": "spi.flow", "value": "sequential"})


def test_rollback_reopens_a_report_phase_and_can_be_revoked() -> None:
    """It reopens without deadline or report; revoked, everything is as before."""
    war, judged = at_the_second_player_turn()
    waiting = war.phase
    war.report("END")
    row = rule(war, judged, "rollback", {})
    assert war.phase.kind == "referee-italy"
    assert (war.phase.deadline, war.phase.due_at) == (schedule.STANDS, None)
    war.step(reports=lambda phase: "REST DONE\nINVASION Italy Bulgaria\nEND")
    assert "Bulgaria" in str(war.resolution().events)
    checked(war)
    rulings.revoke(row, "The first reading was right.", war.ada, war.now)
    waiting.refresh_from_db()
    assert (war.phase, waiting.status) == (waiting, Phase.Status.OPEN)
    assert waiting.due_at is not None, "the report that counted counts again"
    assert waiting.deadline == schedule.STANDS
    assert not waiting.deadline_changes.exists()
    war.carry_out()
    assert war.phase.kind == "referee-ussr"
    checked(war)


def test_rollback_to_dice_throws_them_again() -> None:
    """docs/refereed.md: the position says what they are for; the next session throws them."""
    war = Refereed.begin(options={"spi.us_entry": "base_schedule"})
    war.play_to("referee")
    war.step(reports=lambda phase: "DICE 2 FOR the airdrop")
    dice = war.game.phases.get(kind="dice-1")
    assert war.phase.kind == "referee-italy-2"
    rule(war, dice, "rollback", {})
    assert (war.phase.kind, war.phase.idle) == ("dice-1", True)
    war.carry_out()
    assert war.phase.kind == "referee-italy-2"
    assert "airdrop" in str(war.resolution().events)
    checked(war)


def test_die_is_corrected_by_a_ruling() -> None:
    war = Refereed.begin(options={"spi.us_entry": "base_schedule"})
    war.play_to("referee")
    war.step(reports=lambda phase: "DICE 1 FOR the airdrop")
    dice = war.game.phases.get(kind="dice-1")
    (thrown,) = [event for event in war.resolution(dice).events if event["kind"] == "die"]
    other = 1 if thrown["die"] != 1 else 2
    rule(war, dice, "digit", {"stock": thrown["stock"], "volume": 1_000_000 + 100 * other})
    assert [event["die"] for event in war.resolution(dice).events if event["kind"] == "die"] == [
        other
    ]
    checked(war)


def test_finished_game_is_rolled_back_to_the_count() -> None:
    war = Refereed.begin(players=4, options={"spi.us_entry": "base_schedule", "spi.last_turn": 1})
    war.play_out()
    count = war.game.phases.get(kind="count")
    with pytest.raises(RulingError, match=r"final count \(2\) would follow"):
        rule(war, count, "orders", {"nation": REFEREE_SEAT, "text": "CONTROLLER Poland Germany"})
    rule(war, count, "orders", {"nation": REFEREE_SEAT, "text": "CONTROLLER Poland Germany\nEND"})
    checked(war)
    rule(war, count, "rollback", {})
    assert (war.phase.kind, war.over, war.report_owed) == ("count", False, True)
    war.step()
    assert war.over
    checked(war)


def test_report_is_ruled_on_the_page_after_a_preview(client: Visitor) -> None:
    """The form starts with the report in force; a refused ruling is explained."""
    war, judged = at_the_second_player_turn()
    client.force_login(war.ada)
    page = reverse("desk-ruling-new", args=[war.game.pk, judged.number, "orders"])
    assert "INVASION Italy Greece" in client.read(page)
    report = "REST DONE\nINVASION Italy Yugoslavia\nEND"
    typed = {"nation": REFEREE_SEAT, "how": "amended", "text": report}
    shown = client.submit(page, typed)
    assert "Italy invades Yugoslavia" in shown
    refused = client.submit(page, {**typed, "text": "REST DONE"})
    assert "would follow, not" in refused
    assert not Ruling.objects.exists()
    later = reverse(
        "desk-ruling-new", args=[war.game.pk, war.game.phases.get(kind="orders").number, "orders"]
    )
    assert ">the report<" not in client.read(later)


def test_ruling_form_of_a_report_names_powers_correctly(client: Visitor) -> None:
    """gamesmaster.md U14: “the gamesmaster's report for the usa”, and links to orders of powers,
    which a report phase does not have."""
    war, judged = at_the_second_player_turn()
    client.force_login(war.ada)
    page = client.read(reverse("desk-ruling-new", args=[war.game.pk, judged.number, "orders"]))
    assert "Player-Turn of Italy</h1>" in page
    assert "of italy" not in page
    assert "Begin with the orders of" not in page


def test_preview_of_a_rollback_counts_the_letter_that_asks_for_the_report() -> None:
    war, judged = at_the_second_player_turn()
    address = reverse("desk-ruling-new", args=[war.game.pk, judged.number, "rollback"])
    page = log_in(war.ada).post(address, {"step": "preview"}).content.decode()
    assert "It waits for your report." in page
    assert "New deadline" not in page, "there is none"
    foreseen = rulings.preview(judged, "rollback", {}).letters
    before = Letter.objects.filter(game=war.game).count()
    rule(war, judged, "rollback", {})
    assert Letter.objects.filter(game=war.game).count() - before == foreseen
