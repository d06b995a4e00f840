"""Check that a nation that can order nothing is not waited for (issue 41, 15; rules 0.2)."""

from __future__ import annotations

import copy
from datetime import timedelta
from typing import Any

import pytest

from games import desk, positions
from games.evidence import export
from games.letters import rendering
from games.positions import owed
from games.rules.verification import verify
from games.turns import reminders
from orders.models import Submission
from tests.support.campaign import MONDAY, NATIONS, Campaign, person

pytestmark = pytest.mark.django_db


def begin(**given: Any) -> Campaign:
    """Begin a game in which the USA gets no PFs and has no objectives."""
    campaign = Campaign.open(MONDAY, **given)
    card = copy.deepcopy(campaign.game.card)
    card["allocation"]["USA"] = [0] * card["turns"]
    card["objectives"].pop("USA", None)
    campaign.game.card = card
    campaign.game.save(update_fields=["card"])
    desk.start(campaign.game, campaign.now)
    campaign.game.refresh_from_db()
    return campaign


def order_for(campaign: Campaign, *nations: str, final: bool = False) -> None:
    for nation in nations:
        campaign.order(nation, "PASS", final=final)


def test_nation_that_can_order_nothing_never_misses_a_phase() -> None:
    """It is neither reminded nor named as silent, and no seat is reported vacant for it."""
    campaign = begin()
    phase = campaign.phase
    assert phase.remind_at is not None
    campaign.wait_until(phase.remind_at)
    assert "una@example.org" not in {letter.address for letter in campaign.letters("reminder")}
    assert len({letter.address for letter in campaign.letters("reminder")}) == len(NATIONS) - 1
    for _ in range(2):  # a placement and attacks
        missed = campaign.pass_deadline().missed
        assert sorted(missed) == sorted(set(NATIONS) - {"USA"})
    assert "USA" not in [seat.nation for seat, _ in desk.vacant_seats(campaign.game)]
    assert "Britain" in [seat.nation for seat, _ in desk.vacant_seats(campaign.game)]
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_checker_refutes_a_miss_of_a_nation_that_could_order_nothing() -> None:
    campaign = begin()
    campaign.pass_deadline()
    tree = export.record(campaign.game, private=True)
    tree["phases"][0]["missed"].append("USA")
    wrong = [str(difference) for difference in verify.check(tree)]
    assert any("the list of those who sent nothing" in sentence for sentence in wrong)


def test_early_lock_does_not_wait_for_a_nation_that_can_order_nothing() -> None:
    campaign = begin(may_lock_early=True)
    order_for(campaign, *NATIONS[1:-1], final=True)
    campaign.wait_until(campaign.now)
    assert campaign.phase.number == 1  # the last nation could order, and has not
    order_for(campaign, NATIONS[-1], final=True)
    campaign.wait_until(campaign.now)
    assert campaign.phase.number == 2


def test_orders_that_nobody_waits_for_need_not_be_final_for_an_early_lock() -> None:
    """Those of a nation that can order nothing, and of one whose player has left (promise 5)."""
    campaign = begin(may_lock_early=True)
    order_for(campaign, "USA", "Britain")
    player = campaign.players["Britain"]
    desk.vacate(campaign.seat("Britain"), player, "Ill", campaign.ada, campaign.now)
    order_for(campaign, "France", "Russia", "Germany", final=True)
    campaign.wait_until(campaign.now)
    assert campaign.phase.number == 2
    tree = export.record(campaign.game, private=True)
    assert verify.check(tree) == []
    sent = tree["phases"][0]["submissions"]
    for forged in ([*sent[:-1], {**sent[-1], "final": False}], sent[:-1]):
        tree["phases"][0]["submissions"] = forged
        assert any("the lock is recorded" in str(difference) for difference in verify.check(tree))


def test_phase_does_not_end_early_without_a_player_who_has_just_sat_down() -> None:
    """No phase ends early while a player who could order has sent nothing (docs/design.md 5)."""
    campaign = begin(may_lock_early=True)
    player = campaign.players["Britain"]
    desk.vacate(campaign.seat("Britain"), player, "Ill", campaign.ada, campaign.now)
    dana = person("dana")
    invitation = desk.invite(campaign.seat("Britain"), dana.email, campaign.ada, campaign.now)
    order_for(campaign, "France", "Russia", "Germany", final=True)
    assert campaign.phase.due_at == campaign.now
    desk.accept(invitation, dana, campaign.now)
    campaign.wait_until(campaign.now)
    assert campaign.phase.number == 1
    campaign.order("Britain", "PASS", final=True)
    campaign.wait_until(campaign.now)
    assert campaign.phase.number == 2
    assert verify.check(export.record(campaign.game, private=True)) == []


@pytest.mark.parametrize(
    ("may_lock_early", "lasts"), [(True, timedelta(minutes=1)), (False, timedelta(hours=1))]
)
def test_phase_in_which_nobody_can_order_ends_at_once_where_phases_end_early(
    may_lock_early: bool, lasts: timedelta
) -> None:
    """Nobody's orders could be final: a table with deadlines of minutes sat each such phase out."""
    campaign = begin(may_lock_early=may_lock_early, options={"ow2.attacks": "sequential"})
    campaign.pass_deadline()
    phase = campaign.phase
    assert phase.kind == "attacks-usa"
    assert owed.asked_nations(campaign.game, positions.state_of(phase)) == ()
    assert phase.deadline - phase.opened_at == lasts
    campaign.pass_deadline()
    assert campaign.phase.kind == "attacks-france"
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_orders_of_a_nation_that_can_order_nothing_are_recorded() -> None:
    campaign = begin()
    sent = campaign.order("USA", "PASS")
    assert sent.counts
    phase = campaign.pass_deadline()
    assert "USA" in phase.leaves
    assert Submission.objects.filter(phase=phase, seat__nation="USA").count() == 1
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_list_of_owing_nations_leaves_out_the_nation_that_can_order_nothing() -> None:
    campaign = begin()
    others = list(NATIONS[1:])
    assert [one.seat.nation for one in reminders.seats_to_remind(campaign.phase)] == others
    assert desk.owing_nations([campaign.phase]) == {campaign.phase.pk: others}
    assert owed.nations_owed_by(campaign.players["USA"], campaign.phase) == []
    assert owed.nations_owed_by(campaign.players["France"], campaign.phase) == ["France"]


@pytest.mark.letters
def test_letters_ask_a_nation_for_orders_only_where_it_could_order() -> None:
    campaign = begin()
    (own,), (other,) = campaign.letters("opened", "una"), campaign.letters("opened", "felix")
    told = " ".join(rendering.render(own).text.split())
    assert "Only France, Britain, Russia and Germany can order anything in this phase." in told
    assert "Reply with one order per line" not in told
    assert "PLACE" in rendering.render(other).text
    campaign.attack_in_poland()
    campaign.wait_until(campaign.phase.deadline)
    locked = " ".join(rendering.render(campaign.letters("locked", "gustav")[-1]).text.split())
    assert "France, Britain and Russia sent no orders" in locked
