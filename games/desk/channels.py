"""Add, test and remove a game's chat channels. Their addresses are shown to nobody."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from games.base import https
from games.models import Channel, Game, Person
from games.outbox import notices

from . import acts
from .words import DeskError, one_line, refusing

MOST = 5


@transaction.atomic
def add(game: Game, kind: str, url: str, label: str, by: Person, now: datetime) -> Channel:
    """Store the address of a channel and greet it. Raise `DeskError` if it is not allowed."""
    with refusing(https.WebhookError):
        https.check(url)
    acts.take_row(game, by)
    active = Channel.objects.filter(game=game, removed_at=None)
    if active.filter(url=url).exists():
        raise DeskError("That channel already follows this game.")
    if active.count() >= MOST:
        raise DeskError(f"{MOST} channels already follow this game. Remove one first.")
    label = one_line(label, "The name")[:60]
    channel = Channel.objects.create(
        game=game, kind=kind, url=url, label=label, added_by=by, added_at=now
    )
    words = "A chat channel follows the game. It gets only public news."
    acts.write(game, "channel", words, now, by=by)
    notices.write([channel], "hello", f"game-{game.pk}/hello", now, {})
    return channel


def greet(channel: Channel, now: datetime) -> None:
    """Send a test message, at most once a minute."""
    notices.write([channel], "hello", f"game-{channel.game_id}/hello-{now:%Y%m%d%H%M}", now, {})


@transaction.atomic
def remove(channel: Channel, by: Person, now: datetime) -> None:
    """Remove a channel and forget its address. Notices not sent yet are never sent."""
    assert channel.game is not None, "of a person's webhook webhooks.personal takes care"
    acts.take_row(channel.game, by)
    active = Channel.objects.filter(pk=channel.pk, removed_at=None)
    because = "Removed by the gamesmaster."
    if active.update(removed_at=now, removed_because=because, url="") != 1:
        raise DeskError("That channel is already removed.")
    words = "A chat channel no longer follows the game."
    acts.write(channel.game, "channel", words, now, by=by)
