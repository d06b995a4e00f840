"""Everything about somebody, for whoever cannot fetch it himself on his page “About you”."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from games.operations.personal import export
from games.operations.personal.requests import person_at
from gamesmaster import clock


class Command(BaseCommand):
    help = "Writes everything that the service has about a person into a ZIP, for requests by post."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "address",
            help="the e-mail address for login, the stand-in address or number",
        )
        parser.add_argument("file", help="the ZIP to be written")

    def handle(self, *args: Any, **options: Any) -> None:
        Path(options["file"]).write_bytes(export.as_zip(person_at(options["address"]), clock.now()))
        self.stdout.write(
            f"Written to {options['file']}. It contains personal data: give it only to this person."
        )
