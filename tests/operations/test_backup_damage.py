"""A damaged backup is refused with one sentence, wherever the damage is (docs/operations.md,
“Backup and restore”)."""

from __future__ import annotations

import hashlib
import json
import random
import zipfile
from pathlib import Path

import pytest

from games.operations import backup


def a_copy(folder: Path) -> Path:
    """Write a backup as `backup` does, of made-up bytes instead of a database; return its path."""
    database = "".join(f"row {number}: {number * 7919 % 1009}\n" for number in range(400)).encode()
    manifest = {
        "taken_at": "2026-11-16T12:00:00+00:00",
        "way": backup.SQLITE,
        "sha256": hashlib.sha256(database).hexdigest(),
        "key": "k",
    }
    path = folder / "copy.backup"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as copy:
        copy.writestr(
            backup.MANIFEST,
            json.dumps(
                {**manifest, "migrations": [], "format": backup.FORMAT, "version": backup.VERSION}
            ),
        )
        copy.writestr(backup.NAMES[backup.SQLITE], database)
    return path


def test_damaged_backup_is_refused_with_a_sentence_or_is_unharmed(tmp_path: Path) -> None:
    path, chance = a_copy(tmp_path), random.Random(4)
    whole, manifest = path.read_bytes(), backup.look(path)
    refused = []
    for _ in range(600):
        at, length = chance.randrange(len(whole)), chance.choice((1, 1, 2, 8, 100))
        path.write_bytes(whole[:at] + chance.randbytes(length) + whole[at + length :])
        try:
            # the damage hit only metadata, such as the time of packing
            assert backup.look(path) == manifest
        except backup.BackupError as error:
            refused.append(str(error))
    assert len(refused) > 400
    assert all(str(path) in message for message in refused)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(backup.BackupError, match="not a complete backup"):
        backup.look(path)
