"""Run the service as separate processes, with a real SMTP sink and a movable clock."""

from __future__ import annotations

import atexit
import contextlib
import email
import email.policy
import json
import os
import secrets
import shlex
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from email.message import EmailMessage
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Self, TypeVar
from weakref import WeakKeyDictionary

import psycopg
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from games.base import processes
from tests.support import tables
from tests.support.children import ROOT as ROOT
from tests.support.children import Child
from tests.support.resident import Resident

#: As many requests and messages as the service allows to be set (gamesmaster.E012), so that no
#: benchmark or drill is rejected as too many from one sender.
UNLIMITED = {
    "MAIL_ANSWERS_AN_HOUR": "10000",
    "MAIL_OBEYED_AN_HOUR": "100000",
    "LIMIT_ORDERS": "100000",
    "LIMIT_SENT": "100000",
    "LIMIT_STRANGERS": "100000",
}
Found = TypeVar("Found")


def free_port() -> int:
    """Return a port on which nobody listens.

    It is none of those that the system gives to connections, of which another test could get it
    before the process that it is for has started.
    """
    while True:
        port = 20_000 + secrets.randbelow(12_000)
        with socket.socket() as listener, contextlib.suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port


def production(name: str, places: Mapping[str, str] | None = None) -> list[str]:
    """Return a command line of deploy/Procfile; `places` replaces words of it."""
    (line,) = (
        line
        for line in (ROOT / "deploy" / "Procfile").read_text().splitlines()
        if line.startswith(f"{name}: ")
    )
    program, *words = shlex.split(line)[1:]
    assert program == ".venv/bin/python"
    return [sys.executable, *((places or {}).get(word, word) for word in words)]


@cache
def collected_static_files() -> str:
    """Return a folder of the static files as pages link to them, made once for all services, and
    for the benchmarks and drills that a test starts."""
    if given := os.environ.get("STATIC_ROOT"):
        return given
    folder = tempfile.TemporaryDirectory(prefix="gamesmaster-static-")
    atexit.register(folder.cleanup)
    own = {"DJANGO_SETTINGS_MODULE": "gamesmaster.settings", "STATIC_ROOT": folder.name}
    subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--no-input", "--verbosity", "0"],
        cwd=ROOT,
        env=os.environ | own,
        check=True,
    )
    return folder.name


