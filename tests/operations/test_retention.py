"""Retention: data are deleted once they are no longer needed
(games.operations.personal.retention)."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest
from pytest_django import Settings

from games.boards import images
from games.models import LoginKey
from games.operations.personal import retention
from tests.support.campaign import MONDAY, person

pytestmark = [pytest.mark.django_db, pytest.mark.letters]


def test_old_pictures_are_removed_once_an_hour(tmp_path: Path, settings: Settings) -> None:
    """The folder is searched hourly, not for each picture that is drawn."""
    settings.VAR_DIR = tmp_path
    folder = tmp_path / "boards"
    folder.mkdir()
    old, new = folder / "old.png", folder / "new.png"
    for path in (old, new):
        path.write_bytes(b"a picture")
    os.utime(old, (0, 0))
    assert images.tidy() == 1
    assert [path.name for path in folder.iterdir()] == ["new.png"]
    old.write_bytes(b"a picture")
    os.utime(old, (0, 0))
    retention.look_after(MONDAY)
    retention.look_after(MONDAY + retention.EVERY + timedelta(seconds=1))
    assert [path.name for path in folder.iterdir()] == ["new.png"]


def test_old_letter_files_are_removed(tmp_path: Path, settings: Settings) -> None:
    """Issue 21, 6: without a mail server each letter is a file, and nothing else limits them."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path)
    settings.KEEP = settings.KEEP | {"letters": 24}
    old, new = tmp_path / "old.log", tmp_path / "new.log"
    for path in (old, new):
        path.write_bytes(b"a letter")
    os.utime(old, (0, 0))
    assert retention.carry_out(MONDAY)["mail files"] == 1
    assert [path.name for path in tmp_path.iterdir()] == ["new.log"]


@pytest.mark.both_databases
def test_retention_continues_after_a_minute_if_rows_are_left(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """Issue 21, 6: more than 12,000 letters a day must not pile up."""
    monkeypatch.setattr(retention, "AT_ONCE", 2)
    settings.KEEP = settings.KEEP | {"logins": 3}
    for number in range(5):
        LoginKey.objects.create(
            person=person("ada"),
            nonce=f"{number:064}",
            token_hash=f"{number:064}",
            asked_at=MONDAY - 900 * retention.MONTH,
            expires_at=MONDAY - 900 * retention.MONTH,
        )
    left = []
    for minute in range(3):
        retention.look_after(MONDAY + minute * retention.SOON)
        left.append(LoginKey.objects.count())
    assert left == [3, 1, 0]
