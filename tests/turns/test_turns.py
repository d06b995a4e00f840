"""Phases from open to published (docs/design.md 4 and 5)."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections

from games import desk, market, positions, tasks
from games.models import Draw, Figure, Game, Letter, Phase, Reading, Resolution
from games.rules import RulesError
from games.turns import process, queue, rulings
from tests.support.campaign import MONDAY, NATIONS, Campaign

pytestmark = [pytest.mark.django_db, pytest.mark.quick]

HOUR = timedelta(hours=1)


@pytest.mark.both_databases
def test_deadline_locks_and_publishes_placements() -> None:
    """Rules C.1 step 1: placements are published together; PFs of silent nations go home (P9)."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 10 Poland")
    phase = campaign.pass_deadline()
    assert phase.status == Phase.Status.RESOLVED
    board = campaign.board()
    assert board["Poland"]["Germany"].pf == 10
    assert board["France"]["France"].pf == 6
    assert (campaign.phase.turn, campaign.phase.kind, campaign.phase.status) == (
        1,
        "attacks",
        "open",
    )


def test_nothing_happens_before_the_deadline() -> None:
    """Promise 2: a deadline is enforced at the announced instant."""
    campaign = Campaign.begin()
    campaign.wait_until(campaign.phase.deadline - timedelta(seconds=1))
    assert campaign.phase.status == Phase.Status.OPEN
    campaign.wait_until(campaign.phase.deadline)
    assert campaign.phase.number == 2


def test_attack_waits_for_its_session_and_draws_one_digit() -> None:
    """Promise 3: the session opens after the lock; the digit is the last of the hundreds."""
    campaign = Campaign.begin()
    campaign.attack_in_poland()
    phase = campaign.phase
    campaign.wait_until(phase.deadline)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.DRAWING
    assert phase.session_opens is not None
    assert phase.locked_at is not None
    assert phase.session_opens > phase.locked_at
    assert phase.stocks == ["GE"]
    campaign.pass_deadline()
    (event,) = [event for event in campaign.resolution(phase).events if event["kind"] == "attack"]
    draw = Draw.objects.get(phase=phase)
    assert draw.figure.volume is not None
    assert draw.digit == event["digit"] == draw.figure.volume // 100 % 10
    assert event["volume"] == draw.figure.volume


def test_phase_with_only_void_attacks_does_not_wait_for_the_market() -> None:
    """rules D2 and contract 4.1: a void attack draws nothing."""
    campaign = Campaign.begin()
    campaign.place_in_poland()
    campaign.order("France", "ATTACK Poland: Germany STOCK GE")
    phase = campaign.phase
    campaign.wait_until(phase.deadline)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED
    assert campaign.resolution(phase).events[0]["reason"] == "below_1_1"
    assert not Figure.objects.filter(phase=phase).exists()


@pytest.mark.both_databases
def test_a_repeated_task_changes_nothing() -> None:
    """Promise 2: a task that is delivered twice is done once."""
    campaign = Campaign.begin()
    campaign.attack_in_poland()
    first = campaign.phase
    token, claimed = queue.claim(first.deadline, 10)
    assert claimed == [first.pk]
    for _ in range(5):
        process.process([first.pk], token, first.deadline)
    first.refresh_from_db()
    assert first.status == Phase.Status.DRAWING
    assert first.due_at is not None
    later = first.due_at + timedelta(seconds=1)
    token, claimed = queue.claim(later, 10)
    for _ in range(5):
        process.process([first.pk], token, later)
    assert Resolution.objects.filter(phase=first).count() == 1
    assert Draw.objects.filter(phase=first).count() == 1
    assert campaign.game.phases.count() == 3
    keys = [letter.key for letter in Letter.objects.all()]
    assert len(keys) == len(set(keys))


@pytest.mark.both_databases
def test_claimed_phase_is_free_again_after_its_lease(settings) -> None:  # type: ignore[no-untyped-def]
    """design 5: one conditional update; another worker takes over a dead worker's phase."""
    campaign = Campaign.begin()
    now = campaign.phase.deadline
    token, claimed = queue.claim(now, 10)
    assert claimed == [campaign.phase.pk]
    assert queue.claim(now + timedelta(seconds=settings.LEASE_SECONDS - 1), 10) == ("", [])
    second, claimed = queue.claim(now + timedelta(seconds=settings.LEASE_SECONDS), 10)
    assert claimed == [campaign.phase.pk]
    process.process([campaign.phase.pk], token, now)  # the first worker was only slow
    assert campaign.phase.status == Phase.Status.OPEN
    process.process([campaign.phase.pk], second, now)
    assert campaign.phase.number == 2


