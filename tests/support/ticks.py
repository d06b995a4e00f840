"""Run ticks in this process as Celery does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest

from games import tasks
from games.base import clock


def tick_in_process(monkeypatch: pytest.MonkeyPatch, *jobs: str) -> list[tuple[list[int], str]]:
    """Make `tasks.tick` do these jobs at once and release the claims of all others.

    Return a list that receives the ids and tokens handed out for these jobs.
    """
    handed: list[tuple[list[int], str]] = []

    def deliver(name: str, ids: list[int], token: str) -> None:
        if name in jobs:
            handed.append((ids, token))
            tasks.do_job(name, ids, token)
        else:
            job = tasks.JOBS[name]
            assert isinstance(job, tasks.Claimed)
            job.release(ids, token)

    monkeypatch.setattr(tasks.do_job, "delay", deliver)
    return handed


def tick_at(monkeypatch: pytest.MonkeyPatch, *jobs: str) -> Callable[[datetime], None]:
    """Return a function that runs a real tick at an instant, with these jobs in this process."""
    tick_in_process(monkeypatch, *jobs)

    def tick(now: datetime) -> None:
        monkeypatch.setattr(clock, "now", lambda: now)
        tasks.tick()

    return tick


def finish_tick(now: datetime) -> None:
    """Do what a tick does after it has handed out the claimed rows: the pulse and what follows."""
    names = list(tasks.JOBS)
    for name in names[names.index("pulse") :]:
        job = tasks.JOBS[name]
        assert not isinstance(job, tasks.Claimed)
        job.do(now)
