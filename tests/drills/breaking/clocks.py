"""The machine's clock jumping forward and back, and a machine asleep over a deadline (issue 10,
2)."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from tests.drills.breaking import report
from tests.drills.breaking.league import HOUR, Databases, League, league
from tests.drills.breaking.players import Players
from tests.drills.breaking.report import Row
from tests.support.servers import Redis

JUMPS = {"an hour": HOUR, "a day": 24 * HOUR, "a year": 365 * 24 * HOUR}


def jumped(
    folder: Path,
    databases: Databases | None,
    broker: Redis | None,
    *,
    games: int,
    seed: int,
    jumps: tuple[str, ...] = tuple(JUMPS),
) -> list[Row]:
    """The clock is wrong for some seconds, forward and then back, while orders are sent; then it is
    right, and the games are played on."""
    return [
        _one(folder / f"jump-{number}", databases, broker, name, games, seed)
        for number, name in enumerate(jumps)
    ]


def _one(
    folder: Path,
    databases: Databases | None,
    broker: Redis | None,
    name: str,
    games: int,
    seed: int,
) -> Row:
    with league(folder, databases, broker, games=games, OUTAGE_MINUTES="30") as running:
        began, seconds = time.monotonic(), JUMPS[name]
        running.begin()
        running.ready()
        with Players(running, seed, pause=0.2) as players:
            with players.at_rest():
                running.calm()
            for wrong in (seconds, -seconds):
                for leap, wait in ((wrong, 3), (-wrong, 2)):
                    with leap_at_work(running):
                        running.time.jump(leap)
                    time.sleep(wait)
            with players.at_rest():
                running.calm()
            waits = longest_wait(running)
            _play_on(running, players, 2)
        running.finish()
        row = report.row(
            f"the clock {name} forward and back",
            running,
            players.sent,
            rounds=2,
            seed=seed,
            began=began,
            lag=0.0,
        )
        row.remark = (
            f"the longest wait for a deadline afterwards: {waits / HOUR:.1f} h of a phase of one"
        )
        if waits > 24 * HOUR + HOUR:
            row.lost, row.wrong = (
                row.lost + 1,
                {**row.wrong, "seconds until the next deadline": waits},
            )
        return row


def longest_wait(running: League) -> float:
    """Seconds until the deadline of the game that has to wait longest."""
    rows = running.rows("SELECT deadline FROM games_phase WHERE status = 'open'")
    return max(
        (
            (at - running.time.now).total_seconds()
            for (stored,) in rows
            if (at := running.instant(stored)) is not None
        ),
        default=0.0,
    )


@contextlib.contextmanager
def leap_at_work(running: League) -> Iterator[None]:
    """A leap of the clock while processes are at work, of which the count has to know: all leases
    run out at once."""
    began = time.monotonic()
    yield
    running.leapt.append((began, time.monotonic()))


def wait_for_letters(running: League, within: float = 5.0) -> None:
    """Until a worker is about to send some, or there are none after all."""
    last_moment = time.monotonic() + within
    while time.monotonic() < last_moment and not running.count(
        "games_letter WHERE status = 'sending' AND attempts > 0"
    ):
        time.sleep(0.01)


def _play_on(running: League, players: Players, times: int) -> None:
    """To the next deadlines, whatever the processes are doing: letters that announce how those
    before have moved, say."""
    for _ in range(times):
        with leap_at_work(running):
            running.jump_on()
        time.sleep(1)
        with players.at_rest():
            running.calm()


def asleep(
    folder: Path,
    databases: Databases | None,
    broker: Redis | None,
    *,
    rounds: int,
    games: int,
    seed: int,
) -> Row:
    """All processes stopped, as a machine that sleeps or is moved; a deadline passes; all of them
    go on where they were."""
    with league(folder, databases, broker, games=games, OUTAGE_MINUTES="30") as running:
        began, chance = time.monotonic(), random.Random(seed)
        running.begin()
        running.ready()
        with Players(running, seed, pause=0.1) as players:
            for number in range(rounds):
                with players.at_rest():
                    running.calm()
                stopped = [process.pid for process in running.running.values()]
                time.sleep(0.3)  # in the midst of orders
                with leap_at_work(running):
                    _signal(stopped, signal.SIGSTOP)
                    running.time.jump(2 * HOUR)
                    time.sleep(1)
                _signal(stopped, signal.SIGCONT)
                wait_for_letters(
                    running
                )  # so that the next leap comes in the midst of those that tell of this one
                time.sleep(chance.uniform(0, 0.3))
                _play_on(running, players, 1)
                report.progress(running, f"round {number + 1} of {rounds}")
        running.finish()
        given = running.count("games_deadlinechange")
        return report.row(
            "the machine asleep over a deadline",
            running,
            players.sent,
            rounds=rounds,
            seed=seed,
            began=began,
            lag=0.0,
            remark=f"{given} deadlines given back their time",
        )


def _signal(groups: list[int], number: signal.Signals) -> None:
    for group in groups:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, number)
