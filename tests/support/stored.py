"""What many tests begin with is played once in a process; then its rows are put back.

    @pytest.fixture
    def judged(db: None) -> Campaign:
        return stored("judged", _judged)        # `_judged` plays

The builder's result depends on its key and on settings that a test has changed, on nothing else:
what a test has put in the place of a function does not count. Rows come back as they were, secrets
and primary keys included. Where the database holds anything already it is simply played.

    campaign = begun(public=False)              # `Campaign.begin(public=False)`, likewise
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

from tests.support import unsent
from tests.support.campaign import Campaign

Built = TypeVar("Built")
#: Filled when a database is made, and the same in every test.
NOT_OURS = ("contenttypes", "auth", "sites", "migrations")


@dataclass
class _Kept:
    """What the builder gave, the rows that it left, and the letters that had gone out."""

    built: bytes
    rows: list[tuple[str, list[Any]]]  # each table's, with the statement that puts them back
    letters: bytes


_kept: dict[Any, _Kept] = {}


def stored(key: Any, build: Callable[[], Built], *, whatever: Collection[str] = ()) -> Built:
    """What `build` makes, out of its rows where it has been made before. `key` says everything that
    it depends on.

    `whatever` names settings of which it does not, though the test has changed them.
    """
    if not _empty():
        return build()
    whole_key = (key, _changed_settings(whatever), unsent.put_away())
    if whole_key in _kept:
        put_back: Built = _put_back(_kept[whole_key])
        return put_back
    built = build()
    _kept[whole_key] = _Kept(
        pickle.dumps(built), _rows(), pickle.dumps(getattr(mail, "outbox", []))
    )
    return built


def begun(**given: Any) -> Campaign:
    """A game that has just begun: `Campaign.begin` with the same arguments."""
    return stored(("begun", repr(sorted(given.items()))), lambda: Campaign.begin(**given))


def _changed_settings(whatever: Collection[str]) -> str:
    """Those that this test has changed, with their values."""
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
    """Whether no test has written anything yet: there are neither people nor games."""
    return not any(
        apps.get_model("games", name)._default_manager.exists() for name in ("Person", "Game")
    )


def _rows() -> list[tuple[str, list[Any]]]:
    found = []
    with connection.cursor() as cursor:
        for table in _tables():
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            rows = cursor.fetchall()
            if rows:
                names = [column[0] for column in cursor.description]
                marks = ", ".join(["%s"] * len(names))
                columns = ", ".join(connection.ops.quote_name(name) for name in names)
                found.append(
                    (
                        (
                            f"INSERT INTO {connection.ops.quote_name(table)} ({columns}) VALUES"
                            f" ({marks})"
                        ),
                        list(rows),
                    )
                )
    return found


def _put_back(kept: _Kept) -> Any:
    with transaction.atomic(), connection.cursor() as cursor:
        for statement, rows in kept.rows:
            cursor.executemany(statement, rows)
    if hasattr(mail, "outbox"):
        mail.outbox.extend(pickle.loads(kept.letters))
    return pickle.loads(kept.built)
