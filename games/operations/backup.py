"""Back up the whole database to one file and restore it (`manage.py backup`, `manage.py restore`,
docs/operations.md).

The file is a zip of `manifest.json` and the database: as SQLite's online backup, as `pg_dump`
output or, where that program is missing, as rows that any database of this service can load. All of
it is of one instant: records are computed and rows are read in one snapshot. The manifest has the
SHA-256 of each game's record, so that a restore can be checked.

Not included: the environment, and SECRET_KEY, without which links in letters do not work and seeds
are lost. The manifest has a hash derived from that key.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.apps.registry import Apps
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from games.base import signing
from games.base.database import read_at_one_instant
from games.base.starting import wrong_encoding
from games.evidence import export
from games.models import Game, Person
from games.operations import database_dump, postgres, restore_hold
from games.rules.verification import verify

FORMAT, VERSION = "gamesmaster backup", 1
MANIFEST = "manifest.json"
#: The formats of the database in the file, and the name of its entry for each.
SQLITE, PG_DUMP, ROWS = "sqlite", "pg_dump", "rows"
NAMES = {SQLITE: "database.sqlite3", PG_DUMP: "database.dump", ROWS: "rows.jsonl"}
#: How the names begin and end of what a backup is made from and in.
WORK, UNFINISHED = ".backup-", ".unfinished"
#: The largest manifest that is read into memory, in bytes.
LONGEST_MANIFEST = 50_000_000


class BackupError(Exception):
    """Raised where a copy cannot be made, read or restored. `str()` is a sentence for operators."""


@dataclass(frozen=True)
class Manifest:
    """The manifest of a copy."""

    taken_at: str
    way: str
    sha256: str  # of the database's entry
    key: str  # a hash derived from SECRET_KEY
    migrations: list[str]
    rows: dict[str, int] = field(default_factory=dict)
    records: dict[str, str] = field(
        default_factory=dict
    )  # number of a game to the SHA-256 of its record
    format: str = FORMAT
    version: int = VERSION

    @property
    def moment(self) -> datetime:
        return datetime.fromisoformat(self.taken_at)


# --- out ---


def save(
    target: Path, now: datetime, *, any_database: bool = False, records: bool = True
) -> tuple[Manifest, str]:
    """Write a copy, readable only by its owner, while the service runs. Raise `BackupError`.

    Return its manifest, and the reason if rows were written. `any_database`: write rows, which
    either database can load. No game's record is computed with `records` false, or if the tables
    are older than this code.
    """
    way, fallback_reason = _way(any_database)
    older = tables_are_older()
    if older and way == ROWS:
        raise BackupError(
            "The tables are older than this code, which cannot read their rows. Make the backup"
            " with the code that made the tables, or in the database's own format (without"
            " --any-database; PostgreSQL needs pg_dump)."
        )
    if not target.parent.is_dir():
        raise BackupError(
            f"The folder {target.parent} does not exist. Check its name, and that its disk is"
            " mounted, or create it."
        )
    unfinished = target.with_name(target.name + UNFINISHED)
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=WORK) as folder:
            database = Path(folder) / NAMES[way]
            with read_at_one_instant():
                snapshot = _snapshot(way)
                rows = database_dump.counts()
                record_hashes = _records() if records and not older else {}
                _copy(way, database, snapshot)
            manifest = Manifest(
                now.isoformat(), way, _sha256(database), _key(), _migrations(), rows, record_hashes
            )
            with os.fdopen(
                os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb"
            ) as file:
                with zipfile.ZipFile(
                    file, "w", zipfile.ZIP_STORED if way == PG_DUMP else zipfile.ZIP_DEFLATED
                ) as copy:
                    copy.writestr(MANIFEST, json.dumps(asdict(manifest), indent=1))
                    copy.write(database, NAMES[way])
                file.flush()
                os.fsync(file.fileno())
        os.replace(unfinished, target)
    except (OSError, postgres.ToolError) as error:
        unfinished.unlink(missing_ok=True)
        raise BackupError(f"The backup could not be written to {target}: {error}") from error
    return manifest, fallback_reason


def remove_unfinished(place: Path, now: datetime) -> None:
    """Remove what backups into this folder have left that were killed more than a day ago."""
    for left in [*place.glob(f"{WORK}*"), *place.glob(f"gamesmaster-*{UNFINISHED}")]:
        if now.timestamp() - left.stat().st_mtime > 24 * 3600:
            if left.is_dir():
                shutil.rmtree(left)
            else:
                left.unlink()


def tables_are_older() -> bool:
    """Return whether this code has migrations that the database lacks, as before an upgrade."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _way(any_database: bool) -> tuple[str, str]:
    if any_database:
        return ROWS, ""
    if connection.vendor == "sqlite":
        return SQLITE, ""
    reason = postgres.missing("pg_dump")
    return (ROWS, reason) if reason else (PG_DUMP, "")


