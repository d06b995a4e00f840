"""The letter about a channel of a chat program that does not answer any more. Where it was is never
said: its address is a key."""

from __future__ import annotations

from collections.abc import Callable

from games.models import Channel, Letter
from gamesmaster import links, text

from . import facts
from .facts import Facts


def _lost(letter: Letter) -> Facts:
    channel = Channel.objects.get(pk=letter.about["channel"])
    return {
        "label": text.one_line(channel.label),
        "program": channel.get_kind_display(),
        "added": facts.told_at(letter, channel.added_at),
        "because": text.one_line(channel.removed_because),
        "channels_link": links.link("desk-channels", facts.game_of(letter).pk),
    }


TELLERS: dict[str, Callable[[Letter], Facts]] = {"channel": _lost}
