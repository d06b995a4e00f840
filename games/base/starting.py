"""Decide whether a process of the service may start: by the system checks tagged "serve", and by
the migrations of its database."""

from __future__ import annotations

from django.core.checks import CheckMessage, run_checks
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor

SERVE = "serve"
#: The tag of the check of `.env`, which also commands make that start no service.
SETTINGS_FILE = "settings_file"


def faults() -> list[CheckMessage]:
    """Return missing or dangerous settings: only errors, no warnings."""
    messages = run_checks(tags=[SERVE], include_deployment_checks=True)
    return [message for message in messages if message.is_serious() and not message.is_silenced()]


def missing_migrations() -> int:
    """Return how many migrations of this code the database lacks."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def not_migrated() -> str:
    """Return a sentence about the migrations that the database lacks; "" if it lacks none."""
    missing = missing_migrations()
    if not missing:
        return ""
    number = "one migration" if missing == 1 else f"{missing} migrations"
    return f"The database lacks {number} of this version. Run `manage.py migrate`."


def require_ready() -> None:
    """Raise `ImproperlyConfigured` with every fault and its hint, or if migrations are missing.

    For every process of the service: pages, worker, beat, inbound mail, and commands that do due
    work. A database that does not answer stops none of them: they wait for it.
    """
    if errors := faults():
        sentences = "\n".join(f"- {error.msg} {error.hint} ({error.id})" for error in errors)
        raise ImproperlyConfigured(
            f"The service was not started, because settings are missing or dangerous:\n{sentences}"
        )
    try:
        words = not_migrated()
    except OperationalError:
        return
    finally:
        connection.close()  # the processes that a worker forks must not share it
    if words:
        raise ImproperlyConfigured(words)
