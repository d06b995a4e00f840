"""Questions to the database, and changes, that come with every message and every letter: Django
builds each statement once.

Building a statement costs Django more than most databases take to answer it. A `Question` is asked
in Django's own words, built once for each kind of database, and asked again with other values:

    NEWEST = Question(lambda game:
    Submission.objects.filter(game=game).order_by("-number").values_list("hash")[:1], game=WHOLE)
    NEWEST.first(game=3)  # ("1f0c...",) or None

Values may stand in plain comparisons only, never in lists or slices. Nothing is kept but the
statement: every answer is asked anew. An `Insert` writes new rows, and a `Save` some columns of a
row, by statements that are built once as well.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.models import BinaryField, Field, Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql import UpdateQuery

#: What stands in a question's place while its statement is built: values that nobody asks for,
# told apart by their number.
Placeholder = Callable[[int], Any]


def WHOLE(number: int) -> int:  # noqa: N802 - a kind of value, named like one
    """The place of a whole number, such as a row's id."""
    return 2_100_000_001 + number


def TEXT(number: int) -> str:  # noqa: N802
    """The place of a text."""
    return f"\x01{number}\x01"


def INSTANT(number: int) -> datetime:  # noqa: N802
    """The place of an instant."""
    return datetime(1901, 1, 1 + number, 1, 2, 3, tzinfo=UTC)


class _Rows:
    """How the rows of a statement become objects: what Django works out anew for each queryset,
    worked out once (`ModelIterable`)."""

    def __init__(self, compiler: Any) -> None:
        select, told = compiler.select, compiler.klass_info
        if told is None:
            raise ValueError("a question for values gives no objects")
        first, last = told["select_fields"][0], told["select_fields"][-1] + 1
        self.model = told["model"]
        self._own = slice(first, last)
        self._names = [column[0].target.attname for column in select[self._own]]
        populators: Any = get_related_populators  # its stubs are of a later Django
        self._related = populators(told, select, DEFAULT_DB_ALIAS)
        # Place, expression and conversions of each column that the database gives in another form.
        self._converted = [
            (place, expression, conversions)
            for place, (conversions, expression) in compiler.get_converters(
                [column[0] for column in select]
            ).items()
        ]

    def model_of(self, row: tuple[Any, ...], connection: Any) -> Any:
        values = list(row)
        for place, expression, conversions in self._converted:
            value = values[place]
            for convert in conversions:
                value = convert(value, expression, connection)
            values[place] = value
        found = self.model.from_db(DEFAULT_DB_ALIAS, self._names, values[self._own])
        for populator in self._related:
            populator.populate(values, found)
        return found


class Question:
    """One question. `ask` gives the queryset for values of the kinds named; it is called once for
    each kind of database.

    Raises `ValueError` while it is built where a value does not stand in it just once.
    """

    def __init__(self, ask: Callable[..., QuerySet[Any, Any]], **kinds: Placeholder) -> None:
        self._ask, self._kinds = ask, kinds
        self._built: dict[str, tuple[str, tuple[tuple[str, Any], ...]]] = {}
        self._rows: dict[str, _Rows] = {}

    def rows(self, **values: Any) -> list[tuple[Any, ...]]:
        """The rows as the database gives them: for whole numbers and texts, which are the same in
        each."""
        connection = connections[DEFAULT_DB_ALIAS]
        statement, given = self._statement(connection, values)
        with connection.cursor() as cursor:
            cursor.execute(statement, given)
            found: list[tuple[Any, ...]] = cursor.fetchall()
        return found

    def first(self, **values: Any) -> tuple[Any, ...] | None:
        return next(iter(self.rows(**values)), None)

    def models(self, model: type[Any], **values: Any) -> list[Any]:
        """The rows as objects of a model; those that the question selects with it
        (`select_related`) are in their places."""
        connection = connections[DEFAULT_DB_ALIAS]
        found = self.rows(**values)
        if (made := self._rows.get(connection.vendor)) is None:
            made = self._rows[connection.vendor] = _Rows(self._compiler(self._places(), connection))
        assert made.model is model, f"the question gives objects of {made.model.__name__}"
        return [made.model_of(row, connection) for row in found]

    def model(self, model: type[Any], **values: Any) -> Any:
        """The first of `models`; None where there is none."""
        return next(iter(self.models(model, **values)), None)

    def _statement(self, connection: Any, values: dict[str, Any]) -> tuple[str, list[Any]]:
        if (built := self._built.get(connection.vendor)) is None:
            built = self._built[connection.vendor] = self._build(connection)
        statement, places = built
        return statement, [
            _stored(values[name], connection) if name else constant for name, constant in places
        ]

    def _build(self, connection: Any) -> tuple[str, tuple[tuple[str, Any], ...]]:
        put = self._places()
        statement, given = self._compiled(put, connection)
        named = {_stored(value, connection): name for name, value in put.items()}
        places = tuple((named.get(value, ""), value) for value in given)
        if sorted(name for name, _ in places if name) != sorted(put):
            raise ValueError(f"each of {', '.join(put)} must stand in the question once")
        return statement, places

    def _places(self) -> dict[str, Any]:
        return {name: kind(number) for number, (name, kind) in enumerate(self._kinds.items())}

    def _compiled(self, put: dict[str, Any], connection: Any) -> tuple[str, tuple[Any, ...]]:
        statement, given = self._ask(**put).query.get_compiler(connection=connection).as_sql()
        return statement, tuple(given)

    def _compiler(self, put: dict[str, Any], connection: Any) -> Any:
        compiler = self._ask(**put).query.get_compiler(connection=connection)
        compiler.pre_sql_setup()
        return compiler


