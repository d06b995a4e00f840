"""Redis and PostgreSQL taken away in the midst of deadlines and of orders (issue 10, 2)."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

from tests.drills.breaking.league import Databases, League
from tests.drills.breaking.trial import Drill, Row, trial
from tests.support.servers import Redis

#: One thing that is done to a league in the midst of a storm; it says how it is called.
Break = Callable[[League, random.Random], str]


def broken(fault: str, drill: Drill, deeds: Sequence[Break]) -> Row:
    """A deadline of all games each round, and in the midst of it one deed, in turn."""
    chance = random.Random(drill.seed)
    done: list[str] = []
    with trial(drill) as it:
        with it.players:
            for number in it.rounds():
                it.running.jump_on()
                time.sleep(chance.uniform(0.3, 1.5))
                done.append(deeds[(number - 1) % len(deeds)](it.running, chance))
                it.running.tend()
                time.sleep(0.5)
            it.stand_up()
        times = ", ".join(f"{name} {done.count(name)}" for name in sorted(set(done)))
        return it.row(fault, times, lag=None)


def of_redis(broker: Redis | None) -> tuple[Break, ...]:
    """Emptied, killed and started again empty after some seconds, and hung for a moment."""
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
    """Stopped `immediate`, which is a crash, and `fast`, and away for a while."""
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


def delivered_often(drill: Drill, times: int = 5, beats: int = 3) -> Row:
    """Every task put into the queue several times at once, and several beats."""
    # Ticks that nobody has time for pile up in the queue until they expire: a lease is longer than
    # that, here as in earnest.
    with trial(drill, lease=20, TICK_SECONDS="2", DELIVERED=str(times)) as it:
        it.running.begin(*(f"beat-{number}" for number in range(2, beats + 1)))
        with it.players:
            for _ in it.rounds():
                it.running.jump_on()
                time.sleep(1.5)
        fault = f"every task delivered {times} times at once, by {beats} beats"
        return it.row(fault, "both at a time", lag=None)
