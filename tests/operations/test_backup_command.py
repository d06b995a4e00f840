"""What `manage.py backup` refuses, and what it says about the secret key."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from games.management.commands.backup import Command
from tests.support.processes import ROOT


@pytest.mark.django_db
def test_backup_to_a_missing_folder_is_refused(tmp_path: Path) -> None:
    """A mistyped name, or a disk that is not mounted: the copy would be elsewhere."""
    with pytest.raises(CommandError, match=f"folder {tmp_path}/missing does not exist"):
        call_command("backup", f"{tmp_path}/missing/copy.backup", "--any-database")
    assert not list(tmp_path.iterdir())


@pytest.mark.django_db
@pytest.mark.parametrize("keep", ["0", "-1"])
def test_backup_that_keeps_nothing_is_refused(tmp_path: Path, keep: str) -> None:
    with pytest.raises(CommandError, match=f"--keep {keep} would keep no backup"):
        call_command("backup", str(tmp_path), f"--keep={keep}", "--any-database")
    assert not list(tmp_path.iterdir())


def test_backup_help_says_where_to_keep_the_secret_key() -> None:
    assert "keep SECRET_KEY apart from it" in Command.help
    operations = " ".join((ROOT / "docs" / "operations.md").read_text().split())
    assert "keep `SECRET_KEY` apart from it" in operations
