"""Orders in doubt: kept as a question, and what counts at the deadline (contract 3a.4)."""

from __future__ import annotations

from typing import Any

import pytest

from games.evidence import export
from games.models import Resolution
from games.positions import in_force
from games.rules import doubts
from games.rules.verification import verify
from orders.intake import ahead, ledger
from orders.models import Submission
from tests.support import teams
from tests.support.campaign import Campaign

pytestmark = pytest.mark.django_db

#: In doubt with one reading, because it asks for more beside orders that it replaces.
DOUBTFUL = "Also 3 in Austria"
READING = ["PLACE 3 Austria"]


def begin(**options: Any) -> Campaign:
    return Campaign.begin(options={"orders.language": "plain", **options})


def entered(campaign: Campaign) -> list[Submission]:
    return list(campaign.game.submissions.filter(channel=doubts.CHANNEL).order_by("number"))


def result(campaign: Campaign) -> dict[str, str]:
    orders: dict[str, str] = Resolution.objects.latest("pk").orders
    return orders


def test_orders_in_doubt_are_stored_as_a_question_and_replace_nothing() -> None:
    campaign = begin()
    first = campaign.order("Germany", "PLACE 5 Poland")
    asked = campaign.order("Germany", DOUBTFUL)
    assert (asked.counts, asked.understood) == (False, [])
    assert asked.question is not None
    assert list(asked.question.lines) == READING
    assert asked.question.may_count
    seat = campaign.seat("Germany")
    assert in_force.submission_in_force(seat, campaign.phase) == first
    assert in_force.open_question(seat, campaign.phase, asked.person) == asked


@pytest.mark.parametrize("settling", ["PLACE 2 Italy", "PASS", "CANCEL"])
def test_later_orders_or_withdrawal_settle_a_question(settling: str) -> None:
    campaign = begin()
    campaign.order("Germany", DOUBTFUL)
    seat, player = campaign.seat("Germany"), campaign.players["Germany"]
    if settling == "CANCEL":
        ledger.cancel(seat, ledger.Arrival("web", player, campaign.now))
    else:
        campaign.order("Germany", settling)
    assert in_force.open_question(seat, campaign.phase, player) is None
    campaign.pass_deadline()
    assert not entered(campaign)
    assert result(campaign).get("Germany") == (None if settling == "CANCEL" else settling)


def test_orders_in_doubt_count_at_the_deadline_for_a_nation_without_others() -> None:
    campaign = begin()
    asked = campaign.order("Germany", DOUBTFUL)
    phase = campaign.phase
    campaign.order("France", "PLACE 6 Poland")
    campaign.pass_deadline()
    (row,) = entered(campaign)
    assert row.text == "PLACE 3 Austria"
    assert (row.counts, row.late, row.received_at) == (True, False, phase.closes_at)
    assert (row.seat_number, row.person) == (asked.seat_number + 1, None)
    assert row.hash == row.chain_hash()
    assert result(campaign)["Germany"] == row.text
    phase.refresh_from_db()
    assert "Germany" not in phase.missed
    assert {"Germany", "France"} <= set(phase.leaves)
    later = campaign.order("Germany", "PASS")
    assert (later.number, later.previous_hash) == (row.number + 1, row.hash)
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_orders_in_doubt_of_several_nations_count_in_one_chain() -> None:
    campaign = begin()
    campaign.order("Germany", DOUBTFUL)
    campaign.order("France", "Also 2 in Poland")
    campaign.pass_deadline()
    assert [row.seat.nation for row in entered(campaign)] == ["Germany", "France"]
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_newest_orders_in_doubt_decide() -> None:
    campaign = begin()
    campaign.order("Germany", DOUBTFUL)
    campaign.order("Germany", "Also 4 in Poland")
    campaign.pass_deadline()
    (row,) = entered(campaign)
    assert row.text == "PLACE 4 Poland"


@pytest.mark.parametrize("case", ["others", "never", "late"])
def test_orders_in_doubt_do_not_count(case: str) -> None:
    """Not beside other orders, not with `never`, and not late."""
    campaign = begin(**({"orders.in_doubt": "never"} if case == "never" else {}))
    if case == "others":
        campaign.order("Germany", "PLACE 5 Poland")
    phase = campaign.phase
    if case == "late":
        campaign.order("Germany", DOUBTFUL, at=phase.closes_at.replace(microsecond=1))
    else:
        campaign.order("Germany", DOUBTFUL)
    campaign.pass_deadline()
    assert not entered(campaign)
    phase.refresh_from_db()
    assert ("Germany" in phase.missed) == (case != "others")
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_control_in_doubt_does_not_count() -> None:
    """Contract 3a.4: nothing that cannot be taken back counts unconfirmed."""
    campaign = begin()
    campaign.place_in_poland()
    asked = campaign.order("Germany", "Also control of Poland")
    assert asked.question is None or not asked.question.may_count
    campaign.pass_deadline()
    assert not entered(campaign)


def test_orders_in_doubt_of_a_team_do_not_count() -> None:
    campaign = teams.begin("majority", options={"orders.language": "plain"})
    seat = campaign.game.seats.filter(team=True).first()
    assert seat is not None
    for sitting in seat.sittings.current():
        arrival = ledger.Arrival("web", sitting.person, campaign.now)
        assert ledger.receive(seat, DOUBTFUL, arrival).question is not None
    campaign.pass_deadline()
    assert not entered(campaign)
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_attack_in_doubt_draws_a_digit_and_verifies() -> None:
    """The stock that it names is read like any other; the entry changes no session."""
    campaign = begin()
    campaign.place_in_poland()
    campaign.order("Germany", "Also attack France in Poland with GE")
    campaign.pass_deadline()
    (row,) = entered(campaign)
    assert row.text == "ATTACK Poland: France STOCK GE"
    assert row.phase.draws_made.count() == 1
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_orders_ahead_in_doubt_are_sent_back_with_the_reading() -> None:
    """Nobody is asked about them while their phase has not opened, so they are not kept."""
    campaign = begin()
    seat, player = campaign.seat("Germany"), campaign.players["Germany"]
    later = next(item for item in ahead.phases(seat, campaign.phase) if item.phase.turn == 2)
    with pytest.raises(ahead.OrdersAheadError, match="If you mean “PLACE 3 Austria”, send it so"):
        ahead.keep(seat, campaign.phase, player, later.phase, DOUBTFUL, campaign.now)
