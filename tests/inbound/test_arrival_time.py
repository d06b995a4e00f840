"""Mail has arrived when our own mail server took it, even while the service was stopped."""

from __future__ import annotations

from datetime import datetime, timedelta
from email.utils import format_datetime

import pytest
from pytest_django import Settings

from games.evidence import export
from games.models import Phase
from games.rules.verification import verify
from orders.inbound import queue
from orders.models import Mail, Submission
from tests.inbound.writing import address_of, hand_in, written
from tests.support.campaign import MONDAY, Campaign

pytestmark = pytest.mark.django_db

OURS = "mx.games.test"
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


@pytest.fixture(autouse=True)
def our_server(settings: Settings) -> None:
    settings.MAIL_AUTHSERV_ID = OURS


def received(by: str, at: datetime) -> bytes:
    return f"Received: from relay.example.org by {by} with ESMTPS; {format_datetime(at)}\n".encode()


def order(campaign: Campaign, *headers: bytes, text: str = "PLACE 10 Poland\n") -> bytes:
    return b"".join(headers) + written("gustav@example.org", address_of(campaign, "Germany"), text)


def arrived(raw: bytes, now: datetime) -> datetime:
    return queue.keep(
        raw, "lmtp", "gustav@example.org", ["orders@games.test"], now
    ).mail.received_at


def test_order_that_our_server_held_over_a_deadline_is_in_time(campaign: Campaign) -> None:
    """It took the order seven minutes before the deadline, and handed it on after an upgrade."""
    phase = campaign.phase
    campaign.order("Germany", "PLACE 3 Austria")
    raw = order(campaign, received(OURS, phase.deadline - 7 * MINUTE))
    hand_in(campaign, raw, at=phase.deadline + MINUTE)
    newest = Submission.objects.latest("pk")
    assert (newest.late, newest.counts) == (False, True)
    campaign.wait_until(phase.deadline + 2 * MINUTE)
    assert campaign.resolution(phase).orders["Germany"] == "PLACE 10 Poland"


def test_order_read_after_the_lock_is_late_and_the_record_holds(campaign: Campaign) -> None:
    phase = campaign.phase
    raw = order(campaign, received(OURS, phase.deadline - MINUTE))
    campaign.wait_until(phase.deadline + 10 * MINUTE)
    hand_in(campaign, raw, at=campaign.now)
    row = Submission.objects.get()
    assert row.late
    assert row.received_at < phase.deadline
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_later_instant_of_the_second_counts(campaign: Campaign) -> None:
    """A header has whole seconds: what came in the second of a deadline is no earlier than it."""
    at = arrived(order(campaign, received(OURS, MONDAY)), MONDAY + MINUTE)
    assert at == MONDAY + SECOND - timedelta(microseconds=1)


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("mail.elsewhere.example", -30)],  # nobody of ours says when
        [("mail.elsewhere.example", -1), (OURS, -30)],  # sent along with the message
        [(OURS, 30)],  # a clock that is ahead
        [(OURS, -6 * 24 * 60)],  # no server holds mail for so long
    ],
)
def test_without_word_of_our_server_mail_arrives_when_it_is_handed_in(
    campaign: Campaign, headers: list[tuple[str, int]]
) -> None:
    raw = order(campaign, *(received(by, MONDAY + minutes * MINUTE) for by, minutes in headers))
    assert arrived(raw, MONDAY) == MONDAY


def test_unnamed_server_says_nothing(campaign: Campaign, settings: Settings) -> None:
    settings.MAIL_AUTHSERV_ID = ""
    raw = order(campaign, received(OURS, MONDAY - MINUTE))
    assert arrived(raw, MONDAY) == MONDAY


def test_message_over_the_limit_keeps_its_time(campaign: Campaign) -> None:
    raw = order(campaign, received(OURS, MONDAY - MINUTE))
    queue.keep(raw, "imap", None, ["orders@games.test"], MONDAY, headers_only=True)
    assert Mail.objects.get().received_at < MONDAY - MINUTE + SECOND
    assert campaign.phase.status == Phase.Status.OPEN