def _snapshot(way: str) -> str:
    """Return the name of the snapshot that makes `pg_dump` see what this transaction sees."""
    if way != PG_DUMP:
        return ""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_export_snapshot()")
        return str(cursor.fetchone()[0])


def _copy(way: str, database: Path, snapshot: str) -> None:
    if way == ROWS:
        database_dump.write(database)
    elif way == PG_DUMP:
        postgres.dump(database, snapshot)
    else:
        _copy_sqlite(database)


def _copy_sqlite(database: Path) -> None:
    import sqlite3

    with sqlite3.connect(database) as copy:
        connection.connection.backup(copy)  # in the read transaction: of the same instant
        if (result := copy.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
            raise BackupError(f"The backup is damaged, and the database itself may be: {result}")
    copy.close()


def _records() -> dict[str, str]:
    return {
        str(game.pk): _digest(export.record(game, private=True))
        for game in Game.objects.order_by("pk").iterator()
    }


def _digest(record: dict[str, Any]) -> str:
    return hashlib.sha256(export.text(record).encode()).hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _key() -> str:
    return signing.derive(signing.Salt.BACKUP, "the mark of the secret key")[:16]


def _migrations() -> list[str]:
    return sorted(
        f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations()
    )


# --- checking a copy ---

#: Errors of reading a damaged ZIP. The last three: a block that cannot be unpacked, a missing end,
#: and flags of encryption or of an unknown method (NotImplementedError is a RuntimeError).
_DAMAGE = (
    OSError,
    zipfile.BadZipFile,
    KeyError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
    EOFError,
    RuntimeError,
)


def look(source: Path) -> Manifest:
    """Return a copy's manifest after comparing it with the database. Raise `BackupError`."""
    try:
        with zipfile.ZipFile(source) as copy:
            if copy.getinfo(MANIFEST).file_size > LONGEST_MANIFEST:
                raise BackupError(f"{source} is not a backup made by `manage.py backup`.")
            manifest = Manifest(**json.loads(copy.read(MANIFEST)))
            if manifest.format != FORMAT or manifest.version > VERSION or manifest.way not in NAMES:
                raise BackupError(
                    f"{source} was made by a newer version of the service. Use that version."
                )
            with copy.open(NAMES[manifest.way]) as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    except _DAMAGE as error:
        raise BackupError(
            f"{source} is not a complete backup made by `manage.py backup` ({error})."
        ) from error
    if digest != manifest.sha256:
        raise BackupError(
            f"{source} is damaged: its database does not match its manifest. Use another backup."
        )
    return manifest


# --- restoring ---


def load(source: Path, now: datetime, *, another_key: bool = False) -> tuple[Manifest, list[str]]:
    """Restore a copy into this empty database and hold the service.

    Return the manifest, and the differences from it. Raise `BackupError`; then this database is
    unchanged or lacks tables.
    """
    manifest = look(source)
    if manifest.key != _key() and not another_key:
        raise BackupError(
            "The backup was made with another SECRET_KEY. Without that key, links in letters"
            " already sent do not work and seeds of open phases are lost. Set the old key, or put"
            " it into SECRET_KEY_FALLBACKS and give --another-key."
        )
    _check_empty()
    with tempfile.TemporaryDirectory(dir=_folder(), prefix=".restore-") as folder:
        database = Path(folder) / NAMES[manifest.way]
        with (
            zipfile.ZipFile(source) as copy,
            copy.open(NAMES[manifest.way]) as packed,
            database.open("wb") as file,
        ):
            shutil.copyfileobj(packed, file)
        with _replace_in_place(database if manifest.way == SQLITE else None):
            try:
                _fill(manifest, database)
            except postgres.ToolError as error:
                raise BackupError(f"The backup could not be restored: {error}") from error
            except database_dump.DumpError as error:
                raise BackupError(str(error)) from error
            call_command("migrate", verbosity=0, interactive=False)
            wrong = compare(manifest)  # before the restoration writes rows
            restore_hold.begin(manifest.moment, now)
    return manifest, wrong


def _fill(manifest: Manifest, database: Path) -> None:
    if manifest.way == ROWS:
        database_dump.read(database, _make_tables(manifest.migrations))
    elif manifest.way == PG_DUMP:
        if connection.vendor != "postgresql":
            raise BackupError(
                "This backup is in PostgreSQL's own format, so only PostgreSQL can restore it."
                " `manage.py backup --any-database` makes one for both databases."
            )
        postgres.restore(database)


def _make_tables(migrations: list[str]) -> Apps:
    """Make the tables of the version that had these migrations, and return its models."""
    executor = MigrationExecutor(connection)
    keys = [(app, name) for app, _, name in (line.partition(".") for line in migrations)]
    if unknown := set(keys) - set(executor.loader.disk_migrations):
        raise BackupError(
            "The backup was made by a newer version of the service: this one does not know its"
            f" migration {'.'.join(min(unknown))}. Restore it with that version."
        )
    newest = list(dict(sorted(keys)).items())
    executor.migrate(newest)
    return executor.loader.project_state(newest).apps


def _check_empty() -> None:
    if words := wrong_encoding():
        raise BackupError(words)
    tables = connection.introspection.table_names()
    if Person._meta.db_table in tables and (Person.objects.exists() or Game.objects.exists()):
        raise BackupError(
            "This database already has people or games. Restore into an empty one: set DATABASE_URL"
            " to it."
        )


def _folder() -> str | None:
    """Return the SQLite database's folder, which allows one-step replacement; else None."""
    if connection.vendor != "sqlite":
        return None
    folder = Path(connection.settings_dict["NAME"]).parent
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder)


