"""All rows as lines of JSON, written and read (docs/operations.md, “Backup and restore”)."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from games.evidence import export
from games.models import Game, Letter
from games.operations import database_dump
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


def old_format(path: Path) -> None:
    """Write a file in the first format of backups."""

    def cell(value: Any) -> Any:
        if isinstance(value, bytes | memoryview):
            return base64.b64encode(bytes(value)).decode()
        return value.isoformat() if hasattr(value, "isoformat") else value

    with path.open("w", encoding="utf-8") as file:
        for model in database_dump.tables():
            columns = [field.attname for field in model._meta.concrete_fields]
            file.write(json.dumps({"table": model._meta.label_lower, "columns": columns}) + "\n")
            for row in model._base_manager.order_by("pk").values_list(*columns):
                file.write(json.dumps([cell(value) for value in row]) + "\n")


@pytest.mark.parametrize("write", [database_dump.write, old_format])
def test_dump_restores_all_rows(write: Any, tmp_path: Path) -> None:
    campaign = play()
    before, record = rows(), export.text(export.record(campaign.game, private=True))
    write(tmp_path / "rows.jsonl")
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
        {"table": "games.unknown", "columns": []},
    ):
        path.write_text(json.dumps(line) + "\n")
        with pytest.raises(database_dump.DumpError, match="do not fit this version"):
            database_dump.read(path)
    assert rows() == before
