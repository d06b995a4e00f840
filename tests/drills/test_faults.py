"""Each fault in small (issue 10, 2); at full size: `make faults`, docs/faults.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.drills.breaking import clocks, disks, kills, mail_servers, servers
from tests.drills.breaking.league import Databases
from tests.drills.breaking.trial import Drill, Row
from tests.support.examples import WHOLE, sample
from tests.support.servers import redis

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def databases() -> Iterator[Databases]:
    shared = Databases()
    yield shared
    shared.stop()


@pytest.fixture
def club(tmp_path: Path) -> Drill:
    """A club's machine: SQLite and no broker."""
    return Drill(tmp_path / "league")


@pytest.fixture
def drill(club: Drill, tmp_path: Path, databases: Databases) -> Iterator[Drill]:
    """With servers, as in production."""
    with redis(tmp_path) as broker:
        yield replace(club, databases=databases, broker=broker)


def nothing(row: Row) -> None:
    """Nothing was lost and nothing doubled; and something happened."""
    assert row.wrong == {}
    assert (row.lost, row.doubled) == (0, 0)
    assert row.orders > 5
    assert row.letters > 10


def test_what_is_killed_in_the_midst_of_its_work_loses_nothing(drill: Drill) -> None:
    """Promises 1 to 4: outright and at named points; second copies where SMTP has no choice."""
    nothing(kills.killed(replace(drill, rounds=6, games=3), pause=0.8))


def test_what_is_killed_in_storms_of_attacks_loses_nothing_and_draws_nothing_twice(
    drill: Drill,
) -> None:
    """Issue 21: all games lock, read and are judged at once."""
    nothing(kills.killed_in_storms(replace(drill, rounds=8, games=6), pause=0.8))


def test_what_is_killed_without_servers_loses_nothing(club: Drill) -> None:
    nothing(kills.killed(replace(club, rounds=4), pause=0.8))


def test_redis_and_postgresql_gone_in_a_storm_lose_nothing(drill: Drill) -> None:
    """design 5: Celery only wakes the workers; what was accepted stands."""
    deeds = (*servers.of_redis(drill.broker), *servers.of_postgresql(drill.databases))
    fault = "Redis and PostgreSQL gone in a storm"
    nothing(servers.broken(fault, replace(drill, rounds=len(deeds)), deeds))


def test_every_task_five_times_at_once_does_everything_once(drill: Drill) -> None:
    nothing(servers.delivered_often(replace(drill, rounds=2)))


@pytest.mark.parametrize("kind", sample(["sqlite", "postgresql"], 1))
def test_a_full_disk_is_told_of_and_loses_nothing(club: Drill, kind: str) -> None:
    """A page that keeps the text, 451 for mail; with room again everything goes on."""
    if not disks.possible():
        pytest.skip("this machine lets no user make a file system of his own in memory")
    nothing(disks.full(club, kind))


#: One of each sort; the others at full size alone.
MOODS = (
    "refuses a person for good (550)",
    "drops after DATA, kept and not answered",
    mail_servers.SHUT,
    mail_servers.BOUNCES,
)


def test_a_mail_server_that_fails_costs_no_letter(club: Drill) -> None:
    """RFC 5321: a refusal for good is told to the gamesmaster; all else goes out."""
    nothing(mail_servers.in_turn(club, MOODS))


def test_a_clock_that_leaps_a_year_and_back_keeps_nobody_waiting(club: Drill) -> None:
    (row,) = clocks.jumped(club, jumps=("a year",))
    nothing(row)


@pytest.mark.skipif(not WHOLE, reason="make soak; tests/desk/test_outage.py has the rule")
def test_a_machine_that_sleeps_over_a_deadline_gives_the_time_back(club: Drill) -> None:
    nothing(clocks.asleep(club))
