"""The gamesmaster places PFs that players left over (P5; ow2.unplaced = gm_places)."""

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
from games.rules.verification import verify
from games.turns import approvals as turns_approvals
from games.turns import judging, rulings
from tests.support import copied
from tests.support.campaign import Campaign, person
from tests.web.conftest import Browser, Watch, as_, watch

__all__ = ["as_", "watch"]
pytestmark = pytest.mark.django_db
PLACES = {"ow2.unplaced": "gm_places"}
WHY = "He added up wrongly, and said on the telephone where they were to go."


def waiting(**given: Any) -> Campaign:
    """Lock a phase in which Germany placed 6 of 10 PFs, France none, and others sent nothing."""
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
    tasks.do_all_due(campaign.now)
    return made


def first(campaign: Campaign) -> Phase:
    return campaign.game.phases.get(number=1)


def left(campaign: Campaign) -> dict[str, int]:
    phase = campaign.phase
    released = turns_approvals.is_released(phase)
    return turns_approvals.missing_placements(phase, judging.judge_now(phase), released)


def holds(campaign: Campaign) -> None:
    """Assert that both records verify, and that a copy of the whole one exports the same."""
    for private in (True, False):
        tree = json.loads(export.text(export.record(campaign.game, private=private)))
        assert [str(difference) for difference in verify.check(tree)] == []
    tree = json.loads(export.text(export.record(campaign.game, private=True)))
    assert copied.exported(tree, campaign.ada) == tree


def approvals(campaign: Campaign) -> list[Letter]:
    letters = campaign.letters("approval")
    for letter in letters:
        rendering.render(letter)
    return letters


def test_phase_with_unplaced_pfs_waits_without_limit_and_notifies_the_gamesmaster() -> None:
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


def test_result_is_published_once_rulings_have_placed_all_pfs() -> None:
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


def test_releasing_sends_unplaced_pfs_home() -> None:
    campaign = waiting()
    rulings.release(campaign.phase, campaign.ada, campaign.now)
    tasks.do_all_due(campaign.now)
    assert first(campaign).status == Phase.Status.RESOLVED
    assert campaign.board()["Germany"]["Germany"].pf == 4
    holds(campaign)


def test_approval_hours_start_once_all_pfs_are_placed() -> None:
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
    tasks.do_all_due(campaign.now)
    assert first(campaign).status == Phase.Status.RESOLVED
    holds(campaign)


def test_pause_and_revoked_rollback_do_not_publish_a_waiting_result() -> None:
    campaign = waiting()
    desk.pause(campaign.game, "Ada is away.", campaign.ada, campaign.now)
    campaign.game.refresh_from_db()
    desk.resume(campaign.game, "She is back.", campaign.ada, campaign.now + timedelta(days=2))
    campaign.wait_until(campaign.now + timedelta(days=2))
    assert (campaign.phase.status, campaign.phase.due_at) == (Phase.Status.APPROVAL, None)
    turned = rulings.rule(campaign.phase, "rollback", {}, WHY, campaign.ada, campaign.now)
    rulings.revoke(turned, "No.", campaign.ada, campaign.now)
    tasks.do_all_due(campaign.now)
    assert (first(campaign).status, first(campaign).due_at) == (Phase.Status.APPROVAL, None)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "PLACE 6 Poland"),
        ({**PLACES}, "PLACE 10 Poland"),
        ({**PLACES}, "PLACE 6 Poland\nPLACE 9 Austria"),
    ],
)
def test_phase_resolves_at_once_without_unplaced_pfs_or_without_the_option(
    options: dict[str, str], text: str
) -> None:
    """ow2.nmr_placement decides where a silent nation's PFs go, so they do not hold the phase."""
    campaign = Campaign.begin(options=options)
    campaign.order("Germany", text)
    assert campaign.pass_deadline().status == Phase.Status.RESOLVED


def test_ordered_placement_waits_only_for_the_placing_nation() -> None:
    campaign = Campaign.begin(options={**PLACES, "ow2.placement": "ordered"})
    campaign.order("USA", "PASS")
    campaign.wait_until(campaign.phase.deadline)
    assert list(left(campaign)) == ["USA"]


def test_gm_places_is_refused_with_face_down_pfs() -> None:
    """F9: only its owner may place PFs that lie face down."""
    with pytest.raises(desk.DeskError, match="the gamesmaster cannot place them"):
        Campaign.open(options={**PLACES, "ow2.hidden": "face_down"})


def test_desk_lists_unplaced_pfs_with_a_link_to_the_ruling(watch: Watch, as_: Browser) -> None:
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
    tasks.do_all_due(campaign.now)
    assert Phase.objects.get(game=game, number=1).status == Phase.Status.RESOLVED


def test_playing_gamesmaster_gets_order_lines_without_comments(watch: Watch, as_: Browser) -> None:
    """Design 4: order lines are public in the report anyway; comments are not."""
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
