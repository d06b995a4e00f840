from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate

from games.base.starting import wrong_encoding

from .makemigrations import Autodetector


class Command(migrate.Command):
    """Django's, which says which models differ from their migrations as `makemigrations` does, and
    makes no tables in a database that cannot store what people write."""

    autodetector = Autodetector

    def handle(self, *args: Any, **options: Any) -> None:
        if words := wrong_encoding():
            raise CommandError(words)
        super().handle(*args, **options)
