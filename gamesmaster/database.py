"""How connections to PostgreSQL take lists of values."""

from __future__ import annotations

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper


def send_lists_in_binary(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Let psycopg send lists in PostgreSQL's binary form.

    `bulk_create` sends each column as one list. As text, every quotation mark of a JSON value or
    of a letter is escaped by Python, which took a third of writing a deadline.
    """
    if connection.vendor == "postgresql":
        # not where there is SQLite alone: it takes a while to load
        from psycopg.types.array import ListBinaryDumper

        connection.connection.adapters.register_dumper(list, ListBinaryDumper)
