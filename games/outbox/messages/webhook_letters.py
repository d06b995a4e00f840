"""Write the letter about a webhook that no longer answers."""

from __future__ import annotations

from datetime import datetime

from games.models import Channel
from games.outbox import rows
from games.outbox.kinds import Kind
from games.outbox.outgoing import Outgoing

CHANNEL = Kind("channel", "the letter about a channel")
WEBHOOK = Kind("webhook", "the letter about a webhook")


def report_lost_channel(channel: Channel, now: datetime) -> None:
    """Tell the gamesmasters, or the owner of a personal webhook, that a channel was removed because
    it failed; once per channel."""
    about = {"channel": channel.pk}
    if channel.game is None:
        rows.write([rows.row(f"webhook-{channel.pk}", WEBHOOK, now, channel.person, about=about)])
        return
    with Outgoing([channel.game]) as out:
        event = f"channel-{channel.pk}"
        out.write_to_gamesmasters(channel.game, None, CHANNEL, event, now, about)
