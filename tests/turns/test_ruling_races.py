"""Several people and workers at the same moment (issue 5, must show; docs/design.md 4, 5).

One waits for the other or is refused with a sentence; nothing is lost or done twice."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections

from games import desk, positions
from games.evidence import export
from games.models import Act, Game, Letter, Phase, Resolution, Ruling, Sitting
from games.rules.verification import verify
from games.turns import process, queue, rulings
from orders import ledger
from orders.models import Submission
from tests.records import played
from tests.support.campaign import Campaign, person

pytestmark = pytest.mark.django_db(transaction=True)
SECOND = timedelta(seconds=1)
REFUSED = (rulings.RulingError, desk.DeskError)


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """Does all at the same moment. What each came to: its result, or its refusal."""
    gate = threading.Barrier(len(acts))
    came: list[Any] = [None] * len(acts)

    def work(place: int, act: Callable[[], Any]) -> None:
        try:
            gate.wait(30)
            came[place] = act()
        except Exception as error:
            came[place] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=entry) for entry in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    for one in came:
        if isinstance(one, Exception) and not isinstance(one, REFUSED):
            raise one
    return came


def refused(came: list[Any]) -> list[str]:
    return [str(one) for one in came if isinstance(one, REFUSED)]


def attacking() -> Campaign:
    """Germany 10 to 6 against France in Poland; the attack is sent, its deadline not yet come."""
    campaign = played.begin()
    campaign.attack_in_poland()
    return campaign


def judged() -> Campaign:
    campaign = attacking()
    campaign.pass_deadline()
    return campaign


def phase(campaign: Campaign, number: int) -> Phase:
    return campaign.game.phases.get(number=number)


def rule(campaign: Campaign, number: int, points: int, token: str | None = None) -> Ruling:
    what = {"nation": "USA", "points": points}
    return rulings.rule(
        phase(campaign, number),
        "points",
        what,
        "Fair play.",
        campaign.ada,
        campaign.now,
        token=token,
    )


def whole(campaign: Campaign) -> None:
    """The record follows; every number and every letter is there once."""
    game = Game.objects.get(pk=campaign.game.pk)
    assert verify.check(export.record(game, private=True)) == []
    assert list(game.rulings.order_by("number").values_list("number", flat=True)) == list(
        range(1, game.last_ruling + 1)
    )
    assert Letter.objects.count() == Letter.objects.values("key", "address").distinct().count()


def test_two_gamesmasters_rule_at_once_and_both_rulings_stand() -> None:
    campaign = judged()
    campaign.now += SECOND
    assert (
        refused(at_once(*(lambda points=points: rule(campaign, 2, points) for points in (1, 2, 4))))
        == []
    )
    assert [one.version for one in phase(campaign, 2).resolutions.order_by("version")] == [
        1,
        2,
        3,
        4,
    ]
    assert positions.position(campaign.game)["points"] == {"USA": 7}
    assert len(campaign.letters("ruled")) == 3 * 6
    whole(campaign)


def test_of_two_who_have_seen_the_same_effect_one_is_asked_to_look_again() -> None:
    campaign = judged()
    campaign.now += SECOND
    token = rulings.token_of(campaign.game)
    said = refused(at_once(*(lambda: rule(campaign, 2, 3, token) for _ in range(3))))
    assert len(said) == 2
    assert all("Please check it again" in one for one in said)
    assert positions.position(campaign.game)["points"] == {"USA": 3}
    assert len(campaign.letters("ruled")) == 6
    whole(campaign)


@pytest.mark.parametrize("what", ["lock", "publication"])
def test_a_ruling_while_a_worker_judges_counts_or_comes_after(what: str) -> None:
    """The points are in the result once, by its first version or by a second one."""
    campaign = attacking()
    campaign.now = campaign.phase.deadline
    if what == "publication":
        campaign.wait_until(campaign.now)
        campaign.now = phase(campaign, 2).due_at or campaign.now
    token, claimed = queue.claim(campaign.now, 10)

    def work() -> None:
        process.process([claimed[0]], token, campaign.now)

    came = at_once(work, lambda: rule(campaign, 2, 5))
    campaign.now += SECOND
    campaign.pass_deadline()
    if refused(came):
        assert what == "lock"
        assert "is open for orders" in refused(came)[0]
        assert not Ruling.objects.exists()
    else:
        newest = campaign.resolution(phase(campaign, 2))
        assert newest.after["points"] == {"USA": 5}
        assert newest.version == len(Resolution.objects.filter(phase=phase(campaign, 2)))
        assert newest.after_ruling == 1
    whole(campaign)


def test_a_ruling_while_players_send_orders_loses_none_of_them() -> None:
    campaign = judged()
    campaign.now += SECOND

    def order(nation: str) -> Callable[[], Submission]:
        seat, player = campaign.seat(nation), campaign.players[nation]
        return lambda: ledger.receive(
            seat, "PLACE 1 Austria", channel="web", person=player, now=campaign.now
        )

    what = {"cells": {"Austria": {"France": {"pf": 2}}}}
    place = lambda: rulings.rule(  # noqa: E731
        phase(campaign, 2), "position", what, "So it was.", campaign.ada, campaign.now
    )
    assert refused(at_once(order("Germany"), place, order("France"), order("Russia"))) == []
    assert campaign.phase.submissions.filter(counts=True).count() == 3
    campaign.pass_deadline()
    assert {nation: cell.pf for nation, cell in campaign.board()["Austria"].items()} == {
        "Germany": 1,
        "France": 3,
        "Russia": 1,
    }
    whole(campaign)


def test_a_ruling_is_revoked_once() -> None:
    campaign = judged()
    campaign.now += SECOND
    made = rule(campaign, 2, 5)
    campaign.now += SECOND
    came = at_once(
        *(
            lambda: rulings.revoke(made, "I was wrong.", campaign.ada, campaign.now)
            for _ in range(2)
        )
    )
    assert refused(came) == [
        "Ruling 1 has been revoked by ruling 2; to let it hold again, revoke that one."
    ]
    assert Ruling.objects.count() == 2
    whole(campaign)


def test_the_game_is_turned_back_once() -> None:
    campaign = judged()
    campaign.now += SECOND
    back = lambda: rulings.rule(  # noqa: E731
        phase(campaign, 2), "rollback", {}, "A wrong sheet.", campaign.ada, campaign.now
    )
    came = at_once(back, back)
    assert len(refused(came)) == 1
    assert "has been undone" in refused(came)[0]
    assert campaign.game.phases.filter(status=Phase.Status.OPEN).count() == 1
    whole(campaign)


def test_a_result_is_released_once() -> None:
    campaign = attacking()
    Game.objects.filter(pk=campaign.game.pk).update(approval_hours=5)
    campaign.game.refresh_from_db()
    campaign.wait_until(campaign.phase.deadline)
    while campaign.phase.status != Phase.Status.APPROVAL:
        campaign.wait_until(campaign.phase.due_at or campaign.now)
    waiting = campaign.phase
    came = at_once(
        *(
            lambda: rulings.release(Phase.objects.get(pk=waiting.pk), campaign.ada, campaign.now)
            for _ in range(2)
        )
    )
    assert len(refused(came)) == 1
    assert Act.objects.filter(kind="released").count() == 1
    campaign.wait_until(campaign.now)
    assert phase(campaign, 2).resolutions.count() == 1
    whole(campaign)


def test_a_pause_comes_before_the_lock_or_after_it() -> None:
    campaign = attacking()
    campaign.now = campaign.phase.deadline
    token, claimed = queue.claim(campaign.now, 10)
    game = Game.objects.get(pk=campaign.game.pk)
    came = at_once(
        lambda: process.process([claimed[0]], token, campaign.now),
        lambda: desk.pause(game, "Snow.", campaign.ada, campaign.now - SECOND),
    )
    assert refused(came) == []
    game.refresh_from_db()
    stands = phase(campaign, 2)
    assert game.status == Game.Status.PAUSED
    assert stands.status in (Phase.Status.OPEN, Phase.Status.DRAWING)
    assert (stands.locked_at is None) == (stands.status == Phase.Status.OPEN)
    campaign.now += SECOND
    desk.resume(game, "Thaw.", campaign.ada, campaign.now)
    assert campaign.pass_deadline().status == Phase.Status.RESOLVED
    whole(campaign)


def test_orders_are_closed_early_once() -> None:
    campaign = attacking()
    for nation in campaign.players:
        if nation != "Germany":
            campaign.order(nation, "PASS")
    campaign.now += SECOND
    close = lambda: desk.process_now(  # noqa: E731
        phase(campaign, 2), "All have sent.", campaign.ada, campaign.now
    )
    came = at_once(close, close)
    assert campaign.phase.deadline_changes.count() == 2 - len(refused(came))
    assert campaign.pass_deadline().status == Phase.Status.RESOLVED
    whole(campaign)


def test_a_seat_is_taken_by_one() -> None:
    campaign = judged()
    seat = campaign.seat("Germany")
    invitation = desk.replace(seat, "dana@example.org", "He has moved.", campaign.ada, campaign.now)
    dana, charlie = person("dana"), person("charlie")
    came = at_once(
        lambda: desk.accept(type(invitation).objects.get(pk=invitation.pk), dana, campaign.now),
        lambda: desk.accept(type(invitation).objects.get(pk=invitation.pk), charlie, campaign.now),
    )
    assert len(refused(came)) == 1
    assert Sitting.objects.filter(seat=seat, until=None).count() == 1
    whole(campaign)
