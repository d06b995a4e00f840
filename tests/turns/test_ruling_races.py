"""Several people and workers at the same moment (issue 5, must show; docs/design.md 4, 5).

Each one waits or is refused with a sentence; nothing is lost or done twice.
"""

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
from games.turns import process, queue, ruling_tokens, rulings
from orders.intake import ledger
from orders.models import Submission
from tests.records import played
from tests.support.campaign import Campaign, person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]
SECOND = timedelta(seconds=1)
REFUSED = (rulings.RulingError, desk.DeskError)


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """Run all acts at the same moment. Return each one's result or refusal."""
    gate = threading.Barrier(len(acts))
    outcomes: list[Any] = [None] * len(acts)

    def work(place: int, act: Callable[[], Any]) -> None:
        try:
            gate.wait(30)
            outcomes[place] = act()
        except Exception as error:
            outcomes[place] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=entry) for entry in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    for outcome in outcomes:
        if isinstance(outcome, Exception) and not isinstance(outcome, REFUSED):
            raise outcome
    return outcomes


def refused(came: list[Any]) -> list[str]:
    return [str(outcome) for outcome in came if isinstance(outcome, REFUSED)]


def attacking() -> Campaign:
    """Begin a game in which Germany attacks France in Poland, 10 to 6, before the deadline."""
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
    """Assert that the record verifies, and that numbers and letters are there once each."""
    game = Game.objects.get(pk=campaign.game.pk)
    assert verify.check(export.record(game, private=True)) == []
    assert list(game.rulings.order_by("number").values_list("number", flat=True)) == list(
        range(1, game.last_ruling + 1)
    )
    assert Letter.objects.count() == Letter.objects.values("key", "address").distinct().count()


def test_simultaneous_rulings_all_take_effect() -> None:
    campaign = judged()
    campaign.now += SECOND
    assert (
        refused(at_once(*(lambda points=points: rule(campaign, 2, points) for points in (1, 2, 4))))
        == []
    )
    assert [version.version for version in phase(campaign, 2).resolutions.order_by("version")] == [
        1,
        2,
        3,
        4,
    ]
    assert positions.position(campaign.game)["points"] == {"USA": 7}
    assert len(campaign.letters("ruled")) == 3 * 6
    whole(campaign)


def test_second_of_two_concurrent_rulings_is_asked_to_check_again() -> None:
    campaign = judged()
    campaign.now += SECOND
    token = ruling_tokens.token_of(campaign.game)
    refusals = refused(at_once(*(lambda: rule(campaign, 2, 3, token) for _ in range(3))))
    assert len(refusals) == 2
    assert all("Please check it again" in refusal for refusal in refusals)
    assert positions.position(campaign.game)["points"] == {"USA": 3}
    assert len(campaign.letters("ruled")) == 6
    whole(campaign)


@pytest.mark.parametrize("what", ["lock", "publication"])
def test_ruling_during_judgment_is_in_the_result_once(what: str) -> None:
    """The points are in the result once, in its first version or in a second one."""
    campaign = attacking()
    campaign.now = campaign.phase.deadline
    if what == "publication":
        campaign.wait_until(campaign.now)
        campaign.now = phase(campaign, 2).due_at or campaign.now
    token, claimed = queue.claim(campaign.now, 10)

    def work() -> None:
        process.process([claimed[0]], token, campaign.now)

    outcomes = at_once(work, lambda: rule(campaign, 2, 5))
    campaign.now += SECOND
    campaign.pass_deadline()
    if refused(outcomes):
        assert what == "lock"
        assert "is open for orders" in refused(outcomes)[0]
        assert not Ruling.objects.exists()
    else:
        newest = campaign.resolution(phase(campaign, 2))
        assert newest.after["points"] == {"USA": 5}
        assert newest.version == len(Resolution.objects.filter(phase=phase(campaign, 2)))
        assert newest.after_ruling == 1
    whole(campaign)


