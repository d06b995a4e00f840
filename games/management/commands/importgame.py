from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email

from games.management.commands.verify import add_record, read
from games.models import Person
from games.records import archive
from games.rules.verification.record import RecordError


class Command(BaseCommand):
    help = (
        "Check the record of a game and open a copy of the game. The copy has no deadlines and"
        " sends no letters."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_record(parser)
        parser.add_argument(
            "--gamesmaster",
            metavar="ADDRESS",
            help="gamesmaster of the copy (default: an account nobody can log in to)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        tree = read(options["file"])
        try:
            game = archive.restore(tree, self._gamesmaster(options["gamesmaster"]))
        except RecordError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"Game {game.pk}, “{game.title}”: {settings.SITE_URL}{game.get_absolute_url()}"
        )

    def _gamesmaster(self, address: str | None) -> Person:
        if address is None:
            return Person.objects.at(
                f"records@{settings.MAIL_DOMAIN}", name="Records", is_active=False
            )
        try:
            validate_email(address)
        except ValidationError:
            raise CommandError(
                f"“{address}” is not an e-mail address. Write one like ada@example.org."
            ) from None
        return Person.objects.at(address)
