from __future__ import annotations

import re
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.operations import backup, metrics
from gamesmaster import clock

NAME = "gamesmaster-{:%Y%m%d-%H%M%S}.backup"
OURS = re.compile(r"gamesmaster-\d{8}-\d{6}\.backup")


class Command(BaseCommand):
    help = (
        "Writes everything that lasts into one file, while the service runs. Keep SECRET_KEY beside"
        " it, and the file from others' eyes."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file",
            metavar="FILE",
            help="the file to write; in a folder it gets a name with the date",
        )
        parser.add_argument(
            "--keep",
            type=int,
            default=0,
            metavar="N",
            help="in a folder: remove all but the newest N copies afterwards",
        )
        parser.add_argument(
            "--any-database",
            action="store_true",
            help="rows that SQLite and PostgreSQL both take: to change from one to the other",
        )
        parser.add_argument(
            "--quick", action="store_true", help="without the digests of the games' records"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        place, now = Path(options["file"]), clock.now()
        folder = place.is_dir()
        if options["keep"] and not folder:
            raise CommandError(
                f"--keep goes with a folder, and “{place}” is none. Leave it out, or name a folder."
            )
        target = place / NAME.format(now) if folder else place
        if target.exists():
            raise CommandError(f"{target} is there already. Name another file.")
        try:
            manifest, why = backup.save(
                target, now, any_database=options["any_database"], records=not options["quick"]
            )
        except backup.BackupError as error:
            raise CommandError(str(error)) from error
        if backup.tables_are_older():
            self.stderr.write(
                "The tables are older than this code: the records of games were not reckoned."
            )
        if why:
            self.stderr.write(f"Rows were written instead of PostgreSQL's own form: {why}.")
        metrics.note_backup(now)
        rows = sum(manifest.rows.values())
        self.stdout.write(
            f"{target}: {len(manifest.records)} games, {rows} rows, {target.stat().st_size:,}"
            " bytes."
        )
        if folder and options["keep"] > 0:
            copies = sorted(path for path in place.iterdir() if OURS.fullmatch(path.name))
            for old in copies[: -options["keep"]]:
                old.unlink()
