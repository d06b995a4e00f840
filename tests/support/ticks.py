"""Ticks as Celery does them, in this process."""

from __future__ import annotations

import pytest

from games import tasks


def tick_in_process(monkeypatch: pytest.MonkeyPatch, *jobs: str) -> list[tuple[list[int], str]]:
    """Let `tasks.tick` do these jobs at once; what it claims of all others it gives up again.

    Return the ids and tokens that it will have handed out of these jobs.
    """
    handed: list[tuple[list[int], str]] = []

    def deliver(name: str, ids: list[int], token: str) -> None:
        if name in jobs:
            handed.append((ids, token))
            tasks.do_job(name, ids, token)
        else:
            tasks.JOBS[name].release(ids, token)

    monkeypatch.setattr(tasks.do_job, "delay", deliver)
    return handed
