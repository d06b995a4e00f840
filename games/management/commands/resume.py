from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from games.models import service
from games.operations import restore_hold
from gamesmaster import clock
from gamesmaster.commands import ServiceCommand


class Command(ServiceCommand):
    help = (
        "Lets the service go on after `manage.py restore`: open phases get their time back, and"
        " everybody in a game is told."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--yes", action="store_true", help="do it; without this it only says what is held"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        held = service.current()
        if held is None:
            raise CommandError("The service is not held; there is nothing to let go on.")
        if not options["yes"]:
            said = (
                f"The service was {held}. It is held. `manage.py resume --yes` lets it go on and"
                " writes to everybody in a game."
            )
            self.stdout.write(said)
            return
        done = restore_hold.release(None, clock.now())
        self.stdout.write(
            f"The service goes on: {done.games} games told, {len(done.moved)} deadlines moved."
        )
        if done.failed:
            numbers = ", ".join(str(number) for number in done.failed)
            self.stderr.write(
                self.style.ERROR(
                    f"Games {numbers} could not be given their time back; their phases are held."
                    " See the log."
                )
            )
