"""Make the tables of a database from the models, as all tests have them (tests/settings.py).

The migrations take four times as long; tests/operations/test_tables.py compares what they make.
"""

from __future__ import annotations

from typing import Any
from unittest import mock


class _Nothing(dict[str, Any]):
    """For settings.MIGRATION_MODULES: no app has migrations."""

    def __contains__(self, app: object) -> bool:
        return True

    def __missing__(self, app: str) -> None:
        return None


def make() -> None:
    """Make all tables in this process, where Django is set up; note all migrations as done."""
    from django.conf import settings
    from django.core.management import call_command

    with mock.patch.object(settings, "MIGRATION_MODULES", _Nothing()):
        call_command("migrate", run_syncdb=True, verbosity=0)
    call_command("migrate", fake=True, verbosity=0)
