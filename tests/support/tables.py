"""Make the tables of a database from the models, as all tests have them (tests/settings.py).

    python -m tests.support.tables     in the environment of a service

The migrations take four times as long; tests/operations/test_tables.py compares what they make.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any
from unittest import mock

from tests.support.children import run


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


def make_apart(environment: Mapping[str, str]) -> None:
    """Make all tables in a process with this environment."""
    command = [sys.executable, "-m", "tests.support.tables"]
    run("making the tables", command, env=environment, shown=False)


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesmaster.settings")
    django.setup()
    make()
