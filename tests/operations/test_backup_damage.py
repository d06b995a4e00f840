"""A copy of which bytes have gone bad is refused in one sentence, wherever they are
(docs/operations.md, “Backup and restore”)."""

from __future__ import annotations

import hashlib
import json
import random
import zipfile
from pathlib import Path

import pytest

from games.operations import backup


def a_copy(folder: Path) -> Path:
    """A copy as `backup` writes it, of a database that is none."""
    database = "".join(f"row {number}: {number * 7919 % 1009}\n" for number in range(400)).encode()
    told = {
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
                {**told, "migrations": [], "format": backup.FORMAT, "version": backup.VERSION}
            ),
        )
        copy.writestr(backup.NAMES[backup.SQLITE], database)
    return path


def test_a_copy_with_damage_anywhere_is_refused_in_a_sentence_or_is_whole_all_the_same(
    tmp_path: Path,
) -> None:
    path, chance = a_copy(tmp_path), random.Random(4)
    whole, manifest = path.read_bytes(), backup.look(path)
    refused = []
    for _ in range(600):
        at, length = chance.randrange(len(whole)), chance.choice((1, 1, 2, 8, 100))
        path.write_bytes(whole[:at] + chance.randbytes(length) + whole[at + length :])
        try:
            assert (
                backup.look(path) == manifest
            )  # what was hit says when it was packed, or the like
        except backup.BackupError as error:
            refused.append(str(error))
    assert len(refused) > 400
    assert all(str(path) in said for said in refused)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(backup.BackupError, match="not a whole copy"):
        backup.look(path)
