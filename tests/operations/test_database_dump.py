"""All rows as lines of JSON, written and read (docs/operations.md, “Backup and restore”)."""

from __future__ import annotations

import hashlib
import json
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from games.evidence import export
from games.models import Game, Letter
from games.operations import backup, database_dump
from orders.models import Mail
from tests.support.campaign import MONDAY, Campaign, person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]
AT = MONDAY.replace(microsecond=123456)


def play() -> Campaign:
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 4 Poland")
    campaign.pass_deadline()
    Mail.objects.create(raw=b"\x00\xff", fingerprint="f", way="lmtp", received_at=AT)
    return campaign


def rows() -> dict[str, list[tuple[Any, ...]]]:
    return {
        model._meta.label: sorted(
            tuple(bytes(cell) if isinstance(cell, memoryview) else cell for cell in row)
            for row in model._base_manager.values_list()
        )
        for model in database_dump.tables()
        if model._meta.app_label != "sessions"
    }


def test_dump_restores_all_rows(tmp_path: Path) -> None:
    campaign = play()
    before, record = rows(), export.text(export.record(campaign.game, private=True))
    database_dump.write(tmp_path / "rows.jsonl")
    Letter.objects.all().delete()
    person("somebody-else")
    database_dump.read(tmp_path / "rows.jsonl")
    assert rows() == before
    assert export.text(export.record(Game.objects.get(), private=True)) == record
    assert Mail.objects.get().received_at == AT
    assert Campaign.open().game.pk > campaign.game.pk, "new rows are numbered after the old ones"


def test_rows_of_another_version_are_refused_without_changes(tmp_path: Path) -> None:
    play()
    before = rows()
    path = tmp_path / "rows.jsonl"
    for line in (
        {"model": "games.unknown", "pk": 1, "fields": {}},
        {"model": "games.person", "pk": 1, "fields": {"shoe_size": 44}},
        {"model": "games.person", "pk": "one", "fields": {}},
        {"table": "games.person"},
    ):
        path.write_text(json.dumps(line) + "\n")
        with pytest.raises(database_dump.DumpError, match="do not fit this version"):
            database_dump.read(path)
    assert rows() == before


def test_rows_of_a_newer_version_are_refused_before_anything_is_made(tmp_path: Path) -> None:
    rows = b""
    manifest = backup.Manifest(
        AT.isoformat(),
        backup.ROWS,
        hashlib.sha256(rows).hexdigest(),
        "",
        ["games.0001_initial", "games.9999_of_later"],
    )
    path = tmp_path / "newer.backup"
    with zipfile.ZipFile(path, "w") as copy:
        copy.writestr(backup.MANIFEST, json.dumps(asdict(manifest)))
        copy.writestr(backup.NAMES[backup.ROWS], rows)
    with pytest.raises(
        backup.BackupError, match=r"newer version .* games\.9999_of_later\. Restore"
    ):
        backup.load(path, AT, another_key=True)