@contextmanager
def _replace_in_place(copy: Path | None) -> Iterator[None]:
    """Restore a SQLite copy beside the database and replace it in one step, crash-safe."""
    if copy is None:
        yield
        return
    if connection.vendor != "sqlite":
        raise BackupError(
            "This backup is in SQLite's own format, so only SQLite can restore it. `manage.py"
            " backup --any-database` makes one for both databases."
        )
    place = Path(connection.settings_dict["NAME"])
    connection.close()
    connection.settings_dict["NAME"] = str(copy)
    try:
        yield
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()
        connection.settings_dict["NAME"] = str(place)
    for leftover in (f"{place}-wal", f"{place}-shm"):
        Path(leftover).unlink(missing_ok=True)
    os.replace(copy, place)


def compare(manifest: Manifest) -> list[str]:
    """Return the differences from the manifest in rows, records and results, a sentence each."""
    wrong = []
    same_tables = manifest.migrations == _migrations()
    for name, number in manifest.rows.items() if same_tables else ():
        if (count := database_dump.counts().get(name)) != number:
            wrong.append(f"{name} has {count} rows; the backup had {number}.")
    for game in Game.objects.order_by("pk").iterator():
        record = export.record(game, private=True)
        expected = manifest.records.get(str(game.pk))
        if expected is not None and same_tables and _digest(record) != expected:
            wrong.append(f"Game {game.pk}: its record is not the one in the backup.")
        wrong += [f"Game {game.pk}: {difference}" for difference in verify.check(record)[:1]]
    if missing := sorted(
        set(manifest.records) - {str(pk) for pk in Game.objects.values_list("pk", flat=True)},
        key=int,
    ):
        wrong.append(f"Games {', '.join(missing[:10])} are missing.")
    return wrong
