"""Print the root of a day's record hashes, for timestamping."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import UTC, date, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.base import clock
from games.records import anchors


class Command(BaseCommand):
    help = (
        "Print the root hash of a day: SHA-256 over the lines “GAME HASH” of every public game"
        " whose record changed on that day (UTC), sorted as text. Send it to a timestamping"
        " service; anybody with the lines can compute it again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "day",
            nargs="?",
            metavar="DAY",
            help="such as 2026-11-23 (default: yesterday)",
        )
        parser.add_argument(
            "--lines", action="store_true", help="print the lines instead of their root hash"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        today = clock.now().astimezone(UTC).date()
        try:
            day = (
                date.fromisoformat(options["day"]) if options["day"] else today - timedelta(days=1)
            )
        except ValueError as error:
            raise CommandError(
                f"“{options['day']}” is not a date. Write it like {today}."
            ) from error
        if day >= today:
            self.stderr.write(f"{day} is not over yet in UTC: its root may still change.")
        anchor = anchors.anchors_of_day(day)
        self.stdout.write(anchor.lines if options["lines"] else f"{anchor.root}\n", ending="")
