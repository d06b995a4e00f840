"""PFs left unplaced are placed by the gamesmaster (P5; ow2.unplaced = gm_places)."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse

from games import desk, tasks
from games.evidence import export
from games.letters import builders, rendering
from games.models import Game, Letter, Phase, Resolution, Ruling
from games.records import archive
from games.rules.verification import verify
from games.turns import approvals as turns_approvals
from games.turns import judging, rulings
from tests.support.campaign import Campaign, person
from tests.web.conftest import Browser, Watch, as_, watch

__all__ = ["as_", "watch"]
pytestmark = pytest.mark.django_db
PLACES = {"ow2.unplaced": "gm_places"}
WHY = "He added up wrongly, and said on the telephone where they were to go."


def waiting(**given: Any) -> Campaign:
    """Germany has placed 6 of 10 and France none of its PFs; everybody else is silent."""
    campaign = Campaign.begin(options={**PLACES, **given.pop("options", {})}, **given)
    campaign.order("Germany", "PLACE 6 Poland # for Rosa's sake")
    campaign.order("France", "PASS")
    campaign.wait_until(campaign.phase.deadline)
    return campaign


def place(campaign: Campaign, nation: str, text: str) -> Ruling:
    campaign.now += timedelta(seconds=1)
    made = rulings.rule(
        campaign.phase, "orders", {"nation": nation, "text": text}, WHY, campaign.ada, campaign.now
    )
    tasks.all_due(campaign.now)
    return made


def first(campaign: Campaign) -> Phase:
    return campaign.game.phases.get(number=1)


def left(campaign: Campaign) -> dict[str, int]:
    phase = campaign.phase
    released = turns_approvals.is_released(phase)
    return turns_approvals.missing_placements(phase, judging.judge_now(phase), released)


def holds(campaign: Campaign) -> None:
    """Both records follow, and the whole one can be copied and tells the same again."""
    for private in (True, False):
        tree = json.loads(export.text(export.record(campaign.game, private=private)))
        assert [str(one) for one in verify.check(tree)] == []
    tree = json.loads(export.text(export.record(campaign.game, private=True)))
    copied = archive.restore(tree, campaign.ada)
    again = json.loads(export.text(export.record(copied, private=True)))
    assert {**again, "id": tree["id"], "status": tree["status"]} == tree


def approvals(campaign: Campaign) -> list[Letter]:
    found = campaign.letters("approval")
    for letter in found:
        rendering.render(letter)
    return found


def test_the_phase_waits_with_no_hour_at_which_it_goes_out_and_the_gamesmaster_is_told() -> None:
    campaign = waiting()
    assert (campaign.phase.status, campaign.phase.due_at) == (Phase.Status.APPROVAL, None)
    assert left(campaign) == {"France": 6, "Germany": 4}
    (letter,) = approvals(campaign)
    assert letter.person == campaign.ada
    assert builders.build(letter)["left"] == ["France: 6 PFs", "Germany: 4 PFs"]
    campaign.wait_until(campaign.now + timedelta(days=30))
    assert campaign.phase.status == Phase.Status.APPROVAL
    assert not Resolution.objects.exists()
    assert len(approvals(campaign)) == 1


def test_once_all_is_placed_by_rulings_the_result_goes_out_at_once_and_can_be_proved() -> None:
    campaign = waiting()
    place(campaign, "Germany", "PLACE 6 Poland\nPLACE 4 Austria")
    assert (first(campaign).status, first(campaign).due_at) == (Phase.Status.APPROVAL, None)
    assert left(campaign) == {"France": 6}
    made = place(campaign, "France", "PLACE 6 Rhineland")
    assert first(campaign).status == Phase.Status.RESOLVED
    assert campaign.phase.number == 2
    board = campaign.board()
    assert (board["Austria"]["Germany"].pf, board["Rhineland"]["France"].pf) == (4, 6)
    result = campaign.resolution(first(campaign))
    assert (result.version, result.after_ruling) == (1, made.number)
    assert WHY in " ".join(event["message"] for event in result.events)
    holds(campaign)


def test_a_gamesmaster_lets_it_go_as_it_is_and_the_rest_goes_home() -> None:
    campaign = waiting()
    rulings.release(campaign.phase, campaign.ada, campaign.now)
    tasks.all_due(campaign.now)
    assert first(campaign).status == Phase.Status.RESOLVED
    assert campaign.board()["Germany"]["Germany"].pf == 4
    holds(campaign)


def test_where_results_wait_for_approval_the_hours_begin_when_all_is_placed() -> None:
    campaign = Campaign.begin(options=PLACES, approval_hours=12)
    campaign.order("Germany", "PLACE 6 Poland")
    campaign.wait_until(campaign.phase.deadline)
    assert campaign.phase.due_at is None
    made = place(campaign, "Germany", "PLACE 10 Poland")
    assert first(campaign).due_at == campaign.now + timedelta(hours=12)
    assert [bool(builders.build(letter)["left"]) for letter in approvals(campaign)] == [True, False]
    rulings.revoke(made, "He changed his mind.", campaign.ada, campaign.now)
    campaign.wait_until(campaign.now + timedelta(hours=12))
    assert (first(campaign).status, first(campaign).due_at) == (Phase.Status.APPROVAL, None)
    rulings.release(campaign.phase, campaign.ada, campaign.now)
    tasks.all_due(campaign.now)
    assert first(campaign).status == Phase.Status.RESOLVED
    holds(campaign)


def test_a_pause_and_a_rollback_do_not_send_it_out() -> None:
    campaign = waiting()
    desk.pause(campaign.game, "Ada is away.", campaign.ada, campaign.now)
    campaign.game.refresh_from_db()
    desk.resume(campaign.game, "She is back.", campaign.ada, campaign.now + timedelta(days=2))
    campaign.wait_until(campaign.now + timedelta(days=2))
    assert (campaign.phase.status, campaign.phase.due_at) == (Phase.Status.APPROVAL, None)
    turned = rulings.rule(campaign.phase, "rollback", {}, WHY, campaign.ada, campaign.now)
    rulings.revoke(turned, "No.", campaign.ada, campaign.now)
    tasks.all_due(campaign.now)
    assert (first(campaign).status, first(campaign).due_at) == (Phase.Status.APPROVAL, None)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "PLACE 6 Poland"),
        ({**PLACES}, "PLACE 10 Poland"),
        ({**PLACES}, "PLACE 6 Poland\nPLACE 9 Austria"),
    ],
)
def test_where_nothing_is_left_or_the_game_has_it_otherwise_nothing_waits(
    options: dict[str, str], text: str
) -> None:
    """A silent nation's PFs are not waited for: ow2.nmr_placement says what becomes of them."""
    campaign = Campaign.begin(options=options)
    campaign.order("Germany", text)
    assert campaign.pass_deadline().status == Phase.Status.RESOLVED


