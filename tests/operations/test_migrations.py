"""Migrations that may run beside processes of the earlier version (docs/operations.md,
“Upgrading”)."""

from __future__ import annotations

import re

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from tests.settings import MIGRATION_LINTER_OPTIONS
from tests.support.processes import ROOT

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
#: The last migrations of 0.1.0. No service ran before it.
BEFORE = {"games": "0002_room_on_letter_pages", "orders": "0001_initial"}
OPERATIONS = (ROOT / "docs" / "operations.md").read_text()


def newer() -> list[tuple[str, str]]:
    return [
        (app, name)
        for app, name in sorted(MigrationLoader(connection).disk_migrations)
        if name > BEFORE.get(app, "~")
    ]


@pytest.mark.skipif(
    connection.vendor != "postgresql",
    reason="SQLite rebuilds a table for every change, which the linter takes for an error",
)
def test_new_migration_runs_beside_old_processes_or_is_documented(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for app, name in newer():
        if f"`{app}/{name[:4]}`" not in OPERATIONS:
            try:
                call_command("lintmigrations", app, name)
            except SystemExit:
                pytest.fail(
                    f"{app}.{name} disturbs running processes. Split it, or name `{app}/{name[:4]}`"
                    f" in docs/operations.md, “Upgrading”.\n{capsys.readouterr().out}"
                )


def test_new_migration_can_be_taken_back_or_is_documented() -> None:
    """docs/operations.md, “Going back”: the newer code takes its migrations back."""
    loader = MigrationLoader(connection)
    for app, name in newer():
        for operation in loader.disk_migrations[app, name].operations:
            assert operation.reversible or f"`{app}/{name[:4]}`" in OPERATIONS, (name, operation)


def test_migrations_contain_no_words_about_fields() -> None:
    """Otherwise each change of a help text or a label would be a migration."""
    for app in BEFORE:
        for path in (ROOT / app / "migrations").glob("0*.py"):
            words = re.findall(
                r"\b(?:help_text|verbose_name|verbose_name_plural|choices)\b", path.read_text()
            )
            assert not words, path


def test_linter_has_nothing_to_do_when_the_tables_are_up_to_date() -> None:
    assert MIGRATION_LINTER_OPTIONS["include_apps"] == list(BEFORE)
    call_command("lintmigrations", unapplied_migrations=True)
