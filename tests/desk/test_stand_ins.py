"""Stand-ins: a bot plays while a seat is vacant (issue 7, 7; rules 0.2)."""

from __future__ import annotations

import copy
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse

from games import desk
from games.desk import DeskError
from games.evidence import export
from games.letters import rendering
from games.models import Act
from games.positions import in_force
from games.records import archive
from games.rules.verification import record, verify
from orders.intake import bots, ledger
from orders.models import Submission
from tests.support import teams
from tests.support.browsing import Visitor
from tests.support.campaign import NATIONS, Campaign, person

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


def sent_by_program(campaign: Campaign, nation: str) -> list[Submission]:
    rows = Submission.objects.filter(
        seat=campaign.seat(nation), phase=campaign.phase, channel=Submission.Channel.PROGRAM
    )
    return list(rows.order_by("number"))


def with_stand_ins(**given: Any) -> Campaign:
    campaign = Campaign.begin(**given)
    desk.set_stand_ins(campaign.game, True, campaign.ada, campaign.now)
    return campaign


def leave(campaign: Campaign, nation: str) -> None:
    player = campaign.players[nation]
    desk.vacate(campaign.seat(nation), player, "Moved away.", player, campaign.now)


def test_stand_ins_are_announced_to_everybody() -> None:
    campaign = with_stand_ins()
    act = Act.objects.get(kind="stand-ins")
    assert (act.done_by, act.about["after"]) == (campaign.ada, True)
    text = rendering.render(campaign.letters("change", "felix")[-1]).text
    assert "a bot sends orders for vacant seats" in text
    # the second call changes nothing
    desk.set_stand_ins(campaign.game, True, campaign.ada, campaign.now)
    assert Act.objects.filter(kind="stand-ins").count() == 1


def test_bot_stands_in_only_if_the_gamesmaster_allows_it() -> None:
    campaign = Campaign.begin()
    leave(campaign, "France")
    assert bots.play(campaign.now) == 0
    desk.set_stand_ins(campaign.game, True, campaign.ada, campaign.now)
    assert bots.play(campaign.now) == 1
    assert bots.play(campaign.now) == 0
    assert [submission.final for submission in sent_by_program(campaign, "France")] == [True]
    desk.set_stand_ins(campaign.game, False, campaign.ada, campaign.now)
    campaign.pass_deadline()
    assert bots.play(campaign.now) == 0


def test_seat_with_a_player_is_left_alone() -> None:
    campaign = with_stand_ins()
    assert bots.play(campaign.now) == 0


def test_stand_in_continues_until_the_player_sends_orders() -> None:
    """Its orders end the run of missed turns, but do not count as the player's return."""
    campaign = with_stand_ins()
    for _ in range(2):
        for nation in NATIONS:
            if nation != "Germany":
                campaign.order(nation, "PASS")
        campaign.pass_deadline()
    assert [seat.nation for seat in bots.stand_in_seats(campaign.game)] == ["Germany"]
    for _ in range(3):
        bots.play(campaign.now)
        assert [submission.final for submission in sent_by_program(campaign, "Germany")] == [False]
        assert "Germany" in in_force.in_force(campaign.phase)
        campaign.pass_deadline()


@pytest.mark.both_databases
@pytest.mark.parametrize("amend", ["replace_all", "merge_lines"])
def test_persons_orders_replace_the_stand_ins(amend: str) -> None:
    """The player has returned, so the stand-in stops."""
    campaign = with_stand_ins(options={"orders.amend": amend, "seat.nmr_limit": 1})
    campaign.pass_deadline()
    campaign.pass_deadline()
    bots.play(campaign.now)
    assert len(sent_by_program(campaign, "Germany")) == 1
    campaign.order("Germany", "PLACE 3 Austria", at=campaign.now + MINUTE)
    assert in_force.texts_in_force(campaign.phase)["Germany"] == "PLACE 3 Austria"
    assert "Germany" not in {seat.nation for seat in bots.stand_in_seats(campaign.game)}
    campaign.pass_deadline()
    bots.play(campaign.now)
    assert sent_by_program(campaign, "Germany") == []


