"""With `LOG_FORMAT=json` every line of every process is one JSON object (docs/operations.md,
“Logs”)."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from games.base import about
from tests.gamesmaster.test_serve import lines_other_than_json
from tests.gamesmaster.test_starting import PROCESSES
from tests.support.processes import ROOT, eventually, free_port, service
from tests.support.servers import redis

pytestmark = pytest.mark.processes


def children(pid: int) -> list[int]:
    listed = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return [int(child) for child in listed.stdout.split()]


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_every_line_of_every_process_is_json(tmp_path: Path) -> None:
    """Of their start, of a child that is killed, and of their end."""
    lmtp = free_port()
    with (
        redis(tmp_path) as broker,
        service(
            tmp_path,
            BROKER_URL=broker.url,
            LOG_FORMAT="json",
            LMTP_LISTEN=f"127.0.0.1:{lmtp}",
            IMAP_URL="imap://a:b@127.0.0.1:1/INBOX",
            TICK_SECONDS="0.5",
        ) as running,
    ):
        running.set_clock(0)
        for name, words in PROCESSES.items():
            own = [word.replace("127.0.0.1:8000", f"127.0.0.1:{running.port}") for word in words]
            running.start(name, [sys.executable, *own])
        eventually("the pages", lambda: is_open(running.port))
        eventually("incoming mail", lambda: is_open(lmtp), running)
        eventually("a tick", lambda: running.count("games_pulse WHERE name = 'tick'"))
        eventually("the mailbox", lambda: "Fetching mail from" in running.said())
        for name in ("worker", "web"):
            (child, *_) = children(running.running[name].pid)
            os.kill(child, signal.SIGKILL)
        eventually("the loss of a child", lambda: "exited with" in running.said())
        # A worker that lost a child just after its start may take half a minute to end.
        running.end("web", "worker", "beat", "lmtp", "imap", within=120)
        said = running.said()
        assert lines_other_than_json(running.folder / "log") == [], said
        for sentence in ("Receiving mail by LMTP", "Warm shutdown", "signal 9"):
            assert sentence in said


def test_version_has_its_commit_in_a_working_copy_of_another_user(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The documented installation: root has the code, the service runs as `gamesmaster`."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no working copy")
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    about.version.cache_clear()
    number, _, commit = about.version().partition("+")
    assert number[0].isdigit()
    assert len(commit) >= 7
