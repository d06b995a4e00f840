"""Copies the rows of games within the database, with SQL statements: to open thousands of games
one by one would take longer than most benchmarks."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.models import Max, UniqueConstraint

#: Models whose rows belong to no game.
APART = (
    "Pulse",
    "Tally",
    "WrongCode",
    "Listing",
    "MarketClosure",
    "Restoration",
    "Scenario",
    "Erasure",
)


def newest() -> dict[Any, int]:
    """Return the highest primary key so far of each model whose rows may be copied."""
    tables: list[Any] = [
        model
        for name in ("games", "orders")
        for model in apps.get_app_config(name).get_models(include_auto_created=True)
        if model.__name__ not in APART
    ]
    return {model: model.objects.aggregate(top=Max("pk"))["top"] or 0 for model in tables}


@contextmanager
def hurried() -> Iterator[None]:
    """Write without durability and foreign keys within the context.

    Does nothing inside a transaction, where databases do not allow it.
    """
    if connection.in_atomic_block:
        yield
        return
    with connection.cursor() as cursor:
        begin: tuple[str, ...]
        end: tuple[str, ...]
        if connection.vendor == "postgresql":
            begin = ("SET session_replication_role = replica", "SET synchronous_commit = off")
            end = ("RESET session_replication_role", "RESET synchronous_commit", "CHECKPOINT")
        else:
            names, kept = ("foreign_keys", "synchronous", "cache_size"), []
            for name in names:
                cursor.execute(f"PRAGMA {name}")
                kept.append(f"PRAGMA {name} = {cursor.fetchone()[0]}")
            begin = tuple(
                f"PRAGMA {name} = {value}"
                for name, value in zip(names, ("OFF", "OFF", "-1000000"), strict=True)
            )
            end = (*kept, "PRAGMA wal_checkpoint(TRUNCATE)")
        for line in begin:
            cursor.execute(line)
        try:
            yield
        finally:
            for line in end:
                cursor.execute(line)


def earlier(column: str, ago: timedelta, vendor: str) -> str:
    """Return the SQL expression for `k` times as long before the instant of a column."""
    seconds = ago.total_seconds()
    if vendor == "postgresql":
        return f"{column} - k * interval '{seconds} seconds'"
    return f"strftime('%Y-%m-%d %H:%M:%f', {column}, '-' || (k * {seconds}) || ' seconds')"


class Copies:
    """The rows that were written after `since`, and their copies.

    A copy refers to rows of its own copy, or to the same older rows as the original. The primary
    keys of copies follow those in use. Unique texts get the number of the copy in front.

    Args:
        since: What `newest` returned before the rows were written; else all rows are copied.
        without: Names of models whose rows are not copied.
        ago: How much older each copy is than the one before.
        values: SQL expressions for the values of columns (`table.column`) in copy number `k`.
        mark: What unique texts get before the number, where rows are copied more than once.
    """

    def __init__(
        self,
        since: Mapping[Any, int] | None = None,
        *,
        without: Collection[str] = (),
        ago: timedelta = timedelta(0),
        values: Mapping[str, str] | None = None,
        mark: str = "",
    ) -> None:
        since = since or {}
        self.ago, self.values, self.mark = ago, values or {}, mark
        #: The first and the last row of each model are after and at these primary keys.
        self.rows = {
            model: (since.get(model, 0), top)
            for model, top in newest().items()
            if top > since.get(model, 0) and model.__name__ not in without
        }
        self.made = 1

    def grow(self, number: int) -> None:
        """Write copies until every row exists `number` times."""
        if number <= self.made:
            return
        top = newest()
        #: What must be added to the primary keys of each model's rows in copy `k`.
        far = {
            model: f"({top[model] - before} + (k - {self.made}) * {last - before})"
            for model, (before, last) in self.rows.items()
        }
        with transaction.atomic(), connection.cursor() as cursor:
            for model in self.rows:
                cursor.execute(self._statement(model, far, number, connection.vendor))
            for line in connection.ops.sequence_reset_sql(no_style(), list(self.rows)):
                cursor.execute(line)
        self.made = number

    def _statement(self, model: Any, far: Mapping[Any, str], number: int, vendor: str) -> str:
        columns = list(model._meta.concrete_fields)
        names = ", ".join(f'"{field.column}"' for field in columns)
        values = ", ".join(self._value(model, field, far, vendor) for field in columns)
        table, key = model._meta.db_table, model._meta.pk.column
        before, last = self.rows[model]
        return (
            f"WITH RECURSIVE n(k) AS (SELECT {self.made} UNION ALL SELECT k + 1 FROM n"
            f' WHERE k < {number - 1}) INSERT INTO "{table}" ({names}) SELECT {values}'
            f' FROM n, "{table}" t WHERE t."{key}" > {before} AND t."{key}" <= {last}'
        )

    def _value(self, model: Any, field: Any, far: Mapping[Any, str], vendor: str) -> str:
        column = f't."{field.column}"'
        if own := self.values.get(f"{model._meta.db_table}.{field.column}"):
            return own
        if field.primary_key:
            return f"{column} + {far[model]}"
        if field.is_relation and field.related_model in far:
            other = field.related_model
            return (
                f"CASE WHEN {column} > {self.rows[other][0]} THEN {column} + {far[other]}"
                f" ELSE {column} END"
            )
        if not field.is_relation and (field.unique or field.name in _unique_alone(model)):
            room = (field.max_length or 200) - 12
            return (
                f"CASE WHEN {column} IS NULL THEN NULL ELSE '{self.mark}' || k || '-' ||"
                f" substr({column}, 1, {room}) END"
            )
        if self.ago and field.get_internal_type() == "DateTimeField":
            return earlier(column, self.ago, vendor)
        return column

    def counted(self) -> dict[str, int]:
        return {model.__name__: model._default_manager.count() for model in self.rows}


def _unique_alone(model: Any) -> set[str]:
    """Return the fields that a constraint makes unique by themselves, conditionally or not."""
    rows = [
        constraint.fields
        for constraint in model._meta.constraints
        if isinstance(constraint, UniqueConstraint)
    ]
    return {names[0] for names in rows if len(names) == 1}
