"""Turn off the two-factor codes of a person who has lost telephone and recovery codes."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.accounts import two_factor
from games.models import Person
from games.models.people import tidy_address


class Command(BaseCommand):
    help = "Turn off a person's two-factor codes. They can set up new ones at the next login."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--end",
            metavar="ADDRESS",
            required=True,
            help="the e-mail address with which the person logs in",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        person = Person.objects.filter(email=tidy_address(options["end"])).first()
        if person is None:
            raise CommandError(
                f"No account has the address “{options['end']}”. Use the one with which the person"
                f" logs in."
            )
        count = two_factor.end([person])
        self.stdout.write(
            "Turned off. The person can set up new codes after the next login by e-mail."
            if count
            else "Two-factor codes were not set up."
        )
