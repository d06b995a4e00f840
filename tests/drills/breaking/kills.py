"""Workers, beat, web and mail's door killed as by a power cut, at random instants and at named
points of the code (issue 10, 2)."""

from __future__ import annotations

import random
import time
from pathlib import Path

from tests.drills.breaking import report
from tests.drills.breaking.hooks import POINTS
from tests.drills.breaking.league import HOUR, LMTP, WEB, WORKERS, Databases, League, league
from tests.drills.breaking.players import Players
from tests.drills.breaking.report import Row
from tests.support.servers import Redis

#: Where a process comes by within a moment while there is anything to do. A worker's children, a
# web's and the mail's door.
AT_POINTS = [("worker", point) for point in POINTS] * 3 + [
    (role, point) for role in ("web", "lmtp") for point in POINTS[:2]
]
OUTRIGHT = [*WORKERS, *WORKERS, "beat", WEB, LMTP]
#: Seconds of the machine for a round, the restart of what was killed included; rounds from one
# jump of the clock to the next.
ROUND, A_JUMP = 2.0, 4
#: How often the clock jumps to a game from its beginning to its end (it walks there too); were it
# more, the last kills would break nothing.
DUE = 9.5


def killed(
    folder: Path,
    databases: Databases | None,
    broker: Redis | None,
    *,
    rounds: int,
    games: int,
    seed: int,
    pause: float = ROUND,
) -> Row:
    """Kills once a round, half of them outright and half at named points, while deadlines pass and
    orders are sent; then counts.

    Deadlines are an hour of the service's time apart, those of different games spread over it.
    Every few rounds the clock jumps on, to where so many games are due that all of them are over
    with the last round; in few rounds to where all are.
    """
    chance = random.Random(seed)
    share = min(1.0, DUE * A_JUMP / rounds)
    with league(folder, databases, broker, games=games, spread=HOUR // games) as running:
        began = time.monotonic()
        running.begin()
        running.ready()
        done: list[str] = []
        with Players(running, seed) as players:
            while len(done) < rounds:
                with players.at_rest():
                    running.calm()
                running.jump_on(share)
                done += [
                    _round(running, chance, pause) for _ in range(min(A_JUMP, rounds - len(done)))
                ]
                _withdraw(running)
                report.progress(running, f"round {len(done)} of {rounds}")
            running.tend()
            running.ready()
        running.finish()
        by_point = {name: done.count(name) for name in sorted(set(done))}
        return report.row(
            "kill -9 of workers, beat, web and lmtp, at random and at named points",
            running,
            players.sent,
            rounds=rounds,
            seed=seed,
            began=began,
            remark="killed: " + ", ".join(f"{name} {times}" for name, times in by_point.items()),
        )


def _round(running: League, chance: random.Random, pause: float) -> str:
    """One kill at a random instant of the round, and what has died is started again. Says what was
    done."""
    end = time.monotonic() + pause * chance.uniform(0.6, 1.4)
    time.sleep(pause * chance.random() / 2)
    if chance.random() < 0.5:
        name = chance.choice([name for name in OUTRIGHT if name in running.running])
        running.tend()
        running.kill(name)
        running.begin(name)
    else:
        role, point = chance.choice(AT_POINTS)
        name = f"{role} {point}"
        asked = running.ask_to_die(role, point)
        while asked.exists() and time.monotonic() < end + pause:
            time.sleep(0.01)
        if asked.exists():
            name = "nobody came by"
            asked.unlink(missing_ok=True)
    running.tend()
    while time.monotonic() < end:
        time.sleep(0.02)
    return name


def _withdraw(running: League) -> None:
    """Nobody is asked to die any more."""
    for asked in running.notes.iterdir():
        if asked.name.count(".") == 1:
            asked.unlink(missing_ok=True)
