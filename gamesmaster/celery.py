"""The Celery application: the doorbell. What is due stands in the database; a message on the broker
only says "look".

Losing a message, the broker or a worker therefore loses nothing: the next tick finds the same rows
due (docs/design.md 5).
"""

import gc
import os

from celery import Celery, Task
from celery.signals import task_postrun, task_prerun, worker_process_init
from django.db import close_old_connections

from gamesmaster import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesmaster.settings")

broker.use()
app = Celery("gamesmaster")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_process_init.connect  # type: ignore[untyped-decorator]
def _look_for_rubbish_seldom(**_: object) -> None:
    """What was imported stays for good, and a deadline makes many small things that end by
    themselves: looked through as often as Python does by itself, they take a worker a tenth to a
    quarter of its time."""
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


@task_prerun.connect  # type: ignore[untyped-decorator]
@task_postrun.connect  # type: ignore[untyped-decorator]
def _keep_connections(task: Task, **_: object) -> None:
    """Connections to the database last from task to task, as they do from page to page
    (CONN_MAX_AGE, CONN_HEALTH_CHECKS): one that is too old or broken is closed, and whether it
    still answers is asked before it is used. Celery would open one for each task, which costs
    PostgreSQL as much as fifty letters; CELERY_DB_REUSE_MAX keeps it from that."""
    if not task.request.is_eager:
        close_old_connections()
