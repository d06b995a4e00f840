from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.rules.verification import checker, letters
from games.rules.verification.record import RecordError


def add_record(parser: ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", help="a record as `exportgame` prints it, or - for standard input"
    )


def read(name: str) -> Any:
    """The JSON document in a file, or on standard input for "-"."""
    try:
        return checker.read(name)
    except checker.Unreadable as error:
        raise CommandError(str(error)) from error


class Command(BaseCommand):
    help = (
        "Replays a record with no database and says whether every published result follows from the"
        " orders and the digits."
    )
    requires_system_checks: list[
        str
    ] = []  # needs no settings, no database and nothing else of the service

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_record(parser)
        parser.add_argument(
            checker.LETTERS,
            nargs="+",
            default=[],
            metavar="FILE",
            help="letters whose hashes are compared with it: text, .eml or mbox",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        tree = read(options["file"])
        try:
            found = checker.read_letters(options["letters"])
        except checker.Unreadable as error:
            raise CommandError(str(error), returncode=2) from error
        try:
            answers = [checker.verdict(tree)]
        except RecordError as error:
            raise CommandError(str(error)) from error
        if options["letters"]:
            answers.append(letters.compare(tree, found))
        for _, sentence in answers:
            self.stdout.write(sentence)
        if not all(follows for follows, _ in answers):
            sys.exit(1)
