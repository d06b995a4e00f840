"""The order page opened and sent takes few queries, however many games run."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from games.models import announced, service
from tests.support.campaign import Campaign, person

from .conftest import Watch

pytestmark = pytest.mark.django_db
#: Queries of the page, and of sending without the savepoint that tests add. Raise them only for a
#: good reason. The mark of unread letters in the header takes one on every page.
MOST_TO_OPEN, MOST_TO_SEND = 9, 11


def asked_by_page(campaign: Campaign, browser: Client, text: str) -> tuple[list[str], list[str]]:
    """Open the order page and send a text; return the queries of both, without savepoints."""
    seat = campaign.seat("Germany")
    address = f"/games/{campaign.game.pk}/orders/{seat.pk}/"
    service.is_held()  # each process asks this and the next once a second
    announced()
    with CaptureQueriesContext(connection) as opened:
        shown = browser.get(address)
    with CaptureQueriesContext(connection) as sent:
        fields = {"phase": campaign.phase.number, "seen": shown.context["page"].seen}
        answer = browser.post(address, {**fields, "text": text, "do": "send-anyway"})
    assert answer.status_code == 302
    opening, sending = (
        [query["sql"] for query in queries if "SAVEPOINT" not in query["sql"]]
        for queries in (opened, sent)
    )
    return opening, sending[1:]  # without the query for the current phase above


def test_order_page_takes_as_many_queries_in_any_number_of_games(
    settings: Settings, watch: Watch
) -> None:
    settings.HELD_BELIEVED_SECONDS = 600
    campaign = Campaign.begin()
    campaign.pass_deadline()
    campaign.pass_deadline()
    watch.set(campaign.now)
    browser = Client()
    browser.force_login(person("gustav"))
    asked_by_page(campaign, browser, "PLACE 3 Poland\n")
    opening, sending = asked_by_page(campaign, browser, "PLACE 2 Poland\n")
    assert len(opening) <= MOST_TO_OPEN, "\n".join(opening)
    assert len(sending) <= MOST_TO_SEND, "\n".join(sending)
    for number in range(5):
        Campaign.begin(campaign.now, title=f"Another {number}")
    again = asked_by_page(campaign, browser, "PLACE 1 Poland\n")
    assert [len(queries) for queries in again] == [len(opening), len(sending)]
