"""The Celery application. The database says what is due; a broker message only wakes a worker.

Losing a message, the broker or a worker therefore loses nothing: the next tick finds the same rows
due (docs/design.md 5).
"""

import contextlib
import gc
import logging
import os
import signal
import sys
import threading
from typing import Any, NoReturn

import django
from celery import Celery, Task
from celery.apps import worker
from celery.beat import EmbeddedService
from celery.signals import (
    beat_init,
    task_postrun,
    task_prerun,
    worker_init,
    worker_process_init,
    worker_ready,
    worker_shutting_down,
)
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import close_old_connections

from games.base import ending, logs
from games.base.links import link
from games.base.starting import require_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesmaster.settings")

app = Celery("gamesmaster")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


APART = (
    "BROKER_URL is not set, and without a broker processes do not hear of each other. Set it, such"
    " as redis://localhost:6379/0, or run `manage.py serve` instead."
)


def _end(sentence: str) -> NoReturn:
    with contextlib.redirect_stderr(sys.__stderr__):  # Celery has replaced it with its log
        django.setup()
    logging.getLogger("gamesmaster").critical("%s", sentence)
    raise SystemExit(1)


@worker_init.connect  # type: ignore[untyped-decorator]
@beat_init.connect  # type: ignore[untyped-decorator]
def _refuse_to_run_apart(sender: Any, **_: object) -> None:
    """Refuse beat, and a worker whose tasks run in other processes, if calls stay in memory.

    Otherwise each tick would claim what is due and nobody would process it.
    """
    pool = getattr(sender, "pool_cls", "")
    in_threads = "thread" in str(getattr(pool, "__module__", pool))
    embedded = threading.current_thread() is not threading.main_thread()
    if settings.IN_MEMORY and not in_threads and not embedded:
        _end(APART)


@worker_init.connect  # type: ignore[untyped-decorator]
@beat_init.connect  # type: ignore[untyped-decorator]
def _refuse_to_run_unready(**_: object) -> None:
    django.setup()  # beat has not done this yet
    try:
        require_ready()
    except ImproperlyConfigured as error:
        _end(str(error))


@beat_init.connect  # type: ignore[untyped-decorator]
def _end_when_asked(sender: Any, **_: object) -> None:
    """Let SIGTERM end beat's loop, too: Python drops what Celery raises if it is just freeing
    objects, and beat went on."""
    if threading.current_thread() is not threading.main_thread():
        return
    raise_exit: Any = signal.getsignal(signal.SIGTERM)

    def end(*received: Any) -> None:
        sender.stop()
        raise_exit(*received)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)


@worker_init.connect  # type: ignore[untyped-decorator]
def _load_addresses(**_: object) -> None:
    """Load all pages before the fork: a letter needs them for its links, in each child."""
    link("home")


@worker_init.connect  # type: ignore[untyped-decorator]
def _log_what_celery_says(**_: object) -> None:
    """Let what a worker says to its terminal be lines of the log, such as that it is asked to
    end."""
    worker.safe_say = _say


def _say(words: str, *_: object) -> None:
    """Write a line as the log does, but past its locks: this runs in signal handlers."""
    record = logging.LogRecord(worker.__name__, logging.WARNING, "", 0, words, (), None)
    line = logs.Json() if settings.LOG_FORMAT == "json" else logs.Line()
    os.write(2, f"{line.format(record)}\n".encode())


@worker_ready.connect  # type: ignore[untyped-decorator]
def _tick_in_this_process(**_: object) -> None:
    if settings.IN_MEMORY:
        EmbeddedService(app, thread=True, scheduler_cls="celery.beat:Scheduler").start()


@worker_shutting_down.connect  # type: ignore[untyped-decorator]
def _stop_between_pieces(**_: object) -> None:
    """Let tasks of many pieces end before the worker's time is over."""
    ending.ask()


@worker_process_init.connect  # type: ignore[untyped-decorator]
def _never_collect_modules(**_: object) -> None:
    """Leave what was imported before the fork out of the collection of garbage, and shared."""
    gc.freeze()


@task_prerun.connect  # type: ignore[untyped-decorator]
@task_postrun.connect  # type: ignore[untyped-decorator]
def _keep_connections(task: Task, **_: object) -> None:
    """Keep database connections from task to task, as from page to page.

    CONN_MAX_AGE and CONN_HEALTH_CHECKS apply: a connection that is too old or broken is closed, and
    it is checked before it is used. Celery would open one for each task, which costs PostgreSQL as
    much as fifty letters; CELERY_DB_REUSE_MAX prevents that.
    """
    if not task.request.is_eager:
        close_old_connections()
