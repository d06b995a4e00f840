"""The records of all releases verify and are imported (CONTRIBUTING.md, “Releases”)."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from games.evidence import export
from games.models import Game
from games.rules.verification import checker
from tests.support.releases import RECORDS

RELEASES = sorted(RECORDS.glob("*.json.gz"))


@pytest.fixture(params=RELEASES, ids=lambda path: path.name)
def record(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return the record of a release as a file."""
    file = tmp_path / "record.json"
    file.write_bytes(gzip.decompress(request.param.read_bytes()))
    return file


def test_record_of_each_release_verifies(record: Path) -> None:
    follows, sentence = checker.verdict(checker.read(str(record)))
    assert follows, sentence
    assert sentence.startswith("All 4 phases follow: 11 submissions, 2 digits and 4 results")


@pytest.mark.django_db
def test_record_of_each_release_is_imported_with_the_same_results(record: Path) -> None:
    call_command("importgame", str(record), stdout=io.StringIO())
    before: dict[str, Any] = json.loads(record.read_text())
    after = json.loads(json.dumps(export.record(Game.objects.get(), private=True)))
    for phase, imported in zip(before["phases"], after["phases"], strict=True):
        for key in ("figures", "draws", "resolutions"):
            assert imported[key] == phase[key]
        # Newer records say more about a submission than older ones.
        assert [
            {key: row[key] for key in old}
            for old, row in zip(phase["submissions"], imported["submissions"], strict=True)
        ] == phase["submissions"]
    assert checker.verdict(after)[0]
