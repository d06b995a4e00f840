"""The desk of a refereed game: telephone, script, dice, bots refused, records of changes."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from games import desk
from games.desk import classroom, practice, telephone_script
from games.desk.roster import Pupil
from games.evidence import export
from games.models import Act, Phase
from games.rules import RulesError
from games.rules.cards import load
from games.rules.registry import RULESETS
from games.rules.verification import verify
from games.simulation import simulate
from orders.intake import ledger, telephone
from tests.support.browsing import Visitor
from tests.support.stored import stored

from .campaign import Refereed, person

pytestmark = [pytest.mark.django_db, pytest.mark.guest]


def at_the_first_report() -> Refereed:
    def build() -> Refereed:
        war = Refereed.begin(players=4, options={"spi.us_entry": "base_schedule"})
        war.play_to("referee")
        return war

    return stored("refereed, first report of four", build)


def test_orders_of_a_power_are_taken_down_by_telephone_with_a_code(client: Visitor) -> None:
    """Also for a controlled power: its controller's player is on the line (2.0)."""
    war = Refereed.begin(players=4)
    war.pass_deadline()
    for power, text in (
        ("France", "ATTACK Saarbrücken\nhold the Maginot line"),
        ("Italy", "SEA 3 SP Naples TO Tripoli VIA MED USING Italy"),
    ):
        read = telephone.read_back(war.seat(power), war.phase, text, war.now)
        assert len(read.lines) == len(text.splitlines())
        assert read.code
        caller = war.players[war.phase.controllers.get(power, power)]
        sent = telephone.take_down(
            war.seat(power), text, war.ada, war.now, caller=caller, read_back=True, heard=read.code
        )
        assert (sent.counts, sent.read_back, sent.entered_by) == (True, read.code, war.ada)
    client.force_login(war.ada)
    page = client.read(reverse("desk-telephone-seat", args=[war.game.pk, war.seat("France").pk]))
    assert "hold the Maginot line" in page


def test_report_cannot_be_taken_down_by_telephone(client: Visitor) -> None:
    war = at_the_first_report()
    with pytest.raises(ledger.LedgerError, match="Only a gamesmaster who does not play"):
        telephone.take_down(war.referee, "END", war.ada, war.now, caller=None, read_back=False)
    client.force_login(war.ada)
    assert (
        client.get(reverse("desk-telephone-seat", args=[war.game.pk, war.referee.pk])).status_code
        == 404
    )
    page = client.read(reverse("desk-telephone", args=[war.game.pk]))
    assert "Nobody owes orders" in page
    assert "2999" not in page


def test_telephone_script_reads_out_the_newest_result(client: Visitor) -> None:
    """Rulings, positions, what is due; no figures of empty countries."""
    war = at_the_first_report()
    war.step(
        reports=lambda phase: "INVASION France Belgium\nFORCES Belgium France 4\nREST DONE\nEND"
    )
    parts = {
        part.heading: part.sentences for part in telephone_script.make_script(war.game, {}).parts
    }
    assert any(
        "France" in sentence and "Belgium" in sentence for sentence in parts["What happened"]
    )
    assert next(said for said in parts["The board"] if said.startswith("Belgium: ")).endswith(
        "France with 4 SPs."
    )
    assert len(parts["The board"]) < 20
    assert parts["Next"] == (war.phase.awaited,)
    client.force_login(war.ada)
    assert client.get(reverse("desk-telephone-script", args=[war.game.pk])).status_code == 200


def test_bots_cannot_play_a_refereed_game() -> None:
    """A bot cannot judge free text: no practice game, no simulation."""
    charlie = person("charlie")
    with pytest.raises(desk.DeskError, match="Bots cannot play"):
        practice.begin(charlie, "France", at_the_first_report().now, "ww2-multiplayer")
    assert practice.games() == [name for name, rules in RULESETS.items() if rules.playable]
    assert practice.usual_game() in practice.games()
    with pytest.raises(RulesError, match="bots cannot play"):
        simulate(load("ww2-multiplayer", "standard"), 1, "1")
    with pytest.raises(CommandError, match="bots cannot play"):
        call_command("simulate", "ww2-multiplayer/standard", "-n", "1", "--processes", "1")


