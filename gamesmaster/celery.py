"""The Celery application: the doorbell. What is due stands in the database; a message on the broker only says "look".

Losing a message, the broker or a worker therefore loses nothing: the next tick finds the same rows due (docs/design.md 5).
"""

import os

from celery import Celery

from gamesmaster import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesmaster.settings")

broker.use()
app = Celery("gamesmaster")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
