"""Export a person's data, for people who cannot fetch it themselves on their page “About you”."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from games.operations.personal import export
from games.operations.personal.requests import person_at
from gamesmaster import clock


class Command(BaseCommand):
    help = "Write everything that the service has about a person into a ZIP file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "address",
            help="the login address, the placeholder address of a player by post, or a number",
        )
        parser.add_argument("file", help="the ZIP file to write")

    def handle(self, *args: Any, **options: Any) -> None:
        Path(options["file"]).write_bytes(
            export.make_zip(person_at(options["address"]), clock.now())
        )
        self.stdout.write(
            f"Wrote {options['file']}. It contains personal data: give it only to this person."
        )
