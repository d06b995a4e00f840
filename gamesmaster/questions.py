"""Questions to the database, and changes, that come with every message and every letter: Django builds each statement once.

Building a statement costs Django more than most databases take to answer it. A `Question` is asked in Django's own words, built once for
each kind of database, and asked again with other values:

    NEWEST = Question(lambda game: Submission.objects.filter(game=game).order_by("-number").values_list("hash")[:1], game=WHOLE)
    NEWEST.first(game=3)  # ("1f0c...",) or None

Values may stand in plain comparisons only, never in lists or slices. Nothing is kept but the statement: every answer is asked anew.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model, QuerySet
from django.db.models.sql import UpdateQuery

#: What stands in a question's place while its statement is built: values that nobody asks for, told apart by their number.
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


class Question:
    """One question. `ask` gives the queryset for values of the kinds named; it is called once for each kind of database.

    Raises `ValueError` while it is built where a value does not stand in it just once.
    """

    def __init__(self, ask: Callable[..., QuerySet[Any, Any]], **kinds: Placeholder) -> None:
        self._ask, self._kinds = ask, kinds
        self._built: dict[str, tuple[str, tuple[tuple[str, Any], ...]]] = {}

    def rows(self, **values: Any) -> list[tuple[Any, ...]]:
        """The rows as the database gives them: for whole numbers and texts, which are the same in each."""
        connection = connections[DEFAULT_DB_ALIAS]
        statement, given = self._statement(connection, values)
        with connection.cursor() as cursor:
            cursor.execute(statement, given)
            found: list[tuple[Any, ...]] = cursor.fetchall()
        return found

    def first(self, **values: Any) -> tuple[Any, ...] | None:
        return next(iter(self.rows(**values)), None)

    def models(self, model: type[Any], **values: Any) -> Iterable[Any]:
        """The rows as objects of a model; the question asks for that model's columns and no others."""
        statement, given = self._statement(connections[DEFAULT_DB_ALIAS], values)
        return model.objects.raw(statement, given)  # type: ignore[no-any-return]

    def model(self, model: type[Any], **values: Any) -> Any:
        """The first of `models`; None where there is none."""
        return next(iter(self.models(model, **values)), None)

    def _statement(self, connection: Any, values: dict[str, Any]) -> tuple[str, list[Any]]:
        if (built := self._built.get(connection.vendor)) is None:
            built = self._built[connection.vendor] = self._build(connection)
        statement, places = built
        return statement, [_stored(values[name], connection) if name else constant for name, constant in places]

    def _build(self, connection: Any) -> tuple[str, tuple[tuple[str, Any], ...]]:
        put = {name: kind(number) for number, (name, kind) in enumerate(self._kinds.items())}
        statement, given = self._compiled(put, connection)
        named = {_stored(value, connection): name for name, value in put.items()}
        places = tuple((named.get(value, ""), value) for value in given)
        if sorted(name for name, _ in places if name) != sorted(put):
            raise ValueError(f"each of {', '.join(put)} must stand in the question once")
        return statement, places

    def _compiled(self, put: dict[str, Any], connection: Any) -> tuple[str, tuple[Any, ...]]:
        statement, given = self._ask(**put).query.get_compiler(connection=connection).as_sql()
        return statement, tuple(given)


class Change(Question):
    """A change of fixed form: `ask` gives the rows as for a question, `to` the columns with what they become.

    A column's value is a place by its name, or what `QuerySet.update` takes.
    """

    def __init__(self, ask: Callable[..., QuerySet[Any, Any]], to: Callable[..., dict[str, Any]], **kinds: Placeholder) -> None:
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


def _of(put: dict[str, Any], function: Callable[..., Any]) -> Any:
    """What a function says of those places that it names."""
    return function(**{name: put[name] for name in inspect.signature(function).parameters})


def _stored(value: Any, connection: Any) -> Any:
    """A value as Django would hand it to the database."""
    if isinstance(value, Model):
        return value.pk
    return connection.ops.adapt_datetimefield_value(value) if isinstance(value, datetime) else value
