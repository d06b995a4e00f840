"""Fault: processes are killed at random instants and at named points (issue 10, 2)."""

from __future__ import annotations

import random
import time

from tests.drills.breaking.hooks import POINTS
from tests.drills.breaking.league import HOUR, LMTP, WEB, WORKERS, League
from tests.drills.breaking.trial import Drill, Row, trial

#: Points that a process reaches soon while there is work. Children of a worker, web processes and
# the mail server (`lmtp`).
AT_POINTS = [("worker", point) for point in POINTS] * 3 + [
    (role, point) for role in ("web", "lmtp") for point in POINTS[:2]
]
OUTRIGHT = [*WORKERS, *WORKERS, "beat", WEB, LMTP]
#: Seconds of the machine for a round, including the restart of the killed process; and rounds
# between two jumps of the clock.
ROUND, A_JUMP = 2.0, 4
#: How often the clock jumps to a deadline of a game until the game is over (time also passes by
# itself). With a higher number the last kills would break nothing.
DUE = 9.5


def killed(drill: Drill, pause: float = ROUND) -> Row:
    """Kill a process each round while deadlines pass and orders are sent; then count.

    Half of the kills come at random instants, half at named points. Deadlines of a game are an hour
    of the service's time apart; those of different games are spread over the hour. Every few
    rounds the clock jumps to where enough games are due for all to end with the last round; with
    few rounds, to where all games are due.
    """
    fault = "kill -9 of workers, beat, web and lmtp, at random and at named points"
    return _killed(drill, fault, pause, HOUR // drill.games, min(1.0, DUE * A_JUMP / drill.rounds))


def killed_in_storms(drill: Drill, pause: float = ROUND) -> Row:
    """Kill processes as `killed` does, but with the deadlines of all games at the same instants.

    Half of the storms are attacks, so that kills come during many locks, readings and results.
    """
    return _killed(drill, "the same in storms: all games due at once", pause, 0, 1.0)


def _killed(drill: Drill, fault: str, pause: float, spread: int, share: float) -> Row:
    chance = random.Random(drill.seed)
    done: list[str] = []
    with trial(drill, spread=spread) as it:
        with it.playing():
            while len(done) < drill.rounds:
                it.calm()
                it.running.jump_on(share)
                for _ in range(min(A_JUMP, drill.rounds - len(done))):
                    done.append(_round(it.running, chance, pause))
                _withdraw(it.running)
                it.progress(len(done))
        by_point = ", ".join(f"{name} {done.count(name)}" for name in sorted(set(done)))
        return it.row(fault, f"killed: {by_point}", lag=None)


def _round(running: League, chance: random.Random, pause: float) -> str:
    """Kill one process and restart what has died. Return the name of process or point."""
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
        request = running.ask_to_die(role, point)
        while request.exists() and time.monotonic() < end + pause:
            time.sleep(0.01)
        if request.exists():
            name = "nobody came by"
            request.unlink(missing_ok=True)
    running.tend()
    while time.monotonic() < end:
        time.sleep(0.02)
    return name


def _withdraw(running: League) -> None:
    """Remove the remaining requests to die."""
    for request in running.notes.iterdir():
        if request.name.count(".") == 1:
            request.unlink(missing_ok=True)
