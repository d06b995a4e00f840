"""Erase a person who asked for it by post, as the page “About you” does."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.base import clock
from games.operations.personal import erasure
from games.operations.personal.export import person_at


class Command(BaseCommand):
    help = (
        "Erase a person for good: name, addresses, mail, letters. Games keep their results"
        " (docs/operations.md)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "address",
            help="the login address, the placeholder address of a player by post, or a number",
        )
        parser.add_argument(
            "--press", action="store_true", help="also empty their letters to other nations"
        )
        parser.add_argument(
            "--yes",
            action="store_true",
            help="erase; without this, only show what would be done",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        person = person_at(options["address"])
        if why := erasure.hindrance(person):
            raise CommandError(why)
        if not options["yes"]:
            self.stdout.write(f"This would erase person {person.pk} for good. Add --yes to do it.")
            return
        try:
            row = erasure.erase(person, clock.now(), by=None, press=options["press"])
        except erasure.ErasureError as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(
            f"Erased person {person.pk}:"
            f" {', '.join(f'{number} {kind}' for kind, number in row.rows.items())}."
        )
