"""The Django project: settings, addresses, the Celery app and its one beat entry, system checks. No
rules, no models."""

from .celery import app as celery_app

__all__ = ["celery_app"]
