"""Test each fault in several rounds; one round of each runs every day, and all by `make faults`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.drills.breaking import clocks, disks, kills, mail_servers, servers
from tests.drills.breaking.databases import Databases
from tests.drills.breaking.trial import Drill, Row
from tests.support.examples import WHOLE, sample
from tests.support.servers import redis

pytestmark = [pytest.mark.processes, pytest.mark.soak]


@pytest.fixture(scope="module")
def databases() -> Iterator[Databases]:
    shared = Databases()
    yield shared
    shared.stop()


@pytest.fixture
def club(tmp_path: Path) -> Drill:
    """Return a drill on a club's machine: SQLite and no broker."""
    return Drill(tmp_path / "league")


@pytest.fixture
def drill(club: Drill, tmp_path: Path, databases: Databases) -> Iterator[Drill]:
    """Return a drill with PostgreSQL and Redis, as in production."""
    with redis(tmp_path) as broker:
        yield replace(club, databases=databases, broker=broker)


def nothing(row: Row) -> None:
    """Assert that nothing was lost or doubled, although orders and letters were sent."""
    assert row.wrong == {}
    assert (row.lost, row.doubled) == (0, 0)
    assert row.orders > 3
    assert row.letters > 10


def test_killed_processes_lose_nothing(drill: Drill) -> None:
    """Promises 1 to 4: kills at random and at named points; only copies that SMTP cannot avoid."""
    nothing(kills.killed(replace(drill, rounds=6, games=3), pause=0.8))


def test_processes_killed_in_storms_lose_nothing_and_draw_nothing_twice(
    drill: Drill,
) -> None:
    """Issue 21: all games lock, read the market and are judged at once."""
    nothing(kills.killed_in_storms(replace(drill, rounds=8, games=6), pause=0.8))


def test_killed_processes_on_sqlite_lose_nothing(club: Drill) -> None:
    nothing(kills.killed(replace(club, rounds=4), pause=0.8))


def test_outages_of_redis_and_postgresql_lose_nothing(drill: Drill) -> None:
    """design 5: Celery only wakes the workers; accepted orders are in the database."""
    deeds = (*servers.of_redis(drill.broker), *servers.of_postgresql(drill.databases))
    fault = "Redis and PostgreSQL gone in a storm"
    nothing(servers.broken(fault, replace(drill, rounds=len(deeds)), deeds))


def test_tasks_delivered_five_times_act_once(drill: Drill) -> None:
    nothing(servers.delivered_often(replace(drill, rounds=2)))


def test_deploys_in_the_midst_of_deadlines_lose_nothing(drill: Drill) -> None:
    """docs/operations.md, “Upgrading”."""
    nothing(servers.deployed(replace(drill, rounds=2)))


@pytest.mark.parametrize("kind", sample(["sqlite", "postgresql"], 1))
def test_full_disk_is_reported_and_loses_nothing(club: Drill, kind: str) -> None:
    """A page keeps the typed text, mail gets 451; once there is room, everything continues."""
    if not disks.possible():
        pytest.skip("this machine lets no user make a file system of his own in memory")
    nothing(disks.full(club, kind))


#: One mood of each sort; the others run at full size only.
MOODS = (
    "refuses a person for good (550)",
    "drops after DATA, kept and not answered",
    mail_servers.SHUT,
    mail_servers.BOUNCES,
)


def test_failing_mail_servers_lose_no_letter(club: Drill) -> None:
    """RFC 5321: the gamesmaster learns of permanent refusals; all other letters go out."""
    nothing(mail_servers.in_turn(club, MOODS))


def test_clock_jump_of_a_year_and_back_delays_no_game(club: Drill) -> None:
    (row,) = clocks.jumped(club, jumps=("a year",))
    nothing(row)


@pytest.mark.skipif(not WHOLE, reason="make soak; tests/desk/test_outage.py has the rule")
def test_sleep_over_a_deadline_is_credited(club: Drill) -> None:
    nothing(clocks.asleep(club))
