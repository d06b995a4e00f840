"""A person erased at a wish that came by post, as the page “About you” does it."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.operations.personal import erasure
from games.operations.personal.requests import person_at
from gamesmaster import clock


class Command(BaseCommand):
    help = (
        "Deletes a person for good: name, addresses, mail, letters. Games stay whole"
        " (docs/operations.md)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "address",
            help="the e-mail address for login, the stand-in address or number",
        )
        parser.add_argument(
            "--press", action="store_true", help="also empty their letters to other nations"
        )
        parser.add_argument(
            "--yes",
            action="store_true",
            help="go ahead: without it only what would be done is said",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        person = person_at(options["address"])
        if why := erasure.hindrance(person):
            raise CommandError(why)
        if not options["yes"]:
            self.stdout.write(
                f"Person {person.pk} would be erased for good. Add --yes to go ahead."
            )
            return
        try:
            row = erasure.erase(person, clock.now(), by=None, press=options["press"])
        except erasure.ErasureRefused as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(
            f"Person {person.pk} has been erased:"
            f" {', '.join(f'{number} {kind}' for kind, number in row.rows.items())}."
        )
