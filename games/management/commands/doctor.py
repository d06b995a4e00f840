"""Check the parts of the service, and print a line for each."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.checks import ERROR, INFO, WARNING, CheckMessage
from django.core.management.base import BaseCommand

from games.operations import doctor

SIGNS = {INFO: "ok", WARNING: "look", ERROR: "BAD"}


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
        found = self._print(doctor.near())
        if not options["near"]:
            found += self._print(doctor.far(options["wait"]))
        if any(message.is_serious() for message in found):
            sys.exit(1)

    def _print(self, found: list[CheckMessage]) -> list[CheckMessage]:
        for message in found:
            hint = f" {message.hint}" if message.hint else ""
            about = message.obj or "settings"
            self.stdout.write(f"{SIGNS[message.level]:4} {about}: {message.msg}{hint}")
        self.stdout.flush()
        return found
