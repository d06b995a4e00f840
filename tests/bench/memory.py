"""What each process holds in memory while games are played for an hour.

    python -m tests.bench memory [--minutes 60] [--games 20]

As they are deployed: prefork workers, a beat and a web by the lines of deploy/Procfile, with
PostgreSQL, Redis and an SMTP sink. Sales are read by the real market source, yfinance, from a
loopback Yahoo. A clock that runs fast gives each game a deadline a minute, and pages are opened all
the time. Memory is proportional set size; that a process needs more and more shows in the least
that it held in each quarter, which what the allocator keeps for later does not raise.

With the allocator's usual settings; `MALLOC_ARENA_MAX=2 python -m tests.bench memory` shows others.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from tests.drills.breaking.opened import open_games
from tests.support.processes import Service, Sink, make_tables, production
from tests.support.servers import redis

from . import figures, storm

#: Seconds between two samples, of which a short run has about `SAMPLES`. A process with no more
#: than `LEAST` has no quarters.
EVERY, SAMPLES, LEAST = 10.0, 20, 4
#: How many times as fast as the machine's clock the service's clock runs, and the minutes by the
#: service's clock between deadlines. A market session comes every 4 minutes of the machine.
FAST, DEADLINES = 400, 400
#: Seconds by the service's clock, the longest allowed lease: 9 seconds of the machine.
LEASE = 3600
ALLOCATOR = ("MALLOC_ARENA_MAX", "MALLOC_TRIM_THRESHOLD_", "LD_PRELOAD")


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench memory")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--games", type=int, default=20)
    arguments = parser.parse_args(words)
    os.environ.setdefault("SECRET_KEY", secrets.token_urlsafe(50))
    with (
        tempfile.TemporaryDirectory(prefix="gamesmaster-memory-") as name,
        figures.postgresql(Path(name)) as address,
        redis(Path(name)) as broker,
        storm.yahoo() as exchange,
        Sink() as sink,
    ):
        running = Service(
            Path(name),
            DATABASE_URL=address,
            BROKER_URL=broker.url,
            EMAIL_URL=sink.address,
            YAHOO_BASE_URL=exchange,
            LEASE_SECONDS=str(LEASE),
            LOG_LEVEL="WARNING",
            **{name: os.environ[name] for name in ALLOCATOR if name in os.environ},
        )
        running.shown = True
        try:
            make_tables(running)
            results = _watched(running, arguments)
        finally:
            running.stop()
    figures.keep(
        "memory", {"minutes": arguments.minutes, "games at once": arguments.games, **results}
    )


def _watched(running: Service, wanted: argparse.Namespace) -> dict[str, Any]:
    _open(running, wanted.games)
    running.start("web", production("web", {"127.0.0.1:8000": f"127.0.0.1:{running.port}"}))
    running.start("worker", [*production("worker"), "--loglevel", "ERROR"])
    running.start("beat", [*production("beat"), "--loglevel", "ERROR"])
    began, looked, pages = time.monotonic(), 0.0, 0
    samples: dict[str, list[tuple[float, float]]] = {}
    while (elapsed := time.monotonic() - began) < wanted.minutes * 60 or not any(
        len(taken) > LEAST for taken in samples.values()
    ):
        running.must_run()
        running.set_clock(elapsed * FAST)
        if running.count("games_game WHERE status = 'running'") < wanted.games // 2:
            _open(running, wanted.games // 2)  # a game ends after 12 phases; start others
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
        if elapsed - looked >= min(EVERY, wanted.minutes * 60 / SAMPLES):
            looked = elapsed
            for who, size in _sizes(running).items():
                samples.setdefault(who, []).append((elapsed, size))
        time.sleep(0.2)
    totals = {
        "allocator": {name: os.environ[name] for name in ALLOCATOR if name in os.environ}
        or "its usual settings",
        "stocks read": running.count("games_reading"),
        "phases judged": running.count("games_phase WHERE status = 'resolved'"),
        "letters sent": running.count("games_letter WHERE status = 'sent'"),
        "pages opened": pages,
    }
    processes = {who: _grown(taken) for who, taken in sorted(samples.items()) if len(taken) > LEAST}
    for who, rows in processes.items():
        figures.say(who, list(rows.items()))
    return {**totals, "processes": processes}


def _open(running: Service, number: int) -> None:
    """Open games whose digits are Yahoo's sales, read once."""
    open_games(running, number, DEADLINES)
    running.rows("UPDATE games_game SET market = 'yahoo' RETURNING id")


def _sizes(running: Service) -> dict[str, float]:
    """Return the megabytes of each process of the service by name; children are numbered."""
    sizes: dict[str, float] = {}
    for name, started in running.running.items():
        with suppress(psutil.NoSuchProcess):
            process = psutil.Process(started.pid)
            for number, member in enumerate([process, *process.children(recursive=True)]):
                who = f"{name}, {'itself' if number == 0 else f'child {number}'}"
                sizes[who] = member.memory_full_info().pss / 2**20
    return sizes


def _grown(taken: list[tuple[float, float]]) -> dict[str, float]:
    """Return the lowest number of megabytes in each quarter of the time, and the highest of all."""
    sizes = [size for _, size in taken]
    each = len(sizes) / 4
    quarters = [sizes[round(each * place) : round(each * (place + 1))] for place in range(4)]
    least = {
        f"least, quarter {place}": round(min(quarter), 1)
        for place, quarter in enumerate(quarters, start=1)
    }
    return {**least, "most": round(max(sizes), 1)}


if __name__ == "__main__":
    main(sys.argv[1:])
