from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from games.base import clock
from games.models import Game, Phase


class Command(BaseCommand):
    help = "Print the next deadlines of running games, the soonest first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--most", type=int, default=5, metavar="N", help="how many to print (default 5)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        phases = Phase.objects.filter(status=Phase.Status.OPEN, game__status=Game.Status.RUNNING)
        # These columns alone: before an upgrade the tables may lack others.
        rows = phases.order_by("deadline").values_list("deadline", "game", "game__title")
        now, number = clock.now(), phases.count()
        for deadline, game, title in rows[: options["most"]]:
            minutes = round((deadline - now).total_seconds() / 60)
            self.stdout.write(
                f"{deadline:%Y-%m-%d %H:%M} UTC, in {minutes} minutes: game {game}, “{title}”"
            )
        if number > options["most"]:
            self.stdout.write(f"and {number - options['most']} more.")
        elif not number:
            self.stdout.write("No deadline is ahead.")