def test_ruling_during_submissions_loses_no_orders() -> None:
    campaign = judged()
    campaign.now += SECOND

    def order(nation: str) -> Callable[[], Submission]:
        seat, player = campaign.seat(nation), campaign.players[nation]
        return lambda: ledger.receive(
            seat, "PLACE 1 Austria", ledger.Arrival("web", player, campaign.now)
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


def test_simultaneous_revocations_revoke_once() -> None:
    campaign = judged()
    campaign.now += SECOND
    ruling = rule(campaign, 2, 5)
    campaign.now += SECOND
    outcomes = at_once(
        *(
            lambda: rulings.revoke(ruling, "I was wrong.", campaign.ada, campaign.now)
            for _ in range(2)
        )
    )
    assert refused(outcomes) == [
        "Ruling 1 was revoked by ruling 2. To restore it, revoke that one."
    ]
    assert Ruling.objects.count() == 2
    whole(campaign)


def test_simultaneous_rollbacks_roll_back_once() -> None:
    campaign = judged()
    campaign.now += SECOND
    back = lambda: rulings.rule(  # noqa: E731
        phase(campaign, 2), "rollback", {}, "A wrong sheet.", campaign.ada, campaign.now
    )
    outcomes = at_once(back, back)
    assert len(refused(outcomes)) == 1
    assert "was undone" in refused(outcomes)[0]
    assert campaign.game.phases.filter(status=Phase.Status.OPEN).count() == 1
    whole(campaign)


def test_simultaneous_releases_publish_once() -> None:
    campaign = attacking()
    Game.objects.filter(pk=campaign.game.pk).update(approval_hours=5)
    campaign.game.refresh_from_db()
    campaign.wait_until(campaign.phase.deadline)
    while campaign.phase.status != Phase.Status.APPROVAL:
        campaign.wait_until(campaign.phase.due_at or campaign.now)
    waiting = campaign.phase
    outcomes = at_once(
        *(
            lambda: rulings.release(Phase.objects.get(pk=waiting.pk), campaign.ada, campaign.now)
            for _ in range(2)
        )
    )
    assert len(refused(outcomes)) == 1
    assert Act.objects.filter(kind="released").count() == 1
    campaign.wait_until(campaign.now)
    assert phase(campaign, 2).resolutions.count() == 1
    whole(campaign)


def test_pause_during_the_lock_comes_before_or_after_it() -> None:
    campaign = attacking()
    campaign.now = campaign.phase.deadline
    token, claimed = queue.claim(campaign.now, 10)
    game = Game.objects.get(pk=campaign.game.pk)
    outcomes = at_once(
        lambda: process.process([claimed[0]], token, campaign.now),
        lambda: desk.pause(game, "Snow.", campaign.ada, campaign.now - SECOND),
    )
    assert refused(outcomes) == []
    game.refresh_from_db()
    attacks = phase(campaign, 2)
    assert game.status == Game.Status.PAUSED
    assert attacks.status in (Phase.Status.OPEN, Phase.Status.DRAWING)
    assert (attacks.locked_at is None) == (attacks.status == Phase.Status.OPEN)
    campaign.now += SECOND
    desk.resume(game, "Thaw.", campaign.ada, campaign.now)
    assert campaign.pass_deadline().status == Phase.Status.RESOLVED
    whole(campaign)


def test_simultaneous_early_closes_close_once() -> None:
    campaign = attacking()
    for nation in campaign.players:
        if nation != "Germany":
            campaign.order(nation, "PASS")
    campaign.now += SECOND
    close = lambda: desk.process_now(  # noqa: E731
        phase(campaign, 2), "All have sent.", campaign.ada, campaign.now
    )
    outcomes = at_once(close, close)
    assert campaign.phase.deadline_changes.count() == 2 - len(refused(outcomes))
    assert campaign.pass_deadline().status == Phase.Status.RESOLVED
    whole(campaign)


def test_simultaneous_acceptances_fill_a_seat_once() -> None:
    campaign = judged()
    seat = campaign.seat("Germany")
    invitation = desk.replace(seat, "dana@example.org", "He has moved.", campaign.ada, campaign.now)
    dana, charlie = person("dana"), person("charlie")
    outcomes = at_once(
        lambda: desk.accept(type(invitation).objects.get(pk=invitation.pk), dana, campaign.now),
        lambda: desk.accept(type(invitation).objects.get(pk=invitation.pk), charlie, campaign.now),
    )
    assert len(refused(outcomes)) == 1
    assert Sitting.objects.filter(seat=seat, until=None).count() == 1
    whole(campaign)


@pytest.mark.parametrize("number", [1, 2])
def test_result_is_not_older_than_a_ruling_made_while_a_worker_fetched_figures(number: int) -> None:
    """The worker read the clock before: promise 5, the record verifies."""
    campaign = attacking()
    phase = campaign.phase
    campaign.wait_until(phase.deadline)
    phase.refresh_from_db()
    assert phase.due_at is not None
    ruled = phase.due_at + 20 * SECOND
    what = {"nation": "Germany", "points": 4}
    earlier = campaign.game.phases.get(number=number)
    rulings.rule(earlier, "points", what, "The newspaper.", campaign.ada, ruled)
    campaign.wait_until(phase.due_at)
    assert campaign.resolution(phase).resolved_at == ruled
    assert campaign.phase.opened_at == ruled
    campaign.game.refresh_from_db()
    assert verify.check(export.record(campaign.game, private=True)) == []
