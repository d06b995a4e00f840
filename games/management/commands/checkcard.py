"""`manage.py checkcard FILE`: check a card file; name file, key and fault."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.rules import cards, registry


class Command(BaseCommand):
    help = "Check a scenario file. An error names the file, the key and the fault."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        file = options["file"]
        try:
            tree = cards.read_toml(Path(file))
            registry.check_card(tree)
        except cards.CardError as error:
            raise CommandError(
                str(error if error.file else error.within(file)), returncode=1
            ) from error
        self.stdout.write(f"{file} is a valid scenario of {tree['game']}: {tree['title']}.")
