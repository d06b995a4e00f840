"""The Django project: settings, URLs, Celery app, system checks. No rules or models."""

import atexit
import gc

# Pages and deadlines create many small objects that reference counts free. At Python's default
# frequency the collection of garbage takes a fifth of a start and 10% to 25% of a worker's time.
gc.set_threshold(100_000, 50, 100)
# When a process ends, Python looks through all objects for garbage several times, only to free what
# the system frees at once: a third of what a short command takes.
atexit.register(gc.freeze)

from .celery import app as celery_app  # noqa: E402 (its imports are most of a start)
