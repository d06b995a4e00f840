"""Play what many tests begin with once in a process, then restore its rows.

    @pytest.fixture
    def judged(db: None) -> Campaign:
        return stored("judged", _judged)        # `_judged` plays

The builder's result must depend only on its key, on settings that a test has changed and on the
scenarios; another function replaced by a test does not count. Rows are restored exactly, with
secrets and primary keys. If the database is not empty, the builder simply runs.

Several files start from the same game, some in transactions and some beside a live server, so that
neither a fixture of a class (`setUpTestData`) nor one of the session can hold the rows. Games that
are merely opened or begun (`Campaign.open`, `Campaign.begin`) are stored by their arguments.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, TypeVar

from django.apps import apps
from django.conf import UserSettingsHolder
from django.conf import settings as service
from django.core import mail
from django.db import connection, transaction

from games import tasks
from games.rules import cards
from tests.support import letters

Built = TypeVar("Built")
#: These are filled when a database is created and are the same in every test.
NOT_OURS = ("contenttypes", "auth", "sites", "migrations")


@dataclass
class _Kept:
    """The builder's result, the rows it left and the letters sent."""

    built: bytes
    rows: list[tuple[str, list[Any]]]  # each table's, with the statement that puts them back
    letters: bytes


_kept: dict[Any, _Kept] = {}


def stored(key: Any, build: Callable[[], Built], *, whatever: Collection[str] = ()) -> Built:
    """Return what `build` makes, restored from its rows if it was made before.

    `key` says everything that it depends on. `whatever` names changed settings that do not matter.
    """
    if not _empty():
        return build()
    put_away = tasks.JOBS["letters"] is letters.PUT_AWAY
    whole_key = (key, cards.load, _changed_settings(whatever), put_away)
    if whole_key in _kept:
        put_back: Built = _put_back(_kept[whole_key])
        return put_back
    built = build()
    _kept[whole_key] = _Kept(
        pickle.dumps(built), _rows(), pickle.dumps([] if put_away else getattr(mail, "outbox", []))
    )
    return built


def _changed_settings(whatever: Collection[str]) -> str:
    """Return the settings that this test has changed, with their values."""
    changed: dict[str, str] = {}
    holder = vars(service)["_wrapped"]
    while isinstance(holder, UserSettingsHolder):
        own = {
            name: repr(value)
            for name, value in vars(holder).items()
            if name.isupper() and name not in whatever
        }
        changed = {**own, **changed}
        holder = holder.default_settings
    return repr(sorted(changed.items()))


def _tables() -> list[str]:
    models = [
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.app_label not in NOT_OURS
    ]
    return [
        model._meta.db_table for model in models if model._meta.managed and not model._meta.proxy
    ]


def _empty() -> bool:
    """Whether the database has neither people nor games."""
    return not any(
        apps.get_model("games", name)._default_manager.exists() for name in ("Person", "Game")
    )


def _rows() -> list[tuple[str, list[Any]]]:
    statements = []
    with connection.cursor() as cursor:
        for table in _tables():
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            rows = cursor.fetchall()
            if rows:
                names = [column[0] for column in cursor.description]
                marks = ", ".join(["%s"] * len(names))
                columns = ", ".join(connection.ops.quote_name(name) for name in names)
                statements.append(
                    (
                        (
                            f"INSERT INTO {connection.ops.quote_name(table)} ({columns}) VALUES"
                            f" ({marks})"
                        ),
                        list(rows),
                    )
                )
    return statements


def _put_back(snapshot: _Kept) -> Any:
    with transaction.atomic(), connection.cursor() as cursor:
        for statement, rows in snapshot.rows:
            cursor.executemany(statement, rows)
    if hasattr(mail, "outbox"):
        mail.outbox.extend(pickle.loads(snapshot.letters))
    return pickle.loads(snapshot.built)
