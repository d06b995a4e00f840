"""Write all rows as lines of JSON and read them back.

For servers without PostgreSQL's programs, and to move from one kind of database to another. The
lines are those of Django's serializer "jsonl". They are read into tables of the version that wrote
them, which may lack columns of this one.
"""

from __future__ import annotations

import json
from datetime import datetime
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from django.apps import apps
from django.apps.registry import Apps
from django.core import serializers
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.core.management import CommandError, call_command
from django.core.management.color import no_style
from django.core.serializers.json import DjangoJSONEncoder
from django.db import DatabaseError, connection, models, transaction

CHUNK_SIZE = 500


class DumpError(Exception):
    """Raised for rows that this database cannot load. `str()` is a sentence for the operator."""


class ExactEncoder(DjangoJSONEncoder):
    """Write instants with microseconds, over which records are hashed; Django cuts them to ms."""

    def default(self, o: Any) -> Any:
        return o.isoformat() if isinstance(o, datetime) else super().default(o)


def tables() -> list[type[models.Model]]:
    """Return every table of the service, including those of many-to-many fields."""
    return [
        model
        for model in apps.get_models(include_auto_created=True)
        if not model._meta.proxy and model._meta.managed
    ]


def counts() -> dict[str, int]:
    """Return the number of rows of each existing table; before an upgrade some are missing."""
    existing = set(connection.introspection.table_names())
    return {
        model._meta.label_lower: model._base_manager.count()
        for model in tables()
        if model._meta.db_table in existing
    }


def write(path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for model in tables():
            serializers.serialize(
                "jsonl",
                model._base_manager.order_by("pk").iterator(chunk_size=CHUNK_SIZE),
                stream=file,
                cls=ExactEncoder,
                # Many-to-many fields have their own tables and rows.
                fields=[field.name for field in model._meta.concrete_fields],
            )


def read(path: Path, version: Apps = apps) -> None:
    """Replace all rows with those of a `*.jsonl` file, in one transaction. Raise `DumpError`.

    `version` has the models of the tables, which are those of the file's version.
    """
    try:
        with path.open(encoding="utf-8") as file, transaction.atomic():
            call_command("flush", interactive=False, inhibit_post_migrate=True, verbosity=0)
            rows = (_row(json.loads(line), version) for line in file)
            for _, of_model in groupby(rows, type):
                while chunk := list(islice(of_model, CHUNK_SIZE)):
                    chunk[0]._meta.base_manager.bulk_create(chunk)
            # Those of many-to-many fields, too: adding to one ignores a number that is taken, so
            # that nothing would be added.
            models = version.get_models(include_auto_created=True)
            with connection.cursor() as cursor:
                for sql in connection.ops.sequence_reset_sql(no_style(), models):
                    cursor.execute(sql)
    except (
        CommandError,
        DatabaseError,
        FieldDoesNotExist,
        KeyError,
        LookupError,
        ValidationError,
        ValueError,
    ) as error:
        raise DumpError(f"The rows do not fit this version of the service: {error}") from error


def _row(line: dict[str, Any], version: Apps) -> Any:
    model = version.get_model(line["model"])
    values = {}
    for name, value in {model._meta.pk.name: line["pk"], **line["fields"]}.items():
        field: Any = model._meta.get_field(name)
        values[field.attname] = field.to_python(value)
    return model(**values)
