"""`manage.py serve` and `manage.py play` as their users run them (docs/design.md 9)."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.examples import WHOLE, sample
from tests.support.processes import ROOT, Found, eventually, free_port, service

pytestmark = pytest.mark.processes

GOOD_KEY = "a-key-that-lasts-0123456789-abcdefghijklmnopqrstuvwxyz"


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Return the environment needed to serve on this machine; `more` overrides it."""
    return {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(folder),
        "GAMESMASTER_ENV": os.devnull,
        "GAMESMASTER_VAR": str(folder / "var"),
        "SECRET_KEY": GOOD_KEY,
        "EMAIL_URL": "smtp://127.0.0.1:1",
        **more,
    }


BAD: dict[str, tuple[dict[str, str], str]] = {
    "a short key": ({"SECRET_KEY": "swordfish"}, "secrets.token_urlsafe"),
    "a key of one letter": ({"SECRET_KEY": "a" * 60}, "secrets.token_urlsafe"),
    "no address": ({"SITE_URL": "games.example.org"}, "Write the address that players open"),
    "no encryption": ({"SITE_URL": "http://games.example.org"}, "Put a TLS proxy in front"),
    "debugging before the world": (
        {"SITE_URL": "https://games.example.org", "DEBUG": "1"},
        "Remove DEBUG from the environment",
    ),
    "any host": ({"ALLOWED_HOSTS": "*"}, "Write only the further names of the service"),
    "no mail server": ({"EMAIL_URL": "filemail:///tmp"}, "Set EMAIL_URL"),
    "a clock that is moved": (
        {"SITE_URL": "https://games.example.org", "GAMESMASTER_CLOCK": "/nowhere"},
        "Remove GAMESMASTER_CLOCK",
    ),
    "another Yahoo": (
        {"SITE_URL": "https://games.example.org", "YAHOO_BASE_URL": "http://127.0.0.1:1"},
        "Remove YAHOO_BASE_URL",
    ),
    "a demonstration before the world": (
        {"SITE_URL": "https://games.example.org", "GAMESMASTER_DEMONSTRATION": "1"},
        "Remove GAMESMASTER_DEMONSTRATION",
    ),
    "a folder that is a file": (
        {"GAMESMASTER_VAR": "{folder}/file"},
        "Set GAMESMASTER_VAR to a folder",
    ),
    "a lease shorter than the market's answer": ({"LEASE_SECONDS": "30"}, "LEASE_SECONDS"),
    "no tries": ({"PHASE_TRIES": "0"}, "PHASE_TRIES"),
    "no tries for letters": ({"LETTER_TRIES": "-1"}, "LETTER_TRIES"),
    "no ticks": ({"TICK_SECONDS": "0"}, "TICK_SECONDS"),
    "slow ticks": ({"TICK_SECONDS": "900"}, "TICK_SECONDS"),
    "figures read before they are settled": (
        {"MARKET_FIRST_READING_HOURS": "-1"},
        "MARKET_FIRST_READING_HOURS",
    ),
    "readings that agree with themselves": (
        {"MARKET_AGREEMENT_HOURS": "0"},
        "MARKET_AGREEMENT_HOURS",
    ),
    "no number": ({"LEASE_SECONDS": "soon"}, "LEASE_SECONDS"),
    "a market asked without end": ({"MARKET_RETRY_MINUTES": "0"}, "MARKET_RETRY_MINUTES"),
    "a database that does not answer": (
        {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing"},
        "DATABASE_URL",
    ),
}


#: Cases after which `serve` checks nothing else.
ALONE = ("a folder that is a file", "no number", "a database that does not answer")


def together() -> list[tuple[str, ...]]:
    """Group cases that can occur together, to save starts; in a soak each has its own."""
    groups: list[tuple[str, ...]] = []
    for case in BAD:
        for place, group in enumerate(groups):
            others = [BAD[member][0] for member in group]
            differ = any(
                other.get(name, value) != value
                for other in others
                for name, value in BAD[case][0].items()
            )
            if not (WHOLE or differ or case in ALONE or group[0] in ALONE):
                groups[place] = (*group, case)
                break
        else:
            groups.append((case,))
    return groups


@pytest.mark.parametrize("cases", together(), ids=" and ".join)
def test_serve_refuses_missing_or_dangerous_settings_with_hints(
    cases: tuple[str, ...], tmp_path: Path
) -> None:
    """design 9: a hint for every setting that is missing or dangerous."""
    (tmp_path / "file").write_text("")
    spoiled = {name: value for case in cases for name, value in BAD[case][0].items()}
    variables = environment(
        tmp_path, **{name: value.format(folder=tmp_path) for name, value in spoiled.items()}
    )
    done = subprocess.run(
        [sys.executable, "manage.py", "serve", "--port", str(free_port())],
        cwd=ROOT,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode != 0
    for case in cases:
        assert BAD[case][1] in done.stderr, f"{case}: {done.stderr[-4000:]}"
    assert "Traceback" not in done.stderr, done.stderr[-2000:]


def descendants(pid: int) -> set[int]:
    """Return all processes below this one, including those of other process groups."""
    below: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                below.setdefault(
                    int((entry / "stat").read_text().rpartition(")")[2].split()[1]), []
                ).append(int(entry.name))
    pids, parents = set(), [pid]
    while parents:
        for child in below.get(parents.pop(), []):
            pids.add(child)
            parents.append(child)
    return pids


def alive(pids: set[int]) -> set[int]:
    living = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                living.add(pid)
    return living


def health(port: int) -> Any:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/", timeout=5) as answer:
            return json.load(answer)["ok"]
    except (OSError, urllib.error.URLError):
        return None


def lines_other_than_json(log: Path) -> list[str]:
    """Return the lines of a log that are no JSON objects of the service."""
    wrong = []
    for line in log.read_text().splitlines():
        try:
            missing = {"time", "level", "logger", "message"} - json.loads(line).keys()
        except ValueError:
            missing = {line}
        if missing:
            wrong.append(line)
    return wrong


@contextlib.contextmanager
def running(
    folder: Path, *words: str, end: signal.Signals = signal.SIGINT, **more: str
) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Run a command of manage.py and end it by a signal, as Ctrl-C does; none of its processes may
    remain."""
    log = folder / f"log-{words[0]}-{len(list(folder.glob('log-*')))}"
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=environment(folder, **more),
            stdout=output,
            stderr=output,
            text=True,
        )
        try:
            yield process, log
            family = descendants(process.pid)
            assert len(family) >= 3, log.read_text()
            process.send_signal(end)
            code = process.wait(timeout=30)
            if end == signal.SIGKILL:
                eventually("the end of every process", lambda: not alive(family), within=30)
                return
            assert code == 0, log.read_text()
            assert alive(family) == set(), log.read_text()
            assert "Traceback" not in log.read_text()
        finally:
            left = descendants(process.pid)
            if process.poll() is None:
                process.kill()
                process.wait()
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def answers(look: Any, what: str, log: Path) -> Any:
    try:
        return eventually(what, look, within=120)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{log.read_text()[-3000:]}") from None


#: How the service ends besides Ctrl-C. Only Linux tells a child that its parent was killed.
ENDS = [signal.SIGKILL, signal.SIGHUP] if sys.platform == "linux" else [signal.SIGHUP]


@pytest.mark.parametrize("end", sample(ENDS, 1))
def test_serve_ticks_ends_with_all_its_processes_and_starts_again_with_its_key(
    end: signal.Signals, tmp_path: Path
) -> None:
    """design 9: one command for the whole service. Workers that remain would run beside those of
    the next start.

    It makes the tables, and a key that only its owner can read; links in sent letters still work
    after a restart. With `LOG_FORMAT=json` each line of its log is an object.
    """
    port = free_port()
    variables = {"SECRET_KEY": "", "SITE_URL": f"http://127.0.0.1:{port}"}
    keys = []
    for form, by in (("line", end), ("json", signal.SIGINT)):
        variables["LOG_FORMAT"] = form
        with running(tmp_path, "serve", "--port", str(port), end=by, **variables) as (_, log):
            answers(lambda: health(port), "the first tick", log)
        said = log.read_text()
        assert "The service is at" in said
        assert by == signal.SIGKILL or "Stopped." in said
        assert form == "line" or lines_other_than_json(log) == [], said
        file = tmp_path / "var" / "secret-key"
        keys.append(file.read_text())
        assert file.stat().st_mode & 0o077 == 0
    assert keys[0] == keys[1]


WRONG_PLACES = [
    (["--port", "0"], "“0” is not a port. Write a number from 1 to 65535."),
    (["--port", "70000"], "“70000” is not a port. Write a number from 1 to 65535."),
    (["--port", "http"], "“http” is not a port. Write a number from 1 to 65535."),
    (["--host", "nowhere.invalid"], "--host names “nowhere.invalid”, which is not an address"),
    (["--host", "192.0.2.1"], "--host names “192.0.2.1”, which is not an address"),
]


@pytest.mark.parametrize(("words", "sentence"), sample(WRONG_PLACES, 2))
def test_serve_explains_a_wrong_host_or_port(
    words: list[str], sentence: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "serve", *words],
        cwd=ROOT,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode != 0
    assert sentence in done.stderr
    assert "another port" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "command", sample([["backup", "copy"], ["tick"], ["makeadmin", "a@b.org"]], 1)
)
def test_commands_say_in_a_sentence_that_the_database_does_not_answer(
    command: list[str], tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *command],
        cwd=tmp_path,
        env=environment(tmp_path, DATABASE_URL="postgres://nobody@127.0.0.1:1/nothing"),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    (line,) = [line for line in done.stderr.splitlines() if "WARNING" not in line]
    assert line.startswith("The database cannot be used: ")
    assert line.endswith("Check DATABASE_URL, and that the database server runs.")


def test_serve_does_not_start_if_the_lmtp_port_is_taken(tmp_path: Path) -> None:
    """It would run without mail; players' messages would go to the other process or to nobody."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        variables = environment(tmp_path, LMTP_LISTEN=place)
        command = [sys.executable, "manage.py", "serve", "--port", str(free_port())]
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    assert done.returncode == 1
    assert f"{place} is not available" in done.stderr
    assert "change LMTP_LISTEN" in done.stderr
    assert "Traceback" not in done.stderr


#: A process that works by a child process, as Celery does, and ends when the child has finished
#: what it began.
WORKS_BY_A_CHILD = """
import pathlib, signal, subprocess, sys, time
place = pathlib.Path(sys.argv[1])
if len(sys.argv) == 3:
    (place / "begun").touch()
    while not (place / "told to end").exists():
        time.sleep(0.02)
    sys.exit((place / "finished").touch())
child = subprocess.Popen([sys.executable, __file__, sys.argv[1], "child"])
def end(*_):
    (place / "told to end").touch()
    sys.exit(child.wait())
signal.signal(signal.SIGTERM, end)
while True:
    time.sleep(1)
"""
SUPERVISED = """
import sys
from gamesmaster.supervisor import Supervisor
Supervisor({"worker": [sys.executable, *sys.argv[1:]]}, {}).run()
"""


def test_worker_finishes_its_task_when_serve_stops(tmp_path: Path) -> None:
    """Promise 4: a child that dies between the 250 and its mark sends that letter again."""
    program = tmp_path / "worker.py"
    program.write_text(WORKS_BY_A_CHILD)
    supervisor = subprocess.Popen(
        [sys.executable, "-c", SUPERVISED, str(program), str(tmp_path)], cwd=ROOT
    )
    try:
        eventually("the work to begin", lambda: (tmp_path / "begun").exists())
        supervisor.send_signal(signal.SIGINT)
        assert supervisor.wait(timeout=30) == 0
        assert (tmp_path / "finished").exists()
    finally:
        supervisor.kill()


def test_play_opens_a_game_and_continues_it_after_a_restart(tmp_path: Path) -> None:
    """README: stopped and started again it has the same game and board. The links work from the
    moment in which it says that it listens.

    It makes its tables as `serve` does, in a soak only.
    """
    port = free_port()
    if not WHOLE:
        folder = tmp_path / "var" / "demonstration"
        folder.mkdir(mode=0o700, parents=True)
        with service(folder):
            pass

    def found(pattern: str, log: Path) -> Found | Any:
        match = re.search(pattern, log.read_text())
        return match and match[1]

    games = []
    for _ in range(2):
        with running(tmp_path, "play", "--port", str(port)) as (_, log):
            way_in = answers(
                lambda log=log: found(r"(?:Play|Continue as) Germany:\s+(\S+)", log),
                "the way in",
                log,
            )
            answers(lambda log=log: found("The service (is at)", log), "that it listens", log)
            with urllib.request.urlopen(way_in, timeout=120) as page:
                assert page.status == 200
            answers(lambda: health(port), "the first tick", log)
            games.append(found(r"Watch a campaign:\s+(\S+)", log))
            assert "No hostname" not in log.read_text()  # a warning that nobody can act on
    assert games[0] == games[1]
