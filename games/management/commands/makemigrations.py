from __future__ import annotations

from typing import Any

from django.core.management.commands import makemigrations
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.operations import AddField, CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.operations.models import IndexOperation
from django.db.migrations.optimizer import MigrationOptimizer
from django.db.migrations.state import ProjectState

#: The apps whose migrations we write.
OURS = ("games", "orders")


class Autodetector(MigrationAutodetector):
    """Finds changes of our models' tables, and leaves out the words about them.

    Help texts, names for people and the labels of choices change often and no table with them.
    """

    def __init__(self, from_state: ProjectState, to_state: ProjectState, *args: Any) -> None:
        for (app, _), model in to_state.models.items():
            if app not in OURS:
                continue
            for words in ("verbose_name", "verbose_name_plural"):
                model.options.pop(words, None)
            for field in model.fields.values():
                field.help_text, field._verbose_name = "", None
                field.choices = None
        super().__init__(from_state, to_state, *args)

    def _optimize_migrations(self) -> None:
        super()._optimize_migrations()  # type: ignore[misc]  # not in the stubs
        for app in OURS:
            for migration in self.migrations.get(app, ()):  # type: ignore[attr-defined]
                operations = _with_indexes_at_tables(migration.operations)
                migration.operations = MigrationOptimizer().optimize(operations, app)


def _with_indexes_at_tables(operations: list[Operation]) -> list[Operation]:
    """Return the operations with every index and constraint after the last field of its table.

    The optimizer then makes most of them part of the table's creation. Each one apart would make
    `migrate` build the models of all tables again.
    """
    last: dict[str, int] = {}
    for place, operation in enumerate(operations):
        if isinstance(operation, CreateModel):
            last[operation.name_lower] = place
        elif isinstance(operation, AddField):
            last[operation.model_name_lower] = place
    places = {
        id(operation): last.get(operation.model_name_lower, place)
        if isinstance(operation, IndexOperation)
        else place
        for place, operation in enumerate(operations)
    }
    return sorted(operations, key=lambda operation: places[id(operation)])


class Command(makemigrations.Command):
    autodetector = Autodetector
