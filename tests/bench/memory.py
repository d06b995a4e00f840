"""What each process holds in memory while games are played for an hour.

    python -m tests.bench memory [--minutes 60] [--games 20]

As `serve` starts them, with PostgreSQL and an SMTP sink. A clock that runs fast gives each game a
deadline every few seconds, and pages are opened all the time. Memory is proportional set size."""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from tests.drills.breaking.opened import open_games
from tests.support.processes import Service, Sink

from . import figures

EVERY = 10.0
FAST = 10  # so many times faster than the machine’s does the clock of the service run


def main(words: list[str]) -> None:
    told = argparse.ArgumentParser(prog="python -m tests.bench memory")
    told.add_argument("--minutes", type=float, default=60)
    told.add_argument("--games", type=int, default=20)
    wanted = told.parse_args(words)
    os.environ.setdefault("SECRET_KEY", "bench" * 12)
    with (
        tempfile.TemporaryDirectory(prefix="gamesmaster-memory-") as name,
        figures.postgresql(Path(name)) as address,
        Sink() as sink,
    ):
        running = Service(
            Path(name), DATABASE_URL=address, EMAIL_URL=sink.address, LOG_LEVEL="WARNING"
        )
        try:
            running.manage("migrate", "--verbosity", "0")
            found = _watched(running, wanted)
        finally:
            running.stop()
    figures.keep("memory", {"minutes": wanted.minutes, "games at once": wanted.games, **found})


def _watched(running: Service, wanted: argparse.Namespace) -> dict[str, Any]:
    open_games(running, wanted.games)
    running.start_all()
    began, looked, pages = time.monotonic(), 0.0, 0
    samples: dict[str, list[tuple[float, float]]] = {}
    while (gone := time.monotonic() - began) < wanted.minutes * 60:
        running.set_clock(gone * FAST)
        if running.count("games_game WHERE status = 'running'") < wanted.games // 2:
            open_games(
                running, wanted.games // 2
            )  # a game is over after twelve phases; others begin
        for path in (
            "/",
            "/archive/",
            "/rules/origins-ww2/",
            "/login/",
            "/healthz",
            f"/games/{1 + pages % wanted.games}/",
        ):
            with suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{running.port}{path}", timeout=20).read()
                pages += 1
        if gone - looked >= EVERY:
            looked = gone
            for who, size in _sizes(running).items():
                samples.setdefault(who, []).append((gone, size))
        time.sleep(0.2)
    told = {
        "phases judged": running.count("games_phase WHERE status = 'resolved'"),
        "letters sent": running.count("games_letter WHERE status = 'sent'"),
        "pages opened": pages,
    }
    found = {who: _grown(taken) for who, taken in sorted(samples.items()) if len(taken) > 4}
    for who, rows in found.items():
        figures.say(who, list(rows.items()))
    return {**told, "processes": found}


def _sizes(running: Service) -> dict[str, float]:
    """Megabytes of each process of the service, by name; children are numbered."""
    found: dict[str, float] = {}
    for name, started in running.running.items():
        with suppress(psutil.NoSuchProcess):
            process = psutil.Process(started.pid)
            for number, one in enumerate([process, *process.children(recursive=True)]):
                who = f"{name}, {'itself' if number == 0 else f'child {number}'}"
                found[who] = one.memory_full_info().pss / 2**20
    return found


def _grown(taken: list[tuple[float, float]]) -> dict[str, float]:
    """First and last megabytes, the most, and the slope an hour over the second half."""
    later = taken[len(taken) // 2 :]
    slope = (
        statistics.linear_regression([at for at, _ in later], [size for _, size in later]).slope
        if len(later) > 2
        else 0.0
    )
    return {
        "megabytes after the first minute": round(
            next((size for at, size in taken if at >= 60), taken[0][1]), 1
        ),
        "at the end": round(taken[-1][1], 1),
        "most": round(max(size for _, size in taken), 1),
        "megabytes an hour, second half": round(slope * 3600, 2),
    }


if __name__ == "__main__":
    main(sys.argv[1:])
