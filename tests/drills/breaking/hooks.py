"""Hooks inside a process of the service: points at which it may kill itself, and notes for the
count.

`BREAKING` names a folder. If it contains a file `ROLE.POINT`, the first process of that role that
reaches that point kills itself, as a power cut would (signal 9). If two reach it at once, the one
that renames the file dies. Points:

    before-commit, after-commit   of a transaction, or of a single change outside one
    before-data, after-data       before a letter's text goes to the mail server, and after its
                                  answer

Each process notes what it did in `did-PID`: the instant by the machine's clock that never jumps
(CLOCK_MONOTONIC), and

    commit THREAD       a change is on the disk
    mail PORT THREAD    it has connected to the mail server, from that port
    killed POINT        it is about to kill itself

`DELIVERED` is how often every task is put into the queue; the default is 1.
"""

from __future__ import annotations

import os
import signal
import smtplib
import socket
import threading
import time
from functools import wraps
from pathlib import Path
from typing import Any

WRITES = ("INSERT", "UPDATE", "DELETE")
POINTS = ("before-commit", "after-commit", "before-data", "after-data")


class _Notes:
    """The file of notes of this process; a forked child writes its own file."""

    def __init__(self) -> None:
        self.pid, self.handle = 0, -1

    def write(self, words: str) -> None:
        if self.pid != os.getpid():
            self.pid = os.getpid()
            self.handle = os.open(
                _folder() / f"did-{self.pid}", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600
            )
        os.write(self.handle, f"{time.monotonic():.6f} {words}\n".encode())


_notes = _Notes()


def _folder() -> Path:
    return Path(os.environ["BREAKING"])


def come_to(point: str) -> None:
    """Kill this process if the file for its role and this point exists."""
    request = _folder() / f"{os.environ.get('ROLE', '')}.{point}"
    try:
        os.rename(request, f"{request}.{os.getpid()}.done")
    except FileNotFoundError:
        return
    _notes.write(f"killed {point}")
    os.kill(os.getpid(), signal.SIGKILL)


def install() -> None:
    """Wrap functions of Django, smtplib and Celery with the points and notes."""
    if os.environ.get("BREAKING"):
        _commits()
        _letters()
    if int(os.environ.get("DELIVERED", "1")) > 1:
        _deliveries(int(os.environ["DELIVERED"]))


def _commits() -> None:
    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.backends.utils import CursorWrapper

    commit, execute = BaseDatabaseWrapper._commit, CursorWrapper._execute  # type: ignore[attr-defined]

    @wraps(commit)
    def committed(self: Any) -> Any:
        come_to("before-commit")
        done = commit(self)
        _notes.write(f"commit {threading.get_native_id()}")
        come_to("after-commit")
        return done

    @wraps(execute)
    def executed(self: Any, sql: Any, *given: Any) -> Any:
        alone = not self.db.in_atomic_block and str(sql).startswith(WRITES)
        if alone:
            come_to("before-commit")
        done = execute(self, sql, *given)
        if alone:
            _notes.write(f"commit {threading.get_native_id()}")
            come_to("after-commit")
        return done

    BaseDatabaseWrapper._commit = committed  # type: ignore[attr-defined]
    CursorWrapper._execute = executed  # type: ignore[attr-defined]


def _letters() -> None:
    port = int(os.environ.get("EMAIL_URL", "").rpartition(":")[2].partition("?")[0].strip("/") or 0)
    connect, send, getreply = socket.socket.connect, smtplib.SMTP.send, smtplib.SMTP.getreply

    def connected(self: socket.socket, address: Any) -> None:
        connect(self, address)
        if isinstance(address, tuple) and address[1] == port:
            _notes.write(f"mail {self.getsockname()[1]} {threading.get_native_id()}")

    @wraps(send)
    def sent(self: Any, message: Any) -> None:
        self.handing_over = message[-5:] in (b"\r\n.\r\n", "\r\n.\r\n")
        if self.handing_over:
            come_to("before-data")
        send(self, message)

    @wraps(getreply)
    def answered(self: Any) -> Any:
        answer = getreply(self)
        if getattr(self, "handing_over", False):
            self.handing_over = False
            come_to("after-data")
        return answer

    socket.socket.connect = connected  # type: ignore[assignment,method-assign]
    smtplib.SMTP.send = sent  # type: ignore[assignment,method-assign]
    smtplib.SMTP.getreply = answered  # type: ignore[method-assign]


def _deliveries(times: int) -> None:
    from celery import Celery

    send = Celery.send_task

    @wraps(send)
    def sent(self: Any, *given: Any, **named: Any) -> Any:
        for _ in range(times - 1):
            send(self, *given, **named)
        return send(self, *given, **named)

    Celery.send_task = sent
