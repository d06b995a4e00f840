"""Erase a person who asked for it by post, or a class, as the page “About you” does."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.base import clock
from games.models import Person
from games.operations.personal import erasure
from games.operations.personal.export import person_at
from games.rules.names import all_of


class Command(BaseCommand):
    help = (
        "Erase a person for good: name, addresses, mail, letters. Games keep their results"
        " (docs/operations.md)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "address",
            nargs="?",
            help="the login address, the placeholder address of a player by post, or a number",
        )
        parser.add_argument(
            "--pupils-of",
            type=int,
            metavar="GAME",
            help="instead of one person, all who joined this game by a printed code",
        )
        parser.add_argument(
            "--press", action="store_true", help="also empty their letters to other nations"
        )
        parser.add_argument(
            "--yes",
            action="store_true",
            help="erase; without this, only show what would be done",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        people = _people(options["address"], options["pupils_of"])
        if why := next(filter(None, map(erasure.hindrance, people)), ""):
            raise CommandError(why)
        if not options["yes"]:
            numbers = all_of([str(person.pk) for person in people])
            self.stdout.write(f"This would erase person {numbers} for good. Add --yes to do it.")
            return
        for person in people:
            try:
                row = erasure.erase(person, clock.now(), by=None, press=options["press"])
            except erasure.ErasureError as refused:
                raise CommandError(str(refused)) from None
            self.stdout.write(
                f"Erased person {person.pk}:"
                f" {', '.join(f'{number} {kind}' for kind, number in row.rows.items())}."
            )


def _people(address: str | None, game: int | None) -> list[Person]:
    """Return the person of an address, or the pupils of a game. Raise `CommandError`."""
    if address is not None and game is None:
        return [person_at(address)]
    if address is not None or game is None:
        raise CommandError("Name one person, or a game with --pupils-of.")
    pupils = list(Person.objects.filter(printed_codes__game=game).distinct().order_by("pk"))
    if not pupils:
        raise CommandError(f"Game {game} has no pupils with a printed code.")
    return pupils
