"""Decide whether a process of the service may start: by the system checks tagged "serve", and by
the encoding and the migrations of its database."""

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


def wrong_encoding() -> str:
    """Return a sentence about a database that cannot store every character; "" if it can.

    A PostgreSQL that was set up without a locale makes databases in SQL_ASCII. Those take the
    tables and refuse the first order with an umlaut. Raise `OperationalError` while it is away.
    """
    if connection.vendor != "postgresql":
        return ""
    connection.ensure_connection()
    encoding = connection.connection.info.parameter_status("server_encoding")
    if encoding == "UTF8":
        return ""
    return (
        f"The database has the encoding {encoding}, which cannot store every character. Make"
        " another one, with `createdb --template template0 --encoding UTF8`, and set DATABASE_URL"
        " to it."
    )


def require_ready() -> None:
    """Raise `ImproperlyConfigured` with every fault and its hint, or if the database has the wrong
    encoding or lacks migrations.

    For every process of the service: pages, worker, beat, inbound mail, and commands that do due
    work. A database that does not answer stops none of them: they wait for it.
    """
    if errors := faults():
        sentences = "\n".join(f"- {error.msg} {error.hint} ({error.id})" for error in errors)
        raise ImproperlyConfigured(
            f"The service was not started, because settings are missing or dangerous:\n{sentences}"
        )
    try:
        words = wrong_encoding() or not_migrated()
    except OperationalError:
        return
    finally:
        connection.close()  # the processes that a worker forks must not share it
    if words:
        raise ImproperlyConfigured(words)