class Change(Question):
    """A change of fixed form: `ask` gives the rows as for a question, `to` the columns with what
    they become.

    A column's value is a place by its name, or what `QuerySet.update` takes.
    """

    def __init__(
        self,
        ask: Callable[..., QuerySet[Any, Any]],
        to: Callable[..., dict[str, Any]],
        **kinds: Placeholder,
    ) -> None:
        super().__init__(ask, **kinds)
        self._to = to

    def make(self, **values: Any) -> int:
        """Makes the change and says how many rows it met."""
        connection = connections[DEFAULT_DB_ALIAS]
        statement, given = self._statement(connection, values)
        with connection.cursor() as cursor:
            cursor.execute(statement, given)
            met: int = cursor.rowcount
        return met

    def _compiled(self, put: dict[str, Any], connection: Any) -> tuple[str, tuple[Any, ...]]:
        rows, become = (_of(put, function) for function in (self._ask, self._to))
        query = rows.query.chain(UpdateQuery)
        query.add_update_values(become)
        statement, given = query.get_compiler(connection=connection).as_sql()
        return statement, tuple(given)


class _Columns:
    """Columns of a model in a statement that is built once for each kind of database."""

    def __init__(self, model: type[Model], fields: Iterable[Field[Any, Any]]) -> None:
        self._model, self._fields = model, tuple(fields)
        for field in self._fields:
            by_database = field.has_db_default() and not field.has_default()
            if (
                by_database
                or getattr(field, "auto_now", False)
                or getattr(field, "auto_now_add", False)
            ):
                raise ValueError(
                    f"{model.__name__}.{field.name} is filled in as the row is written: let Django"
                    " write it"
                )
        self._built: dict[str, str] = {}

    def _statement(self, connection: Any) -> str:
        if (built := self._built.get(connection.vendor)) is None:
            built = self._built[connection.vendor] = self._build(connection)
        return built

    def _build(self, connection: Any) -> str:
        raise NotImplementedError

    def _goes_as_one(self, connection: Any) -> bool:
        """Whether many rows go as one value: PostgreSQL takes apart a JSON of rows in less time
        than psycopg needs to write a thousand values into a statement."""
        return bool(connection.vendor == "postgresql") and not any(
            isinstance(field, BinaryField) for field in self._fields
        )

    def _as_one(self, connection: Any) -> str:
        table = connection.ops.quote_name(self._model._meta.db_table)
        return f"json_populate_recordset(NULL::{table}, %s)"

    def _together(self, rows: Sequence[Any]) -> str:
        own = self._model._meta.pk
        assert own is not None
        fields = [*self._fields, own]
        return json.dumps(
            [
                {field.column: _as_json(getattr(row, field.attname)) for field in fields}
                for row in rows
            ]
        )

    def _values(self, row: Any, connection: Any) -> list[Any]:
        return [
            field.get_db_prep_save(getattr(row, field.attname), connection)
            for field in self._fields
        ]