@pytest.mark.parametrize("source", ["commit_reveal", "gm_dice"])
def test_dice_come_from_the_source_of_the_game(source: str) -> None:
    """Rules O, rng.source: from a seed with a published hash, or typed by the gamesmaster."""
    war = Refereed.begin(players=4, options={"spi.us_entry": "base_schedule", "rng.source": source})
    war.play_to("referee")
    war.report("DICE 2 FOR the airdrop", final=True)
    war.wait_until(war.now)
    phase = war.phase
    assert phase.kind == "dice-1"
    war.wait_until(phase.due_at or war.now)
    phase.refresh_from_db()
    if source == "gm_dice":
        assert phase.status == Phase.Status.DRAWING
        desk.enter_rolls(phase, [4, 6], war.ada, war.now)
    war.wait_until(war.now + timedelta(minutes=2))
    assert war.phase.kind == "referee-france-2"
    thrown = [event["die"] for event in war.resolution(phase).events if event["kind"] == "die"]
    assert len(thrown) == 2
    assert thrown == [4, 6] or source != "gm_dice"
    assert verify.check(export.record(war.game, private=True)) == []


def test_changed_settings_of_reports_are_on_record() -> None:
    war = at_the_first_report()
    desk.change_settings(war.game, {"report_hours": 6, "report_days": 3}, war.ada, war.now)
    act = Act.objects.get(kind="report-hours")
    assert (act.about, act.words) == (
        {"before": [1, 7], "after": [6, 3]},
        "A report may be corrected for 6 hours.",
    )
    desk.change_settings(war.game, {"report_hours": 6, "report_days": 3}, war.ada, war.now)
    assert Act.objects.filter(kind="report-hours").count() == 1
    for setting, value in (("report_hours", -1), ("report_days", 500)):
        with pytest.raises(desk.DeskError, match=f"“{value}” is not possible"):
            desk.change_settings(war.game, {setting: value}, war.ada, war.now)


def test_reports_do_not_wait_for_approval() -> None:
    """`Game.approval_hours`: the gamesmaster has seen a report already."""
    war = Refereed.begin(players=4, options={"spi.us_entry": "base_schedule"}, approval_hours=5)
    war.wait_until(war.phase.deadline)
    phase = war.phase
    assert (phase.kind, phase.status) == ("diplomacy", Phase.Status.APPROVAL)
    war.play_to("referee")
    war.report("END")
    war.carry_out()
    assert war.phase.kind == "referee-ussr"


def test_class_seats_one_pupil_per_power() -> None:
    """No teams: a list with two pupils for a power is refused whole, and so is one for the
    gamesmaster's seat."""
    war = Refereed.open(
        seats=dict.fromkeys(("Italy", "France", "USSR", "USA", "Britain", "Germany"), "")
    )
    pupils = [Pupil("Paul", nation="France"), Pupil("Paula", nation="France")]
    with pytest.raises(desk.DeskError, match="One person plays France: this game has no teams"):
        classroom.seat_class(war.game, pupils, war.ada, war.now)
    with pytest.raises(desk.DeskError, match="“Referee” is not a nation of this game"):
        classroom.seat_class(war.game, [Pupil("Paul", nation="Referee")], war.ada, war.now)
    assert not war.game.seats.filter(sittings__isnull=False).exists()
    classroom.seat_class(war.game, pupils[:1], war.ada, war.now)
    assert war.seat("France").sittings.count() == 1


def test_pages_offer_no_bots_if_none_can_play() -> None:
    """gamesmaster.md B13."""
    war = Refereed.open()
    war.seat("Italy").sittings.all().delete()
    ada = Visitor()
    ada.force_login(war.ada)
    assert "No player yet: Italy." in ada.read(f"/games/{war.game.pk}/")
    assert "Let the service play" not in ada.read(f"/games/{war.game.pk}/desk/people/")
    with pytest.raises(desk.DeskError, match=r"Nobody plays Italy yet. Invite a player\.$"):
        desk.start(war.game, war.now)
