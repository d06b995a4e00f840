"""Build the context of letters about a webhook that no longer answers. They never contain its
address, which is a secret."""

from __future__ import annotations

from games.base import links, text
from games.models import Channel
from games.outbox.messages import webhook_letters

from .context import Context, Facts, builds


@builds(webhook_letters.CHANNEL, webhook_letters.WEBHOOK)
def _lost_channel_facts(context: Context) -> Facts:
    channel = Channel.objects.select_related("game").get(pk=context.about["channel"])
    return {
        "label": text.one_line(channel.label),
        "program": channel.get_kind_display(),
        "added": context.describe_instant(channel.added_at),
        "because": text.one_line(channel.removed_because),
        "link": (
            f"{links.link('me')}#webhooks"
            if channel.game is None
            else links.link("desk-channels", channel.game_id)
        ),
    }
