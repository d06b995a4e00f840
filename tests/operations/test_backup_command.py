"""What `manage.py backup` refuses, and what it says about the secret key."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from games.base import clock
from games.management.commands.backup import Command
from tests.support.processes import ROOT


@pytest.mark.django_db
def test_backup_to_a_missing_folder_is_refused(tmp_path: Path) -> None:
    """A mistyped name, or a disk that is not mounted: the copy would be elsewhere."""
    with pytest.raises(CommandError, match=f"folder {tmp_path}/missing does not exist"):
        call_command("backup", f"{tmp_path}/missing/copy.backup", "--any-database")
    assert not list(tmp_path.iterdir())


@pytest.mark.django_db
def test_backup_to_a_missing_folder_named_with_a_slash_makes_no_file(tmp_path: Path) -> None:
    """Beside a file called “backups” the nightly unit could never make its folder."""
    with pytest.raises(CommandError, match=f"folder {tmp_path}/backups does not exist. Create it"):
        call_command("backup", f"{tmp_path}/backups/", "--any-database")
    assert not list(tmp_path.iterdir())


@pytest.mark.django_db
@pytest.mark.parametrize("keep", ["0", "-1"])
def test_backup_that_keeps_nothing_is_refused(tmp_path: Path, keep: str) -> None:
    with pytest.raises(CommandError, match=f"--keep {keep} would keep no backup"):
        call_command("backup", str(tmp_path), f"--keep={keep}", "--any-database")
    assert not list(tmp_path.iterdir())


@pytest.mark.django_db
def test_backup_clears_away_what_killed_ones_have_left(tmp_path: Path) -> None:
    """Each holds a whole copy of the database; one that runs now, and what is not ours, stays."""
    left = {".backup-old": 3, "gamesmaster-20261101-040000.backup.unfinished": 3}
    stays = {".backup-now": 0, "gamesmaster-20261102-040000.backup": 30, "notes": 30}
    for name, days in {**left, **stays}.items():
        path = tmp_path / name
        path.mkdir() if name.startswith(".") else path.touch()
        at = clock.now().timestamp() - days * 24 * 3600
        os.utime(path, (at, at))
    call_command("backup", str(tmp_path), "--keep=5", "--any-database", "--quick")
    names = {path.name for path in tmp_path.iterdir()}
    assert not names & set(left)
    assert names >= set(stays)


def test_backup_help_says_where_to_keep_the_secret_key() -> None:
    assert "keep SECRET_KEY apart from it" in Command.help
    operations = " ".join((ROOT / "docs" / "operations.md").read_text().split())
    assert "keep `SECRET_KEY` apart from it" in operations
