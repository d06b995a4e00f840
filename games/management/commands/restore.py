from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.base import clock
from games.operations import backup

NEXT = (
    "The service is on hold: no deadlines, no letters, no orders. Start it, look at the games, and"
    " resume it with `manage.py resume`. Everybody then gets a letter that says what was lost and"
    " what counts, and time to order again."
)


class Command(BaseCommand):
    help = (
        "Restore a backup into an empty database and hold the service until `manage.py resume`."
        " Stop all other processes first."
    )
    requires_system_checks: list[str] = []  # the database has no tables yet

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="a file made by `manage.py backup`")
        parser.add_argument(
            "--look",
            action="store_true",
            help="only show what the backup contains and whether it is complete",
        )
        parser.add_argument(
            "--another-key",
            action="store_true",
            help="restore even if SECRET_KEY differs from the one used for the backup",
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
            "Every game's record is unchanged, and its results follow from it."
            if not wrong
            else "Look into the errors above first."
        )
        self.stdout.write(f"{checked} {NEXT}")

    def _say(self, manifest: backup.Manifest) -> None:
        rows = sum(manifest.rows.values())
        self.stdout.write(
            f"A backup of {manifest.moment:%Y-%m-%d %H:%M} UTC ({manifest.way}):"
            f" {len(manifest.records)} games, {rows} rows."
        )
        newest = dict(sorted(line.split(".", 1) for line in manifest.migrations))
        tables = (f"{app} {newest[app]}" for app in ("games", "orders") if app in newest)
        self.stdout.write(f"Its tables: {', '.join(tables)}.")
