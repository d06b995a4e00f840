"""Queries made every second or for every message use an index, however large the archive is (issue
4: flat)."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from games import desk, tasks
from games.letters import sending
from games.models import RecordEntry, service
from games.operations import outstanding
from games.turns import queue as turns_queue
from games.turns import reminders
from games.webhooks import delivery as channels
from orders.inbound import queue as intake
from orders.inbound.identity import limits
from orders.intake import stock_checks
from tests.inbound.writing import send
from tests.support import ticks
from tests.support.browsing import Visitor
from tests.support.campaign import Campaign

pytestmark = [pytest.mark.django_db, pytest.mark.letters]


def read_from_end_to_end(asked: CaptureQueriesContext) -> list[str]:
    """Return the statements for which SQLite scans a whole table that grows with the archive."""
    statements = []
    with connection.cursor() as cursor:
        for query in asked.captured_queries:
            if query["sql"].startswith(("SELECT", "UPDATE")):
                cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}".replace("%", "%%"))
                plans = [str(row[3]) for row in cursor.fetchall()]
                statements += [
                    query["sql"]
                    for plan in plans
                    if plan.startswith(("SCAN games_", "SCAN orders_")) and " USING " not in plan
                ]
    return statements


@pytest.mark.skipif(
    connection.vendor != "sqlite",
    reason="PostgreSQL reads a small table from end to end whatever its indexes are",
)
def test_frequent_queries_scan_no_growing_table(settings: Settings) -> None:
    settings.MAIL_IN = True
    campaign = Campaign.begin()
    now = campaign.now
    token, ids = sending.claim(now, 50)
    sending.send(ids, token, now)
    ticks.finish_tick(now)  # hourly jobs may read all games
    with CaptureQueriesContext(connection) as queries:
        send(campaign, "Germany", "PLACE 4 Poland\n")
        tasks.may_be_due(now)
        turns_queue.count_in_flight(now)
        turns_queue.claim(now, 10)
        reminders.remind(now)
        sending.count_in_flight(now)
        token, ids = sending.claim(now, 50)
        sending.send(ids, token, now)
        intake.claim(now)
        stock_checks.claim(now)
        channels.claim(now)
        service.current()
        limits.may_answer("gustav@example.org", limits.TO_PROVEN, now)
        ticks.finish_tick(now)
    assert len(queries) > 30
    assert read_from_end_to_end(queries) == []


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plan of SQLite is known")
def test_tick_looks_for_what_is_due_and_not_at_each_running_game() -> None:
    """An idle service asks this every second: with 2,000 running games it took four times as long
    as with 200."""
    now = Campaign.begin().now
    with CaptureQueriesContext(connection) as queries:
        tasks.may_be_due(now)
    (asked,) = queries.captured_queries
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {asked['sql']}".replace("%", "%%"))
        plans = [str(row[3]) for row in cursor.fetchall()]
    games = [plan for plan in plans if "games_game" in plan]
    assert games
    assert {plan.partition(" USING ")[2] for plan in games} == {"INTEGER PRIMARY KEY (rowid=?)"}


@pytest.mark.both_databases
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no statistics to follow")
def test_tick_does_not_read_the_record_from_end_to_end() -> None:
    """An idle service asks this every second: with 8,000 entries PostgreSQL read all of them."""
    campaign = Campaign.begin()
    RecordEntry.objects.bulk_create(
        RecordEntry(
            game=campaign.game, number=number, made_at=campaign.now, covers=[], salt="", leaf=""
        )
        for number in range(100, 3100)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE games_recordentry")
    with CaptureQueriesContext(connection) as queries:
        tasks.may_be_due(campaign.now + timedelta(seconds=1))
    (asked,) = queries.captured_queries
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {asked['sql']}".replace("%", "%%"))
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "on games_recordentry" in plan
    assert "Seq Scan on games_recordentry" not in plan


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plan of SQLite is known")
def test_open_seats_are_found_without_a_look_at_running_games() -> None:
    """Issue 45: where no seat was on offer, the first page looked for one in all of 5,000 games."""
    with CaptureQueriesContext(connection) as queries:
        desk.seats_on_offer(slice(31))
    (asked,) = queries.captured_queries
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {asked['sql']}")
        plans = [str(row[3]) for row in cursor.fetchall()]
    assert [plan.partition(" USING ")[2].partition(" (")[0] for plan in plans] == [
        "INDEX seats_on_offer",
        "INTEGER PRIMARY KEY",
    ]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plan of SQLite is known")
def test_lists_are_read_in_the_order_of_an_index() -> None:
    """Issue 45: else each visitor would have all games sorted for the newest 30 rows."""
    campaign = Campaign.begin()
    campaign.pass_deadline()
    with CaptureQueriesContext(connection) as queries:
        desk.seats_on_offer(slice(31))
        desk.games_to_join(slice(31))
        assert Visitor().get("/feed.xml").status_code == 200
        list(outstanding.coming_phases(campaign.now).order_by("due_at")[:30])
        list(outstanding.overdue_phases(campaign.now).order_by("due_at")[:30])
    listed = [
        query["sql"] for query in queries if re.search(r"ORDER BY [^)]* LIMIT 3\d$", query["sql"])
    ]
    assert len(listed) == 7
    with connection.cursor() as cursor:
        for sql in listed:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}".replace("%", "%%"))
            assert "USE TEMP B-TREE FOR ORDER BY" not in [row[3] for row in cursor.fetchall()], sql
