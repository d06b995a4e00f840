"""Faults of time: a clock that jumps, and a machine asleep over a deadline (issue 10, 2)."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections.abc import Iterator
from dataclasses import replace

from tests.drills.breaking.league import HOUR, League
from tests.drills.breaking.trial import Drill, Row, Trial, trial

JUMPS = {"an hour": HOUR, "a day": 24 * HOUR, "a year": 365 * 24 * HOUR}


def jumped(drill: Drill, jumps: tuple[str, ...] = tuple(JUMPS)) -> list[Row]:
    """Set the clock wrong for some seconds, forward and then back, while orders are sent."""
    return [
        _one(replace(drill, folder=drill.folder / f"jump-{number}"), name)
        for number, name in enumerate(jumps[:1] if drill.smallest else jumps)
    ]


def _one(drill: Drill, name: str) -> Row:
    waits = 0.0
    with trial(drill, pause=0.2, OUTAGES="yes") as it:
        with it.playing():
            it.calm()
            for wrong in (JUMPS[name], -JUMPS[name]):
                for leap, wait in ((wrong, 3), (-wrong, 2)):
                    with leap_at_work(it.running):
                        it.running.time.jump(leap)
                    time.sleep(1 if drill.smallest else wait)
            it.calm()
            waits = longest_wait(it.running)
            _play_on(it, 2)
        row = it.row(
            f"the clock {name} forward and back",
            f"the longest wait for a deadline afterwards: {waits / HOUR:.1f} h of a phase of one",
            rounds=2,
        )
        if waits > 24 * HOUR + HOUR:
            row.lose("seconds until the next deadline", waits)
        return row


def longest_wait(running: League) -> float:
    """Return the seconds until the latest open deadline."""
    rows = running.rows("SELECT deadline FROM games_phase WHERE status = 'open'")
    due = [at for (stored,) in rows if (at := running.instant(stored)) is not None]
    return max(((at - running.time.now).total_seconds() for at in due), default=0.0)


@contextlib.contextmanager
def leap_at_work(running: League) -> Iterator[None]:
    """Record the span of a clock jump for the count, because all leases run out at it."""
    began = time.monotonic()
    yield
    running.leapt.append((began, time.monotonic()))


def wait_for_letters(running: League) -> None:
    """Wait until a worker is about to send letters, or at most 5 seconds."""
    last_moment = time.monotonic() + 5
    sending = "games_letter WHERE status = 'sending' AND attempts > 0"
    while time.monotonic() < last_moment and not running.count(sending):
        time.sleep(0.01)


def _play_on(it: Trial, times: int) -> None:
    """Jump to the next deadlines `times` times, whatever the processes are doing."""
    for _ in range(times):
        with leap_at_work(it.running):
            it.running.jump_on()
        time.sleep(1)
        it.calm()


def asleep(drill: Drill) -> Row:
    """Stop all processes, as a sleeping machine does, over a deadline; then continue them."""
    chance = random.Random(drill.seed)
    with trial(drill, pause=0.1, OUTAGES="yes") as it:
        running = it.running
        with it.playing():
            for _ in it.rounds():
                stopped = [process.pid for process in running.running.values()]
                time.sleep(0.3)  # while orders are sent
                with leap_at_work(running):
                    _signal(stopped, signal.SIGSTOP)
                    running.time.jump(2 * HOUR)
                    time.sleep(1)
                _signal(stopped, signal.SIGCONT)
                # so that the next jump comes while letters about this one are being sent
                wait_for_letters(running)
                time.sleep(chance.uniform(0, 0.3))
                _play_on(it, 1)
        row = it.row("the machine asleep over a deadline")
        credited = running.count("games_deadlinechange")
        row.remark = f"{credited} deadlines given back their time"
        return row


def _signal(groups: list[int], number: signal.Signals) -> None:
    for group in groups:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, number)
