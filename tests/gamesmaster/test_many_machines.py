"""Two of each process on one database and one broker, as on two machines (docs/operations.md,
“Outgrowing one machine”)."""

from __future__ import annotations

import re
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.drills import faults
from tests.support.examples import WHOLE
from tests.support.processes import ROOT, Service, eventually, free_port, production

pytestmark = [pytest.mark.processes, pytest.mark.long]

GAMES = 2 if WHOLE else 1
BOOK = (ROOT / "docs" / "operations.md").read_text()
#: The most connections of each process, by the table of the book.
MOST = {name: int(most) for name, most in re.findall(r"^\| (\w+) \| .*? \| (\d+) \|$", BOOK, re.M)}


def test_two_of_each_process_do_everything_once(tmp_path: Path) -> None:
    """Each deadline takes effect once and each letter goes out once; no process opens more
    connections than the book says."""
    looks = [phases * GAMES for phases in (1, 4, 8)]
    with faults.deployed(tmp_path, GAMES) as (running, sink, games):
        webs = [start_machine(running, machine, tmp_path) for machine in ("one", "two")]
        path = f"/games/{games[0].number}/"
        most: dict[str, int] = {}

        def read_pages() -> None:
            with ThreadPoolExecutor(40) as readers:
                pages = [web + path for web in webs for _ in range(40)]
                assert {len(text) > 1000 for text in readers.map(read, pages)} == {True}
            for name, number in connections(running).items():
                most[name] = max(most.get(name, 0), number)

        faults.play(running, games, {after: [read_pages] for after in looks})
        assert faults.zeros(faults.lost_and_doubled(running, sink, games)) == {}
        assert faults.doubled_deliveries(sink) == 0
        assert running.count("games_resolution") == GAMES * faults.PHASES
    assert set(most) == {"web-one", "web-two", "worker-one", "worker-two"}
    for name, number in most.items():
        assert number <= MOST[name.partition("-")[0]], name


def start_machine(running: Service, machine: str, folder: Path) -> str:
    """Start web, worker and beat with a data folder of their own; return the pages' address."""
    port, shared = free_port(), dict(running.environment)
    (folder / machine).mkdir()
    for name in ("web", "worker", "beat"):
        running.environment = {
            **shared,
            "GAMESMASTER_VAR": str(folder / machine),
            "PGAPPNAME": f"{name}-{machine}",
        }
        host = ["--hostname", f"{name}@{machine}"] if name == "worker" else []
        level = ["--loglevel", "WARNING"] if name != "web" else []
        command = production(name, {"127.0.0.1:8000": f"127.0.0.1:{port}"})
        running.start(f"{name}-{machine}", [*command, *host, *level])
    running.environment = shared
    eventually("the pages", lambda: answers(f"http://127.0.0.1:{port}/healthz"), running)
    return f"http://127.0.0.1:{port}"


def answers(address: str) -> bool:
    try:
        return bool(read(address))
    except OSError:
        return False


def read(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=60) as answer:
        return bytes(answer.read())


def connections(running: Service) -> dict[str, int]:
    """Return how many connections each process has, beat none."""
    query = "SELECT application_name, count(*) FROM pg_stat_activity WHERE application_name LIKE ?"
    return dict(running.rows(f"{query} GROUP BY 1", "%-%"))
