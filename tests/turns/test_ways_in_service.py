"""The processes that take orders show that they are open (docs/design.md 5)."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import pytest

from games.base import processes
from tests.support.processes import Service, eventually, free_port, make_tables

pytestmark = pytest.mark.processes


def test_restart_of_each_process_that_takes_orders_is_noted_as_an_outage(tmp_path: Path) -> None:
    """The clock is moved while a process is away, so that nobody waits for it."""
    service = Service(
        tmp_path,
        DJANGO_SETTINGS_MODULE="gamesmaster.settings",
        LMTP_LISTEN=f"127.0.0.1:{free_port()}",
    )
    commands = {
        "pages": processes.commands(f"127.0.0.1:{service.port}", 1)["web"],
        "mail": [sys.executable, "manage.py", "lmtp"],
    }
    try:
        make_tables(service)
        for way, command in commands.items():
            service.start(way, command)
        for ahead, (way, command) in enumerate(commands.items(), start=1):
            pulse = partial(service.count, "games_pulse WHERE name = ?", way)
            eventually(f"a pulse of {way}", pulse, service)
            service.kill(way)
            service.set_clock(30.0 * ahead)
            service.start(way, command)
            noted = partial(service.count, "games_outage WHERE way = ?", way)
            eventually(f"the outage of {way}", noted, service)
        assert service.count("games_outage") == 2
    finally:
        service.stop()
