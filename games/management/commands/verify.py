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
    """Return the JSON document in a file, or on standard input for "-"."""
    try:
        return checker.read(name)
    except checker.UnreadableFile as error:
        raise CommandError(str(error)) from error


class Command(BaseCommand):
    help = (
        "Replay a record without a database, and say whether every published result follows from"
        " the orders and the digits."
    )
    requires_system_checks: list[str] = []  # needs no settings and no database

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_record(parser)
        parser.add_argument(
            checker.LETTERS,
            nargs="+",
            default=[],
            metavar="FILE",
            help="letters to compare with the record's hashes: text, .eml or mbox",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        tree = read(options["file"])
        try:
            sent_letters = checker.read_letters(options["letters"])
        except checker.UnreadableFile as error:
            raise CommandError(str(error), returncode=2) from error
        try:
            answers = [checker.verdict(tree)]
        except RecordError as error:
            raise CommandError(str(error)) from error
        if options["letters"]:
            answers.append(letters.compare(tree, sent_letters))
        for _, sentence in answers:
            self.stdout.write(sentence)
        if not all(follows for follows, _ in answers):
            sys.exit(1)