class Sink:
    """Keep every message received by SMTP, with the address it was delivered to."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, EmailMessage]] = []
        self.controller = Controller(self, hostname="127.0.0.1", port=free_port())

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 (aiosmtpd calls it so)
        assert isinstance(envelope.content, bytes)
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        for address in envelope.rcpt_tos:
            self.messages.append((address, message))
        return "250 kept"

    def to(self, address: str) -> list[EmailMessage]:
        return [message for to, message in list(self.messages) if to == address]

    @property
    def address(self) -> str:
        return f"smtp://127.0.0.1:{self.controller.port}"

    def __enter__(self) -> Self:
        self.controller.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.controller.stop()


_texts: WeakKeyDictionary[EmailMessage, str] = WeakKeyDictionary()


def text_of(message: EmailMessage) -> str:
    """Return the plain text of a letter, cached: tests ask many times a second."""
    if message not in _texts:
        part = message.get_body(preferencelist=("plain",))
        assert part is not None
        _texts[message] = str(part.get_content())
    return _texts[message]


class Service:
    """Manage processes that share a folder, a database, a broker and a clock."""

    #: Whether the standard error of its processes is shown as it comes, besides the log.
    shown = False

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        self.port = free_port()
        self.clock = folder / "clock"
        self.environment = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(folder),
            # These tests move the clock by days, which is no outage.
            "DJANGO_SETTINGS_MODULE": "tests.support.leaping",
            "GAMESMASTER_ENV": os.devnull,
            "GAMESMASTER_VAR": str(folder),
            "STATIC_ROOT": collected_static_files(),
            "GAMESMASTER_CLOCK": str(self.clock),
            "SECRET_KEY": os.environ["SECRET_KEY"],
            "SITE_URL": f"http://127.0.0.1:{self.port}",
            "EMAIL_URL": "smtp://127.0.0.1:1",
            "LOG_LEVEL": "INFO",
            **environment,
        }
        self.running: dict[str, Child] = {}
        self.log = (folder / "log").open("ab")
        self._resident: Resident | None = None

    def manage(self, *words: str, code: int = 0) -> str:
        """Run a command of `manage.py` and return its output."""
        done = self.run(*words)
        assert done.returncode == code, (
            f"{words} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
        )
        return done.stdout

    def complaint(self, *words: str) -> str:
        """Return the error of a refused command of `manage.py`, without traceback."""
        done = self.run(*words)
        assert done.returncode != 0, f"{words} was done:\n{done.stdout}"
        assert "Traceback" not in done.stderr, done.stderr[-3000:]
        return done.stderr

    def run(self, *words: str, given: str = os.devnull) -> subprocess.CompletedProcess[str]:
        """Run a command of `manage.py` with a file as its standard input (`Resident.manage`)."""
        return self._in_this_environment().manage(words, given)

    def call(self, function: Callable[..., Any], *given: Any) -> Any:
        """Call a function in a process of its own with this environment, which stays for the next
        call (`Resident.call`)."""
        return self._in_this_environment().call(function, *given)

    def _in_this_environment(self) -> Resident:
        if self._resident is not None and self._resident.environment != self.environment:
            self._resident.__exit__()
            self._resident = None
        if self._resident is None:
            self._resident = Resident(self.environment, self.log, shown=self.shown)
        return self._resident

    def start(self, name: str, command: list[str]) -> None:
        """Start a named process in its own group, with output in the service's log."""
        self.running[name] = Child(
            name, command, env=self.environment, log=self.log, shown=self.shown
        )

    def must_run(self) -> None:
        """Raise `ChildEndedError` if a process has ended that nobody has ended."""
        for process in self.running.values():
            process.must_run()

    def start_all(self) -> None:
        """Start web and a worker, which ticks by itself, like `serve` without a broker."""
        commands = processes.commands(f"127.0.0.1:{self.port}", 2)
        self.start("web", commands["web"])
        self.start("worker-0", [*commands["worker"], "--hostname", "worker-0@test"])

    def kill(self, name: str) -> None:
        """Kill a process and its children, like a power cut."""
        process = self.running.pop(name)
        process.signal_group(signal.SIGKILL)
        process.wait()

    def end(self, *names: str, within: float = 30.0) -> None:
        """Ask processes to end, as a deploy does, and wait until their work is done."""
        for name in names:
            self.running[name].terminate()
        for name in names:
            self.running[name].wait(timeout=within)
            del self.running[name]  # one that does not end in time is killed by `stop`

    def stop(self) -> None:
        for process in self.running.values():
            process.signal_group(signal.SIGTERM)
        for process in self.running.values():
            process.reap(within=10)
        self.running.clear()
        if self._resident is not None:
            self._resident.__exit__()
        if "_postgresql" in vars(self):
            self._postgresql.close()
        self.log.close()

    def set_clock(self, ahead: float) -> None:
        """Move the clock of all processes to `ahead` seconds from the machine's."""
        fresh = self.clock.with_suffix(".new")
        fresh.write_text(str(ahead))
        fresh.replace(self.clock)

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Query the database directly; values replace question marks."""
        if not self.on_sqlite:
            asked = query.replace("?", "%s")
            try:
                return self._postgresql.execute(asked, values).fetchall()
            except psycopg.OperationalError:  # the server has been started again since
                vars(self).pop("_postgresql", None)
                return self._postgresql.execute(asked, values).fetchall()
        with contextlib.closing(
            sqlite3.connect(
                f"file:{self.folder / 'gamesmaster.sqlite3'}?mode=ro", uri=True, timeout=20
            )
        ) as database:
            return database.execute(query, values).fetchall()

    @cached_property
    def _postgresql(self) -> psycopg.Connection[tuple[Any, ...]]:
        """A connection that stays: what waits asks many times a second."""
        return psycopg.connect(self.environment["DATABASE_URL"], autocommit=True)

    @property
    def on_sqlite(self) -> bool:
        return "DATABASE_URL" not in self.environment

    def stored(self, instant: datetime) -> Any:
        """Return an instant in UTC as the database compares it: SQLite keeps text."""
        return instant.replace(tzinfo=None).isoformat(" ") if self.on_sqlite else instant

    def count(self, what: str, *values: Any) -> int:
        return int(self.rows(f"SELECT count(*) FROM {what}", *values)[0][0])

    def record(self, game: int) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.manage("exportgame", str(game)))
        return answer

    def said(self) -> str:
        """What all processes have said, to look for a sentence; its end alone loses what is old."""
        return (self.folder / "log").read_text(errors="replace")

    def tail(self) -> str:
        """The end of it, for people to read when something has failed."""
        return self.said()[-4000:]


class TookTooLongError(AssertionError):
    """What was waited for did not come in time."""


def eventually(
    what: str,
    look: Callable[[], Found | None],
    service: Service | None = None,
    within: float = 60.0,
) -> Found:
    """Look until the answer is true.

    Raises:
        TookTooLongError: It was not, `within` seconds; with the end of the log.
        ChildEndedError: A process of the service has ended meanwhile.
    """
    last_moment = time.monotonic() + within
    while True:
        found = look()
        if found:
            return found
        if service is not None:
            service.must_run()
        if time.monotonic() > last_moment:
            raise TookTooLongError(
                f"waited {within:.0f} s for {what}" + (f"\n{service.tail()}" if service else "")
            )
        time.sleep(0.05)


#: A SQLite file with all tables, made when the first service of this run needs one.
_empty: list[bytes] = []


def installed_packages(folder: Path) -> Path:
    """Return a new folder that a Makefile accepts as `.venv`, with these packages."""
    (folder / "bin").mkdir(parents=True)
    python = folder / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    stamp = folder / "installed"
    stamp.touch()
    newest = max(path.stat().st_mtime for path in ROOT.glob("requirements*.lock")) + 1
    os.utime(stamp, (newest, newest))
    return folder


def make_tables(running: Service) -> None:
    """Put all tables into the database of a service."""
    file = running.folder / "gamesmaster.sqlite3"
    if running.on_sqlite and _empty:
        file.write_bytes(_empty[0])
        return
    running.call(tables.make)
    if running.on_sqlite:
        with contextlib.closing(sqlite3.connect(file)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        _empty.append(file.read_bytes())


@contextlib.contextmanager
def service(folder: Path, *, with_tables: bool = True, **environment: str) -> Iterator[Service]:
    running = Service(folder, **environment)
    try:
        if with_tables:
            make_tables(running)
        yield running
    finally:
        running.stop()
