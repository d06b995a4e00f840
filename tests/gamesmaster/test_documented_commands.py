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
#: What a test cannot run here, and why; their files are looked for all the same.
ELSEWHERE = {
    "sudo": "needs root and systemd",
    "podman": "needs a container runtime",
    "kubectl": "needs a cluster",
    "make test": "is these tests",
    "make play": "is tests/desk/test_practice_game.py and the like",
    "make upgrade": "is tests/operations/test_upgrade.py",
    ".venv/bin/python -m pytest": "is these tests",
}


def blocks(page: Path) -> list[list[str]]:
    """The shell blocks of a page, each as its commands without comments."""
    found = re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    return [
        [line.split("  #")[0].strip() for line in block.splitlines() if line.strip()]
        for block in found
    ]


COMMANDS = [command for page in PAGES for block in blocks(page) for command in block]


def is_elsewhere(command: str) -> bool:
    return any(command.startswith(start) for start in ELSEWHERE)


def test_both_pages_begin_with_the_five_lines_of_an_operator() -> None:
    assert blocks(PAGES[0])[1] == blocks(PAGES[1])[0]
    assert len(blocks(PAGES[0])[1]) == 5


@pytest.mark.parametrize("command", sorted(set(COMMANDS)))
def test_a_documented_command_is_shell_and_names_files_that_there_are(command: str) -> None:
    subprocess.run(["bash", "-nc", command], check=True)
    for word in shlex.split(command):
        if word.startswith("deploy/"):
            assert list(ROOT.glob(word)), word
    if match := re.search(r"\bmake (\w+)", command):
        assert re.search(rf"^{match[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


def test_what_runs_elsewhere_is_still_documented() -> None:
    for start in ELSEWHERE:
        assert any(command.startswith(start) for command in COMMANDS), start


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The files that git knows, with the packages that are installed here."""
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
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_documented_commands_run_in_a_fresh_clone(page: Path, clone: Path) -> None:
    """Without network: the mail server and the market are ports on which nobody listens, and
    `doctor` says so."""
    port = free_port()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(clone),
        "SITE_URL": f"http://127.0.0.1:{port}",
        "EMAIL_URL": "smtp://127.0.0.1:1",
        "YAHOO_BASE_URL": "http://127.0.0.1:1",
    }
    ran = []
    for block in blocks(page):
        for command in block:
            if is_elsewhere(command):
                continue
            ran.append(command)
            if command.endswith("serve"):
                with serving(f"{command} --port {port}", clone, environment) as told:
                    assert "The service is at" in told
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
                assert "BAD  mail out: 127.0.0.1:1 took no letter" in done.stdout
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
    """The service until it says where it is; ended by Ctrl-C."""
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
