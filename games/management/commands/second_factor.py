"""Let a member of staff in again whose telephone and recovery codes are lost."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.accounts import two_factor
from games.models import Person
from games.models.people import tidy_address


class Command(BaseCommand):
    help = (
        "Turns off two-factor codes of a person, who can set up new ones after a login by letter."
    )

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
                f"Nobody has the address “{options['end']}”. Write the one with which the person"
                f" logs in."
            )
        done = two_factor.end([person])
        self.stdout.write(
            "Ended. The next login by letter leads to setting up another one."
            if done
            else "There was none to end."
        )
