from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from games.base import clock
from games.base.commands import ServiceCommand
from games.models import service
from games.operations import restore_hold


class Command(ServiceCommand):
    help = (
        "Resume the service after `manage.py restore`: open phases get their time back, and"
        " everybody in a game gets a letter."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--yes", action="store_true", help="resume; without this, only show the state"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        restore = service.current()
        if restore is None:
            raise CommandError("The service is not on hold, so there is nothing to resume.")
        if not options["yes"]:
            sentence = (
                f"The service was {restore} and is on hold. `manage.py resume --yes` resumes it and"
                " writes to everybody in a game."
            )
            self.stdout.write(sentence)
            return
        released = restore_hold.release(None, clock.now())
        self.stdout.write(
            f"The service is running. Wrote to {released.games} games and moved"
            f" {len(released.moved)} deadlines."
        )
        if released.failed:
            numbers = ", ".join(str(number) for number in released.failed)
            self.stderr.write(
                self.style.ERROR(
                    f"The deadlines of games {numbers} could not be moved; their phases are on"
                    " hold. See the log."
                )
            )
