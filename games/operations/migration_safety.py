"""Whether the migrations that are still to be made may run beside the processes of the version
before (docs/operations.md, “Upgrading”).

An old process knows the old tables: it leaves out columns that it does not know, and asks for those
that it does. A migration that makes either fail needs a stop, and a migration that changes rows
does unless it says `beside_running = True`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db import connection, models
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.operations import (
    AddConstraint,
    AddField,
    AddIndex,
    AlterField,
    AlterModelManagers,
    AlterModelOptions,
    CreateModel,
    RemoveConstraint,
    RemoveIndex,
    RunPython,
    RunSQL,
)
from django.db.migrations.state import ProjectState

#: What changes nothing that an old process asks or writes.
HARMLESS = (
    CreateModel,
    AddIndex,
    RemoveIndex,
    RemoveConstraint,
    AlterModelOptions,
    AlterModelManagers,
)


def pending() -> list[Migration]:
    """The migrations that are still to be made, in their order."""
    executor = MigrationExecutor(connection)
    return [
        migration for migration, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())
    ]


def reasons() -> list[str]:
    """Why old processes must be stopped first, a sentence each; none where they may go on."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if not executor.loader.applied_migrations:
        return []  # an empty database: there is nobody to disturb
    state = executor._create_project_state(with_applied_migrations=True)  # type: ignore[attr-defined]
    return [
        f"{migration}: {reason}"
        for migration, _ in plan
        for reason in of_migration(migration, state)
    ]


def of_migration(migration: Migration, state: ProjectState) -> Iterator[str]:
    """The reasons of one migration; `state` is that before it, and is brought to that after it."""
    for operation in migration.operations:
        before = state.clone()
        operation.state_forwards(migration.app_label, state)
        if (why := _why_not(operation, migration, before, state)) is not None:
            yield why


def _why_not(
    operation: Any, migration: Migration, before: ProjectState, after: ProjectState
) -> str | None:
    told = operation.describe()
    if isinstance(operation, HARMLESS):
        return None
    if isinstance(operation, AddField):
        return (
            None
            if _may_be_left_out(operation.field)
            else f"{told}, which an old process leaves out when it writes a row"
        )
    if isinstance(operation, AlterField):
        return (
            None
            if _only_wider(operation, migration.app_label, before, after)
            else f"{told}, which an old process writes as before"
        )
    if isinstance(operation, RunPython | RunSQL):
        return (
            None if getattr(migration, "beside_running", False) else f"{told}, which changes rows"
        )
    if isinstance(operation, AddConstraint):
        return f"{told}, which rows of an old process may break"
    return f"{told}, which an old process still asks for"


def _may_be_left_out(field: Any) -> bool:
    return bool(field.many_to_many or field.null or field.has_db_default())


def _only_wider(operation: AlterField, app: str, before: ProjectState, after: ProjectState) -> bool:
    """Whether a column takes all that it took before: other words about it, more signs, or nothing
    as well."""
    old, new = (
        state.models[app, operation.model_name_lower].fields[operation.name]
        for state in (before, after)
    )
    (_, kind, _, was), (_, kind_now, _, becomes) = old.deconstruct(), new.deconstruct()
    words = (*models.Field.non_db_attrs, "default")
    changed = {name for name in {*was, *becomes} - set(words) if was.get(name) != becomes.get(name)}
    if kind != kind_now:
        return False
    longer = "max_length" in changed and (becomes.get("max_length") or 0) > (
        was.get("max_length") or 0
    )
    empty = "null" in changed and bool(becomes.get("null"))
    return changed <= ({"max_length"} if longer else set()) | ({"null"} if empty else set())
