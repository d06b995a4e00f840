from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.evidence import export
from games.models import Game


def find_game(number: str) -> Game:
    """Return the game with this number. Raise `CommandError` if there is none."""
    game = (
        Game.objects.filter(pk=int(number)).first()
        if number.isdecimal() and len(number) < 16
        else None
    )
    if game is None:
        raise CommandError(
            f"There is no game {number}. The number is part of the game's address, /games/NUMBER/."
        )
    return game


class Command(BaseCommand):
    help = (
        "Print a game's whole record as JSON. The record of a running game holds secrets of its"
        " players: keep it private, or use --public."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("game", metavar="GAME", help="the number in the game's address")
        parser.add_argument(
            "--public",
            action="store_true",
            help="leave out what a running game keeps secret",
        )
        parser.add_argument("--people", action="store_true", help="add the names of the players")

    def handle(self, *args: Any, **options: Any) -> None:
        game = find_game(options["game"])
        self.stdout.write(
            export.text(
                export.current(game, private=not options["public"], people=options["people"])
            ),
            ending="",
        )
