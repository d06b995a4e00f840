from __future__ import annotations

from django.core.management.commands import migrate

from .makemigrations import Autodetector


class Command(migrate.Command):
    """Django's, which says which models differ from their migrations as `makemigrations` does."""

    autodetector = Autodetector
