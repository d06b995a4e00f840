"""Write all rows as lines of JSON and read them back.

For servers without PostgreSQL's programs, and to move from one kind of database to another. The
lines are those of Django's serializer "jsonl".
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core import serializers
from django.core.management import CommandError, call_command
from django.core.serializers.base import DeserializationError
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


def read(path: Path) -> None:
    """Replace all rows with those of a `*.jsonl` file, in one transaction. Raise `DumpError`."""
    try:
        _convert_old_format(path)
        with transaction.atomic():
            call_command("flush", interactive=False, inhibit_post_migrate=True, verbosity=0)
            call_command("loaddata", str(path), verbosity=0)
    except (CommandError, DatabaseError, DeserializationError, LookupError, ValueError) as error:
        raise DumpError(f"The rows do not fit this version of the service: {error}") from error


def _convert_old_format(path: Path) -> None:
    """Rewrite a file in the first format: a line with a table and its columns, then its rows."""
    converted = path.with_name("converted.jsonl")
    with path.open("rb") as old, converted.open("w", encoding="utf-8") as new:
        for line in old:
            row = json.loads(line)
            if isinstance(row, dict):
                if "table" not in row:
                    break  # the current format
                table, columns = row["table"], row["columns"]
                fields = apps.get_model(table)._meta.concrete_fields
                names = {
                    field.attname: "pk" if field.primary_key else field.name for field in fields
                }
                continue
            values = {names[column]: value for column, value in zip(columns, row, strict=True)}
            entry = {"model": table, "pk": values.pop("pk"), "fields": values}
            new.write(json.dumps(entry, ensure_ascii=False) + "\n")
        else:
            converted.replace(path)
    converted.unlink(missing_ok=True)
