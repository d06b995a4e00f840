"""Everything that lasts, in one file, and back (`manage.py backup`, `manage.py restore`,
docs/operations.md).

The file is a zip: `manifest.json`, and the database as SQLite's online backup, as `pg_dump` writes
it, or, where that program is missing, as rows that any database of this service takes. All of it is
one moment: records are reckoned and rows are read in one snapshot. The manifest names each game
with the SHA-256 of its record, so that whoever puts the copy back knows that he has what was there.

Not in it: SECRET_KEY, without which links in letters are dead and seeds are lost (its mark is), and
the environment.
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

from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.utils.crypto import salted_hmac

from games.evidence import export
from games.models import Game, Person
from games.operations import database_dump, postgres, restore_hold
from games.rules.verification import verify

FORMAT, VERSION = "gamesmaster backup", 1
MANIFEST = "manifest.json"
#: How the database stands in the file, with the name under which it does.
SQLITE, PG_DUMP, ROWS = "sqlite", "pg_dump", "rows"
NAMES = {SQLITE: "database.sqlite3", PG_DUMP: "database.dump", ROWS: "rows.jsonl"}
#: A copy that says less than this is not one of ours; one that says more is not read into memory.
LONGEST_MANIFEST = 50_000_000


class BackupError(Exception):
    """A copy that cannot be made, read or put back. `str()` is a sentence for the operator."""


@dataclass(frozen=True)
class Manifest:
    """What a copy says of itself."""

    taken_at: str
    way: str
    sha256: str  # of the database's entry
    key: str  # the mark of SECRET_KEY
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
    """Write a copy, readable by its owner alone, while the service runs. Raises `BackupError`.

    Returns what it says, and why rows were written, if they were. `any_database` writes rows, which
    either database takes; without `records`, and where the tables are older than this code, no
    game's record is reckoned.
    """
    way, why = _way(any_database)
    older = tables_are_older()
    if older and way == ROWS:
        raise BackupError(
            "The tables are older than this code, which cannot read their rows. Make the copy with"
            " the code that made the tables, or in the database's own form (without --any-database;"
            " PostgreSQL needs pg_dump)."
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(target.name + ".unfinished")
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".backup-") as folder:
            database = Path(folder) / NAMES[way]
            with _one_moment(way) as snapshot:
                rows = database_dump.counts()
                told = _records() if records and not older else {}
                _copy(way, database, snapshot)
            manifest = Manifest(
                now.isoformat(), way, _sha256(database), _key(), _migrations(), rows, told
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
        raise BackupError(f"The copy could not be written to {target}: {error}") from error
    return manifest, why


def tables_are_older() -> bool:
    """Return whether this code has migrations that the database lacks, as before an upgrade."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _way(any_database: bool) -> tuple[str, str]:
    if any_database:
        return ROWS, ""
    if connection.vendor == "sqlite":
        return SQLITE, ""
    why = postgres.missing("pg_dump")
    return (ROWS, why) if why else (PG_DUMP, "")


