"""Mute a game's letters, and unmute them. The gamesmaster is notified."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from games.models import Game, Mute, Person
from games.outbox.messages import reply_letters

#: How often a person may stop a game's letters within a day: its gamesmasters get a letter each
#: time.
MOST_A_DAY = 10


class MuteRefused(Exception):
    """Raised where a game cannot be muted. `str()` is one sentence for the person."""


def is_muted(person: Person, game: Game) -> bool:
    return Mute.objects.filter(person=person, game=game, until=None).exists()


def muted_games(person: Person) -> set[int]:
    """Return the primary keys of the games whose letters a person has stopped."""
    return set(Mute.objects.filter(person=person, until=None).values_list("game", flat=True))


def mute(person: Person, game: Game, now: datetime) -> bool:
    """Stop the letters of this game; return whether that is a change.

    Raise `MuteRefused` for its gamesmaster, and for more than `MOST_A_DAY`.
    """
    if game.gamesmasters.filter(pk=person.pk).exists():
        raise MuteRefused(
            f"You run “{game.title}”, and its letters tell you when it needs you. Hand the game"
            " over first."
        )
    with transaction.atomic():
        if is_muted(person, game):
            return False
        today = Mute.objects.filter(person=person, game=game, since__gt=now - timedelta(days=1))
        if today.count() >= MOST_A_DAY:
            raise MuteRefused(
                f"You have stopped these letters {MOST_A_DAY} times within a day. Try again"
                " tomorrow."
            )
        mute = Mute(person=person, game=game, since=now)
        Mute.objects.bulk_create(
            [mute], ignore_conflicts=True
        )  # only one of two simultaneous requests writes the row
        reply_letters.report_mute(person, game, now, silent=True)
    return True


def unmute(person: Person, game: Game, now: datetime) -> None:
    """Resume the letters of this game."""
    with transaction.atomic():
        if Mute.objects.filter(person=person, game=game, until=None).update(until=now):
            reply_letters.report_mute(person, game, now, silent=False)
