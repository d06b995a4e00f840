"""Say in one line each whether what the service needs works."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from itertools import chain
from typing import Any

from django.core.management.base import BaseCommand

from games.operations import doctor
from gamesmaster import clock

SIGNS = {doctor.State.GOOD: "ok", doctor.State.DOUBTFUL: "look", doctor.State.BAD: "BAD"}


class Command(BaseCommand):
    help = (
        "Looks at settings, database, Redis, mail out and in, market, tick, clock, disk and backup."
        " One line each; ends with 1 where something is bad."
    )
    requires_system_checks: list[str] = []  # they are among what it looks at

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--near", action="store_true", help="send no letter and do not ask the market"
        )
        parser.add_argument(
            "--wait",
            type=float,
            default=60,
            metavar="SECONDS",
            help="how long to wait until the letter comes back (default 60)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        now, bad = clock.now(), False
        far = () if options["near"] else doctor.far_checks(now, options["wait"])
        for found in chain(doctor.quick_checks(now), far):
            hint = f" {found.hint}" if found.hint else ""
            self.stdout.write(f"{SIGNS[found.state]:4} {found.name}: {found.words}{hint}")
            self.stdout.flush()
            bad = bad or found.state is doctor.State.BAD
        if bad:
            sys.exit(1)
