"""What is asked every second, or with every message, is answered from an index, however much the
archive holds (issue 4: flat)."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from games import tasks
from games.letters import sending
from games.models import service
from games.turns import queue as turns_queue
from games.turns import reminders
from games.webhooks import delivery as channels
from orders import stock_checks
from orders.inbound import queue as intake
from orders.inbound.identity import limits
from tests.inbound.writing import send
from tests.support.campaign import Campaign

pytestmark = pytest.mark.django_db


def read_from_end_to_end(asked: CaptureQueriesContext) -> list[str]:
    """Statements for which SQLite reads all of a table that grows with the archive."""
    found = []
    with connection.cursor() as cursor:
        for query in asked.captured_queries:
            if query["sql"].startswith(("SELECT", "UPDATE")):
                cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}".replace("%", "%%"))
                plans = [str(row[3]) for row in cursor.fetchall()]
                found += [
                    query["sql"]
                    for plan in plans
                    if plan.startswith(("SCAN games_", "SCAN orders_")) and " USING " not in plan
                ]
    return found


@pytest.mark.skipif(
    connection.vendor != "sqlite",
    reason="PostgreSQL reads a small table from end to end whatever its indexes are",
)
def test_nothing_that_is_asked_every_second_or_with_every_message_reads_a_whole_table(
    settings: Settings,
) -> None:
    settings.MAIL_IN = True
    campaign = Campaign.begin()
    now = campaign.now
    token, ids = sending.claim(now, 50)
    sending.send(ids, token, now)
    tasks.beat(now)  # what is done once an hour may read all games
    with CaptureQueriesContext(connection) as asked:
        send(campaign, "Germany", "PLACE 4 Poland\n")
        turns_queue.in_flight(now)
        turns_queue.claim(now, 10)
        reminders.remind(now)
        sending.in_flight(now)
        token, ids = sending.claim(now, 50)
        sending.send(ids, token, now)
        sending.oldest_unsent()
        intake.claim(now)
        stock_checks.claim(now)
        channels.claim(now)
        service.current()
        limits.may_answer("gustav@example.org", now)
        tasks.beat(now)
    assert len(asked) > 30
    assert read_from_end_to_end(asked) == []
