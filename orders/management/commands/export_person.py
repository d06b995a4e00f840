"""Export a person's data, for people who cannot fetch it themselves on their page “About you”."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.base import clock
from games.operations.personal import export
from games.operations.personal.export import person_at


class Command(BaseCommand):
    help = "Write everything that the service has about a person into a ZIP file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "address",
            help="the login address, the placeholder address of a player by post, or a number",
        )
        parser.add_argument("file", help="the ZIP file to write")

    def handle(self, *args: Any, **options: Any) -> None:
        contents = export.make_zip(person_at(options["address"]), clock.now())
        file = options["file"]
        try:
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError as error:
            raise CommandError(f"{file} already exists. Name another file.") from error
        except OSError as error:
            raise CommandError(
                f"{file} cannot be written ({error.strerror}). Name a file in a folder that exists"
                " and that you may write to."
            ) from error
        try:
            with os.fdopen(descriptor, "wb") as written:
                written.write(contents)
        except OSError as error:
            Path(file).unlink(missing_ok=True)
            raise CommandError(
                f"{file} could not be written ({error.strerror}). Free some space, or name a file"
                " on another disk."
            ) from error
        self.stdout.write(
            f"Wrote {options['file']}. It contains personal data: give it only to this person."
        )
