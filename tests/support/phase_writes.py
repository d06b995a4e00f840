"""Watch which modules write a phase's status, deadline and due_at."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any
from unittest import mock

from django.db.models import Model, QuerySet

from games.models import Phase

#: Columns that only games/turns/lifecycle.py writes.
COLUMNS = {"status", "deadline", "due_at"}
#: These restore a record or a whole database exactly.
RESTORING = ("games/records/archive.py", "games/operations/database_dump.py")
OURS = ("/games/", "/orders/", "/gamesmaster/")


class WrittenElsewhere(AssertionError):
    """A module other than the lifecycle writes these columns."""


def writer(frame: FrameType | None) -> str:
    """Return the file of the nearest caller outside Django."""
    while frame is not None:
        name = frame.f_code.co_filename
        if "/django/" not in name and not name.endswith(("phase_writes.py", "contextlib.py")):
            return name
        frame = frame.f_back
    return ""


def check(columns: set[str]) -> None:
    """Raise `WrittenElsewhere` if the caller may not write these columns."""
    if not columns & COLUMNS:
        return
    name = writer(sys._getframe(2))
    if "/tests/" in name or name.endswith(("games/turns/lifecycle.py", *RESTORING)):
        return
    if any(part in name for part in OURS):
        raise WrittenElsewhere(f"{name} writes {sorted(columns & COLUMNS)}")


@contextmanager
def watched() -> Iterator[None]:
    """Raise `WrittenElsewhere` if a module outside the lifecycle writes these columns."""
    all_columns = {field.name for field in Phase._meta.concrete_fields}

    def guard(owner: Any, name: str, columns: Callable[..., set[str]]) -> Any:
        real = getattr(owner, name)

        def guarded(self: Any, *args: Any, **named: Any) -> Any:
            model = self.model if isinstance(self, QuerySet) else type(self)
            if model is Phase:
                check(columns(*args, **named))
            return real(self, *args, **named)

        return mock.patch.object(owner, name, guarded)

    with (
        guard(QuerySet, "update", lambda **named: set(named)),
        guard(QuerySet, "bulk_create", lambda *args, **named: all_columns),
        guard(QuerySet, "bulk_update", lambda objs, fields, **named: set(fields)),
        guard(
            Model,
            "save_base",
            lambda *args, update_fields=None, **named: (
                all_columns if update_fields is None else set(update_fields)
            ),
        ),
    ):
        yield
