"""A PostgreSQL database that cannot store every character is refused before it has tables.

Where PostgreSQL was set up without a locale, `createdb` makes databases in SQL_ASCII. All tables
fit, the doctor found nothing, and the first order with an umlaut could not be stored.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gamesmaster.test_starting import COMMANDS, KEY, started
from tests.support import servers
from tests.support.releases import BACKUPS

pytestmark = pytest.mark.processes

REFUSED = "The database has the encoding {}, which cannot store every character."


def test_database_that_cannot_store_every_character_is_refused_everywhere(tmp_path: Path) -> None:
    """By what makes tables (migrate, restore, serve), by each process, and by the doctor."""
    with servers.postgres() as server:
        for encoding in ("SQL_ASCII", "LATIN1"):
            server.server.psql(
                f"CREATE DATABASE {encoding} TEMPLATE template0 ENCODING {encoding}"
                " LC_COLLATE 'C' LC_CTYPE 'C';"
            )
            given = {
                "SECRET_KEY": KEY,
                "DATABASE_URL": str(server.server.get_uri(encoding.lower())),
            }
            restore = ["manage.py", "restore", str(BACKUPS / "0.1.0.rows.backup"), "--another-key"]
            commands = [["manage.py", "migrate"], restore, COMMANDS["tick"]]
            for words in commands if encoding == "SQL_ASCII" else []:
                ended = started(words, tmp_path, **given)
                assert ended.returncode != 0, words
                assert REFUSED.format(encoding) in ended.stderr, (words, ended.stderr)
                assert "createdb --template template0 --encoding UTF8" in ended.stderr
                assert "Traceback" not in ended.stderr
            doctor = started(["manage.py", "doctor", "--near"], tmp_path, **given)
            assert doctor.returncode == 1
            assert f"BAD  database: {REFUSED.format(encoding)} Make another" in doctor.stdout
