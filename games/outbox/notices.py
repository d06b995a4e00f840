"""Rows of notices to channels, written in the transaction that causes them, as with letters.

A notice's key has event and channel, so calling a function twice writes one notice.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from games.models import Channel, Notice


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
