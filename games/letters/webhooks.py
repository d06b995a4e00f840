"""The letter about a channel of a chat program that does not answer any more. Where it was is never
said: its address is a key."""

from __future__ import annotations

from games.models import Channel
from gamesmaster import links, text

from .context import Build, Context, Facts


def _lost(context: Context) -> Facts:
    channel = Channel.objects.get(pk=context.about["channel"])
    return {
        "label": text.one_line(channel.label),
        "program": channel.get_kind_display(),
        "added": context.in_words(channel.added_at),
        "because": text.one_line(channel.removed_because),
        "channels_link": links.link("desk-channels", context.game.pk),
    }


BUILDERS: dict[str, Build] = {"channel": _lost}
