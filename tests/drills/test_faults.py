"""Each fault in small (issue 10, 2): real processes, broken on purpose, and nothing lost or
doubled. At full size: `make faults`, docs/faults.md."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.drills.breaking import clocks, disks, kills, mail_servers, servers
from tests.drills.breaking.league import Databases
from tests.drills.breaking.report import Row
from tests.support.examples import WHOLE, sample
from tests.support.servers import Redis, redis

pytestmark = pytest.mark.processes

SEED = 1971


@pytest.fixture(scope="module")
def databases() -> Iterator[Databases]:
    shared = Databases()
    yield shared
    shared.stop()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Redis]:
    with redis(tmp_path) as server:
        yield server


def nothing(row: Row) -> None:
    """Nothing was lost and nothing doubled; and something happened."""
    assert row.wrong == {}
    assert (row.lost, row.doubled) == (0, 0)
    assert row.orders > 5
    assert row.letters > 10


def test_what_is_killed_in_the_midst_of_its_work_loses_nothing(
    tmp_path: Path, databases: Databases, broker: Redis
) -> None:
    """Promises 1 to 4: workers, beat, web and mail's door, outright and at named points; second
    copies only where SMTP leaves no choice."""
    row = kills.killed(
        tmp_path / "league", databases, broker, rounds=6, games=3, seed=SEED, pause=0.8
    )
    nothing(row)


def test_what_is_killed_without_servers_loses_nothing(tmp_path: Path) -> None:
    """A club's machine: SQLite and no broker."""
    nothing(kills.killed(tmp_path / "league", None, None, rounds=4, games=2, seed=SEED, pause=0.8))


def test_redis_and_postgresql_gone_in_a_storm_lose_nothing(
    tmp_path: Path, databases: Databases, broker: Redis
) -> None:
    """design 5: Celery only wakes the workers. Emptied, killed, crashed, shut down: what was
    accepted stands."""
    deeds = (*servers.of_redis(broker), *servers.of_postgresql(databases))
    fault = "Redis and PostgreSQL gone in a storm"
    nothing(
        servers.broken(
            fault,
            tmp_path / "league",
            databases,
            broker,
            deeds,
            rounds=len(deeds),
            games=2,
            seed=SEED,
        )
    )


def test_every_task_five_times_at_once_does_everything_once(
    tmp_path: Path, databases: Databases, broker: Redis
) -> None:
    nothing(
        servers.delivered_often(
            tmp_path / "league", databases, broker, rounds=2, games=2, seed=SEED
        )
    )


@pytest.mark.parametrize("kind", sample(["sqlite", "postgresql"], 1))
def test_a_full_disk_is_told_of_and_loses_nothing(tmp_path: Path, kind: str) -> None:
    """A page with a sentence that keeps the text, 451 for mail; when there is room again everything
    goes on."""
    if not disks.possible():
        pytest.skip("this machine lets no user make a file system of his own in memory")
    nothing(disks.full(tmp_path / "disk", kind, rounds=1, games=2, seed=SEED))


#: One of each sort; the others at full size alone.
MOODS = (
    "refuses a person for good (550)",
    "drops after DATA, kept and not answered",
    mail_servers.SHUT,
    mail_servers.BOUNCES,
)


def test_a_mail_server_that_fails_costs_no_letter(tmp_path: Path) -> None:
    """RFC 5321: what is refused for good is told to the gamesmaster; all else goes out, once as far
    as SMTP lets that be known."""
    nothing(mail_servers.in_turn(tmp_path / "league", None, None, MOODS, games=2, seed=SEED))


def test_a_clock_that_leaps_a_year_and_back_keeps_nobody_waiting(tmp_path: Path) -> None:
    (row,) = clocks.jumped(tmp_path / "league", None, None, games=2, seed=SEED, jumps=("a year",))
    nothing(row)


@pytest.mark.skipif(not WHOLE, reason="make soak; tests/desk/test_outage.py has the rule")
def test_a_machine_that_sleeps_over_a_deadline_gives_the_time_back(tmp_path: Path) -> None:
    nothing(clocks.asleep(tmp_path / "league", None, None, rounds=1, games=2, seed=SEED))
