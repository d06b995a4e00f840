"""Receiving orders (docs/design.md 1 and 4; rules 0.2)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from games import desk, permissions
from games.evidence import export
from games.models import EvidenceError, Phase
from games.rules.verification import record, verify
from games.turns import holds
from orders.intake import ledger
from orders.models import Submission
from tests.inbound import post
from tests.support.campaign import NATIONS, Campaign, person

pytestmark = [pytest.mark.django_db, pytest.mark.quick]


@pytest.mark.both_databases
def test_newest_submission_before_the_lock_is_in_force() -> None:
    """Rules 0.2: the last complete set received in time replaces all earlier ones."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("Germany", "PLACE 10 Austria")
    campaign.pass_deadline()
    board = campaign.board()
    assert board["Austria"]["Germany"].pf == 10
    assert "Germany" not in board.get("Poland", {})


@pytest.mark.both_databases
def test_merge_lines_keeps_earlier_lines_for_other_areas() -> None:
    """Rules 0.2, orders.amend = merge_lines."""
    campaign = Campaign.begin(options={"orders.amend": "merge_lines"})
    campaign.order("Germany", "PLACE 4 Poland\nPLACE 6 Austria")
    campaign.order("Germany", "PLACE 2 Poland")
    campaign.pass_deadline()
    board = campaign.board()
    pfs = [board[area]["Germany"].pf for area in ("Poland", "Austria", "Germany")]
    assert pfs == [2, 6, 2]


@pytest.mark.both_databases
def test_order_text_is_stored_as_received() -> None:
    """Promise 1: the text as sent, with all blanks and comments."""
    campaign = Campaign.begin()
    text = "  place 4   POLAND.   # half of it\r\n\r\nPLACE 4 Nowhere\n"
    submission = campaign.order("Germany", text)
    submission.refresh_from_db()
    assert submission.text == text
    assert [line for line, _ in submission.understood] == [1]
    errors = [remark for remark in submission.remarks if remark["severity"] == "error"]
    assert [remark["line"] for remark in errors] == [3]


