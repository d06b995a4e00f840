"""Write notices to the channels of a game, in the transaction that causes them, as with letters.

A notice's key has event and channel, so calling a function twice writes one notice.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from games.models import Channel, Game, Notice
from games.outbox import channel_events


def tell(game: Game, event: str, key: str, now: datetime, about: dict[str, Any]) -> None:
    """Write a notice to each channel of the game.

    `event` is one of `channel_events`; `key` makes the notice unique.
    """
    channels = Channel.objects.filter(game=game, removed_at=None).order_by("pk")
    Notice.objects.bulk_create(
        make_rows(channels, game, event, key, now, about), ignore_conflicts=True
    )


def make_rows(
    channels: Iterable[Channel],
    game: Game,
    event: str,
    key: str,
    now: datetime,
    about: dict[str, Any],
) -> list[Notice]:
    """Return the rows that `tell` writes."""
    if not game.public and not channel_events.EVENTS[event].of_private_games:
        return []
    return rows(channels, event, f"game-{game.pk}/{key}", now, about)


def write(
    channels: Iterable[Channel], event: str, key: str, now: datetime, about: dict[str, Any]
) -> None:
    Notice.objects.bulk_create(rows(channels, event, key, now, about), ignore_conflicts=True)


def rows(
    channels: Iterable[Channel], event: str, key: str, now: datetime, about: dict[str, Any]
) -> list[Notice]:
    return [
        Notice(
            channel=channel,
            key=f"{key}/channel-{channel.pk}",
            about={**about, "event": event},
            written_at=now,
            due_at=now,
        )
        for channel in channels
    ]
