"""The backups of all releases are restored, and their games go on (CONTRIBUTING.md, “Releases”)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.support.processes import ROOT, Service, installed_packages, service
from tests.support.releases import BACKUPS

pytestmark = pytest.mark.processes


@pytest.fixture(params=sorted(BACKUPS.glob("*.backup")), ids=lambda path: path.name)
def restored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    """Yield this version's service with the backup of a release, at the time of the backup.

    It is restored with that release's key, whose mark in a backup must stay the same, and goes on
    with another.
    """
    with service(tmp_path, with_tables=False) as running:
        another = running.environment["SECRET_KEY"]
        running.environment["SECRET_KEY"] = "release" * 8
        looked = running.manage("restore", "--look", str(request.param))
        set_clock(running, datetime.fromisoformat(f"{looked[12:28]}+00:00"))
        told = running.manage("restore", str(request.param))
        assert "Every game's record is unchanged" in told
        running.environment |= {"SECRET_KEY": another, "SECRET_KEY_FALLBACKS": "release" * 8}
        yield running


def set_clock(running: Service, at: datetime) -> None:
    running.clock.write_text(str(at.timestamp() - time.time()))


def test_running_game_of_each_release_goes_on(restored: Service, tmp_path: Path) -> None:
    """Its open phase closes by the announced deadline with the orders that were sent before."""
    restored.manage("resume", "--yes")
    query = "SELECT number, deadline FROM games_phase WHERE game_id = 2 ORDER BY number DESC"
    (number, deadline), *_ = restored.rows(query)
    began = datetime.fromisoformat(f"{deadline}+00:00")
    for minutes in range(1, 15):
        set_clock(restored, began + timedelta(minutes=minutes))
        restored.manage("tick")
        if restored.count("games_phase WHERE game_id = 2") > number:
            break
    for game in ("1", "2"):
        record = tmp_path / f"{game}.json"
        record.write_text(restored.manage("exportgame", game))
        assert "All " in restored.manage("verify", str(record))
    (event,) = [
        row
        for row in json.loads(record.read_text())["phases"][1]["resolutions"][0]["events"]
        if row["kind"] == "attack"
    ]
    assert (event["nation"], event["stock"]) == ("Germany", "GE")


@pytest.mark.soak  # each day tests/operations/test_book.py upgrades so
def test_make_upgrade_makes_a_backup_that_can_be_restored(
    restored: Service, tmp_path: Path
) -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not on this machine")
    packages = installed_packages(restored.folder / "packages")
    command = ["make", "upgrade", "PULL=:", f"BACKUPS={tmp_path}/backups", f"VENV={packages}"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | restored.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (backup,) = (tmp_path / "backups").glob("*.backup")
    (tmp_path / "new").mkdir()
    with service(tmp_path / "new", with_tables=False) as new:
        new.manage("restore", str(backup))
        assert new.count("games_game") == 2
