"""Channels of chat programs that a gamesmaster has told of his game: added, tried, removed. Their
addresses are shown to nobody."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from games.models import Channel, Game, Person
from games.webhooks import rows, wire

from . import acts
from .words import DeskError, one_line, refusing

MOST = 5


@transaction.atomic
def add(game: Game, kind: str, url: str, label: str, by: Person, now: datetime) -> Channel:
    """Keep the address of a channel and greet it. Raises `DeskError` for one not allowed."""
    with refusing(wire.Refused):
        wire.check(url)
    there = Channel.objects.filter(game=game, removed_at=None)
    if there.filter(url=url).exists():
        raise DeskError("That channel already follows this game.")
    if there.count() >= MOST:
        raise DeskError(f"{MOST} channels already follow this game. Remove one first.")
    label = one_line(label, "The name")[:60]
    channel = Channel.objects.create(
        game=game, kind=kind, url=url, label=label, added_by=by, added_at=now
    )
    words = "A chat channel follows the game. It gets only what is public."
    acts.write(game, "channel", words, now, by=by)
    rows.write([channel], "hello", f"game-{game.pk}/hello", now, {})
    return channel


def greet(channel: Channel, now: datetime) -> None:
    """A message by way of trying; one a minute at most."""
    rows.write([channel], "hello", f"game-{channel.game_id}/hello-{now:%Y%m%d%H%M}", now, {})


@transaction.atomic
def remove(channel: Channel, by: Person, now: datetime) -> None:
    """Ends a channel and forgets its address. What it has not heard yet it will not hear."""
    assert channel.game is not None, "of a person's webhook webhooks.personal takes care"
    standing = Channel.objects.filter(pk=channel.pk, removed_at=None)
    because = "Removed by the gamesmaster."
    if standing.update(removed_at=now, removed_because=because, url="") != 1:
        raise DeskError("That channel is already removed.")
    words = "A chat channel no longer follows the game."
    acts.write(channel.game, "channel", words, now, by=by)
