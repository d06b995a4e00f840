"""Run PostgreSQL's backup programs, if as new as the server; no password on a command line."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from django.db import connection
from django.db.migrations.recorder import MigrationRecorder


class ToolError(Exception):
    """Raised if a program has failed. `str()` has its error output."""


def missing(program: str) -> str:
    """Return why a program is unusable, such as being older than the server; else ""."""
    path = shutil.which(program)
    if path is None:
        return f"{program} is not installed"
    text = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"(\d+)(?:\.|\b)", text)
    server = connection.get_database_version()[0]
    if version is None or int(version[1]) < server:
        return (
            f"{program} is {text.strip() or 'of no known version'}, older than the server, which is"
            f" PostgreSQL {server}"
        )
    return ""


def dump(target: Path, snapshot: str) -> None:
    """Write the database at an exported snapshot, compressed. Raise `ToolError`."""
    _run(
        "pg_dump",
        "--format=custom",
        "--no-owner",
        "--no-privileges",
        f"--snapshot={snapshot}",
        f"--file={target}",
    )


def restore(source: Path) -> None:
    """Fill an empty database, entirely or not at all. Raise `ToolError`.

    The backup brings its tables: empty ones, as `migrate` has made them, are dropped.
    """
    if obstacle := missing("pg_restore"):
        raise ToolError(f"{obstacle}. Install the programs of that version.")
    recorded = MigrationRecorder.Migration._meta.db_table
    ours = {*connection.introspection.django_table_names(), recorded}
    if tables := sorted(ours.intersection(connection.introspection.table_names())):
        names = ", ".join(map(connection.ops.quote_name, tables))
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE {names} CASCADE")
    name = str(connection.get_connection_params()["dbname"])
    connection.close()
    _run(
        "pg_restore",
        "--no-owner",
        "--no-privileges",
        "--single-transaction",
        "--exit-on-error",
        f"--dbname={name}",
        str(source),
    )


def _run(program: str, *words: str) -> None:
    parameters = connection.get_connection_params()
    places = {
        "host": "PGHOST",
        "port": "PGPORT",
        "user": "PGUSER",
        "password": "PGPASSWORD",
        "dbname": "PGDATABASE",
        "sslmode": "PGSSLMODE",
    }
    environment = {
        variable: str(parameters[name]) for name, variable in places.items() if parameters.get(name)
    }
    process = subprocess.run(
        [program, *words], env=os.environ | environment, capture_output=True, text=True, check=False
    )
    if process.returncode != 0:
        raise ToolError(
            f"{program} ended with {process.returncode}: {' '.join(process.stderr.split())[:600]}"
        )
