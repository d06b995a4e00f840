"""PostgreSQL's programs for copies, as new as the server; no password on a command line."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from django.db import connection


class ToolError(Exception):
    """A program that has failed. `str()` says what it said."""


def missing(program: str) -> str:
    """Return why a program is unusable, such as being older than the server; "" if it is not."""
    found = shutil.which(program)
    if found is None:
        return f"{program} is not installed"
    told = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"(\d+)(?:\.|\b)", told)
    server = connection.get_database_version()[0]
    if version is None or int(version[1]) < server:
        return (
            f"{program} is {told.strip() or 'of no known version'}, older than the server, which is"
            f" PostgreSQL {server}"
        )
    return ""


def dump(target: Path, snapshot: str) -> None:
    """Writes the database as it was at an exported snapshot, packed. Raises `ToolError`."""
    _run(
        "pg_dump",
        "--format=custom",
        "--no-owner",
        "--no-privileges",
        f"--snapshot={snapshot}",
        f"--file={target}",
    )


def restore(source: Path) -> None:
    """Fills an empty database, wholly or not at all. Raises `ToolError`."""
    if why := missing("pg_restore"):
        raise ToolError(f"{why}. Install the programs of that version.")
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
    given = connection.get_connection_params()
    places = {
        "host": "PGHOST",
        "port": "PGPORT",
        "user": "PGUSER",
        "password": "PGPASSWORD",
        "dbname": "PGDATABASE",
        "sslmode": "PGSSLMODE",
    }
    known = {variable: str(given[name]) for name, variable in places.items() if given.get(name)}
    done = subprocess.run(
        [program, *words], env=os.environ | known, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise ToolError(
            f"{program} ended with {done.returncode}: {' '.join(done.stderr.split())[:600]}"
        )