@contextmanager
def _one_moment(way: str) -> Iterator[str]:
    """Read everything within as of one moment. Yields the snapshot's name for `pg_dump`."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")  # not `atomic`, which would keep every writer waiting
            try:
                yield ""
            finally:
                cursor.execute("ROLLBACK")
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute("SELECT pg_export_snapshot()")
        yield str(cursor.fetchone()[0])


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
        connection.connection.backup(copy)  # within the reading that has begun: the same moment
        if (found := copy.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
            raise BackupError(f"The copy is damaged, and so may be the database itself: {found}")
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
    return salted_hmac("games.operations.backup", "the mark of the secret key").hexdigest()[:16]


def _migrations() -> list[str]:
    return sorted(
        f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations()
    )


# --- looking ---

#: What comes of reading a ZIP of which some bytes are others. The last three: a block that cannot
# be unpacked, an end that is missing, and : flags that say that it is encrypted or packed in a way
# that nobody knows (NotImplementedError is a RuntimeError).
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
    """Return what a copy says of itself, compared with its database. Raises `BackupError`."""
    try:
        with zipfile.ZipFile(source) as copy:
            if copy.getinfo(MANIFEST).file_size > LONGEST_MANIFEST:
                raise BackupError(f"{source} is not a copy made by `manage.py backup`.")
            manifest = Manifest(**json.loads(copy.read(MANIFEST)))
            if manifest.format != FORMAT or manifest.version > VERSION or manifest.way not in NAMES:
                raise BackupError(
                    f"{source} was made by a newer version of the service; use that one."
                )
            with copy.open(NAMES[manifest.way]) as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    except _DAMAGE as error:
        raise BackupError(
            f"{source} is not a whole copy made by `manage.py backup` ({error})."
        ) from error
    if digest != manifest.sha256:
        raise BackupError(
            f"{source} is damaged: its database is not the one that its manifest names. Use another"
            " copy."
        )
    return manifest


# --- back ---


def load(source: Path, now: datetime, *, another_key: bool = False) -> tuple[Manifest, list[str]]:
    """Restore a copy into this empty database and hold the service.

    Returns what the copy says, and what differs. Raises `BackupError`, and then this database is as
    it was, or lacks tables.
    """
    manifest = look(source)
    if manifest.key != _key() and not another_key:
        raise BackupError(
            "The copy was made with another SECRET_KEY: without it links in letters that went out"
            " are dead, and seeds of open phases lost. Set the old one, or put it into"
            " SECRET_KEY_FALLBACKS and say --another-key."
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
        with _in_place(database if manifest.way == SQLITE else None):
            try:
                _fill(manifest, database)
            except postgres.ToolError as error:
                raise BackupError(f"The backup could not be restored: {error}") from error
            except database_dump.DumpError as error:
                raise BackupError(str(error)) from error
            call_command("migrate", verbosity=0, interactive=False)
            wrong = compare(manifest)  # before anything of the restoration's own is written
            restore_hold.begin(manifest.moment, now)
    return manifest, wrong


def _fill(manifest: Manifest, database: Path) -> None:
    if manifest.way == ROWS:
        call_command("migrate", verbosity=0, interactive=False)
        if missing := set(manifest.migrations) ^ set(_migrations()):
            raise BackupError(
                "The copy's tables are not those of this version (they differ by"
                f" {', '.join(sorted(missing)[:3])}). Put it back with the version that made it,"
                " then bring that up to date."
            )
        database_dump.read(database)
    elif manifest.way == PG_DUMP:
        if connection.vendor != "postgresql":
            raise BackupError(
                "This copy is PostgreSQL's own; only a PostgreSQL takes it. `manage.py backup"
                " --any-database` makes one for both."
            )
        postgres.restore(database)


def _check_empty() -> None:
    tables = connection.introspection.table_names()
    if Person._meta.db_table in tables and (Person.objects.exists() or Game.objects.exists()):
        raise BackupError(
            "This database holds people or games already. A copy is only put into an empty one: set"
            " DATABASE_URL to it."
        )


def _folder() -> str | None:
    """Return a folder beside the SQLite database, for one-step replacement; else any."""
    if connection.vendor != "sqlite":
        return None
    folder = Path(connection.settings_dict["NAME"]).parent
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder)


@contextmanager
def _in_place(copy: Path | None) -> Iterator[None]:
    """Restore a SQLite copy beside the database and replace it in one step, crash-safe."""
    if copy is None:
        yield
        return
    if connection.vendor != "sqlite":
        raise BackupError(
            "This copy is SQLite's own; only SQLite takes it. `manage.py backup --any-database`"
            " makes one for both."
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
    """Return what differs from what the copy says: rows, records, results; a sentence each."""
    wrong = []
    same_tables = manifest.migrations == _migrations()
    for name, number in manifest.rows.items() if same_tables else ():
        if (found := database_dump.counts().get(name)) != number:
            wrong.append(f"{name} has {found} rows; the copy was made of {number}.")
    for game in Game.objects.order_by("pk").iterator():
        record = export.record(game, private=True)
        known = manifest.records.get(str(game.pk))
        if known is not None and same_tables and _digest(record) != known:
            wrong.append(f"Game {game.pk}: its record is not the one that the copy was made of.")
        wrong += [f"Game {game.pk}: {difference}" for difference in verify.check(record)[:1]]
    if missing := sorted(
        set(manifest.records) - {str(pk) for pk in Game.objects.values_list("pk", flat=True)},
        key=int,
    ):
        wrong.append(f"Games {', '.join(missing[:10])} are missing.")
    return wrong