@pytest.mark.both_databases
def test_worker_that_lost_its_lease_writes_nothing(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """design 5: the transaction that writes checks the lease again."""
    campaign = Campaign.begin()
    campaign.attack_in_poland()
    phase = campaign.phase
    campaign.wait_until(phase.deadline)
    phase.refresh_from_db()
    assert phase.due_at is not None
    later = phase.due_at + timedelta(seconds=1)
    token, _ = queue.claim(later, 10)
    observe = market.observe_all

    def slow(*args, **kwargs):  # type: ignore[no-untyped-def]
        Phase.objects.filter(pk=phase.pk).update(claim="another person")
        return observe(*args, **kwargs)

    monkeypatch.setattr(market, "observe_all", slow)
    process.process([phase.pk], token, later)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.DRAWING
    assert not Resolution.objects.filter(phase=phase).exists()


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_two_workers_resolve_each_phase_once() -> None:
    """Promise 2, with two threads that claim and advance side by side."""
    campaigns = [Campaign.begin(title=f"Game {number}") for number in range(20)]
    deadline = campaigns[0].phase.deadline
    barrier = threading.Barrier(2)
    taken: list[int] = []
    faults: list[Exception] = []

    def work() -> None:
        try:
            barrier.wait()
            while True:
                token, claimed = queue.claim(deadline, 3)
                if not claimed:
                    return
                for pk in claimed:
                    taken.append(pk)
                    process.process([pk], token, deadline)
        except Exception as fault:
            faults.append(fault)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert sorted(taken) == sorted(set(taken))
    assert Resolution.objects.count() == 20
    assert all(campaign.phase.number == 2 for campaign in campaigns)
    assert Letter.objects.filter(kind="board").count() == 20 * 6


@pytest.mark.both_databases
def test_failing_phase_is_retried_then_held_and_reported(  # type: ignore[no-untyped-def]
    monkeypatch, settings
) -> None:
    """design 5: released with a growing delay, then held; no game stops another."""
    bad, good = Campaign.begin(title="Bad"), Campaign.begin(title="Good")
    real = positions.start_position

    def broken(game: Game) -> dict[str, Any]:
        if game.pk == bad.game.pk:
            raise OSError("the disk is full")
        return real(game)

    monkeypatch.setattr(positions, "start_position", broken)
    bad.wait_until(bad.phase.deadline)
    assert good.phase.number == 2
    for _ in range(settings.PHASE_TRIES - 1):
        assert bad.phase.status == Phase.Status.OPEN
        assert "the disk is full" in bad.phase.fault
        assert bad.phase.due_at is not None
        assert bad.phase.due_at > bad.now
        bad.wait_until(bad.phase.due_at)
    assert bad.phase.status == Phase.Status.HELD
    assert len(bad.letters("held", "ada")) == 1
    monkeypatch.setattr(positions, "start_position", real)
    desk.lift_hold(bad.phase, bad.ada, bad.now)
    bad.wait_until(bad.now)
    assert bad.phase.number == 2


def test_phase_the_rules_cannot_decide_is_held_at_once(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """design 3: the rules raise an error, and the phase waits for the gamesmaster."""
    campaign = Campaign.begin()

    def undecided(*args, **kwargs):  # type: ignore[no-untyped-def]
        raise RulesError("two rulings contradict each other")

    monkeypatch.setattr(type(campaign.game.rules), "resolve", undecided)
    campaign.wait_until(campaign.phase.deadline)
    assert campaign.phase.status == Phase.Status.HELD
    assert "contradict" in campaign.phase.fault


def test_phase_without_a_usable_figure_is_held() -> None:
    """contract 4.1 step 6."""
    unknown = [
        f"ZZ{letter}" for letter in "ABCDEFGHIJKLMNOPQRST"
    ]  # the DEMO exchange has no report of symbols with ZZ
    campaign = Campaign.begin(reserves=unknown)
    campaign.attack_in_poland("ATTACK Poland: France STOCK ZZTOP")
    phase = campaign.phase
    campaign.wait_until(phase.deadline)
    for _ in range(400):
        phase.refresh_from_db()
        if phase.status == Phase.Status.HELD:
            break
        assert phase.due_at is not None
        campaign.wait_until(phase.due_at)
    assert phase.status == Phase.Status.HELD
    assert "No usable sales figure" in phase.fault
    assert not Resolution.objects.filter(phase=phase).exists()


def test_typed_figure_decides_without_market_reading() -> None:
    """Rules 0.1: a figure from the gamesmaster's newspaper is stored with their name."""
    campaign = Campaign.begin(market="newspaper")
    campaign.attack_in_poland()
    phase = campaign.phase
    campaign.wait_until(phase.deadline)
    phase.refresh_from_db()
    assert phase.first_reading_at is not None
    campaign.wait_until(phase.first_reading_at + 3 * HOUR)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.DRAWING
    desk.enter_figure(phase, "GE", 5_412_345, campaign.ada, campaign.now)
    campaign.wait_until(campaign.now)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED
    assert Draw.objects.get(phase=phase).digit == 3
    assert Reading.objects.get(symbol="GE", volume=5_412_345).entered_by == campaign.ada


def test_phase_locks_early_when_all_orders_are_final() -> None:
    """design 5: a new submission without FINAL cancels the early lock."""
    campaign = Campaign.begin(may_lock_early=True)
    for nation in NATIONS:
        campaign.order(nation, "PASS", final=True)
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.wait_until(campaign.now)
    assert campaign.phase.number == 1
    campaign.order("Germany", "PLACE 10 Poland", final=True)
    campaign.wait_until(campaign.now)
    assert campaign.phase.number == 2


def test_deadline_of_a_rollback_is_kept_where_nobody_can_order() -> None:
    """The page says that the schedule decides if no deadline is written; one that was written
    became a minute, as without one."""
    campaign = Campaign.begin(may_lock_early=True, options={"ow2.attacks": "sequential"})
    campaign.pass_deadline()
    attacks = campaign.pass_deadline()
    assert attacks.deadline == attacks.opened_at + timedelta(minutes=1)
    lesson, ada = campaign.now + 48 * HOUR, campaign.ada
    rulings.rule(attacks, "rollback", {}, "Wrong.", ada, campaign.now, deadline=lesson)
    assert (campaign.phase.kind, campaign.phase.deadline) == (attacks.kind, lesson)


def test_reminder_goes_once_to_nations_without_orders() -> None:
    """design 5."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 10 Poland")
    assert campaign.phase.remind_at is not None
    campaign.wait_until(campaign.phase.remind_at)
    campaign.wait_until(campaign.phase.deadline - timedelta(seconds=1))
    assert sorted(letter.address for letter in campaign.letters("reminder")) == [
        f"{name}@example.org" for name in ("bea", "felix", "rosa", "una")
    ]


def test_extended_deadline_is_announced_and_recorded() -> None:
    """Rules 0.2: the gamesmaster may extend a deadline for everybody, never for one player."""
    campaign = Campaign.begin()
    old = campaign.phase.deadline
    desk.extend(campaign.phase, old + 24 * HOUR, "Felix is at sea", campaign.ada, campaign.now)
    campaign.wait_until(old + HOUR)
    assert campaign.phase.number == 1
    assert len(campaign.letters("moved")) == 6
    change = campaign.phase.deadline_changes.get()
    assert (change.old, change.new, change.reason) == (old, old + 24 * HOUR, "Felix is at sea")
    with pytest.raises(desk.DeskError, match="in the past"):
        desk.extend(campaign.phase, campaign.now - HOUR, "A slip", campaign.ada, campaign.now)


def test_game_ends_with_winners_after_twelve_phases() -> None:
    """Rules C.1 step 4: six turns, twelve deadlines, then the winners."""
    campaign = Campaign.begin(seats={"USA": "una@example.org", **dict.fromkeys(NATIONS[1:], "bot")})
    for _ in range(12):
        campaign.wait_until(campaign.now)
        campaign.pass_deadline()
    assert campaign.game.status == Game.Status.FINISHED
    assert campaign.game.phases.count() == 12
    last = campaign.resolution()
    best = max(last.scores.values())
    assert last.winners == [nation for nation in NATIONS if last.scores[nation] == best]
    assert (
        list(
            Letter.objects.exclude(status="sent").values_list(
                "kind", "status", "fault", "due_at", "address"
            )[:3]
        )
        == []
    )
    assert tasks.do_all_due(campaign.now + 1000 * HOUR) == 0
    assert len(campaign.letters("over", "una")) == 1


@pytest.mark.both_databases
def test_claim_with_nothing_due_takes_one_query(django_assert_num_queries) -> None:  # type: ignore[no-untyped-def]
    """A tick with nothing due costs one query for phases, with any number of games."""
    for number in range(3):
        Campaign.begin(title=f"Game {number}")
    with django_assert_num_queries(1):
        assert queue.claim(MONDAY, 100) == ("", [])
    assert connection.vendor in ("sqlite", "postgresql")
