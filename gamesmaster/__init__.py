"""The Django project: settings, URLs, Celery app, system checks. No rules or models."""

from .celery import app as celery_app

__all__ = ["celery_app"]
