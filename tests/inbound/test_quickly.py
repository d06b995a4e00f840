"""Orders by mail take few queries, and no more after much mail (issue 4: flat)."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from games.letters import sending
from games.models import Letter
from games.positions import in_force
from orders.models import Submission
from tests.inbound.writing import send
from tests.support.campaign import Campaign

pytestmark = pytest.mark.django_db
#: Present numbers, including the savepoints that tests add. Raise them only for a good
# reason.
MOST_TO_OBEY, MOST_TO_SEND = 25, 12


@pytest.fixture
def campaign(settings: Settings) -> Campaign:
    settings.MAIL_IN, settings.MAIL_ANSWERS_AN_HOUR, settings.MAIL_OBEYED_AN_HOUR = True, 1000, 1000
    return Campaign.begin()


def asked_to_obey(campaign: Campaign) -> int:
    with CaptureQueriesContext(
        connection,
    ) as asked:
        send(campaign, "Germany", "PLACE 4 Poland\nPLACE 6 Austria\n")
    return len(asked) - 1  # without the test's own query


def test_orders_by_mail_take_a_constant_number_of_queries(
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
    )  # in later phases the position is read from its row


def test_answer_is_sent_with_few_queries(campaign: Campaign) -> None:
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
    assert len(asked) <= MOST_TO_SEND, [query["sql"][:150] for query in asked]


def test_orders_in_force_of_a_seat_agree_with_those_of_all_seats(
    campaign: Campaign,
) -> None:
    """`submission_in_force` one seat agrees with `in_force`, after bad lines and CANCEL, too."""
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
        assert standing.get("Germany") == in_force.submission_in_force(
            campaign.seat("Germany"), phase
        )
        assert (
            standing["France"].number
            == Submission.objects.filter(seat__nation="France").latest("number").number
        )
        if text == "CANCEL\n":
            assert "Germany" not in standing
    assert in_force.in_force(campaign.phase)["Germany"].text == "PLACE 3 Italy"
    assert list(in_force.in_force(campaign.phase)) == ["Germany", "France"]
