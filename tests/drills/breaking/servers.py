"""Faults: Redis and PostgreSQL are away while deadlines pass and orders come, tasks are delivered
often, and processes are replaced by a deploy (issue 10, 2)."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

from tests.drills.breaking.databases import Databases
from tests.drills.breaking.league import BEAT, League
from tests.drills.breaking.trial import Drill, Row, trial
from tests.support.servers import Redis

#: A deed that breaks something of a league during a storm; returns its name for the table.
Break = Callable[[League, random.Random], str]


def broken(fault: str, drill: Drill, deeds: Sequence[Break]) -> Row:
    """Run a deadline of all games each round, and one of the deeds, in turn, during it."""
    chance = random.Random(drill.seed)
    done: list[str] = []
    with trial(drill) as it:
        with it.playing():
            for number in it.rounds():
                it.running.jump_on()
                time.sleep(chance.uniform(0.3, 1.5))
                done.append(deeds[(number - 1) % len(deeds)](it.running, chance))
                it.running.tend()
                time.sleep(0.5)
        times = ", ".join(f"{name} {done.count(name)}" for name in sorted(set(done)))
        return it.row(fault, times, lag=None)


def of_redis(broker: Redis | None) -> tuple[Break, ...]:
    """Return deeds for Redis: empty it; kill it and start it empty within 3 seconds; hang it."""
    assert broker is not None

    def emptied(running: League, chance: random.Random) -> str:
        broker.ask("FLUSHALL")
        return "Redis emptied"

    def away(running: League, chance: random.Random) -> str:
        broker.kill()
        time.sleep(chance.uniform(0.2, 3))
        broker.start()
        return "Redis killed and started empty"

    def hung(running: League, chance: random.Random) -> str:
        broker.ask("CLIENT", "PAUSE", str(chance.randrange(500, 2500)))
        return "Redis hung"

    return (emptied, away, hung)


def of_postgresql(databases: Databases | None) -> tuple[Break, ...]:
    """Return deeds for PostgreSQL: stop it `immediate` (a crash) or `fast`, then start it."""
    assert databases is not None

    def restarted(how: str) -> Break:
        def restart(running: League, chance: random.Random) -> str:
            running.away.append(databases.restart(how, chance.choice((0, 0, 1, 3))))
            return f"PostgreSQL {how}"

        return restart

    return (restarted("immediate"), restarted("fast"))


def redis_breaks(drill: Drill) -> Row:
    return broken("Redis emptied, killed, hung", drill, of_redis(drill.broker))


def postgresql_restarts(drill: Drill) -> Row:
    return broken("PostgreSQL restarted", drill, of_postgresql(drill.databases))


def delivered_often(drill: Drill, times: int = 5) -> Row:
    """Put every task into the queue `times` times at once, with several beats."""
    beats = [f"beat-{number}" for number in range(2, 3 if drill.smallest else 4)]
    with trial(drill) as it:
        running, usual = it.running, dict(it.running.environment)
        # Ticks that no worker has time for pile up in the queue until they expire; a lease must be
        # longer than that, as in production.
        changed = {"LEASE_SECONDS": "20", "TICK_SECONDS": "2", "DELIVERED": str(times)}
        running.exchange(*running.workers, BEAT, **changed)
        running.begin(*beats)
        with it.playing():
            for _ in it.rounds():
                running.jump_on()
                time.sleep(1.5)
        fault = f"every task delivered {times} times at once, by {len(beats) + 1} beats"
        row = it.row(fault, "both at a time", lag=None)
        # A drill that goes on with this league starts the usual ones.
        for name in set(running.running) & {*running.workers, BEAT, *beats}:
            running.kill(name)
        running.environment = usual
        return row


def deployed(drill: Drill) -> Row:
    """End each process as a deploy does during a deadline, and start it again."""
    with trial(drill) as it:
        with it.playing():
            for _ in it.rounds():
                it.running.jump_on()
                for name in it.running.usual:
                    it.running.exchange(name)
        return it.row("a deploy in the midst of a deadline", lag=None)
