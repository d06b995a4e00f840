"""An upgrade of a running campaign of an earlier version, with a deadline in the middle (issue 26,
6).

`databases/900ec0b.sql` is a campaign as that commit's code stored it: Turn 1 placement is judged;
Turn 1 attacks, for which Germany has sent orders, are due at 19:00 UTC.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from tests.support.processes import ROOT, Service, installed_packages, service
from tests.support.servers import Postgres, postgres

pytestmark = pytest.mark.processes

BEFORE = Path(__file__).with_name("databases") / "900ec0b.sql"
DEADLINE = datetime(2026, 11, 16, 19, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    with postgres() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    """Yield the service of this version on that version's database, 5 minutes before the
    deadline."""
    with contextlib.closing(sqlite3.connect(":memory:")) as before:
        before.executescript(BEFORE.read_text())
        if request.param == "sqlite":
            running = Service(tmp_path)
            with contextlib.closing(sqlite3.connect(tmp_path / "gamesmaster.sqlite3")) as database:
                before.backup(database)
        else:
            running = Service(tmp_path, **on_postgresql(request.getfixturevalue("server")))
            copy(before, running)
    set_clock(running, DEADLINE - timedelta(minutes=5))
    try:
        yield running
    finally:
        running.stop()


def on_postgresql(server: Postgres) -> dict[str, str]:
    """Return the settings for a fresh database."""
    address = server.database(f"upgrade_{secrets.token_hex(4)}")
    return {"DATABASE_URL": address, "PATH": f"{server.programs}:{os.environ.get('PATH', '')}"}


def copy(before: sqlite3.Connection, running: Service) -> None:
    """Create the tables of that version in PostgreSQL by its own migrations, and copy all rows."""
    for app, last in (("games", "0019"), ("orders", "0005"), ("admin", ""), ("sessions", "")):
        running.manage("migrate", "--verbosity", "0", app, *([last] if last else []))
    with psycopg.connect(running.environment["DATABASE_URL"]) as database:
        database.execute("SET TimeZone TO 'UTC'")
        query = "SELECT table_name, column_name, udt_name FROM information_schema.columns"
        types = {
            (table, column): kind
            for table, column, kind in database.execute(f"{query} WHERE table_schema = 'public'")
        }
        tables = sorted({table for table, _ in types})
        database.execute(f"TRUNCATE {', '.join(tables)}")
        for table in tables:
            rows = before.execute(f"SELECT * FROM {table}")
            columns = [value[0] for value in rows.description]
            values = ", ".join(
                "%s" if types[table, column] == "bytea" else f"%s::text::{types[table, column]}"
                for column in columns
            )
            names = ", ".join(f'"{column}"' for column in columns)
            written = [
                tuple(
                    value if value is None or isinstance(value, bytes) else str(value)
                    for value in row
                )
                for row in rows
            ]
            insert = f"INSERT INTO {table} ({names}) VALUES ({values})"
            database.cursor().executemany(insert, written)
            if types.get((table, "id")) in ("int4", "int8"):
                last_id = f"pg_get_serial_sequence('{table}', 'id'), max(id)"
                database.execute(f"SELECT setval({last_id}) FROM {table}")


def set_clock(running: Service, at: datetime) -> None:
    running.clock.write_text(str(at.timestamp() - time.time()))


def upgrade(running: Service) -> None:
    """Run `make upgrade` with the code and packages of this machine."""
    if shutil.which("make") is None:
        pytest.skip("make is not on this machine")
    packages = installed_packages(running.folder / "packages")
    command = ["make", "upgrade", "PULL=:", f"BACKUPS={running.folder}/backups", f"VENV={packages}"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | running.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "The tables are older than this code" in done.stderr


def tick_on(running: Service) -> None:
    """Run a tick every minute until the phase has its result."""
    for minutes in range(1, 15):
        set_clock(running, DEADLINE + timedelta(minutes=minutes))
        running.manage("tick")
        if running.rows("SELECT status FROM games_phase WHERE number = 2") == [("resolved",)]:
            return
    pytest.fail(str(running.rows("SELECT number, status, fault FROM games_phase")))


def test_running_campaign_continues_after_the_upgrade(old: Service, tmp_path: Path) -> None:
    """The phase whose deadline passed meanwhile closes by the announced deadline, with the orders
    sent before; the record of both versions together verifies."""
    orders = "SELECT text, received_at FROM orders_submission ORDER BY id"
    before = old.rows(orders)
    upgrade(old)
    set_clock(old, DEADLINE + timedelta(minutes=1))
    assert old.rows(orders) == before
    tick_on(old)
    record = tmp_path / "record.json"
    record.write_text(old.manage("exportgame", "1"))
    assert "All " in old.manage("verify", str(record))
    tree = json.loads(record.read_text())
    attack = tree["phases"][1]
    assert datetime.fromisoformat(attack["deadline"]) == DEADLINE
    (event,) = [row for row in attack["resolutions"][0]["events"] if row["kind"] == "attack"]
    assert (event["nation"], event["stock"]) == ("Germany", "GE")
    assert old.rows("SELECT status FROM games_phase WHERE number = 3") == [("open",)]


def test_backup_of_an_upgrade_restores_the_earlier_version(
    old: Service, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """The backup comes first, and can be restored and upgraded again."""
    upgrade(old)
    (backup,) = (tmp_path / "backups").glob("*.backup")
    (tmp_path / "new").mkdir()
    is_sqlite = "DATABASE_URL" not in old.environment
    settings = {} if is_sqlite else on_postgresql(request.getfixturevalue("server"))
    with service(tmp_path / "new", with_tables=False, **settings) as new:
        new.manage("restore", str(backup))
        assert new.rows("SELECT title FROM games_game") == [("Before the upgrade",)]
        assert new.rows("SELECT count(*) FROM orders_submission") == [(3,)]