@pytest.mark.parametrize("amend", ["replace_all", "merge_lines"])
def test_stand_ins_orders_count_until_the_votes_of_a_team_give_a_text(amend: str) -> None:
    """F1: one vote of three gives none, and is not merged with orders for the whole seat."""
    campaign = teams.begin("majority", options={"orders.amend": amend})
    seat, by_service = campaign.seat("France"), ledger.Arrival("program", None, campaign.now)
    ledger.receive(seat, "PLACE 4 Poland", by_service)
    for count, text in enumerate(["PLACE 4 Poland", "PLACE 3 Austria"]):
        teams.order(campaign, teams.TEAMS["France"][count], "France", "PLACE 3 Austria")
        assert in_force.texts_in_force(campaign.phase)["France"] == text
    campaign.pass_deadline()
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_stand_in_sends_nothing_after_a_player_takes_orders_back() -> None:
    campaign = Campaign.begin(options={"seat.nmr_limit": 1})
    campaign.pass_deadline()
    campaign.order("Germany", "PASS")
    gustav = campaign.players["Germany"]
    ledger.cancel(campaign.seat("Germany"), ledger.Arrival("web", gustav, campaign.now))
    desk.set_stand_ins(campaign.game, True, campaign.ada, campaign.now)
    bots.play(campaign.now)
    assert sent_by_program(campaign, "Germany") == []


@pytest.mark.both_databases
def test_newcomer_is_not_taken_for_the_predecessor() -> None:
    campaign = Campaign.begin(options={"seat.nmr_limit": 1})
    campaign.pass_deadline()
    campaign.now += MINUTE
    seat, why = campaign.seat("Germany"), "Gustav is silent."
    invitation = desk.replace(seat, "dana@example.org", why, campaign.ada, campaign.now)
    desk.accept(invitation, person("dana"), campaign.now + MINUTE)
    desk.set_stand_ins(campaign.game, True, campaign.ada, campaign.now)
    bots.play(campaign.now + 2 * MINUTE)
    assert sent_by_program(campaign, "Germany") == []


def test_desk_turns_stand_ins_on_and_off_and_names_their_seats(client: Visitor) -> None:
    campaign = Campaign.begin()
    leave(campaign, "France")
    page = reverse("desk-people", args=[campaign.game.pk])
    client.force_login(campaign.ada)
    assert "A bot sends its orders for now." not in client.read(page)
    client.post(page, {"do": "stand-ins", "stand_ins": "yes"})
    campaign.game.refresh_from_db()
    assert campaign.game.stand_ins
    assert client.read(page).count("A bot sends its orders for now.") == 1
    client.force_login(campaign.players["Germany"])
    assert client.post(page, {"do": "stand-ins", "stand_ins": "no"}).status_code == 403
    campaign.game.refresh_from_db()
    assert campaign.game.stand_ins


def test_finished_game_has_no_stand_in() -> None:
    campaign = Campaign.begin()
    desk.abandon(campaign.game, "Enough.", campaign.ada, campaign.now)
    with pytest.raises(DeskError, match="is over"):
        desk.set_stand_ins(campaign.game, True, campaign.ada, campaign.now)
    assert not campaign.game.submissions.filter(channel="program").exists()


@pytest.mark.both_databases
def test_record_with_withdrawn_stand_in_orders_verifies() -> None:
    """design 1, promise 5: the ledger has the row that withdraws merged lines."""
    campaign = Campaign.begin(options={"orders.amend": "merge_lines", "seat.nmr_limit": 1})
    campaign.pass_deadline()
    campaign.pass_deadline()
    desk.set_stand_ins(campaign.game, True, campaign.ada, campaign.now)
    bots.play(campaign.now)
    desk.set_stand_ins(campaign.game, False, campaign.ada, campaign.now)
    campaign.order("Germany", "PLACE 3 Austria", at=campaign.now + MINUTE)
    # A person's own lines are merged.
    campaign.order("Germany", "PLACE 4 Poland", at=campaign.now + 2 * MINUTE)
    assert in_force.texts_in_force(campaign.phase)["Germany"] == "PLACE 3 Austria\nPLACE 4 Poland"
    campaign.pass_deadline()
    campaign.pass_deadline()
    tree = export.record(campaign.game, private=True)
    sent = [row for phase in tree["phases"] for row in phase["submissions"]]
    rows = [row for row in sent if row["nation"] == "Germany"]
    assert [(row["channel"], row["text"] == record.CANCELLED, row["counts"]) for row in rows] == [
        ("program", False, True),
        ("program", True, False),
        ("web", False, True),
        ("web", False, True),
    ]
    assert [str(difference) for difference in verify.check(tree)] == []
    copied = export.record(archive.restore(copy.deepcopy(tree), campaign.ada), private=True)
    assert [str(difference) for difference in verify.check(copied)] == []
    for phase in tree["phases"]:
        rows = phase["submissions"]
        phase["submissions"] = [row for row in rows if row["text"] != record.CANCELLED]
    assert list(verify.check(tree))
