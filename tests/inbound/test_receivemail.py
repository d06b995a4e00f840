"""One message from standard input, from a pipe of any mail server (issue 4, item 1)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.inbound.writing import written
from tests.support.examples import sample
from tests.support.processes import ROOT, Service, service

pytestmark = pytest.mark.processes


def run(service: Service, raw: bytes, *words: str, **environment: str) -> tuple[int, str]:
    """Pipe a message; a process of its own starts where the settings are not those of the
    service."""
    message = service.folder / "message"
    message.write_bytes(raw)
    if not environment:
        done = service.run("receivemail", *words, given=str(message))
    else:
        with message.open("rb") as file:
            done = subprocess.run(
                [sys.executable, "manage.py", "receivemail", *words],
                cwd=ROOT,
                env={**service.environment, **environment},
                stdin=file,
                capture_output=True,
                text=True,
                check=False,
                timeout=120,
            )
    return done.returncode, done.stdout + done.stderr


def test_receivemail_exit_codes_follow_sysexits(tmp_path: Path) -> None:
    """sysexits.h: 0 stored, 65 never, 75 try again. Never a traceback."""
    raw = written("x@example.org", "orders@127.0.0.1", "HELP\n")
    with service(tmp_path, LOG_LEVEL="CRITICAL") as running:
        assert run(
            running, raw, "--recipient", "orders@127.0.0.1", "--sender", "x@example.org"
        ) == (os.EX_OK, "")
        assert run(running, raw) == (os.EX_OK, "")  # again, with the address from its headers
        assert running.rows("SELECT count(*) FROM orders_mail") == [(1,)]
        assert run(running, b"\xff\xfe no message \0 at all") == (os.EX_OK, "")
        assert running.rows("SELECT count(*) FROM orders_mail") == [(2,)]
        code, output = run(running, b"")
        assert (code, "Standard input was empty" in output) == (os.EX_DATAERR, True)
        code, output = run(running, raw * 200, MAIL_LARGEST="20000")
        assert (code, "more than 20,000 bytes" in output) == (os.EX_DATAERR, True)
        code, output = run(
            running, raw, DATABASE_URL=f"sqlite:///{tmp_path}/no/such/folder/database"
        )
        assert (code, "try again" in output, "Traceback" in output) == (os.EX_TEMPFAIL, True, False)
        for setting in (
            {"DATABASE_URL": "nonsense"},
            {"MAIL_LARGEST": "much"},
        ):  # a fault of ours, not of the sender
            code, output = run(running, raw, **setting)
            assert (code, "Traceback" in output) == (os.EX_TEMPFAIL, False), output
        assert run(running, raw, "--recipient=orders@127.0.0.1", "--sender=-x@example.org") == (
            os.EX_OK,
            "",
        )


CANNOT_START: list[tuple[list[str], list[str], str]] = [
    (["-I", "-S"], [], "Django is not installed"),
    ([], ["--recipiant", "orders@127.0.0.1"], "unrecognized arguments"),
    ([], ["orders@127.0.0.1"], "unrecognized arguments"),
    ([], ["--recipient"], "expected one argument"),
]


@pytest.mark.parametrize(("python", "words", "sentence"), sample(CANNOT_START, 2))
def test_receivemail_that_cannot_start_asks_to_try_again(
    python: list[str], words: list[str], sentence: str, tmp_path: Path
) -> None:
    """With 1 or 2 the mail server would return the letter to the player."""
    done = subprocess.run(
        [sys.executable, *python, "manage.py", "receivemail", *words],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "GAMESMASTER_ENV": os.devnull,
            "GAMESMASTER_VAR": str(tmp_path),
        },
        input="Subject: x\n\nx\n",
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert sentence in done.stderr
    assert done.returncode == os.EX_TEMPFAIL
