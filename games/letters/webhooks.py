"""The letters about a webhook that does not answer any more. Where it was is never
said: its address is a key."""

from __future__ import annotations

from games.models import Channel
from gamesmaster import links, text

from .context import Build, Context, Facts


def _lost(context: Context) -> Facts:
    channel = Channel.objects.select_related("game").get(pk=context.about["channel"])
    return {
        "label": text.one_line(channel.label),
        "program": channel.get_kind_display(),
        "added": context.in_words(channel.added_at),
        "because": text.one_line(channel.removed_because),
        "link": (
            f"{links.link('me')}#webhooks"
            if channel.game is None
            else links.link("desk-channels", channel.game_id)
        ),
    }


BUILDERS: dict[str, Build] = {"channel": _lost, "webhook": _lost}
