from __future__ import annotations

import os
import re
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.base import clock
from games.operations import backup, metrics

NAME = "gamesmaster-{:%Y%m%d-%H%M%S}.backup"
OURS = re.compile(r"gamesmaster-\d{8}-\d{6}\.backup")


class Command(BaseCommand):
    help = (
        "Write all lasting data into one file while the service runs. The file holds"
        " personal data: keep it private, and keep SECRET_KEY apart from it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file",
            metavar="FILE",
            help="the file to write, or a folder for a file named after the date; with a / at its"
            " end it must be a folder",
        )
        parser.add_argument(
            "--keep",
            type=int,
            metavar="N",
            help="in a folder: keep the newest N backups, delete older ones and what a backup that"
            " was killed has left",
        )
        parser.add_argument(
            "--any-database",
            action="store_true",
            help="write rows that both SQLite and PostgreSQL can read, to move between them",
        )
        parser.add_argument(
            "--quick", action="store_true", help="leave out the hashes of the games' records"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        place, now = Path(options["file"]), clock.now()
        folder = place.is_dir()
        if options["keep"] is not None and options["keep"] < 1:
            raise CommandError(
                f"--keep {options['keep']} would keep no backup. Give a number from 1 on, or leave"
                " --keep out to keep all."
            )
        if options["keep"] is not None and not folder:
            raise CommandError(
                f"--keep needs a folder, and “{place}” is not one. Leave --keep out, or name a"
                " folder."
            )
        if options["file"].endswith(os.sep) and not folder:
            raise CommandError(f"The folder {place} does not exist. Create it, or name a file.")
        target = place / NAME.format(now) if folder else place
        if target.exists():
            raise CommandError(f"{target} already exists. Name another file.")
        try:
            manifest, reason = backup.save(
                target, now, any_database=options["any_database"], records=not options["quick"]
            )
        except backup.BackupError as error:
            raise CommandError(str(error)) from error
        if backup.tables_are_older():
            self.stderr.write(
                "The tables are older than this code, so the backup has no hashes of records."
            )
        if reason:
            self.stderr.write(f"Written as rows, not in PostgreSQL's own format: {reason}.")
        metrics.note_backup(now)
        rows = sum(manifest.rows.values())
        self.stdout.write(
            f"{target}: {len(manifest.records)} games, {rows} rows, {target.stat().st_size:,}"
            " bytes."
        )
        if options["keep"] is not None:
            copies = sorted(path for path in place.iterdir() if OURS.fullmatch(path.name))
            for old in copies[: -options["keep"]]:
                old.unlink()
            backup.remove_unfinished(place, now)
