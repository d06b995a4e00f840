"""The commands of README and docs/operations.md run as written, in a fresh clone (issue 26, 1)."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes import ROOT, free_port, installed_packages

PAGES = (ROOT / "README.md", ROOT / "docs" / "operations.md")
#: Commands that a test cannot run here, and why; the files that they name must still exist.
ELSEWHERE = {
    "sudo": "needs root and systemd; tests/operations/test_book.py runs what it can",
    "podman": "needs a container runtime",
    "kubectl": "needs a cluster",
    "make test": "is these tests",
    "make play": "is tests/gamesmaster/test_serve.py",
    ".venv/bin/python -m pytest": "is these tests",
}


def blocks(page: Path) -> list[list[str]]:
    """Return the shell blocks of a page, each as a list of commands without comments."""
    texts = re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    return [
        [line.split("  #")[0].strip() for line in block.splitlines() if line.strip()]
        for block in texts
    ]


COMMANDS = [command for page in PAGES for block in blocks(page) for command in block]


def is_elsewhere(command: str) -> bool:
    return any(command.startswith(start) for start in ELSEWHERE)


def test_readme_and_operations_begin_with_the_same_five_commands() -> None:
    assert blocks(PAGES[0])[1] == blocks(PAGES[1])[0]
    assert len(blocks(PAGES[0])[1]) == 5


def test_readme_and_operations_define_the_roles() -> None:
    """gamesmaster.md U16: no page defined administrator, gamesmaster and player."""
    start, operations = (page.read_text() for page in PAGES)
    start = start[start.index("## Start here") :]
    places = [start.index(f"({role})") for role in ("operator", "gamesmaster", "player")]
    assert places == sorted(places)
    roles = operations[: operations.index("## A club")]
    assert all(f"**{role}**" in roles for role in ("operator", "gamesmaster", "player"))


@pytest.mark.parametrize("command", sorted(set(COMMANDS)))
def test_documented_command_is_valid_shell_and_names_existing_files(command: str) -> None:
    subprocess.run(["bash", "-nc", command], check=True)
    for word in shlex.split(command):
        if word.startswith("deploy/"):
            assert list(ROOT.glob(word)), word
    if match := re.search(r"\bmake (\w+)", command):
        assert re.search(rf"^{match[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


def test_excluded_commands_are_still_documented() -> None:
    for start in ELSEWHERE:
        assert any(command.startswith(start) for command in COMMANDS), start


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a folder with the files that git tracks and the packages that are installed here."""
    if shutil.which("git") is None:
        pytest.skip("git is not on this machine")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    folder = tmp_path / "clone"
    for name in listed:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    installed_packages(folder / ".venv")
    return folder


@pytest.mark.processes
def test_documented_commands_run_in_a_fresh_clone(clone: Path) -> None:
    """A block that both pages have runs once.

    Without network: nothing listens on the ports of the mail server and the market, and `doctor`
    says so.
    """
    port = free_port()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(clone),
        "SITE_URL": f"http://127.0.0.1:{port}",
        "EMAIL_URL": "smtp://127.0.0.1:1",
        "YAHOO_BASE_URL": "http://127.0.0.1:1",
    }
    ran = []
    for block in dict.fromkeys(tuple(block) for page in PAGES for block in blocks(page)):
        for command in block if not block[0].startswith("sudo") else []:
            if is_elsewhere(command):
                continue
            ran.append(command)
            if command.endswith("serve"):
                with serving(f"{command} --port {port}", clone, environment) as log_text:
                    assert "The service is at" in log_text
                continue
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=clone,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=120,
            )
            if command.endswith("doctor"):
                assert done.returncode == 1
                assert "BAD  mail out: 127.0.0.1:1 accepted no letter" in done.stdout
                assert "BAD  database" not in done.stdout
                continue
            assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
            if "makeadmin" in command:
                assert f"http://127.0.0.1:{port}/" in done.stdout
    assert any(command.endswith("serve") for command in ran)
    assert (clone / "var" / "gamesmaster.sqlite3").exists()
    assert (clone / "var" / "secret-key").stat().st_mode & 0o077 == 0


@contextlib.contextmanager
def serving(command: str, folder: Path, environment: dict[str, str]) -> Iterator[str]:
    """Run the service, yield its log once it shows its address, and end it by Ctrl-C."""
    log = folder / "log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            shlex.split(command), cwd=folder, env=environment, stdout=file, stderr=file
        )
        try:
            end = time.monotonic() + 60
            while "The service is at" not in log.read_text() and process.poll() is None:
                assert time.monotonic() < end, log.read_text()
                time.sleep(0.1)
            yield log.read_text()
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)
