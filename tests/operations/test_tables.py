"""Compare the tables that the migrations make with those made from the models, which all tests use
(tests/settings.py)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from pytest_django import Settings

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]
OURS = ("games_", "orders_")
UNLIKE = (
    "The models differ from what the migrations make: `python manage.py makemigrations` writes the"
    " migration that is missing; what it cannot see, such as a table's storage, correct by hand."
)


@pytest.fixture(autouse=True)
def migrations(settings: Settings) -> None:
    """Use the migrations, also if pytest is told not to (`--no-migrations`)."""
    settings.MIGRATION_MODULES = {}


@pytest.fixture
def migrated(tmp_path: Path) -> Iterator[BaseDatabaseWrapper]:
    """Yield a connection to a database of its own that the migrations have filled."""
    database = connection.copy("migrated")
    if connection.vendor == "sqlite":
        database.settings_dict["NAME"] = str(tmp_path / "migrated.sqlite3")
    else:
        name = f"{connection.settings_dict['NAME']}_migrated"
        with connection.cursor() as cursor:
            cursor.execute(f'CREATE DATABASE "{name}"')
        database.settings_dict["NAME"] = name
    connections["migrated"] = database
    try:
        call_command("migrate", database="migrated", verbosity=0)
        yield database
    finally:
        database.close()
        del connections["migrated"]
        if connection.vendor != "sqlite":
            with connection.cursor() as cursor:
                cursor.execute(f'DROP DATABASE "{name}"')


def tables(database: BaseDatabaseWrapper) -> dict[str, tuple[Any, Any]]:
    """Return columns and constraints of our tables.

    Constraints are compared by what they do, because names are made up for those that no model
    names. Options of storage (the room that PostgreSQL leaves beside letters) are in no model.
    """
    with database.cursor() as cursor:
        found = {}
        for table in database.introspection.table_names(cursor):
            if not table.startswith(OURS):
                continue
            columns = {
                column.name: (column.type_code, column.display_size, column.null_ok, column.default)
                for column in database.introspection.get_table_description(cursor, table)
            }
            constraints = database.introspection.get_constraints(cursor, table).values()
            found[table] = (
                columns,
                Counter(
                    repr(
                        sorted(
                            (key, value) for key, value in constraint.items() if key != "options"
                        )
                    )
                    for constraint in constraints
                ),
            )
    return found


def triggers(database: BaseDatabaseWrapper) -> list[Any]:
    """Return triggers, views and functions, of which the models know nothing."""
    query = (
        "SELECT type, name FROM sqlite_master WHERE type NOT IN ('table', 'index')"
        if database.vendor == "sqlite"
        else "SELECT trigger_name FROM information_schema.triggers"
        " UNION SELECT table_name FROM information_schema.views WHERE table_schema = 'public'"
        " UNION SELECT routine_name FROM information_schema.routines"
        " WHERE routine_schema = 'public'"
    )
    with database.cursor() as cursor:
        cursor.execute(query)
        return list(cursor.fetchall())


def test_migrations_make_the_tables_of_the_models(migrated: BaseDatabaseWrapper) -> None:
    """A migration that leaves out a constraint, or adds what no model has, would go unnoticed:
    the other tests never run it."""
    assert tables(migrated) == tables(connection), UNLIKE
    assert triggers(migrated) == triggers(connection) == []


def test_models_have_no_changes_without_a_migration() -> None:
    try:
        call_command("makemigrations", check=True, dry_run=True, verbosity=0)
    except SystemExit:
        pytest.fail(UNLIKE, pytrace=False)
