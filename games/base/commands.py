"""Base class of `manage.py` commands that run a part of the service."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from games.base.starting import SERVE, require_ready


class ServiceCommand(BaseCommand):
    """A command that refuses to start while a setting is dangerous or a migration is missing."""

    requires_system_checks = [SERVE]

    def check(self, *args: Any, **kwargs: Any) -> None:
        """Raise `ImproperlyConfigured`, which `manage.py` prints without a traceback."""
        require_ready()
