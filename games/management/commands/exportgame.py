from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.evidence import export
from games.models import Game


class Command(BaseCommand):
    help = (
        "Prints a game's whole record as JSON. Of a running game it holds what only its gamesmaster"
        " may see: keep it, or use --public."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("game", metavar="GAME", help="the number in the game's address")
        parser.add_argument(
            "--public",
            action="store_true",
            help="leave out what a running game does not show to everybody",
        )
        parser.add_argument(
            "--people", action="store_true", help="add the names of those who sat in the seats"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        number = options["game"]
        game = (
            Game.objects.filter(pk=int(number)).first()
            if number.isdecimal() and len(number) < 16
            else None
        )
        if game is None:
            raise CommandError(
                f"There is no game {number}; the number of a game stands in its address,"
                " /games/NUMBER/."
            )
        self.stdout.write(
            export.text(
                export.record(game, private=not options["public"], people=options["people"])
            ),
            ending="",
        )
