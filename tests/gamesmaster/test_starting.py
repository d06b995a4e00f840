"""No process of the service starts with a missing or dangerous setting (issue 26, 3;
gamesmaster.md D3)."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processes import ROOT, free_port

pytestmark = pytest.mark.processes

KEY = "a-key-that-lasts-0123456789-abcdefghijklmnopqrstuvwxyz"
PROCESSES = {
    name: shlex.split(command)[1:]
    for name, command in (
        line.split(": ", 1) for line in (ROOT / "deploy" / "Procfile").read_text().splitlines()
    )
}
COMMANDS = {name: ["manage.py", name] for name in ("tick", "receivemail", "resume", "serve")}


def started(words: list[str], folder: Path, **given: str) -> subprocess.CompletedProcess[str]:
    """Start a process as documented, with these settings and no others, and wait for its end."""
    environment = {
        "PATH": os.environ["PATH"],
        "GAMESMASTER_ENV": os.devnull,
        "GAMESMASTER_VAR": str(folder),
        "SITE_URL": "https://games.example.org",
        "EMAIL_URL": "smtp://127.0.0.1:1",
        "BROKER_URL": f"redis://127.0.0.1:{free_port()}/0",
        "LMTP_LISTEN": f"127.0.0.1:{free_port()}",
        "IMAP_URL": "imaps://a:b@127.0.0.1:1/INBOX",
        **given,
    }
    own = [word.replace("127.0.0.1:8000", f"127.0.0.1:{free_port()}") for word in words]
    return subprocess.run(
        [sys.executable, *own],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    "words", [pytest.param(words, id=name) for name, words in (PROCESSES | COMMANDS).items()]
)
def test_nothing_starts_with_a_dangerous_setting(words: list[str], tmp_path: Path) -> None:
    """However it is started: as of deploy/Procfile, or by a command that does what is due. Every
    fault is named at once, with what to do."""
    ended = started(words, tmp_path, SECRET_KEY="swordfish", ALLOWED_HOSTS="*")
    told = ended.stdout + ended.stderr
    assert ended.returncode != 0, told
    assert "SECRET_KEY has only 9 characters" in told
    assert "ALLOWED_HOSTS takes any host. Name the host" in told.replace("\n\tHINT:", "")


def test_gunicorn_does_not_start_without_a_lasting_key(tmp_path: Path) -> None:
    """D3: each process drew its own, and /readyz was green."""
    ended = started(PROCESSES["web"], tmp_path)
    assert ended.returncode != 0
    assert "There is no lasting secret key. Set SECRET_KEY to 50" in ended.stderr


def test_mail_that_is_piped_in_meanwhile_comes_again(tmp_path: Path) -> None:
    """75 asks the mail server to try again; anything else would send the letter back."""
    assert started(COMMANDS["receivemail"], tmp_path).returncode == os.EX_TEMPFAIL


def test_what_serves_nobody_needs_no_settings(tmp_path: Path) -> None:
    """`verify` and `adjudicate` run anywhere."""
    record = ROOT / "tests" / "records" / "records" / "version-1.json"
    ended = started(["manage.py", "verify", str(record)], tmp_path, EMAIL_URL="filemail:///tmp")
    assert ended.returncode == 0, ended.stderr
