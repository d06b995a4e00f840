from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.operations import backup
from gamesmaster import clock

NEXT = (
    "The service is held: nothing falls due, no letter goes out, nothing is taken in. Start it,"
    " look at the games, and let it go on with `manage.py resume`: then everybody is told what is"
    " lost and what stands, and has time to order again."
)


class Command(BaseCommand):
    help = (
        "Puts a copy into an empty database and holds the service until `manage.py resume`. Run it"
        " while no other process does."
    )
    requires_system_checks: list[str] = []  # the database has no tables yet

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="a copy made by `manage.py backup`")
        parser.add_argument(
            "--look",
            action="store_true",
            help="only say what the copy holds, and whether it is whole",
        )
        parser.add_argument(
            "--another-key",
            action="store_true",
            help="put it back although SECRET_KEY is not the one it was made with",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        source = Path(options["file"])
        try:
            if options["look"]:
                self._say(backup.look(source))
                return
            manifest, wrong = backup.load(source, clock.now(), another_key=options["another_key"])
        except backup.BackupError as error:
            raise CommandError(str(error)) from error
        self._say(manifest)
        for sentence in wrong:
            self.stderr.write(self.style.ERROR(sentence))
        checked = (
            "Every record is the one that the copy was made of, and its results follow."
            if not wrong
            else "Look at what is wrong first."
        )
        self.stdout.write(f"{checked} {NEXT}")

    def _say(self, manifest: backup.Manifest) -> None:
        rows = sum(manifest.rows.values())
        self.stdout.write(
            f"A copy of {manifest.moment:%Y-%m-%d %H:%M} UTC ({manifest.way}):"
            f" {len(manifest.records)} games, {rows} rows."
        )