def test_nation_by_nation_only_the_one_whose_placement_it_is() -> None:
    campaign = Campaign.begin(options={**PLACES, "ow2.placement": "ordered"})
    campaign.order("USA", "PASS")
    campaign.wait_until(campaign.phase.deadline)
    assert list(left(campaign)) == ["USA"]


def test_face_down_it_cannot_be_chosen() -> None:
    """F9: what lies face down nobody but its owner may place."""
    with pytest.raises(desk.DeskError, match="the gamesmaster cannot place them"):
        Campaign.open(options={**PLACES, "ow2.hidden": "face_down"})


def test_the_desk_says_whose_pfs_wait_and_leads_to_the_ruling(watch: Watch, as_: Browser) -> None:
    campaign = waiting()
    watch.set(campaign.now)
    game, ada = campaign.game, as_("ada")
    page = ada.get(reverse("desk-approval", args=[game.pk])).content.decode()
    assert "has 4 PFs left" in page
    assert "waits until you publish it" in page
    make = reverse("desk-ruling-new", args=[game.pk, 1, "orders"])
    assert f"{make}?nation=Germany" in page
    assert "until you have placed" in ada.get(reverse("desks")).content.decode()
    assert "once you have placed" in ada.get(reverse("desk", args=[game.pk])).content.decode()
    form = ada.get(f"{make}?nation=Germany").content.decode()
    assert "PLACE 6 Poland" in form
    assert as_("gustav").get(reverse("desk-approval", args=[game.pk])).status_code == 403
    assert as_("felix").get(game.get_absolute_url()).status_code == 200
    ada.post(reverse("desk-release", args=[game.pk, 1]))
    tasks.all_due(campaign.now)
    assert Phase.objects.get(game=game, number=1).status == Phase.Status.RESOLVED


def test_a_gamesmaster_who_plays_gets_the_lines_and_not_the_comments(
    watch: Watch, as_: Browser
) -> None:
    """Design 4: what the lines come to is in the report; what else was written is not."""
    campaign = waiting()
    watch.set(campaign.now)
    Game.objects.get(pk=campaign.game.pk).gamesmasters.add(person("felix"))
    form = (
        as_("felix")
        .get(reverse("desk-ruling-new", args=[campaign.game.pk, 1, "orders"]) + "?nation=Germany")
        .content.decode()
    )
    assert "PLACE 6 Poland" in form
    assert "Rosa" not in form
