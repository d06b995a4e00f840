"""Which migrations may run beside the processes of the version before (docs/operations.md,
“Upgrading”)."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import migrations, models
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ModelState, ProjectState

from games.operations import migration_safety

FIELDS: list[tuple[str, models.Field[Any, Any]]] = [
    ("id", models.BigAutoField(primary_key=True)),
    ("name", models.CharField(max_length=20, help_text="old")),
]


def reasons(*operations: Any, **attributes: Any) -> list[str]:
    state = ProjectState()
    state.add_model(ModelState("games", "Thing", FIELDS))
    migration = migrations.Migration("0099_new", "games")
    for name, value in {"operations": list(operations), **attributes}.items():
        setattr(migration, name, value)
    return list(migration_safety.of_migration(migration, state))


def added(field: models.Field[Any, Any]) -> migrations.AddField:
    return migrations.AddField("thing", "colour", field)


def altered(field: models.Field[Any, Any]) -> migrations.AlterField:
    return migrations.AlterField("thing", "name", field)


@pytest.mark.parametrize(
    "operation",
    [
        migrations.CreateModel("Other", [("id", models.BigAutoField(primary_key=True))]),
        added(models.CharField(max_length=5, null=True)),
        added(models.CharField(max_length=5, db_default="red")),
        migrations.AddIndex("thing", models.Index(fields=["name"], name="things_by_name")),
        altered(
            models.CharField(max_length=20, help_text="new", verbose_name="the name", default="x")
        ),
        altered(models.CharField(max_length=40)),
        altered(models.CharField(max_length=20, null=True)),
        migrations.AlterModelOptions("thing", {"ordering": ["name"]}),
    ],
    ids=lambda operation: operation.describe(),
)
def test_what_an_old_process_does_not_notice_may_run_beside_it(operation: Any) -> None:
    assert reasons(operation) == []


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        (
            added(models.CharField(max_length=5, default="red")),
            "leaves out",
        ),  # Django's default is the new process's alone
        (altered(models.CharField(max_length=10)), "writes as before"),
        (altered(models.IntegerField()), "writes as before"),
        (migrations.RemoveField("thing", "name"), "still asks for"),
        (migrations.RenameField("thing", "name", "title"), "still asks for"),
        (migrations.DeleteModel("Thing"), "still asks for"),
        (migrations.RenameModel("Thing", "Other"), "still asks for"),
        (
            migrations.AddConstraint(
                "thing", models.UniqueConstraint(fields=["name"], name="one_name")
            ),
            "may break",
        ),
        (migrations.RunPython(migrations.RunPython.noop), "changes rows"),
    ],
    ids=lambda value: value.describe() if not isinstance(value, str) else "",
)
def test_what_an_old_process_would_stumble_over_needs_a_stop(operation: Any, why: str) -> None:
    (reason,) = reasons(operation)
    assert why in reason


def test_a_change_of_rows_may_say_that_it_does_no_harm() -> None:
    assert reasons(migrations.RunPython(migrations.RunPython.noop), beside_running=True) == []


@pytest.mark.django_db
def test_the_plan_is_that_of_what_is_still_to_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing for a database that is up to date, nothing for an empty one; else each migration by
    name."""
    assert migration_safety.pending() == []
    assert migration_safety.reasons() == []
    known = MigrationRecorder.applied_migrations
    missing = ("games", "0010_by_what_is_due")
    monkeypatch.setattr(
        MigrationRecorder,
        "applied_migrations",
        lambda self: {
            key: row for key, row in known(self).items() if key <= missing or key[0] != "games"
        },
    )
    assert str(migration_safety.pending()[0]).startswith("games.0011")
    assert all(one.startswith("games.00") for one in migration_safety.reasons())
