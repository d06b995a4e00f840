"""All rows of all tables as lines of JSON, out and in: where PostgreSQL's programs are missing, and
from one kind of database to another.

A line that is an object names a table and its columns; the lines that are lists after it are its
rows.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, models, transaction

AT_ONCE = 500


class Unfit(Exception):
    """Rows that this database does not take. `str()` is a sentence for the operator."""


def tables() -> list[type[models.Model]]:
    """Every table of the service, those between two others included."""
    return [
        model
        for model in apps.get_models(include_auto_created=True)
        if not model._meta.proxy and model._meta.managed
    ]


def counts() -> dict[str, int]:
    return {model._meta.label_lower: model._base_manager.count() for model in tables()}


def write(path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for model in tables():
            columns = model._meta.concrete_fields
            file.write(
                json.dumps(
                    {
                        "table": model._meta.label_lower,
                        "columns": [column.attname for column in columns],
                    }
                )
                + "\n"
            )
            rows = model._base_manager.order_by("pk").values_list(
                *(column.attname for column in columns)
            )
            for row in rows.iterator(chunk_size=AT_ONCE):
                file.write(json.dumps([_told(value) for value in row], ensure_ascii=False) + "\n")


def _told(value: Any) -> Any:
    """A value as JSON has it; what it was is known from its column."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value


def read(path: Path) -> None:
    """Fills the tables, in one transaction; what a fresh database held before is taken out. Raises
    `Unfit`."""
    known = {model._meta.label_lower: model for model in tables()}
    with transaction.atomic():
        for model in known.values():
            model._base_manager.all()._raw_delete(connection.alias)
        for model, rows in _batches(path, known):
            model._base_manager.bulk_create(rows)
        _number_on(list(known.values()))


def _batches(
    path: Path, known: dict[str, type[models.Model]]
) -> Iterator[tuple[type[models.Model], list[models.Model]]]:
    model: type[models.Model] | None = None
    columns: list[models.Field[Any, Any]] = []
    rows: list[models.Model] = []
    with path.open(encoding="utf-8") as file:
        for line in file:
            told = json.loads(line)
            if isinstance(told, list) and model is not None:
                rows.append(
                    model(
                        **{
                            column.attname: _value(column)(value)
                            for column, value in zip(columns, told, strict=True)
                        }
                    )
                )
            if model is not None and rows and (isinstance(told, dict) or len(rows) >= AT_ONCE):
                yield model, rows
                rows = []
            if isinstance(told, dict):
                model = known.get(told["table"])
                if model is None:
                    raise Unfit(f"This version of the service has no table “{told['table']}”.")
                columns = [
                    field
                    for name in told["columns"]
                    for field in model._meta.concrete_fields
                    if field.attname == name
                ]
                if len(columns) != len(told["columns"]):
                    raise Unfit(
                        f"This version of the service has other columns in “{told['table']}”."
                    )
    if model is not None and rows:
        yield model, rows


def _value(column: models.Field[Any, Any]) -> Callable[[Any], Any]:
    """How a value of a column is read back."""

    def kept(value: Any) -> Any:
        if value is None or isinstance(column, models.JSONField):
            return value
        if isinstance(column, models.DateTimeField):
            return datetime.fromisoformat(value)
        if isinstance(column, models.DateField):
            return date.fromisoformat(value)
        if isinstance(column, models.BinaryField):
            return base64.b64decode(value)
        if isinstance(column, models.DurationField):
            return timedelta(seconds=value)
        return value

    return kept


def _number_on(of: list[type[models.Model]]) -> None:
    """Lets new rows be numbered after those that were put in."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), of):
            cursor.execute(statement)
