from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from games.management.commands.exportgame import find_game
from games.market.drawn import digits_by_source
from games.models import Game
from games.records import uniformity


class Command(BaseCommand):
    help = (
        "Test whether the digits drawn so far, in all games or in one, are uniform: counts,"
        " chi-square, p-value and a chart."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "game",
            metavar="GAME",
            nargs="?",
            help="the number in the game's address (default: all games)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        games = Game.objects.all()
        if options["game"] is not None:
            games = games.filter(pk=find_game(options["game"]).pk)
        groups = digits_by_source(games)
        if not groups:
            self.stdout.write(uniformity.examine([]).words)
            return
        for place, (name, digits) in enumerate(groups.items()):
            finding = uniformity.examine(digits)
            if place:
                self.stdout.write("")
            self.stdout.write(
                f"{name}: {finding.digits:,} digit{'' if finding.digits == 1 else 's'},"
                f" {finding.expected:g} of each expected"
            )
            self.stdout.write(uniformity.chart(finding))
            self.stdout.write(
                f"chi-square {finding.chi_square:.2f} with 9 degrees of freedom, p ="
                f" {finding.p:.4f}"
            )
            self.stdout.write(finding.words)
