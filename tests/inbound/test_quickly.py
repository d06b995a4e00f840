"""Orders are acknowledged with few queries, no more after much mail (issue 4: flat)."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from games.letters import sending
from games.models import Letter
from orders import in_force
from orders.models import Submission
from tests.inbound.writing import send
from tests.support.campaign import Campaign
from tests.support.stored import begun

pytestmark = pytest.mark.django_db
#: With those that take and give back savepoints, of which a test has more. What stands now; more
# wants a reason.
MOST_TO_OBEY, MOST_TO_SEND = 34, 12


@pytest.fixture
def campaign(settings: Settings) -> Campaign:
    settings.MAIL_IN, settings.MAIL_ANSWERS_AN_HOUR, settings.MAIL_OBEYED_AN_HOUR = True, 1000, 1000
    return begun()


def asked_to_obey(campaign: Campaign) -> int:
    with CaptureQueriesContext(
        connection,
    ) as asked:
        send(campaign, "Germany", "PLACE 4 Poland\nPLACE 6 Austria\n")
    return len(asked) - 1  # one is the test's own


def test_orders_by_mail_are_obeyed_with_few_questions_however_many_came_before(
    campaign: Campaign,
) -> None:
    send(campaign, "Germany", "PLACE 10 Poland\n")
    first = asked_to_obey(campaign)
    assert first <= MOST_TO_OBEY
    for _ in range(10):
        send(campaign, "Germany", "PLACE 10 Poland\n")
    assert asked_to_obey(campaign) == first
    campaign.pass_deadline()
    assert (
        asked_to_obey(campaign) <= MOST_TO_OBEY + 2
    )  # in a later phase the position is read from its row


def test_an_answer_is_sent_with_few_questions(campaign: Campaign) -> None:
    while True:
        token, ids = sending.claim(campaign.now, 50)
        if not ids:
            break
        sending.send(ids, token, campaign.now)
    send(campaign, "Germany", "PLACE 10 Poland\n")
    with CaptureQueriesContext(connection) as asked:
        token, ids = sending.claim(campaign.now, 50)
        assert sending.send(ids, token, campaign.now) == 1
    assert Letter.objects.get(kind="answer").status == "sent"
    assert len(asked) <= MOST_TO_SEND, [one["sql"][:150] for one in asked]


def test_what_is_in_force_is_the_newest_that_counts_and_nothing_that_was_taken_back(
    campaign: Campaign,
) -> None:
    """One seat's answer is that of all seats, after unreadable lines and CANCEL too."""
    for text in (
        "PLACE 10 Poland\n",
        "PLACE 4 Austria\n",
        "PLACE ninety Poland\n",
        "CANCEL\n",
        "PLACE 3 Italy\n",
    ):
        send(campaign, "Germany", text)
        send(campaign, "France", "PLACE 1 Poland\n")
        phase = campaign.phase
        standing = in_force.in_force(phase)
        assert standing.get("Germany") == in_force.in_force_of(campaign.seat("Germany"), phase)
        assert (
            standing["France"].number
            == Submission.objects.filter(seat__nation="France").latest("number").number
        )
        if text == "CANCEL\n":
            assert "Germany" not in standing
    assert in_force.in_force(campaign.phase)["Germany"].text == "PLACE 3 Italy"
    assert list(in_force.in_force(campaign.phase)) == ["Germany", "France"]
