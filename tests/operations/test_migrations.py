"""Migrations that may run beside processes of the earlier version (docs/operations.md,
“Upgrading”)."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from tests.support.processes import ROOT

pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.django_db,
    pytest.mark.skipif(
        connection.vendor != "postgresql",
        reason="SQLite rebuilds a table for every change, which the linter takes for an error",
    ),
]
#: The last migrations of the versions whose upgrades all stopped the service.
BEFORE = {"games": "0019_sales_of_any_exchange", "orders": "0005_signatures"}
OPERATIONS = (ROOT / "docs" / "operations.md").read_text()


def newer() -> list[tuple[str, str]]:
    return [
        (app, name)
        for app, name in sorted(MigrationLoader(connection).disk_migrations)
        if name > BEFORE.get(app, "~")
    ]


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


def test_linter_finds_migrations_that_break_old_processes() -> None:
    """Such as a required column, which an old process leaves out."""
    with pytest.raises(SystemExit):
        call_command("lintmigrations", "games", "0008_team_seats")
    call_command("lintmigrations", "games", "0003_listings")


def test_linter_has_nothing_to_do_when_the_tables_are_up_to_date() -> None:
    assert settings.MIGRATION_LINTER_OPTIONS["include_apps"] == list(BEFORE)
    call_command("lintmigrations", unapplied_migrations=True)