def test_unreadable_orders_replace_nothing() -> None:
    """The earlier orders stay in force, and the sender gets remarks."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 10 Poland")
    nonsense = campaign.order("Germany", "Dear gamesmaster, put everything into Poland, will you?")
    assert not nonsense.counts
    assert nonsense.remarks
    campaign.pass_deadline()
    assert campaign.board()["Poland"]["Germany"].pf == 10


@pytest.mark.both_databases
def test_late_submission_is_recorded_but_does_not_count() -> None:
    """Rules 0.2: late after the announced instant, even if the lock comes a moment later."""
    campaign = Campaign.begin()
    after = campaign.phase.deadline + timedelta(milliseconds=1)
    late = campaign.order("Germany", "PLACE 10 Poland", at=after)
    assert late.late
    assert not late.counts
    campaign.pass_deadline()
    assert "Germany" not in campaign.board().get("Poland", {})
    assert len(campaign.letters("receipt", "gustav")) == 1


def test_orders_at_the_deadline_are_in_time() -> None:
    """Rules 0.2: received before the deadline has passed."""
    campaign = Campaign.begin()
    assert campaign.order("Germany", "PLACE 10 Poland", at=campaign.phase.deadline).counts


def test_orders_that_come_while_an_open_phase_is_held_are_in_time() -> None:
    """docs/design.md 5: the announced instant says whether they are late. The record verifies."""
    campaign = Campaign.begin()
    phase = campaign.phase
    holds.hold_open(phase, "It could not be given its time back.", campaign.now)
    campaign.now += timedelta(minutes=1)
    answer = post.answer(campaign, campaign.players["Germany"], "PLACE 10 Poland")
    assert "In force for Turn 1 placement: orders No. 1." in answer
    campaign.order("France", "PLACE 6 Poland", at=phase.deadline + timedelta(seconds=1))
    phase.refresh_from_db()
    desk.lift_hold(phase, campaign.ada, campaign.now)
    assert list(campaign.pass_deadline().leaves) == ["Germany"]
    assert verify.check(export.record(campaign.game, private=True)) == []


@pytest.mark.parametrize("early", [True, False])
def test_orders_in_time_that_wait_for_the_row_while_it_is_locked_are_late(early: bool) -> None:
    """They read the clock before the lock did (docs/design.md 5); the record verifies."""
    campaign = Campaign.begin(may_lock_early=True)
    phase, player = campaign.phase, campaign.players["France"]
    for nation in NATIONS if early else ():
        campaign.order(nation, "PASS", final=True)
    campaign.now = campaign.now + timedelta(minutes=1) if early else phase.deadline
    came = campaign.now - timedelta(milliseconds=10)
    campaign.wait_until(campaign.now)
    arrival = ledger.Arrival("web", player, came, phase)
    assert ledger.receive(campaign.seat("France"), "PLACE 6 Poland", arrival).late
    tree = export.record(campaign.game, private=True)
    assert verify.check(tree) == []
    tree["phases"][0]["submissions"][-1]["received"] = record.instant(came - timedelta(minutes=2))
    assert any("was late" in str(difference) for difference in verify.check(tree))


def test_grace_hours_delay_the_lock_for_late_orders() -> None:
    """Rules 0.2: orders.grace_hours."""
    campaign = Campaign.begin(options={"orders.grace_hours": 3})
    deadline = campaign.phase.deadline
    campaign.wait_until(deadline + timedelta(hours=2))
    assert campaign.phase.status == Phase.Status.OPEN
    assert campaign.order("Germany", "PLACE 10 Poland").counts
    campaign.wait_until(deadline + timedelta(hours=3))
    assert campaign.phase.number == 2


def test_empty_orders_are_refused_with_a_hint_to_pass() -> None:
    """contract 3: PASS sends no orders on purpose."""
    campaign = Campaign.begin()
    with pytest.raises(ledger.LedgerError, match="PASS"):
        campaign.order("Germany", "  \n# nothing yet\n")
    assert campaign.order("Germany", "PASS").counts


def test_overlong_orders_are_refused() -> None:
    campaign = Campaign.begin()
    with pytest.raises(ledger.LedgerError, match="20,001 characters"):
        campaign.order("Germany", "#" * 20_001)


@pytest.mark.both_databases
def test_submissions_are_numbered_and_chained() -> None:
    """design 4: the number within the game, and the hash of the previous submission."""
    campaign = Campaign.begin()
    rows = [campaign.order(nation, "PASS") for nation in ("Germany", "France", "Germany")]
    assert [row.number for row in rows] == [1, 2, 3]
    assert [row.previous_hash for row in rows] == ["", rows[0].hash, rows[1].hash]
    assert rows[1].chain_hash() == rows[1].hash


def test_evidence_cannot_be_changed_or_deleted() -> None:
    """design 4: evidence is append-only."""
    submission = Campaign.begin().order("Germany", "PLACE 10 Poland")
    submission.text = "PLACE 10 Austria"
    for attempt in (
        submission.save,
        submission.delete,
        Submission.objects.all().delete,
        lambda: Submission.objects.update(text="PLACE 10 Austria"),
    ):
        with pytest.raises(EvidenceError):
            attempt()
    submission.refresh_from_db()
    assert submission.text == "PLACE 10 Poland"


@pytest.mark.both_databases
def test_digest_covers_all_orders_in_force() -> None:
    """design 4: published at the lock, so that each player can find their own leaf."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 5 Poland")
    mine = campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("France", "PLACE 6 Rhineland")
    phase = campaign.pass_deadline()
    assert set(phase.leaves) == {"Germany", "France"}
    assert phase.leaves["Germany"] == record.leaf("Germany", mine.text, mine.salt)
    assert phase.digest == record.digest(phase.leaves)


@pytest.mark.both_databases
def test_orders_of_a_player_who_is_removed_meanwhile_are_refused() -> None:
    """Who may order is read at the beginning of a request, and may have changed before it gets the
    game's row."""
    campaign, gustav = Campaign.begin(), person("gustav")
    game = permissions.find_game(gustav, campaign.game.pk)
    assert game is not None
    (seat,) = permissions.held_seats(gustav, game)
    desk.eject(campaign.seat("Germany"), gustav, "He cheats.", campaign.ada, campaign.now)
    arrival = ledger.Arrival(Submission.Channel.WEB, gustav, campaign.now)
    with pytest.raises(ledger.LedgerError, match="You may not send orders for Germany"):
        ledger.receive(seat, "PLACE 10 Poland", arrival)
    assert not Submission.objects.exists()
