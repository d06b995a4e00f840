"""Check the parts of the service, and print a line for each."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from itertools import chain
from typing import Any

from django.core.management.base import BaseCommand

from games.base import clock
from games.operations import doctor

SIGNS = {doctor.State.GOOD: "ok", doctor.State.DOUBTFUL: "look", doctor.State.BAD: "BAD"}


class Command(BaseCommand):
    help = (
        "Check settings, database, Redis, outgoing and incoming mail, market, tick, clock, disk and"
        " backup. Print one line for each; exit with 1 if a check fails."
    )
    requires_system_checks: list[str] = []  # the command runs them itself

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--near",
            action="store_true",
            help="skip the checks that send a letter and ask the market",
        )
        parser.add_argument(
            "--wait",
            type=float,
            default=60,
            metavar="SECONDS",
            help="how long to wait for the letter to come back (default 60)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        now, bad = clock.now(), False
        far = () if options["near"] else doctor.far_checks(now, options["wait"])
        for finding in chain(doctor.quick_checks(now), far):
            hint = f" {finding.hint}" if finding.hint else ""
            self.stdout.write(f"{SIGNS[finding.state]:4} {finding.name}: {finding.words}{hint}")
            self.stdout.flush()
            bad = bad or finding.state is doctor.State.BAD
        if bad:
            sys.exit(1)
