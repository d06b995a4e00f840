"""The letter about a channel of a chat program that does not answer any more. Where it was is never
said: its address is a key."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from games.models import Channel, Letter
from games.outbox import rows

from . import facts
from .facts import Facts

facts.NAMES["channel"] = "the letter about a channel"


def lost(channel: Channel, now: datetime) -> None:
    """To the gamesmasters: a channel has been removed because it could not be told anything. Once
    for each."""
    about = {"channel": channel.pk}
    rows.to(
        rows.gamesmasters(channel.game),
        channel.game,
        None,
        "channel",
        f"channel-{channel.pk}",
        now,
        about,
    )


def _lost(letter: Letter) -> Facts:
    channel = Channel.objects.get(pk=letter.about["channel"])
    return {
        "label": facts.one_line(channel.label),
        "program": channel.get_kind_display(),
        "added": facts.told_at(letter, channel.added_at),
        "because": facts.one_line(channel.removed_because),
        "channels_link": facts.link("desk-channels", facts.game_of(letter).pk),
    }


TELLERS: dict[str, Callable[[Letter], Facts]] = {"channel": _lost}
