from __future__ import annotations

from typing import Any

from django.core.management.commands import makemigrations
from django.db.migrations.autodetector import MigrationAutodetector
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


class Command(makemigrations.Command):
    autodetector = Autodetector
