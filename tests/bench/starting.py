"""What each process takes to start and to stand, and what it takes to make the tables of an empty
database, beside a Python that loads Django alone. With compiled files, as installations run.

    python -m tests.bench starting [--runs 7] [--only web migrations-sqlite]"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import psycopg

from tests.gamesmaster.test_startup import STARTED
from tests.support.children import run
from tests.support.processes import collected_static_files

from . import figures

BARE = "Python that loads Django"
#: All migrations on an empty database, by kind of database.
MIGRATIONS = {f"migrations-{kind}": kind for kind in figures.DATABASES}
MIGRATE = (
    "import django; django.setup(); from django.core.management import call_command;"
    " call_command('migrate', verbosity=0)"
)
CODES = {
    BARE: "import django.core.handlers.wsgi, django.db, django.template",
    **STARTED,
    **dict.fromkeys(MIGRATIONS, MIGRATE),
}
#: Each prints when it has started: seconds of processor time, megabytes and loaded modules.
TELL = """
import json, resource, sys
used = resource.getrusage(resource.RUSAGE_SELF)
status = open("/proc/self/status")
memory = next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024
print(json.dumps([used.ru_utime + used.ru_stime, memory, len(sys.modules)]))
"""
RUNS = 7


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench starting")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--only", nargs="+", default=list(CODES), choices=CODES, metavar="NAME")
    arguments = parser.parse_args(words)
    names = dict.fromkeys((BARE, *arguments.only))
    taken: dict[str, list[list[float]]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory(prefix="gamesmaster-bench-") as name:
        folder = Path(name)
        with figures.postgresql(folder) as address:
            # In turns; the first run of each compiles and reads files, and does not count.
            for number in range(arguments.runs + 1):
                for name in names:
                    taken[name].append(_started(name, folder, address, number))
    results: dict[str, Any] = {}
    for name, runs in taken.items():
        seconds, memory, modules = (
            statistics.median(column) for column in zip(*(runs[1:] or runs), strict=True)
        )
        results[name] = {
            "seconds": round(seconds, 3),
            "megabytes": round(memory, 1),
            "modules": int(modules),
        }
        results[name]["times Django alone"] = round(seconds / results[BARE]["seconds"], 2)
        figures.say(name, list(results[name].items()))
    figures.keep("starting", {"table": results})


def _started(name: str, folder: Path, address: str, number: int) -> list[float]:
    """Return the seconds, megabytes and modules of a process, with PostgreSQL's seconds for it.

    Every run of the migrations has an empty database.
    """
    place = folder / f"{number}-{list(CODES).index(name)}"
    place.mkdir()
    environment = {
        "PATH": os.environ["PATH"],
        **figures.ENVIRONMENT,
        "GAMESMASTER_ENV": os.devnull,
        "GAMESMASTER_VAR": str(place),
        "STATIC_ROOT": collected_static_files(),
        "EMAIL_URL": "smtp://127.0.0.1:1",
        "LMTP_LISTEN": "127.0.0.1:8024",
        "IMAP_URL": "imaps://a:b@example.org/INBOX",
    }
    server, before = 0, 0.0
    if MIGRATIONS.get(name) == "postgresql":
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE empty{number}")
        environment["DATABASE_URL"] = address.replace("/postgres?", f"/empty{number}?")
        server = figures.postmaster(folder)
        before = figures.seconds_of(server)
    output = run(name, [sys.executable, "-c", CODES[name] + TELL], env=environment)
    seconds, *rest = json.loads(output.splitlines()[-1])
    return [seconds + (figures.seconds_of(server) - before if server else 0.0), *rest]
