"""Write what the present version stores, for the tests that later versions must pass.

    python -m tests.support.releases

A backup with a finished and a running game goes to tests/operations/releases, as SQLite's copy and
as rows that either database loads, and the record of the finished game to tests/records/releases.
Run it for each release, and never for an old one.
"""

from __future__ import annotations

import gzip
import os
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
BACKUPS = ROOT / "tests" / "operations" / "releases"
RECORDS = ROOT / "tests" / "records" / "releases"


def version() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return str(project["version"])


def write() -> list[Path]:
    """Play the games into a new database, and return the files that were written."""
    rows_file = BACKUPS / f"{version()}.rows.backup"
    backup_file, record_file = BACKUPS / f"{version()}.backup", RECORDS / f"{version()}.json.gz"
    with tempfile.TemporaryDirectory(prefix="gamesmaster-release-") as folder:
        os.environ |= {
            "GAMESMASTER_ENV": os.devnull,
            "GAMESMASTER_VAR": folder,
            "SECRET_KEY": "release" * 8,
            "LOG_LEVEL": "ERROR",
            "EMAIL_URL": "dummymail://",
            "DJANGO_SETTINGS_MODULE": "gamesmaster.settings",
        }
        os.environ.pop("DATABASE_URL", None)
        import django

        django.setup()
        import pytest
        from django.core.management import call_command

        from games.evidence import export
        from games.operations import backup
        from tests.records import played
        from tests.support.campaign import Campaign

        call_command("migrate", verbosity=0)
        with pytest.MonkeyPatch.context() as monkeypatch:
            played.short_card(monkeypatch)
            finished = played.finished()
        running = Campaign.begin(title="Still running")
        running.attack_in_poland()
        record = export.text(export.record(finished.game, private=True))
        record_file.write_bytes(gzip.compress(record.encode(), mtime=0))
        backup.save(backup_file, running.now)
        backup.save(rows_file, running.now, any_database=True)
        for path in (backup_file, rows_file):
            path.chmod(0o644)
    return [backup_file, rows_file, record_file]


if __name__ == "__main__":
    for path in write():
        print(path.relative_to(ROOT), path.stat().st_size)
