from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.rules import verify
from games.rules.record import RecordError


def read(name: str) -> Any:
    """The JSON document in a file, or on standard input for "-"."""
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{name} cannot be read: {error}") from error
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{name} is no JSON document: {error}") from error


class Command(BaseCommand):
    help = "Replays a record with no database and says whether every published result follows from the orders and the digits."
    requires_system_checks: list[str] = []  # needs no settings, no database and nothing else of the service

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="a record as `exportgame` prints it, or - for standard input")

    def handle(self, *args: Any, **options: Any) -> None:
        tree = read(options["file"])
        try:
            first = next(verify.differences(tree), None)
        except RecordError as error:
            raise CommandError(str(error)) from error
        if first is not None:
            self.stdout.write(str(first))
            sys.exit(1)
        found = verify.counts(tree)
        phases, digits = _number(found.phases, "phase"), _number(found.digits, "digit")
        if found.withheld:
            withheld = f"the orders of {_number(found.withheld, 'result')} are withheld until it is over"
            self.stdout.write(f"This is the public record of a running game: {withheld}. What is published agrees: {phases}, {digits}.")
            return
        submissions, results = _number(found.submissions, "submission"), _number(found.judged, "result")
        self.stdout.write(f"All {phases} follow: {submissions}, {digits} and {results} checked.")


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