class Insert(_Columns):
    """New rows of a model, one at a time: what `save(force_insert=True)` does, without signals and
    without asking `save`."""

    def __init__(self, model: type[Model]) -> None:
        super().__init__(
            model, (field for field in model._meta.concrete_fields if not field.primary_key)
        )

    def write(self, row: Any) -> None:
        """Writes a row and gives it its number. Raises `ValueError` for one that has been written
        before."""
        if not row._state.adding or row.pk is not None:
            raise ValueError(f"{row!r} has been written before")
        connection = connections[DEFAULT_DB_ALIAS]
        with connection.cursor() as cursor:
            statement = self._statement(connection).replace("\n", f" {self._places(connection)} ")
            cursor.execute(statement, self._values(row, connection))
            (row.pk,) = cursor.fetchone()
        row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS

    def write_all(self, rows: Sequence[Any], *, ignore_conflicts: bool = False) -> None:
        """Writes many rows and gives them their numbers; with `ignore_conflicts` it leaves alone
        what is there, and gives none."""
        connection = connections[DEFAULT_DB_ALIAS]
        with transaction.atomic(DEFAULT_DB_ALIAS, savepoint=False), connection.cursor() as cursor:
            for first in range(0, len(rows), MOST_ROWS):
                some = rows[first : first + MOST_ROWS]
                cursor.execute(*self._of_all(some, connection, ignore_conflicts))
                if not ignore_conflicts:
                    for row, (number,) in zip(some, cursor.fetchall(), strict=True):
                        row.pk = number
        for row in rows:
            row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS

    def _of_all(
        self, rows: Sequence[Any], connection: Any, ignore_conflicts: bool
    ) -> tuple[str, list[Any]]:
        head, _, giving = self._statement(connection).partition("\n")
        ending = "ON CONFLICT DO NOTHING" if ignore_conflicts else giving
        if self._goes_as_one(connection):
            columns = ", ".join(connection.ops.quote_name(field.column) for field in self._fields)
            return (
                (
                    f"{head.removesuffix('VALUES')} SELECT {columns} FROM"
                    f" {self._as_one(connection)} {ending}"
                ),
                [self._together(rows)],
            )
        values = [value for row in rows for value in self._values(row, connection)]
        return f"{head} {', '.join([self._places(connection)] * len(rows))} {ending}", values

    def _places(self, connection: Any) -> str:
        return f"({', '.join(_place(field, connection) for field in self._fields)})"

    def _build(self, connection: Any) -> str:
        """In two lines: up to the word VALUES, and what the database is to give back."""
        quote, own = connection.ops.quote_name, self._model._meta
        columns = ", ".join(quote(field.column) for field in self._fields)
        giving, _ = connection.ops.return_insert_columns([own.pk])
        return f"INSERT INTO {quote(own.db_table)} ({columns}) VALUES\n{giving}"


#: So many rows are written by one statement: databases take so many values at once and no more.
MOST_ROWS = 100


class Save(_Columns):
    """Some columns of a row as they stand on the object: what `save(update_fields=...)` does,
    without signals."""

    def __init__(self, model: type[Model], *names: str) -> None:
        super().__init__(model, (model._meta.get_field(name) for name in names))  # type: ignore[misc]

    def write(self, row: Any) -> int:
        """Writes the columns and says how many rows that met: one, or none where the row is
        gone."""
        connection = connections[DEFAULT_DB_ALIAS]
        with connection.cursor() as cursor:
            cursor.execute(self._statement(connection), [*self._values(row, connection), row.pk])
            met: int = cursor.rowcount
        return met

    def write_all(self, rows: Sequence[Any]) -> int:
        """The same of many rows, and how many that met."""
        connection = connections[DEFAULT_DB_ALIAS]
        with connection.cursor() as cursor:
            if self._goes_as_one(connection):
                cursor.execute(self._of_all(connection), [self._together(rows)])
            else:
                cursor.executemany(
                    self._statement(connection),
                    [[*self._values(row, connection), row.pk] for row in rows],
                )
            met: int = cursor.rowcount
        return met

    def _of_all(self, connection: Any) -> str:
        quote, own = connection.ops.quote_name, self._model._meta
        assert own.pk is not None
        columns = ", ".join(
            f"{quote(field.column)} = one.{quote(field.column)}" for field in self._fields
        )
        table, number = quote(own.db_table), quote(own.pk.column)
        return (
            f"UPDATE {table} SET {columns} FROM {self._as_one(connection)} one WHERE"
            f" {table}.{number} = one.{number}"
        )

    def _build(self, connection: Any) -> str:
        quote, own = connection.ops.quote_name, self._model._meta
        assert own.pk is not None
        columns = ", ".join(
            f"{quote(field.column)} = {_place(field, connection)}" for field in self._fields
        )
        return f"UPDATE {quote(own.db_table)} SET {columns} WHERE {quote(own.pk.column)} = %s"


def _as_json(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def _place(field: Any, connection: Any) -> str:
    """Where a column's value stands in a statement: PostgreSQL takes bytes in a form of their
    own."""
    return (
        str(field.get_placeholder(b"", None, connection))
        if hasattr(field, "get_placeholder")
        else "%s"
    )


def _of(put: dict[str, Any], function: Callable[..., Any]) -> Any:
    """What a function says of those places that it names."""
    return function(**{name: put[name] for name in inspect.signature(function).parameters})


def _stored(value: Any, connection: Any) -> Any:
    """A value as Django would hand it to the database."""
    if isinstance(value, Model):
        return value.pk
    return connection.ops.adapt_datetimefield_value(value) if isinstance(value, datetime) else value
