"""Redis and PostgreSQL taken away in the midst of deadlines and of orders (issue 10, 2)."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.drills.breaking import report
from tests.drills.breaking.league import Databases, League, league
from tests.drills.breaking.players import Players
from tests.drills.breaking.report import Row
from tests.support.servers import Redis

#: One thing that is done to a league in the midst of a storm; it says how it is called.
Break = Callable[[League, random.Random], str]


def broken(
    fault: str,
    folder: Path,
    databases: Databases | None,
    broker: Redis | None,
    deeds: Sequence[Break],
    *,
    rounds: int,
    games: int,
    seed: int,
) -> Row:
    """A deadline of all games at once each round while orders are sent, and in the midst of it one
    of the deeds, in turn; then counts."""
    chance = random.Random(seed)
    with league(folder, databases, broker, games=games) as running:
        began = time.monotonic()
        running.begin()
        running.ready()
        done: list[str] = []
        with Players(running, seed) as players:
            for number in range(rounds):
                with players.at_rest():
                    running.calm()
                running.jump_on()
                time.sleep(chance.uniform(0.3, 1.5))
                done.append(deeds[number % len(deeds)](running, chance))
                running.tend()
                time.sleep(0.5)
                report.progress(running, f"round {number + 1} of {rounds}")
            running.tend()
            running.ready()
        running.finish()
        times = ", ".join(f"{name} {done.count(name)}" for name in sorted(set(done)))
        return report.row(
            fault, running, players.sent, rounds=rounds, seed=seed, began=began, remark=times
        )


def of_redis(broker: Redis) -> tuple[Break, ...]:
    """Emptied, killed and started again empty after some seconds, and hung for a moment."""

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


def of_postgresql(databases: Databases) -> tuple[Break, ...]:
    """Stopped `immediate`, which is a crash, and `fast`, and away for a while."""

    def restarted(how: str) -> Break:
        def restart(running: League, chance: random.Random) -> str:
            running.away.append(databases.restart(how, chance.choice((0, 0, 1, 3))))
            return f"PostgreSQL {how}"

        return restart

    return (restarted("immediate"), restarted("fast"))


def redis_breaks(
    folder: Path, databases: Databases, broker: Redis, *, rounds: int, games: int, seed: int
) -> Row:
    fault = "Redis emptied, killed, hung"
    return broken(
        fault, folder, databases, broker, of_redis(broker), rounds=rounds, games=games, seed=seed
    )


def postgresql_restarts(
    folder: Path, databases: Databases, broker: Redis, *, rounds: int, games: int, seed: int
) -> Row:
    return broken(
        "PostgreSQL restarted",
        folder,
        databases,
        broker,
        of_postgresql(databases),
        rounds=rounds,
        games=games,
        seed=seed,
    )


def delivered_often(
    folder: Path,
    databases: Databases,
    broker: Redis,
    *,
    rounds: int,
    games: int,
    seed: int,
    times: int = 5,
    beats: int = 3,
) -> Row:
    """Every task put into the queue several times at once, and several beats."""
    # Ticks that nobody has time for pile up in the queue until they expire: a lease is longer than
    # that, here as in earnest.
    with league(
        folder, databases, broker, games=games, lease=20, TICK_SECONDS="2", DELIVERED=str(times)
    ) as running:
        began = time.monotonic()
        running.begin()
        running.begin(*(f"beat-{number}" for number in range(2, beats + 1)))
        running.ready()
        with Players(running, seed) as players:
            for number in range(rounds):
                with players.at_rest():
                    running.calm()
                running.jump_on()
                time.sleep(1.5)
                report.progress(running, f"round {number + 1} of {rounds}")
        running.finish()
        fault = f"every task delivered {times} times at once, by {beats} beats"
        return report.row(
            fault,
            running,
            players.sent,
            rounds=rounds,
            seed=seed,
            began=began,
            remark="both at a time",
        )
