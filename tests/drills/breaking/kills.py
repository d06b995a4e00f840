"""Processes killed as by a power cut, at random instants and named points (issue 10, 2)."""

from __future__ import annotations

import random
import time

from tests.drills.breaking.hooks import POINTS
from tests.drills.breaking.league import HOUR, LMTP, WEB, WORKERS, League
from tests.drills.breaking.trial import Drill, Row, trial

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


def killed(drill: Drill, pause: float = ROUND) -> Row:
    """Kills once a round, half of them outright and half at named points, while deadlines pass and
    orders are sent; then counts.

    Deadlines are an hour of the service's time apart, those of different games spread over it.
    Every few rounds the clock jumps on, to where so many games are due that all of them are over
    with the last round; in few rounds to where all are.
    """
    fault = "kill -9 of workers, beat, web and lmtp, at random and at named points"
    return _killed(drill, fault, pause, HOUR // drill.games, min(1.0, DUE * A_JUMP / drill.rounds))


def killed_in_storms(drill: Drill, pause: float = ROUND) -> Row:
    """The same where all games have their deadlines at the same instants, so that half of the
    storms are of attacks: lock, readings and results are each broken in the midst of many."""
    return _killed(drill, "the same in storms: all games due at once", pause, 0, 1.0)


def _killed(drill: Drill, fault: str, pause: float, spread: int, share: float) -> Row:
    chance = random.Random(drill.seed)
    done: list[str] = []
    with trial(drill, spread=spread) as it:
        with it.players:
            while len(done) < drill.rounds:
                it.calm()
                it.running.jump_on(share)
                for _ in range(min(A_JUMP, drill.rounds - len(done))):
                    done.append(_round(it.running, chance, pause))
                _withdraw(it.running)
                it.progress(len(done))
            it.stand_up()
        by_point = ", ".join(f"{name} {done.count(name)}" for name in sorted(set(done)))
        return it.row(fault, f"killed: {by_point}", lag=None)


def _round(running: League, chance: random.Random, pause: float) -> str:
    """One kill at a random instant, and what has died is started again. Says which."""
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
